/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/check_capture.h - the shared resources of a capture, measured and judged. */
#ifndef ANALYSIS_CHECK_CAPTURE_H
#define ANALYSIS_CHECK_CAPTURE_H

#include "analysis/check.h"
#include "analysis/flows.h"

struct analysis_resource {
    char host[ANALYSIS_CHECK_NAME];
    double start_s, end_s;  /* the phase judged: the same flows active all the time */
    double steady_start_s;  /* rates, windows and loss events are those from here to end_s */
    struct analysis_check_flow *flows; /* owned */
    size_t n;
    struct analysis_judgement judgement;
};

struct analysis_resources { /* zeroed: none */
    struct analysis_resource *resource; /* owned; most flows first */
    size_t n;
};

/* Every host (address and tag) that two bulk flows or more use at once. Of each, the dominant phase
 * (analysis/degree.h); of that, what lies behind the latest of the flows' own settling times
 * (analysis/steady.h), at most half of it. None is no failure. False and *err when memory is out. */
bool analysis_check_capture(const struct analysis_flows *f, double tolerance, struct analysis_resources *resources,
                            struct error *err);

/* Most flows first, then by name. */
void analysis_resources_sort(struct analysis_resources *resources);

void analysis_resources_fini(struct analysis_resources *resources);

#endif
