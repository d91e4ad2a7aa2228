/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/summary.h - a test in numbers: kinds of phases over their repetitions, what is lost with both at once. */
#pragma once

#include "base/estimate.h"
#include "measure/figures.h"

#define MEASURE_HELD 0.2 /* of the time by a window of the ends: it is what sets the rate */

struct measure_summary_way {
    struct estimate rate_bps; /* over the phases of the kind */
    struct measure_way mean;  /* over them */
    double growth;            /* of the second half of phases over the first: late / early - 1, the mean */
};

/* What it brings to begin first. Of block b let y_b be the share of what is possible that data in carry, less that
 * of data out, and s_b = +1 where data in began first, -1 where data out did. y_b = m + s_b e + noise, by least
 * squares; whatever lessens both shares of a block alike is gone from y_b. A direction that begins first carries e
 * more of what is possible than one that begins second, as a mean over the two. With as many blocks of either order
 * e = sum(s_b y_b) / n, and its variance sigma^2 / n; sigma^2 comes from n - 2 degrees of freedom, as m and e are
 * estimated: with four blocks Student's t is 4.3. NAN without two blocks of either order. */
struct estimate measure_summary_order(const double *difference, const bool *out_first, size_t n);

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
    struct estimate order;  /* measure_summary_order() */
    double transfer_s;      /* how long transfers of phases with both at once last; 0 unknown */
    bool words;             /* wait_s is that of words on control connections; else somebody's guess */
    double processor;       /* of this program, the most in a phase */
    double limit_bps;       /* of the servers, of a flow; 0: none */
};

/* Does a wait stand out of a least round trip? False where it is not known. */
bool measure_summary_waits(double wait_s, double floor_s);

void measure_summary_of(const struct measure_test *t, struct measure_summary *s);

/* The same of the part of phases that is steady. Where the order matters beyond its interval in what is judged of
 * phases, but no longer does in the second half of that, and that half's interval excludes so much as the whole
 * shows, only the second half of each phase, of any kind, is judged: their from_s change. A half that is too noisy
 * to tell excludes nothing, and the whole stays, with its order. */
void measure_summary_settle(struct measure_test *t, struct measure_summary *s);
