/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/analysis/segment.h - segments made by hand, between 10.0.0.1 ("a") and 10.0.0.2 ("b"). */
#pragma once

#include "analysis/flows/flows.h"
#include "test/cm.h"

#define MS INT64_C(1000000)

enum side { A_TO_B, B_TO_A };

/* An ACK-flagged segment from port 1000 (a) or 2000 (b) with a fresh IP identification, so that no two
 * are capture copies. */
struct capture_segment segment(enum side side, uint32_t seq, uint32_t payload, uint32_t ack);

/* The same with a timestamp option. */
struct capture_segment stamped(enum side side, uint32_t seq, uint32_t payload, uint32_t ack, uint32_t tsval,
                               uint32_t tsecr);

struct capture_segment syn(enum side side, uint32_t seq);
struct capture_segment syn_ack(enum side side, uint32_t seq, uint32_t ack);

/* analysis_flows_add() of a copy. */
void feed(struct analysis_flows *f, int64_t time_ns, struct capture_segment s);

/* CM_OWNED(analysis_flows_free). */
CM_OWNER(analysis_flows, analysis_flows_free)
struct analysis_flows *new_flows(void);

/* The i-th flow with payload; fails the test when there is none. */
struct analysis_flow flow_at(const struct analysis_flows *f, size_t i);
size_t flow_count(const struct analysis_flows *f);
