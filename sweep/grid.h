/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/grid.h - a scenario at every point of a grid, from a sweep file (doc/commands/sweep.md).
 *
 * A range takes whole numbers, sizes, rates or times; its step is one of the unit of `from` unless given. A log range
 * has `points` values in equal ratios, each rounded to a whole unit of `from`, and one that comes twice is left out.
 * Points go through the axes like nested loops, the first axis outermost and the seed innermost; one that a `skip`
 * entry leaves out takes no number. Captures are off. */
#pragma once

#include "base/error.h"

#define SWEEP_GRID_POINTS 1000000 /* at most, skipped ones too */

struct sweep; /* opaque */

struct sweep_facts { /* all owned by the sweep */
    char *title;           /* NULL: it has none */
    char *text;            /* the file as it was read */
    char *scenario_text;   /* and the scenario's, NULL when that cannot be read */
    int64_t first_seed;    /* as given to sweep_grid_load() */
    int64_t shard, shards; /* which points sweep_grid_expand() gives */
};

struct sweep_grid_point {
    int64_t number;     /* from 1 */
    const char *axes;   /* values as JSON: {"traffic.star.incoming":2,"tcp.window":"10kB"} */
    const char *yaml;   /* the scenario, resolved */
    int64_t seed;
    const char *engine; /* "native", "ns3" or "linux" */
};

/* Reads the file, not the scenario. `first_seed` counts from there instead of 1; negative: not given. NULL and *err,
 * naming file, line and key, on bad input. */
struct sweep *sweep_grid_load(const char *path, int64_t first_seed, struct error *err);
void sweep_grid_free(struct sweep *s);

const struct sweep_facts *sweep_grid_facts(const struct sweep *s); /* borrowed */
int64_t sweep_grid_points(const struct sweep *s); /* skipped ones left out */

/* Leaves to sweep_grid_expand() the points whose (number - 1) % shards is shard - 1; their numbers stay. 1 of 1:
 * all. */
void sweep_grid_divide(struct sweep *s, int64_t shard, int64_t shards);

/* Calls take() for every point of the shard in order; strings are valid during the call. Stops with false and *err at
 * the first scenario that does not load (blamed on the line of the sweep file that has the value) or when take() says
 * false. */
bool sweep_grid_expand(const struct sweep *s,
                       bool (*take)(void *user, const struct sweep_grid_point *p, struct error *err), void *user,
                       struct error *err);
