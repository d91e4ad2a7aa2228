/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/sweep_run.h - a sweep from its first point to its last line, whoever runs the points. */
#pragma once

#include "sweep/work.h"

/* Returns the exit status, after its lines on stderr and, with `json`, its counts on stdout; *number is the signal that
 * stopped it, or 0. */
int cli_sweep_run(const struct sweep *s, const char *path, sweep_pool *pool, int parallel, bool quiet, bool json,
                  int *number);

/* What --json prints of a sweep that ran or was merged. */
json_t *cli_sweep_run_json(const char *path, const struct sweep_counts *c);

/* `contraflow sweep` with that pool. */
int cli_sweep_command(int argc, char **argv, sweep_pool *pool, int *number);
