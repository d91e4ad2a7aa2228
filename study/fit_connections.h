/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit_connections.h - part `connections` of a fit, for a sweep over traffic.pairs.count: what each of so many
 * connections at once takes (Steffenel 2006, Fig. 2, 3; Vaughan et al. 2003, Fig. 3 to 10), and the two gaps per byte
 * of Steffenel's Eq. 3 that they show.
 *
 * A connection's time is from its first byte to its last, or the mean of its repeated messages. Points that differ in
 * the number of pairs and the seed alone are one group. Choices made here, where the paper says only that the values
 * of Fig. 3 were used:
 *   beta_F  least time of a connection in the group, over its bytes
 *   beta_C  largest one, over its bytes
 *   rho     of one number of pairs: Eq. 3 solved for it, with the mean time of all connections over their bytes */
#ifndef STUDY_FIT_CONNECTIONS_H
#define STUDY_FIT_CONNECTIONS_H

#include "model/alltoall.h"
#include "study/fit.h"

/* All connections of the seeds of one point. */
struct study_fit_connections_point {
    char *group; /* owned; the axes that make it, as JSON */
    int64_t pairs, bytes;
    size_t n;                             /* connections that ended */
    double sum_s, square_s, least_s, most_s; /* of their times; square_s: sum of squares */
    double sum_bps;                       /* of their rates */
    int64_t retransmitted;                /* segments, of all */
    double rho;                           /* NAN: there is one gap alone */
    const struct study_fit_connections_group *of; /* borrowed; once fitted */
};

struct study_fit_connections_group {
    const char *group; /* borrowed */
    struct model_alltoall_gaps gaps; /* rho: of the most pairs */
};

struct study_fit_connections {
    struct study_fit_connections_point *points; /* owned; sorted by group and pairs once fitted */
    size_t n, capacity;
    struct study_fit_connections_group *groups; /* owned */
    size_t n_groups;
};

double study_fit_connections_mean_s(const struct study_fit_connections_point *p);
/* Standard deviation of the times, NAN of fewer than two. */
double study_fit_connections_deviation_s(const struct study_fit_connections_point *p);

#endif
