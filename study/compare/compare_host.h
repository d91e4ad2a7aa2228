/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/compare/compare_host.h - what a comparison found of a host: figures of both sides, and in what else these differ. */
#pragma once

#include "analysis/rules/check_capture.h"

enum study_compare_side { STUDY_COMPARE_BEFORE, STUDY_COMPARE_AFTER, STUDY_COMPARE_SIDES };

/* A figure of both sides, with half the widths of its 95 % intervals. NAN is unknown. */
struct study_compare_value {
    double mean[STUDY_COMPARE_SIDES], ci95[STUDY_COMPARE_SIDES];
    bool paired;       /* what one side measured has a partner on the other */
    double change_ci95; /* then: of the change */
};

enum study_compare_answer {
    STUDY_COMPARE_OPEN,  /* an interval is not known */
    STUDY_COMPARE_SAME,  /* the change is within its interval */
    STUDY_COMPARE_MORE,
    STUDY_COMPARE_LESS,
};

/* "", "no", "more", "less" */
const char *study_compare_answer_name(enum study_compare_answer answer);

/* After less before; of the mean before. NAN when either is unknown. */
double study_compare_change(const struct study_compare_value *v);
double study_compare_share(const struct study_compare_value *v);

/* Half the width of the change's 95 % interval: sqrt(before^2 + after^2) where the sides are measured apart. */
double study_compare_ci95(const struct study_compare_value *v);

enum study_compare_answer study_compare_judge(const struct study_compare_value *v);

/* Of a host, each way or both together. A sum's interval is the sum of its flows', since these share a link and are not
 * independent of each other. */
enum study_compare_way { STUDY_COMPARE_IN, STUDY_COMPARE_OUT, STUDY_COMPARE_BOTH, STUDY_COMPARE_WAYS };

struct study_compare_flow {
    char src[ANALYSIS_CHECK_NAME], dst[ANALYSIS_CHECK_NAME];
    bool incoming;
    struct study_compare_value rate_bps; /* goodput while steady */
};

/* Another thing in which both sides differ. */
struct study_compare_difference {
    char *what;                      /* owned; "flows in", or a key of a scenario, "network.nic.queue" */
    char *side[STUDY_COMPARE_SIDES]; /* owned; what it was on either side, as text */
    bool unlike; /* hosts, flows, rates or windows: rates change with them, however queues are served */
};

struct study_compare_host {
    const struct analysis_resource *side[STUDY_COMPARE_SIDES]; /* NULL: it is not there */
    const char *source[STUDY_COMPARE_SIDES];                   /* borrowed; where it was found */
    struct study_compare_value rate_bps[STUDY_COMPARE_WAYS], ack_wait_s[STUDY_COMPARE_WAYS],
        data_wait_s[STUDY_COMPARE_WAYS], retransmitted; /* waits: means by rate; no intervals, nor of segments */
    struct study_compare_value lost_share;
    struct study_compare_flow *flow; /* owned; of both sides, in the order of the first that has it */
    size_t n;
    struct study_compare_difference *difference; /* owned; study/compare/compare_differ.h */
    size_t n_differences;
};
