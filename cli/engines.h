/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/engines.h - a list of simulations, run with a progress line. */
#pragma once

#include "sweep/engines.h"

/* Runs `program DIRECTORY` for every job, at most `parallel` at once, with a progress line on stderr when that is a
 * terminal and a line a finished job otherwise (none when quiet). Signals as in sweep_engines_pool(). Returns the signal,
 * or 0. Each job's state shows how it went; after `until_s` (base/monotonic.h) only the first one is still begun. */
int cli_engines_run(const char *program, struct sweep_engines_job *jobs, int n, int parallel, double until_s, bool quiet);
