/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/engines.h - simulations in processes of their own: several at a time, watched.
 *
 * A child says "progress FRACTION" on its stdout and, when it fails, one line on its stderr. */
#pragma once

#include "scenarios/scenario.h"

#include <signal.h>

#define SWEEP_ENGINES_MOST 64 /* at once */

#define SWEEP_ENGINES_FRAMES "--frames=" /* an option of our own engines: they are done when hosts have sent so many */

#define SWEEP_ENGINES_OPENED "--opened=" /* the descriptor of the directory, which we hold: its name may lead elsewhere */

#define SWEEP_ENGINES_INTERRUPTED 4 /* a child's exit status: stopped by a signal, its files are closed */

struct sweep_engines_job {
    const char *label;     /* borrowed; for messages and progress: "2in-1out" */
    const char *directory; /* borrowed; the child's one argument */
    enum {
        SWEEP_ENGINES_WAITING,
        SWEEP_ENGINES_RUNNING,
        SWEEP_ENGINES_DONE,
        SWEEP_ENGINES_STOPPED,
        SWEEP_ENGINES_FAILED
    } state;
    double fraction; /* done of it, 0..1 */
    double seconds;  /* wall time it took */
    struct error error; /* when it failed */
    const char *program; /* borrowed; what to start */
    const char *option;  /* borrowed; before the directory. NULL: none */
    bool signalled;      /* failed because a signal ended the engine */
};

/* Where a pool gets its jobs while it runs, and who hears of their end. */
struct sweep_engines_source {
    struct sweep_engines_job *(*next)(void *user); /* zeroed but for its strings; NULL: nothing more to start now */
    bool (*done)(void *user, struct sweep_engines_job *job); /* false: start nothing more, stop what runs */
    void (*show)(void *user, double elapsed_s); /* every 0.2 s, and with -1 after the last; NULL: never */
    void *user;
    double until_s; /* base/monotonic.h: then nothing more starts, and what runs is told to stop; 0: never */
};

/* Runs `job->program [OPTION] [--opened=N] DIRECTORY` for every job that next() gives, at most `parallel` (64) at once, until it gives none
 * and none runs. After SIGINT or SIGTERM children are told to stop and nothing new starts; a second one kills them. A
 * child dies with this process. Returns the signal, or 0. */
int sweep_engines_pool(const struct sweep_engines_source *source, int parallel);

/* Path of the engine's program beside this one, or of contraflow-mpi; ERROR_SYSTEM when it is not there. There are no
 * others: no text from a file becomes the name of a program. */
bool sweep_engines_path(enum scenario_engine engine, char *path, size_t size, struct error *err);
bool sweep_engines_path_mpi(char *path, size_t size, struct error *err);

/* --jobs, --threads: ERROR_INPUT, which names the option, unless it is a number from 1 to 64. */
bool sweep_engines_parse_jobs(const char *option, const char *text, int64_t *jobs, struct error *err);

/* Processors this process may use, at least 1. */
int sweep_engines_processors(void);
