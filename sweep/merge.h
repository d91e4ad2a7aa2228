/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/merge.h - the databases of a sweep's shards put into one. */
#pragma once

#include "sweep/db.h"

/* Into `path`, which is made or holds an undivided sweep, in one transaction. A point that two have is taken where
 * it is done; done in both, its flows must be the same. *counts: of the result, points those of the whole sweep.
 * ERROR_INPUT for files of different sweeps. */
bool sweep_merge(const char *path, char *const *shards, int n, struct sweep_counts *counts, struct error *err);
