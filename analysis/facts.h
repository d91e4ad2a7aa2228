/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/facts.h - a capture's facts for the judge: evidence of its flows, once it is whole. */
#pragma once

#include "analysis/evidence.h"

/* flow[s->n] is filled and borrowed by *facts. frames and known_bps as in analysis/link.h, which this asks. */
void analysis_facts_of(struct analysis_evidence_set *s, const struct analysis_capacity_host *frames,
                       const double known_bps[2], struct judge_flow *flow, struct judge_facts *facts);
