/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/compare/compare.h - what a change brought: the hosts of two sources, each a capture, a run, a directory of runs or
 * what a measurement kept, side by side. */
#pragma once

#include "study/compare/compare_host.h"
#include "study/verdict/judge.h"

struct study_compare { /* zeroed: nothing */
    struct study_compare_host *host; /* owned */
    size_t n;
    struct study_compare_store *store; /* owned */
    bool simulated[STUDY_COMPARE_SIDES]; /* all of it lies in run directories */
    bool live[STUDY_COMPARE_SIDES];      /* measured by traffic of our own (measure/) */
};

/* Judges both sources as `contraflow check` does, or reads what `contraflow measure -o` kept (study/compare/kept.h), and pairs
 * their hosts: those of one name in runs of one name, or, where each side has a single host, these two; hosts of one
 * side alone come last. Flows are paired by their ends: those with the same ports first, then those between the same
 * addresses, in order. Flows of emulated runs whose judge has no interval for them get one (study/compare/compare_interval.h).
 * False and *err when a source cannot be judged, or shows no host at all. */
bool study_compare_make(struct study_compare *c, const char *const path[STUDY_COMPARE_SIDES],
                        const struct study_judge_options *options, const struct study_capture_listener *listener,
                        struct error *err);
/* Of a host: how many seconds of it were seen where flows have no interval, and about how many would do for one; of both
 * sides the one that wants more. False: every flow has one. */
bool study_compare_short(const struct study_compare_host *h, double *seen_s, double *would_do_s);

void study_compare_fini(struct study_compare *c);
