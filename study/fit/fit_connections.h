/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/fit_connections.h - part `connections` of a fit, for a sweep over traffic.pairs.count: what each of so many
 * connections at once takes (Steffenel 2006, Fig. 2, 3; Vaughan et al. 2003, Fig. 3 to 10), and the two gaps per byte
 * of Steffenel's Eq. 3 that they show.
 *
 * A connection's time is from its first byte to its last, or the mean of its repeated messages. Points that differ in
 * the number of pairs and the seed alone are one group. Choices made here, where the paper says only that the values
 * of Fig. 3 were used:
 *   beta_F  least time of a connection in the group, over its bytes
 *   beta_C  largest one, over its bytes
 *   rho     of one number of pairs: Eq. 3 solved for it, with the mean time of all connections over their bytes */
#pragma once

#include "model/exchange/alltoall.h"
#include "study/fit/fit.h"

/* All connections of the seeds of one point. What follows from the sums is there once they are fitted. */
struct study_fit_connections_point {
    char *group; /* owned; the axes that make it, as JSON */
    int64_t pairs, bytes;
    size_t n;                             /* connections that ended */
    double sum_s, square_s, least_s, most_s; /* of their times; square_s: sum of squares */
    double sum_bps;                       /* of their rates */
    int64_t retransmitted;                /* segments, of all */
    double mean_s, sd_s, mean_bps;        /* sd_s: NAN of fewer than two */
    struct model_alltoall_gaps gaps;      /* of its group and size; rho its own, NAN: there is one gap alone */
};

struct study_fit_connections {
    struct study_fit_connections_point *points; /* owned; sorted by group, bytes and pairs once fitted */
    size_t n, capacity;
};

/* The end of the points of one group and size that begin at `first`. */
size_t study_fit_connections_end(const struct study_fit_connections *f, size_t first);
