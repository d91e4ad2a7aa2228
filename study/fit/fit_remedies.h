/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/fit_remedies.h - part `remedies` of a fit: what a host's two directions lose to ACKs that wait behind data, queue
 * by queue, against the same with ACKs first at every queue; or what a collective loses of its bus bandwidth. */
#pragma once

#include "study/fit/fit.h"

struct study_fit_remedies_point {
    char *group;  /* owned; all but the queues and the point's number: who has the same is compared */
    char *queues; /* owned; "fifo 6MB", "cake ack-filter" */
    char *stack;  /* owned; of the senders: "cubic, 300kB, small queues" */
    char *panel, *row; /* owned; how points are laid out: flows in and out by senders; senders by hosts and bytes */
    const char *collective; /* borrowed; its algorithm, all whose hosts send and receive; NULL: flows of a host */
    int64_t number;
    double rate_bps;         /* of the host's link */
    int in, out;             /* flows */
    double in_bps, out_bps;  /* goodput of each way, all flows together; bus bandwidth */
    double data_wait_s, ack_wait_s; /* mean of the flows' */
    double compressed;       /* share of groups of ACKs that came faster than their data; NAN: there were none */
    double ideal_bps;        /* bus bandwidth without ACKs (model/collective.h); NAN: of flows */
    int64_t retransmitted;   /* segments: what they cost is no ACK's doing */
    bool first, fifo;        /* ACKs are, at NICs and ports; all are FIFOs */
    double lost, lost_most;  /* 1 - goodput / that with ACKs first: both ways together, and of the way that loses more */
};

/* Points of one rate and the same queues. */
struct study_fit_remedies_row {
    double rate_bps;
    const char *collective, *queues;               /* borrowed */
    const struct study_fit_remedies_point *worst; /* by `lost` */
    double lost, lost_most, data_wait_s;           /* means over the points */
    double ack_wait_s, compressed, lacks;          /* means, too; lacks: of the bandwidth without ACKs */
    size_t n_compressed;                           /* points that have it */
    size_t n, suffer; /* points; that lose more than 5 % together */
};

struct study_fit_remedies {
    struct study_fit_remedies_point *points; /* owned; after the fit only those compared, by rate, stack, flows */
    struct study_fit_remedies_row *rows;     /* owned; by rate, then by `lost` */
    size_t n, capacity, n_rows;
};

/* Returns what the points of a collective say in a sentence, for free(); NULL where there are none over FIFOs that lost
 * no segment. */
char *study_fit_remedies_sentence(const struct study_fit_remedies *m);

#define STUDY_FIT_REMEDIES_SUFFER 0.05 /* of the goodput, and more: as `contraflow check` says yes */
