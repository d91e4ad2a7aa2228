/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/engine_run.h - what every engine's program does with its one argument. */
#ifndef CLI_ENGINE_RUN_H
#define CLI_ENGINE_RUN_H

#include <signal.h>

/* Runs scenario.yaml of a prepared directory in this process's engine. Says on stderr why it failed. Returns the exit
 * status: as contraflow's, or SWEEP_ENGINES_INTERRUPTED. progress() may set *interrupt. */
int cli_engine_run(const char *directory, void (*progress)(void *user, double fraction), void *user,
                   const volatile sig_atomic_t *interrupt);

#endif
