/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/fit_regimes.h - part `regimes` of a fit, for a sweep over windows, buffers, disciplines: which regime each
 * point is in, and whether the closed form (model/regime.h) predicts it. */
#pragma once

#include "study/fit/fit.h"

#define STUDY_FIT_REGIMES_CLASSES 2 /* flows in, flows out */

/* Rates of single flows of one direction over all runs of a point. */
struct study_fit_regimes_spread {
    struct estimate_running rate_bps;
    double min_bps, max_bps;
    double jain;    /* sum over runs of Jain's index, (sum x)^2 / (n sum x^2) */
};

/* All seeds of one point of the grid. */
struct study_fit_regimes_point {
    char *source; /* owned */
    json_t *axes; /* owned */
    int incoming, outgoing;
    struct model_regime_answer predicted;
    const char *why; /* no closed form; else NULL */
    int64_t runs, observed[MODEL_REGIMES];
    double retransmitted; /* segments, of all runs */
    struct study_fit_regimes_spread rate[STUDY_FIT_REGIMES_CLASSES];
    double rate_error;    /* largest |mean / predicted - 1| of a direction; NAN without a prediction */
};

struct study_fit_regimes {
    struct study_fit_regimes_point *point; /* owned */
    size_t n, capacity;
    int64_t runs;
    int64_t count[MODEL_REGIMES][MODEL_REGIMES]; /* points: predicted, observed */
    int64_t known, agree;   /* points with a closed form; those whose runs mostly show it */
    int64_t one_verdict;    /* points whose runs all have the same */
};

enum model_regime study_fit_regimes_most(const struct study_fit_regimes_point *p);
