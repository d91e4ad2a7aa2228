/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/rules/fit_solve.h - the least squares of analysis/rules/fit_rule.h, over all units or all but a group. */
#pragma once

#include "analysis/rules/fit_form.h"
#include "model/linear.h"

#include <stdint.h>

#define ANALYSIS_FIT_GROUPS 200 /* units are left out one by one up to here, in so many groups beyond */
#define FIT_NO_GROUP SIZE_MAX

/* Flows of a point that every form predicts the same: one direction, one window, one limit. */
struct fit_cell {
    size_t point, group;
    bool incoming;
    double window_bytes, ln_limit;
    double flow_weight; /* of one; those of a unit add up to 1 */
    double weight;  /* of all of them */
    double ln_rate; /* mean of logarithms */
    double within;  /* weighted sum of squares around it */
    double form;    /* scratch: ln(x / B) of the parameters tried */
};

struct fit_problem {
    enum analysis_fit_form form;
    bool acks;
    struct fit_cell *cells; /* owned */
    size_t n_cells;
    struct fit_shape *shapes; /* owned; [points] */
    size_t units, groups;
    size_t left_out;        /* group, or FIT_NO_GROUP */
    struct model_linear linear; /* power's; zeroes for the others */
};

void fit_problem_init(struct fit_problem *q, const struct analysis_fit_point *points, size_t n,
                      enum analysis_fit_form form, bool acks);
void fit_problem_fini(struct fit_problem *q);

/* The parameters with the least sum of squares over the units not left out; *rss is that sum. False when the points
 * cannot tell them. */
bool fit_solve(struct fit_problem *q, struct fit_theta *theta, double *rss);

/* The same with `theta->exponent` given. */
bool fit_solve_rate(struct fit_problem *q, struct fit_theta *theta, double *rss);

/* The sum of squares with a rate and the exponents tried last; INFINITY: every flow at its limit. */
double fit_squares(const struct fit_problem *q, double ln_rate);
