/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/compare/cross_check.h - the same scenario by two engines or three, flow by flow. */
#pragma once

#include "results/summary.h"

#define STUDY_CROSS_CHECK_RATE 0.01       /* steady goodput of flows without losses: within so much of the first engine's */
#define STUDY_CROSS_CHECK_COMPLETION 0.02 /* time from first to last payload */

#define STUDY_CROSS_CHECK_ENGINES 3 /* at most */

/* An engine against the first, relative; NAN where one of them has no figure. */
struct study_cross_check_difference {
    double rate, duration;
};

struct study_cross_check_run {
    char label[PATH_MAX];
    struct results_summary summary[STUDY_CROSS_CHECK_ENGINES];
    struct study_cross_check_difference *difference[STUDY_CROSS_CHECK_ENGINES]; /* owned; a flow each; [0]: NULL */
    size_t n, n_engines;
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

/* Compares the summaries of two or three finished runs; run[n - 1] is theirs then. */
bool study_cross_check_add(struct study_cross_check *c, const char *label, const char *const *directories,
                           size_t n_directories, struct error *err);
