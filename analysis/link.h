/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/link.h - the link that a host's flows share: how fast it is each way, and what waits where.
 *
 * C is what back-to-back frames show (analysis/flows/capacity.h) where data queue before the tap; else the other direction's,
 * which is an assumption and is named so; else unknown. Waits are those of the phase (analysis/flows/round_trip.h). Without
 * timestamps it is what data that fill the other direction wait, by Little's law. Frames spaced so that their direction
 * would be full, whose data hardly wait while their ACKs do, are let go by these ACKs: they show no C.
 *
 * What is in flight one way bounds how long anything waits in the host's queue: ACKs that wait longer do so elsewhere. Yet
 * data that go to the same host pass all the same queues: where these wait as long, ACKs wait behind them, wherever that
 * is. Outgoing data that pass the tap at an Ethernet's rate and wait after it have a slower link on their way, which is
 * what they fill. */
#pragma once

#include "analysis/evidence.h"

/* Both directions of the link, and what of the flows' waits follows from them: those without timestamps, cycles of
 * applications, and what waits beside. known_bps: of each direction, in and out, on the wire; NAN, or NULL: unknown;
 * INFINITY: nor as fast as the other one, which is a shaper of one direction. */
void analysis_link_find(struct analysis_evidence_set *s, const struct analysis_capacity_host *frames,
                        const double known_bps[2], struct judge_link *in, struct judge_link *out);

/* Is this an Ethernet's rate, 10 Mb/s to 400 Gb/s, on the wire? */
bool analysis_link_is_line(double bps);
