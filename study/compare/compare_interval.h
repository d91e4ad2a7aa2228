/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/compare/compare_interval.h - how sure the rates of a judged host are, where its judge did not say. */
#pragma once

#include "analysis/rules/resource.h"

/* Fills in the intervals that flows of an emulated run lack, from what the run says of their progress in the phase
 * judged: as of any series, or a rough one (base/estimate.h). A flow whose progress is not known, or of which too little
 * was seen, stays without. */
void study_compare_interval_fill(const char *directory, struct analysis_resource *r);

/* Of a host with a flow without an interval: how many seconds of it were seen, and about how many would do for one.
 * False: every flow has one. What is known of such a flow is how often its window was cut; where that is not the
 * reason, a series that is worth one independent sample becomes worth enough of them in as many times its length. */
bool study_compare_interval_lacks(const struct analysis_resource *r, double *seen_s, double *would_do_s);
