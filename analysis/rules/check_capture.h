/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/rules/check_capture.h - the shared resources of a capture, measured and judged. */
#pragma once

#include "analysis/pulses.h"
#include "analysis/rules/resource.h"

/* What a host says of itself beside a capture. */
struct analysis_sender {
    struct capture_address host, peer;
    uint16_t port, peer_port;
    enum judge_cause limit; /* of what it sends; JUDGE_CAUSE_UNKNOWN: that does not show */
};

struct analysis_beside {
    struct analysis_sender *sender; /* owned */
    size_t n;
    double out_bps; /* on the wire: what its own shaper lets pass; NAN: unknown, or none */
    struct analysis_probe probe; /* whose pulses it has: the time before them is judged, and none of them */
    int64_t backlog_bytes; /* in it, when they looked: so much more than passes a tap before it */
};

/* Every host (address and tag) that two bulk flows or more use at once. Of each, the dominant phase
 * (analysis/flows/degree.h); of that, what follows the latest of the flows' own settling times
 * (analysis/flows/steady.h), at most half of it. None is no failure. `capacity_bps`: of the hosts' links, in and out, on the
 * wire; NAN, or all of it NULL, where unknown. */
void analysis_check_capture(const struct analysis_flows *f, double tolerance, const double capacity_bps[2],
                            struct analysis_resources *resources);

/* The same with what one host said; NULL: none did. */
void analysis_check_capture_beside(const struct analysis_flows *f, double tolerance, const double capacity_bps[2],
                                   const struct analysis_beside *beside, struct analysis_resources *resources);

/* The same without a diagnosis: what the flows of each host carry. */
void analysis_check_capture_rates(const struct analysis_flows *f, struct analysis_resources *resources);

/* A slot's flow as those have it that analysis_resources_get() has, in their order; *n of them, borrowed. */
const struct analysis_resource_place *analysis_check_capture_places(const struct analysis_resources *resources, size_t slot,
                                                                    size_t *n);

/* Where slot's flow is one of those measured at a shared host, its steady figures become those: flows that share a link
 * are no better known than the slowest of them allows. The host of most flows comes first. */
void analysis_check_capture_steady(const struct analysis_resources *resources, size_t slot, struct analysis_flow *flow);
