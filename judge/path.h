/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/path.h - what flows would carry with ACKs first at every queue, by the facts and by what these leave open.
 *
 * A flow whose window W holds it for a share u of the time, and that has nothing to send in the rest, carries u W / T,
 * T = d + q + a: its floor, its data's wait, its ACKs'. Its cycles of n round trips are n a shorter without a:
 *
 *   x' = x T / (T - u (a + v min(q, a)))
 *
 * with v = 0 where data wait on as they do, as those of a sender do that fills any queue until it loses, and v = 1 where
 * they waited for each other alone, as ACKs that waited let them go in bunches; v q, where bunches are of many round trips.
 * And no more than x / s where q does not end for a share s of the time, as the link before such a queue works then. An
 * application that goes on when it is answered makes a cycle of c in c - w, w of it for ACKs; one that a clock starts, or a
 * reader, carries what it carries. Together flows carry no more than their link has room for beside the ACKs of the other
 * direction,
 *
 *   r = (C - o - x'_other A / (k S)) S / (S + A)
 *
 * with C and o on the wire, A = JUDGE_AROUND, S of payload in a frame, k segments an ACK (model/degree.h); and no more
 * than its ACKs, which fill the link of the other direction where x' = C_other k S / A. */
#ifndef JUDGE_PATH_H
#define JUDGE_PATH_H

#include "judge/fact.h"

#define JUDGE_PATH_CLOCKED 0.5    /* of a late answer is made up for: a clock starts cycles more than answers do */
#define JUDGE_PATH_OTHERS 0.05   /* of what ACKs take, and more: other traffic for them to wait behind */
#define JUDGE_PATH_FREE 0.1       /* of the round trip: where data, or ACKs, wait less, no link on their way is full */
#define JUDGE_PATH_GATHERED 0.067 /* of captures where that decides, bunches are of many round trips: 1 of 28, by Laplace's rule */
#define JUDGE_PATH_STANDS 0.3     /* of its mean wait is the least: a queue that does not run empty */
#define JUDGE_PATH_ELSEWHERE 1.5 /* times longer than all that is in flight takes to pass, or than what is beside it: it waits
                                  * somewhere else */

/* What facts leave open. Shares are even in [0, 1), the rest normal with deviation 1. */
enum judge_open {
    JUDGE_OPEN_LIMIT,    /* whether flows' windows hold them: those less likely than so not */
    JUDGE_OPEN_VANISHES, /* v above */
    JUDGE_OPEN_PLACE,    /* whether waits are where they seem to be */
    JUDGE_OPEN_UNPLACED, /* whether what nobody placed is where it is taken to be */
    JUDGE_OPEN_BLURRED,  /* whether coarse stamps show waits of data as those of ACKs */
    JUDGE_OPEN_LINK,     /* how fast a link is whose rate does not show */
    JUDGE_OPEN_BEGUN,    /* how much of a frame that has begun ACKs meet */
    JUDGE_OPEN_SHARES,
    JUDGE_OPEN_CYCLE = JUDGE_OPEN_SHARES, /* whether applications wait for answers */
    JUDGE_OPEN_WAIT,     /* how far waits are off, by a share of themselves */
    JUDGE_OPEN_TICK,     /* and by the stamps' ticks */
    JUDGE_OPEN_CAPACITY,
    JUDGE_OPEN_MODEL,
    JUDGE_OPEN_GAIN,
    JUDGE_OPENS,
};

/* n ways it may be, open[n * JUDGE_OPENS], in order of JUDGE_OPEN_LIMIT; otherwise[i] = P(flow i is held by something else
 * than its window). possible_bps[2 n]: in, out of each. */
void judge_path_possible(const struct judge_facts *s, const double *otherwise, const double *open, size_t n,
                         double *possible_bps);

/* Goodput that a direction has room for while the other one carries other_bps; NAN unknown. */
double judge_path_room_bps(const struct judge_facts *s, bool incoming, double capacity_bps, double other_bps);

/* Likewise, r above, of that of what is on the wire which others leave. */
static inline double judge_path_room_of(double left_bps, double other_bps, double segments_per_ack, double full_bytes)
{
    return (left_bps - judge_facts_acks(segments_per_ack, full_bytes) * other_bps) * full_bytes / (full_bytes + JUDGE_AROUND);
}

/* Does anything but their ACKs go the way of the ACKs of a direction's data, as far as the facts show: data, or other traffic
 * that is more than 5 % of these ACKs? */
bool judge_path_beside(const struct judge_facts *s, bool incoming);

/* P(both directions share one medium, such as radio or a half-duplex line): judge_noise.shared where they carry on the
 * wire together 94.5 to 105 % of what one of them would by itself, as its frames follow each other, and each of them at
 * least 13 % of that; else 0. No order of service wins anything there. */
double judge_path_shared(const struct judge_facts *s);

/* Does a direction carry 95 % of what its link has room for, or more? Not where the link may work for a share of the time
 * alone. */
bool judge_path_full(const struct judge_facts *s, bool incoming);

#endif
