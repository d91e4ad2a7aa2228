/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/degree.h - indegree and outdegree of a host over time. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Smallest flow that counts towards a degree: 20 kB, and 0.5 % of the host's largest flow; what
 * is smaller (iperf3's control connections, name lookups) takes no share worth the name. */
int64_t analysis_degree_bulk_bytes(int64_t largest_flow_bytes);

struct analysis_activity {
    double start_s, end_s; /* first and last data packet */
    bool incoming;         /* data flows towards the host */
};

/* While a phase lasts the same flows are active. */
struct analysis_phase {
    double start_s, end_s;
    size_t indegree, outdegree;
};

/* The phases of n flows with one flow or more, in order of time, into *phases (to be freed by the
 * caller; NULL when there are none) and *count. Phases shorter than sliver_s are left out. */
void analysis_degree_phases(const struct analysis_activity *flows, size_t n, double sliver_s,
                            struct analysis_phase **phases, size_t *count);

/* The phase with most flow-seconds (flows times duration) among those with two flows or more; NULL
 * when there is none. */
const struct analysis_phase *analysis_degree_dominant(const struct analysis_phase *phases, size_t count);

/* The dominant phase of n flows, slivers of under 1 % of the time from first start to last end left out; a phase
 * without flows when no two are active at once. */
struct analysis_phase analysis_degree_dominant_phase(const struct analysis_activity *flows, size_t n);
