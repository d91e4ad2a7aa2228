/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/compression.h - ACK compression by its spans: groups of ACKs in a row, each of which is known to
 * have left (or to have been caused) at one time and to have come at another.
 *
 *   xi = (span of coming + its clock's resolution) / (span of leaving - its clock's resolution)
 *
 * Compressed: xi < 0.75 (Paxson 1997, section 15.4). A group has three ACKs, and more until they left over at least a
 * floor: shorter spans are made by bursts and clocks, not by queues, and at 1 Gb/s three ACKs leave within 50 us. */
#pragma once

#include "base/std.h"

#define COMPRESSION_GROUP 3
#define COMPRESSION_XI 0.75
#define COMPRESSION_FLOOR_NS INT64_C(100000) /* for clocks of microseconds */

/* All in one unit, whichever. */
struct compression_config {
    int64_t floor;                            /* least span of leaving, more than its clock's resolution */
    int64_t left_resolution, came_resolution; /* of the two clocks */
};

struct compression {
    int in_group;
    int64_t first_left, first_came;
    int64_t groups, compressed;
};

/* Is a group compressed, by its spans? */
static inline bool compression_found(const struct compression_config *c, int64_t left_span, int64_t came_span)
{
    return (double)(came_span + c->came_resolution) < COMPRESSION_XI * (double)(left_span - c->left_resolution);
}

/* The next ACK in a row. */
static inline void compression_add(struct compression *x, const struct compression_config *c, int64_t left, int64_t came)
{
    if (x->in_group++ == 0) {
        x->first_left = left;
        x->first_came = came;
    }
    int64_t left_span = left - x->first_left, came_span = came - x->first_came;
    if (x->in_group < COMPRESSION_GROUP || left_span < c->floor)
        return;
    x->in_group = 0;
    x->groups++;
    x->compressed += compression_found(c, left_span, came_span);
}

/* The row is broken: one was lost, or nobody knows when it left. */
static inline void compression_break(struct compression *x)
{
    x->in_group = 0;
}

/* compressed / groups; NAN with fewer than `least` groups. */
double compression_share(const struct compression *x, int64_t least);
