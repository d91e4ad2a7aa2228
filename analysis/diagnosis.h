/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/diagnosis.h - a capture's host before the judge (judge/posterior.h). */
#pragma once

#include "analysis/evidence.h"

/* The host's flows over [start_s, steady_start_s, end_s). `ways`: what is known besides; NULL: nothing. Fills the flows'
 * round trips and limits, too; and, where `facts` is not NULL, the likeliest case, by which causes are named: *facts
 * borrows flow[n], in the order of `flows`. The table must keep explanations.
 * *gathered: the evidence of the host before, zeroed at first, then of this one; it borrows `flows`. */
void analysis_diagnose(const struct analysis_flows *f, struct analysis_evidence_set *gathered,
                       const struct capture_address *host, uint32_t tag, struct analysis_told *flows, size_t n,
                       double from_s, double to_s, const struct analysis_told_ways *ways, struct judge_diagnosis *d,
                       struct judge_facts *facts, struct judge_flow *flow);
