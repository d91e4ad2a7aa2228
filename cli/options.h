/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/options.h - a command's options as a table: a row says how one is written and what it sets. --help and -h belong
 * to every table without a row. */
#pragma once

#include "scenarios/document.h"

struct cli_option;

/* Takes the argument of an option. False and *err when it is wrong. */
typedef bool cli_options_call(const struct cli_option *option, const char *text, struct error *err);

/* What an argument is where it is a number: in seconds, bytes, bit/s as a double; in picoseconds as a whole number. */
enum cli_options_unit {
    CLI_OPTIONS_NUMBER, /* "0.5" */
    CLI_OPTIONS_COUNT,  /* "16" */
    CLI_OPTIONS_BYTES,
    CLI_OPTIONS_RATE,
    CLI_OPTIONS_TIME,
    CLI_OPTIONS_TIME_PER_BYTE, /* or plain seconds: published to more digits than a picosecond has */
};

/* One of flag, text, number, whole and call is set. */
struct cli_option {
    const char *name;       /* "output": --output */
    char letter;            /* 'o': -o; 0 none */
    bool *flag;             /* becomes true: no argument */
    const char **text;      /* becomes the argument */
    cli_options_call *call; /* does something with it */
    void *to;               /* the call's own */
    double *number;         /* becomes the argument */
    int64_t *whole;
    enum cli_options_unit unit;
    int64_t least, most;    /* of a whole number, or of its whole part; most 0: any */
};

/* Reads the options of the command whose help is on page `page`; the table ends with a row without a name. Returns the
 * index of the first argument that is none, 0 after --help has been printed, -1 with *err. */
int cli_options_read(const char *page, int argc, char **argv, const struct cli_option *options, struct error *err);

/* Keys that --set, --seed and --engine set. */
#define CLI_OPTIONS_SETS 256
struct cli_options_sets {
    struct document_set set[CLI_OPTIONS_SETS + 1]; /* room for one of the command's own */
    size_t n;
    char seed[64], engine[64];
};

/* Calls: `to` is a struct cli_options_sets, and an int64_t for the number after --jobs. */
cli_options_call cli_options_set, cli_options_seed, cli_options_engine, cli_options_jobs;

/* --budget: `to` is a double, the moment (base/monotonic.h) after which nothing more is looked for; INFINITY before. */
cli_options_call cli_options_budget;

/* --rate of a host's link, "50M" both ways or "20M/2M" towards it and from it; `to`: double[2], bit/s. */
cli_options_call cli_options_link_rate;
