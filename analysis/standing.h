/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/standing.h - queues that stood before the capture began and never ran empty in it.
 *
 * A queue that is not empty serves at its link's rate: a slot in which a direction carries less has seen it empty, and
 * then the least that a flow's loops took is its round trip through empty queues. Where no slot did, and no handshake
 * passed before the queue's own data, that least L holds what always stood there, Q, beside the way itself, d:
 *
 *   L = d + Q,  0 <= Q <= L - d0
 *
 * Nothing in a steady state tells one from the other. What is known before is that windows are no rule of the path: a
 * direction that is always full has W > C d with log(W / (C d)) as likely one value as another, so log d is even from d0,
 * what a frame takes on the link and at least DEFAULT_FLOOR_S, to L, or to what the longest way D takes. So the share p
 * of all Q is below
 *
 *   Q(p) = L - d1 (d0 / d1)^p,  d1 = min(L, D)
 *
 * Where L > D something stood, whatever else shows.
 *
 * ACKs of the other direction wait there, too, if their loop is as long: a loop L' that differs from L by D would be so
 * by chance with odds of D to L' (both even in their logarithms), so p_shared = 1 / (1 + D / L'). A lesser share than
 * 1 - p_shared has them pass another queue. */
#pragma once

#include "analysis/evidence.h"

/* With which probability less than is taken stood in a queue: of a link that frames show to be full, and of one that may
 * be, as it carries the same all the time. 0: nothing stood. Where that is so of both directions, but for the one named. */
struct analysis_standing {
    double sure, perhaps;
    enum { ANALYSIS_STANDING_EACH, ANALYSIS_STANDING_NOT_IN, ANALYSIS_STANDING_NOT_OUT } but;
};

/* Lowers near_least_s and far_least_s of each flow of the set, as analysis/floors.h left them, by what stood in queues,
 * and sets s->stands, may_stand, either_may and stood. frames: of the host; NULL: nothing is known. */
void analysis_standing_take(struct analysis_evidence_set *s, const struct analysis_capacity_host *frames,
                            const struct analysis_standing *p);
