/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/programs/engine_run.h - what every engine's program does with its one argument. */
#pragma once

#include "base/std.h"

#include <signal.h>

extern volatile sig_atomic_t cli_engine_interrupted; /* the signal that asked to end; 0 */

/* Begins an engine's program: it ends with its parent, and SIGINT and SIGTERM set cli_engine_interrupted. Returns -1 where
 * its last argument is a directory, alone or after SWEEP_ENGINES_OPENED, which it holds then; or else the exit status, after "usage: NAME DIRECTORY" and what it `does`. */
int cli_engine_begin(int argc, char **argv, const char *does);

/* An option before the directory, such as SWEEP_ENGINES_FRAMES, and its number, from 1 to `most`; false: it is another. */
bool cli_engine_number(const char *text, const char *option, int64_t most, int64_t *number);

/* Prints "progress FRACTION", for whoever started it. */
void cli_engine_progress(double fraction);

/* Runs scenario.yaml of a prepared directory in this process's engine. Says on stderr why it failed. Returns the exit
 * status: as contraflow's, or SWEEP_ENGINES_INTERRUPTED.
 * threads: for a large network, where the engine can. frames: it is over when hosts have sent so many; 0: no limit.
 * programs: those of the scenario may be started. progress() may set cli_engine_interrupted. */
int cli_engine_run(const char *directory, int threads, int64_t frames, bool programs,
                   void (*progress)(void *user, double fraction), void *user);
