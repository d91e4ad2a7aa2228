/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit_remedies.h - part `remedies` of a fit: what a host's two directions lose to ACKs that wait behind data, queue
 * by queue, against the same with ACKs first at every queue. */
#ifndef STUDY_FIT_REMEDIES_H
#define STUDY_FIT_REMEDIES_H

#include "study/fit.h"

struct study_fit_remedies_point {
    char *group;  /* owned; all but the queues and the point's number: who has the same is compared */
    char *queues; /* owned; "fifo 6MB", "cake ack-filter" */
    char *stack;  /* owned; of the senders: "cubic, 300kB, small queues" */
    int64_t number;
    double rate_bps;         /* of the host's link */
    int in, out;             /* flows */
    double in_bps, out_bps;  /* goodput of each way, all flows together */
    double data_wait_s;      /* mean of the flows' */
    bool first;              /* ACKs are, at NICs and ports */
    double lost, lost_most;  /* 1 - goodput / that with ACKs first: both ways together, and of the way that loses more */
};

/* Points of one rate and the same queues. */
struct study_fit_remedies_row {
    double rate_bps;
    const char *queues;                            /* borrowed */
    const struct study_fit_remedies_point *worst; /* by `lost` */
    double lost, lost_most, data_wait_s;           /* means over the points */
    size_t n, suffer; /* points; that lose more than 5 % together */
};

struct study_fit_remedies {
    struct study_fit_remedies_point *points; /* owned; after the fit only those compared, by rate, stack, flows */
    struct study_fit_remedies_row *rows;     /* owned; by rate, then by `lost` */
    size_t n, capacity, n_rows;
};

#define STUDY_FIT_REMEDIES_SUFFER 0.05 /* of the goodput, and more: as `contraflow check` says yes */

#endif
