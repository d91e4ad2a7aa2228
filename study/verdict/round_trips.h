/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/verdict/round_trips.h - how round trips of a run or a capture change over time: at each time the median of its flows,
 * through empty queues and what data and ACKs wait; and what the answer says of them (judge/latency.h). */
#pragma once

#include "analysis/rules/resource.h"

struct study_round_trips { /* zeroed: none are known */
    double *time_s;  /* owned; rising, since the source began */
    double *round_s; /* owned; NAN where nothing is known */
    size_t n;
    struct judge_latency latency;
};

/* Of all flows of the directory's run (progress.csv); n is 0 where there is no such file. */
bool study_round_trips_of_run(const char *directory, struct study_round_trips *t, struct error *err);

/* Of the flows of a judged host in the capture's table, over their lives; n is 0 where it is not diagnosed, or no flow's
 * round trip shows. */
void study_round_trips_of_capture(const struct analysis_flows *f, const struct analysis_resource *r,
                                  struct study_round_trips *t);

void study_round_trips_fini(struct study_round_trips *t);
