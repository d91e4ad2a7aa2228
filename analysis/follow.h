/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/follow.h - the rate of a link whose queue frames join after they pass the tap.
 *
 * A queue that never runs empty lets C pass, so a frame that passes the tap at u, after A(u) bits that go the same way,
 * leaves it at a constant + A(u) / C, whatever came when. Of flow i the loop from the tap to the other end and back, which
 * begins at u, takes
 *
 *   y = b_i + A(u) / C - u
 *
 * Least squares give C. A loop that waits somewhere else does not follow the bytes that pass here; but where both just
 * grow, a straight line fits either: so the same C has to explain what is left of y when each flow's own trend is gone. And
 * a window that never changes passes the tap again a loop later, so that y follows A wherever it waits: so the way there
 * alone, by time stamps, has to follow, too. */
#pragma once

#include "analysis/evidence.h"

/* Sets followed_bps of the set: C on the wire, of the way from the tap to the other ends, in bit/s; NAN where loops of the
 * phase do not follow, or without frames (NULL). */
void analysis_follow_find(struct analysis_evidence_set *s, const struct analysis_capacity_host *frames);
