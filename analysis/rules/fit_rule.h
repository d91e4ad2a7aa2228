/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/rules/fit_rule.h - one rule for all points of a measurement, its parameters estimated and its errors counted.
 *
 * A point is one resource shared by flows towards it and from it: n_in and n_out of them, windows W_i. Forms, with B
 * the goodput that one direction alone can carry:
 *   eq5     x_i = B / n_own                      Zhu et al. 2014, Eq. 5: n_own flows in i's own direction
 *   eq6     x_i = B / max(n_in, n_out)           Eq. 6
 *   window  x_i = B W_i / max(W_in, W_out)       the window law; W_in the sum over flows in (model/degree.h)
 *   power   x_i = B n_own^-a max(n_in, n_out)^-b a = 1, b = 0 is Eq. 5; a = 0, b = 1 is Eq. 6
 *   norm    x_i = B / (n_in^p + n_out^p)^(1/p)   p = 1: the directions share one capacity (half duplex); p to
 *                                                infinity is Eq. 6
 * Each also with ACKs: the busier direction carries the other's ACKs too, and all rates shrink by
 * model_degree_goodput_bps(rho) / model_degree_goodput_bps(0), rho the smaller direction's total over the larger's as
 * the form itself has them. No flow is predicted more than its own limit_bps, what keeps it down elsewhere: Eq. 5 and 6
 * have beta_E for that where they speak of an optical backbone.
 *
 * Errors are relative: ln x_i is normal around the form's with one variance for all. Flows of a point are not
 * independent, points are, and replicas of a point (the same `unit`) are one: every unit has weight 1, shared by its
 * points, and theirs by their flows. Pure: takes numbers from wherever. */
#pragma once

#include "analysis/rules/fit_form.h"

struct analysis_fit_value {
    double value, low, high; /* 95 %; NAN where the points do not say */
};

struct analysis_fit {
    enum analysis_fit_form form;
    bool acks;
    bool applies;           /* false: the points cannot tell its parameters, or none fills the link; rest is NAN */
    struct analysis_fit_value rate_bps; /* B */
    struct analysis_fit_value exponent[ANALYSIS_FIT_EXPONENTS]; /* a and b; p, which may be INFINITY */
    size_t parameters;      /* of the likelihood: B, exponents, the variance */
    size_t units;
    double aic;             /* with Hurvich and Tsai's correction (1989); NAN with too few units for it */
    double rms_error;       /* of measured / predicted - 1 over all units */
    double mean_error;      /* of its size */
    double worst_error;     /* with its sign */
    size_t worst_point;
    double cross_validated_error; /* rms as above, each unit predicted from the others; NAN with one unit */
    size_t limited;         /* flows whose prediction is their own limit */
};

/* Fits one form.
 *   B, a, b   least squares in logarithms; 95 % by the jackknife over units, on ln B
 *   p         least squares over 1/p in [0, 1]; 95 %: where n ln(RSS / least RSS) <= 3.84 (profile likelihood)
 *   AIC       n ln(RSS / n) + 2 k + 2 k (k + 1) / (n - k - 1), n units, k parameters
 * Where units are left out for the jackknife and cross-validation, it is one by one up to ANALYSIS_FIT_GROUPS of them,
 * beyond in so many groups drawn with a fixed seed. */
void analysis_fit_rule(const struct analysis_fit_point *points, size_t n, enum analysis_fit_form form, bool acks,
                       struct analysis_fit *fit);

/* Every form, plain and with ACKs, best first: by AIC; behind those, forms without one by cross_validated_error, and
 * forms without that by rms_error. */
#define ANALYSIS_FIT_ALL (2 * ANALYSIS_FIT_FORMS)
void analysis_fit_compare(const struct analysis_fit_point *points, size_t n,
                          struct analysis_fit fits[static ANALYSIS_FIT_ALL]);

/* What a fit that applies says of a point: rate_bps[point->n]. */
void analysis_fit_predict(const struct analysis_fit *fit, const struct analysis_fit_point *point, double *rate_bps);

/* How much replicas differ: the standard deviation of the logarithm of a direction's mean rate within a unit, pooled;
 * NAN without replicas. */
double analysis_fit_spread(const struct analysis_fit_point *points, size_t n);
