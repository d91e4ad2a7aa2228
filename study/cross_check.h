/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/cross_check.h - the same scenario by both engines, flow by flow. */
#ifndef STUDY_CROSS_CHECK_H
#define STUDY_CROSS_CHECK_H

#include "base/error.h"
#include "results/summary.h"

#include <limits.h>

#define STUDY_CROSS_CHECK_RATE 0.01       /* steady goodput of flows without losses: within so much of ns-3's */
#define STUDY_CROSS_CHECK_COMPLETION 0.02 /* time from first to last payload */

enum study_cross_check_engine { STUDY_CROSS_CHECK_NS3, STUDY_CROSS_CHECK_NATIVE, STUDY_CROSS_CHECK_ENGINES };

/* Native against ns-3, relative; NAN where one of them has no figure. */
struct study_cross_check_difference {
    double rate, duration;
};

struct study_cross_check_run {
    char label[PATH_MAX];
    struct results_summary summary[STUDY_CROSS_CHECK_ENGINES];
    struct study_cross_check_difference *difference; /* owned; a flow each */
    size_t n;
    bool judged; /* no engine retransmitted anything: losses make rates a matter of chance, which takes many seeds */
};

struct study_cross_check { /* zeroed: no run */
    struct study_cross_check_run *run; /* owned */
    size_t n;
    double worst;       /* largest difference of a judged figure, relative */
    int judged, failed; /* figures */
};

void study_cross_check_fini(struct study_cross_check *c);

/* Seconds from its first payload to its last; NAN when it was not done. */
double study_cross_check_duration_s(const struct results_flow *flow);

/* Compares the summaries of two finished runs; run[n - 1] is theirs then. */
bool study_cross_check_add(struct study_cross_check *c, const char *label, const char *ns3_directory,
                           const char *native_directory, struct error *err);

#endif
