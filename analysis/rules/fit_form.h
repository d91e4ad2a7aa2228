/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/rules/fit_form.h - the points of analysis/rules/fit_rule.h, and its forms as functions of their parameters. */
#pragma once

#include "model/degree.h"

#include <stdbool.h>
#include <stddef.h>

#define ANALYSIS_FIT_EXPONENTS 2

enum analysis_fit_form {
    ANALYSIS_FIT_EQ5,
    ANALYSIS_FIT_EQ6,
    ANALYSIS_FIT_WINDOW,
    ANALYSIS_FIT_POWER,
    ANALYSIS_FIT_NORM,
    ANALYSIS_FIT_FORMS
};

struct analysis_fit_flow {
    bool incoming;
    double rate_bps;     /* measured, > 0 */
    double window_bytes; /* NAN unknown */
    double limit_bps;    /* what it can have at most for reasons of its own; INFINITY: none known */
};

struct analysis_fit_point {
    const struct analysis_fit_flow *flows;
    size_t n;               /* >= 1 */
    size_t unit;            /* 0, 1, ...; replicas have the same */
    struct model_link link; /* for the share of ACKs; its rate does not matter */
};

const char *analysis_fit_form_name(enum analysis_fit_form form); /* "eq5", ..., "norm" */

/* What the forms know of a point. */
struct fit_shape {
    double n_in, n_out, window_in, window_out; /* windows: NAN when one is unknown */
    double ack_cost; /* wire bytes of ACKs for a byte acknowledged, over those of data for a byte sent */
};

/* exponent: power has a and b; norm 1/p. Others have none. */
struct fit_theta {
    double ln_rate, exponent[ANALYSIS_FIT_EXPONENTS];
};

struct fit_shape fit_shape_of(const struct analysis_fit_point *point);

/* ln(x_i / B) without ACKs. */
double fit_form_ln_share(enum analysis_fit_form form, const double *exponent, const struct fit_shape *s, bool incoming,
                         double window_bytes);

/* What ACKs add to that, <= 0. */
double fit_form_ln_acks(enum analysis_fit_form form, const double *exponent, const struct fit_shape *s);
