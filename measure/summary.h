/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/summary.h - a test in numbers: kinds of phases over their repetitions, what is lost with both at once. */
#ifndef MEASURE_SUMMARY_H
#define MEASURE_SUMMARY_H

#include "base/estimate.h"
#include "measure/figures.h"

#define MEASURE_HELD 0.2 /* of the time by a window of the ends: it is what sets the rate */

struct measure_summary_way {
    struct estimate rate_bps; /* over the phases of the kind */
    struct measure_way mean;  /* over them */
    double growth;            /* of the second half of phases over the first: late / early - 1, the mean */
};

struct measure_summary {
    size_t in_flows, out_flows;
    struct measure_summary_way in[MEASURE_KINDS], out[MEASURE_KINDS]; /* zeros where nothing goes that way */
    double floor_in_s, floor_out_s; /* the least round trips */
    double pace_in_bps, pace_out_bps;
    double paced_in_bps, paced_out_bps; /* of the paced phase that brought most: the path can */
    bool full_in, full_out; /* alone: no window of the ends holds it, and data wait, or are lost */
    double possible_in_bps, possible_out_bps; /* alone, less the other's ACKs where it is full; means */
    /* 1 - both / possible, from block to block, so that a drift counts once */
    struct estimate lost_in, lost_out, lost;
    /* The same as if ACKs took their share of either direction, whether it is known to be full or not: one whose window
     * just fills its link waits nowhere, and has no room for them either. So much is lost at least. */
    struct estimate least_in, least_out, least;
    bool words;             /* wait_s is that of words on control connections; else somebody's guess */
    double processor;       /* of this program, the most in a phase */
    double limit_bps;       /* of the servers; 0: none */
};

/* Does a wait stand out of a least round trip? False where it is not known. */
bool measure_summary_waits(double wait_s, double floor_s);

void measure_summary_of(const struct measure_test *t, struct measure_summary *s);

#endif
