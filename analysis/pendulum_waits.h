/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/pendulum_waits.h - the data pendulum from a capture alone: how long frames waited on their way out of a host
 * and into it, over time.
 *
 * Out: the longest wait of outgoing flows' data and incoming flows' ACKs; in: of incoming data and outgoing flows' ACKs
 * (analysis_round_trip_waits()). The two stand for the two queues of analysis/pendulum.h, in seconds. */
#pragma once

#include "analysis/flows/flows.h"
#include "analysis/pendulum.h"

struct analysis_pendulum_waits_flow {
    size_t slot;
    bool outgoing; /* of the host */
};

/* From *from_s to *to_s, the time in which flows of both directions were there. `busy_s`: a wait that counts. False
 * without an error when there is no such time, or nobody waited that long. */
bool analysis_pendulum_waits_make(const struct analysis_flows *f, const struct analysis_pendulum_waits_flow *flows,
                                  size_t n, double busy_s, struct analysis_pendulum *p, double *from_s, double *to_s,
                                  struct error *err);
