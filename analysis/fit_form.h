/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/fit_form.h - the forms of analysis/fit_rule.h as functions of their parameters. */
#ifndef ANALYSIS_FIT_FORM_H
#define ANALYSIS_FIT_FORM_H

#include "analysis/fit_rule.h"

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

#endif
