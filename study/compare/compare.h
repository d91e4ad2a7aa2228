/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/compare/compare.h - what a change brought: the hosts of two sources, each a capture, a run, a directory of
 * runs or what a measurement kept, side by side. */
#pragma once

#include "study/verdict/judge.h"

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
    struct study_compare_difference *difference; /* owned; study_compare_differ() */
    size_t n_differences;
};

struct study_compare { /* zeroed: nothing */
    struct study_compare_host *host; /* owned */
    size_t n;
    struct study_compare_store *store; /* owned */
    bool simulated[STUDY_COMPARE_SIDES]; /* all of it lies in run directories */
    bool live[STUDY_COMPARE_SIDES];      /* measured by traffic of our own (measure/) */
};

/* Judges both sources as `contraflow check` does, or reads what `contraflow measure -o` kept (study_kept_read()), and
 * pairs their hosts: those of one name in runs of one name, or, where each side has a single host, these two; hosts of
 * one side alone come last. Flows are paired by their ends: those with the same ports first, then those between the
 * same addresses, in order. Flows of emulated runs whose judge has no interval for them get one
 * (study/compare/compare_interval.h). False and *err when a source cannot be judged, or shows no host at all. */
bool study_compare_make(struct study_compare *c, const char *const path[STUDY_COMPARE_SIDES],
                        const struct study_judge_options *options, const struct study_capture_listener *listener,
                        struct error *err);
/* Of a host: how many seconds of it were seen where flows have no interval, and about how many would do for one; of
 * both sides the one that wants more. False: every flow has one. */
bool study_compare_short(const struct study_compare_host *h, double *seen_s, double *would_do_s);

void study_compare_fini(struct study_compare *c);

/* In what else two sources differ than in what they carried: fills h->difference: of flows, windows and links as
 * judged, and of emulated runs (`run`, their directories; NULL: a capture or a measurement) the keys of their
 * scenarios. What cannot be read is left out: both have been judged. */
void study_compare_differ(struct study_compare_host *h, const char *const run[STUDY_COMPARE_SIDES]);

/* Hosts that were judged before, read back: what `contraflow measure -o DIR` keeps in DIR/summary.json, and what
 * `contraflow check --json` prints. Has the directory a summary.json with judged hosts in it, and not that of a run? */
bool study_kept_exists(const char *directory);

/* Fills *all with its hosts, in order: their flows' ends, rates, waits and segments sent again, and the diagnosis'
 * answer, cause, words and losses; rules are left out. A host with a "measured" is live. False and *err (ERROR_INPUT)
 * when a number or a name that has to be there is not. Free *all in any case. */
bool study_kept_read(const char *directory, struct analysis_resources *all, struct error *err);
