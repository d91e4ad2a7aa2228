/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/range.h - the values of one axis of a sweep; see sweep/grid.h. */
#pragma once

#include "scenarios/document.h"

#define SWEEP_RANGE_VALUES 100000 /* of an axis, at most */

struct sweep_range {
    char **texts; /* owned */
    size_t n;
};

/* A list, "1..12" or {from, to, step | points, scale: log}. ERROR_INPUT says what is wrong, not where. */
bool sweep_range_load(struct sweep_range *v, const struct document *d, int node, struct error *err);

bool sweep_range_add(struct sweep_range *v, const char *text, struct error *err);

/* first, first + 1, ... */
bool sweep_range_count(struct sweep_range *v, int64_t first, int64_t count, struct error *err);

bool sweep_range_has(const struct sweep_range *v, const char *text);
void sweep_range_fini(struct sweep_range *v);
