/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/fit_patterns.h - part `patterns` of a fit: how far predicted completion times are from those of messages. */
#pragma once

#include "study/fit/fit.h"
#include "study/predict/models.h"

#define STUDY_FIT_PATTERNS_MODELS 8 /* at most */
#define STUDY_FIT_PATTERNS_BIN 0.05 /* of the histograms, from -1 to 1; the last one has all beyond, too */
#define STUDY_FIT_PATTERNS_BINS 40

/* |error| of links, in patterns that are independent of each other. */
struct study_fit_patterns_mean {
    double sum, squares; /* of a pattern's errors, summed: sum e, sum (e - m n)^2 needs the three below */
    double cross, counts;
    double each; /* of a link's errors: sum e^2 */
    size_t links, patterns;
};

/* Errors of a model in a cell: predicted / measured time - 1. */
struct study_fit_patterns_errors {
    struct study_fit_patterns_mean all, both; /* both: of patterns with traffic both ways on a cable */
    size_t near;        /* links within 10 %, which is what Zhu et al. 2014 count */
    double last;        /* sum of |error| of a pattern's slowest transfer, one a pattern */
    double worst, bias; /* bias: sum of signed errors */
    char where[96];     /* the worst */
    size_t histogram[STUDY_FIT_PATTERNS_BINS];
};

/* A transfer, measured and by every model. */
struct study_fit_patterns_link {
    int64_t point, bytes;
    char name[SCENARIO_NAME];
    double time_s, ci95_s, predicted_s[STUDY_FIT_PATTERNS_MODELS]; /* NAN: never ended, was not repeated */
};

/* Points that differ by their seed alone: a cell of Table II. */
struct study_fit_patterns_cell {
    char *axes; /* owned; as JSON */
    int nodes, d; /* d 0: no random pattern */
    double bytes, window_bytes; /* NAN: not the same for all */
    size_t patterns, n, capacity, patterns_both, unfinished, lossy, steps; /* steps: of Algorithm 2, of all patterns */
    struct study_fit_patterns_link *links; /* owned; n of them */
    struct study_fit_patterns_errors model[STUDY_FIT_PATTERNS_MODELS];
};

struct study_fit_patterns {
    const struct study_model *model[STUDY_FIT_PATTERNS_MODELS]; /* those with a fit_column, in its order */
    size_t n_models;
    struct study_fit_patterns_cell *cells; /* owned */
    json_t *numbers; /* owned; of cells, by their axes */
    size_t n, points;
    bool told_apart; /* by hosts, d, bytes and windows */
};

/* Mean |error|, and half its 95 % interval; NAN where too few links ended. */
double study_fit_patterns_mean(const struct study_fit_patterns_mean *m);
double study_fit_patterns_ci95(const struct study_fit_patterns_mean *m);

/* Table II's pi(epsilon) of Zhu et al. 2014, as a share: half the 95 % interval of the mean over the mean, links taken
 * as independent. The paper does not define it and heads it with %; links that vary as much as its histograms show have
 * 0.1 to 0.2 so, and some 0.6 percentage points. NAN with fewer than two links, or no error at all. */
double study_fit_patterns_precision(const struct study_fit_patterns_mean *m);

/* The errors of the model of that name, which study_models[] must give a fit_column. */
const struct study_fit_patterns_errors *study_fit_patterns_of(const struct study_fit_patterns *p,
                                                              const struct study_fit_patterns_cell *c,
                                                              const char *model);
