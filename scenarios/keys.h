/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/keys.h - the keys of a scenario file, a row each (scenarios/keys_table.c).
 *
 * A row says where in struct scenario the value is, what may stand there, the default and what it means.
 * Checking, loading, saving, suggestions for misspelt keys and the reference page all read the rows. */
#pragma once

#include "scenarios/document.h"
#include "scenarios/scenario.h"

#define KEYS_PATH 96
#define KEYS_WORDS 320 /* at least NAMES_TEXT */
#define KEYS_TEXT (2 * UNITS_TEXT + SCENARIO_WORD) /* room for any value as text */

enum key_kind { /* and the C type of the value */
    KEY_TEXT,    /* char[size] */
    KEY_NAME,    /* char[size]: A-Z a-z 0-9 _ . - */
    KEY_INTEGER, /* any integer type, by size */
    KEY_BYTES,   /* int64_t, as the next four */
    KEY_WINDOW,  /* bytes that TCP can advertise */
    KEY_TIME,    /* ps */
    KEY_RATE,    /* bit/s */
    KEY_RANGE,   /* int64_t[2]: "10MB..60MB" */
    KEY_NUMBER,  /* double */
    KEY_SHARE,   /* double: "2%" or "0.02" */
    KEY_SWITCH,  /* bool */
    KEY_CHOICE,  /* an enum or bool: the position among `names` */
    KEY_LEVEL,   /* struct emu_level: "20MB", "1000p", "none" */
    KEY_HOST,    /* int: "h3" */
    KEY_POINT,   /* struct scenario_point: "2/1" */
    KEY_PAUSE,   /* struct scenario_pause: "200ms after 1MB" */
    KEY_SECTION, /* a mapping of `keys`, whose values lie from `offset` on */
    KEY_OPTION,  /* the same, and it may be absent: `beside` is then the bool that says so (size 0: nobody asks) */
    KEY_LIST,    /* a pointer to entries, owned; `beside`: their number, an int */
    KEY_ARRAY,   /* the same in place: room for `max` entries */
    KEY_HOSTS,   /* a list of hosts as bool[SCENARIO_HOSTS], struct scenario's pause_hosts */
};

struct key {
    const char *name; /* NULL: after the last row of a section */
    enum key_kind kind;
    size_t offset, size;      /* in the struct of its section; size 0: checked, not kept */
    int64_t min, max;         /* integers, bytes, times, rates; lists: entries */
    double low, high;         /* numbers */
    const char *usual;        /* the default, as people would write it */
    const char *otherwise;    /* without `usual`: what holds then, for the reference */
    const char *zero;         /* a word for 0, such as "warm" */
    const char *noun;         /* "a queue", for sentences; lists: "flows" */
    const char *const *names; /* choices, NULL after the last */
    bool optional;            /* 0 is left out of a saved scenario */
    bool bare;                /* bytes are saved without a unit */
    const char *required;     /* the key must be there, as in this example */
    const struct key *keys;   /* of a section */
    const struct key *entry;  /* of a list: the row of its entries, whose offset is 0 */
    size_t beside;
    /* Why the key means nothing here; NULL when it does. `given` is what is being loaded; NULL: the key is about to
     * be saved. `section` is the struct that holds the value. */
    const char *(*misfit)(const struct key *key, const struct scenario *s, const void *section,
                          const struct document *given);
    unsigned told;       /* enum emu_discipline_has: the key is for queues of disciplines that have it */
    const char *meaning; /* one line */
};

/* The top level. */
extern const struct key scenario_keys[];

/* A value from text and back; the sentence in *err lacks the place. `value` points to what key->kind says. */
bool keys_kind_parse(const struct key *key, const char *text, void *value, struct error *err);
void keys_kind_format(const struct key *key, const void *value, char text[static KEYS_TEXT]);

/* "size, 1B to 1448B": what may stand there, in words. */
void keys_kind_describe(const struct key *key, char text[static KEYS_WORDS]);

/* Fills defaults, then every value of the document. False and *err for a key that is not known, a value of the wrong
 * kind or one out of range. */
bool keys_load(struct scenario *s, const struct document *d, struct error *err);

/* Given keys that mean nothing with the others, and hosts beyond the network's. */
bool keys_check(struct scenario *s, const struct document *d, struct error *err);

/* The key that a misspelt one at `section` ("": the top level) may stand for, as a path or a name there; false when
 * none is near. */
bool keys_suggest(const struct key *here, const char *word, char path[static KEYS_PATH]);

/* "codel, fq_codel or pie": the disciplines that have one of these (enum emu_discipline_has), `last` before the last. */
const char *keys_disciplines(unsigned has, const char *last, char text[static KEYS_WORDS]);

/* The reference page, in Markdown. */
void scenario_keys_reference(FILE *f);
