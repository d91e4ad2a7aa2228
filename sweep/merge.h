/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/merge.h - the databases of a sweep's shards put into one. */
#ifndef SWEEP_MERGE_H
#define SWEEP_MERGE_H

#include <stdbool.h>

/* Into `path`, which is made or holds an undivided sweep, in one transaction. A point that two have is taken where
 * it is done; done in both, its flows must be the same. Returns the exit status with its line on stderr: 1 when points
 * are missing or not done, 2 for files of different sweeps. */
int sweep_merge(const char *path, char *const *shards, int n, bool quiet);

#endif
