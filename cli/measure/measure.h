/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/measure/measure.h - what both ends of 'contraflow measure' share on the command line. */
#pragma once

#include "cli/options.h"
#include "study/infer/kit.h"

#include <jansson.h>

/* 'contraflow measure serve', as a command of its own; argv[0] is "serve". */
int cli_measure_study(int argc, char **argv);
int cli_measure_experiment(int argc, char **argv);
int cli_measure_serve(int argc, char **argv);

/* A time of seconds for tests; `to`: a double. */
cli_options_call cli_measure_seconds;

/* Writes DIRECTORY/NAME, which appears whole; the directory is there. */
bool cli_measure_keep(const char *directory, const char *name, const json_t *root, struct error *err);

/* A port of TCP, from the option's `least` to 65535; `to`: a const char *, which becomes the argument. */
cli_options_call cli_measure_port;

/* 'contraflow measure --mpi', in contraflow-mpi alone: the command itself, by each of the processes; argv[0] is
 * "measure". */
int cli_measure_mpi(int argc, char **argv);

/* 'measure --study' of whatever measures: servers, processes of MPI, or an emulated network. */
struct cli_study {
    const char *where;              /* borrowed; what is studied, in the answer */
    struct study_kit kit;           /* flows, shared, until_s; jobs, 0: as many as processors */
    /* What measures, between two looks at this host's counters of TCP, which fill in p->resent. NULL: kit.measure() does. */
    bool (*measure)(void *user, struct study_kit_pattern *p, struct error *err);
    void *user;
    double rate_bps, round_trip_s;  /* of the link, idle; 0: as interfaces say, or the fastest flow; 200 us */
    bool json;
};

/* Studies, and prints the answer. Returns the exit status: 0 a cause is named, 4 none is; or *err. */
int cli_study_run(struct cli_study *s, struct error *err);


/* Of a network that a scenario has. */
int cli_study_emulated(struct cli_study *s, const char *scenario, struct error *err);
