/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/infer/infer_parts.h - what study/infer/infer*.c share: emulations, several at a time. */
#pragma once

#include "study/infer/infer.h"

/* A pattern under one hypothesis. */
struct infer_play {
    const struct scenario *base;
    const struct study_measurement_pattern *pattern;
    const int (*host)[2];                /* borrowed; of each of its flows, from and to */
    const struct study_hypothesis *is;
    enum scenario_engine engine;
    double value[STUDY_HYPOTHESIS_PARAMETERS]; /* NAN where it is not searched for */
    uint64_t seed;
    int64_t messages;
    double *out;                         /* a value a flow */
    double *resent;                      /* NULL: nobody asks; bytes sent again, as a share of those that came */
    double *pauses;                      /* likewise; PAUSE frames that came to somebody */
    bool played;
};

/* Plays them all, in processes of their own, or by their models; until options.until_s, in their order. False and *err on
 * failure; x->signal where one came. */
bool infer_play_all(struct study_infer *x, struct infer_play *plays, size_t n, struct error *err);
