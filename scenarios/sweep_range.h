/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/sweep_range.h - the values of one axis of a sweep; see scenarios/sweep.h. */
#ifndef SCENARIOS_SWEEP_RANGE_H
#define SCENARIOS_SWEEP_RANGE_H

#include "scenarios/document.h"

#include <stdint.h>

#define SWEEP_VALUES 100000 /* of an axis, at most */

struct sweep_values {
    char **texts; /* owned */
    size_t n;
};

/* A list, "1..12" or {from, to, step | points, scale: log}. ERROR_INPUT says what is wrong, not where. */
bool sweep_values_load(struct sweep_values *v, const struct document *d, int node, struct error *err);

bool sweep_values_add(struct sweep_values *v, const char *text, struct error *err);

/* first, first + 1, ... */
bool sweep_values_count(struct sweep_values *v, int64_t first, int64_t count, struct error *err);

bool sweep_values_has(const struct sweep_values *v, const char *text);
void sweep_values_fini(struct sweep_values *v);

#endif
