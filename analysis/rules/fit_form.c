/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/fit_form.h"

#include "model/regime.h"

#include <math.h>

const char *analysis_fit_form_name(enum analysis_fit_form form)
{
    static const char *const names[ANALYSIS_FIT_FORMS] = {[ANALYSIS_FIT_POWER] = "power", [ANALYSIS_FIT_NORM] = "norm"};
    static const enum model_regime regimes[] = {
        [ANALYSIS_FIT_EQ5] = MODEL_REGIME_EQ5,
        [ANALYSIS_FIT_EQ6] = MODEL_REGIME_EQ6,
        [ANALYSIS_FIT_WINDOW] = MODEL_REGIME_WINDOW,
    };
    return names[form] ? names[form] : model_regime_name(regimes[form]);
}

struct fit_shape fit_shape_of(const struct analysis_fit_point *point)
{
    struct fit_shape s = {0};
    for (size_t i = 0; i < point->n; i++) {
        const struct analysis_fit_flow *f = &point->flows[i];
        *(f->incoming ? &s.n_in : &s.n_out) += 1;
        *(f->incoming ? &s.window_in : &s.window_out) += f->window_bytes;
    }
    s.ack_cost = model_degree_goodput_bps(&point->link, 0) / model_degree_goodput_bps(&point->link, 1) - 1;
    return s;
}

/* The logarithm of (n_in^p + n_out^p)^(1/p), for inverse = 1/p. */
static double ln_norm(double n_in, double n_out, double inverse)
{
    double more = fmax(n_in, n_out), less = fmin(n_in, n_out);
    return log(more) + (inverse > 0 && less > 0 ? inverse * log1p(pow(less / more, 1 / inverse)) : 0);
}

double fit_form_ln_share(enum analysis_fit_form form, const double *exponent, const struct fit_shape *s, bool incoming,
                         double window_bytes)
{
    double own = incoming ? s->n_in : s->n_out, most = fmax(s->n_in, s->n_out);
    switch (form) {
    case ANALYSIS_FIT_EQ5:
        return -log(own);
    case ANALYSIS_FIT_EQ6:
        return -log(most);
    case ANALYSIS_FIT_WINDOW:
        return log(window_bytes / fmax(s->window_in, s->window_out));
    case ANALYSIS_FIT_POWER:
        return -exponent[0] * log(own) - exponent[1] * log(most);
    case ANALYSIS_FIT_NORM:
        return -ln_norm(s->n_in, s->n_out, exponent[0]);
    case ANALYSIS_FIT_FORMS:
        break;
    }
    return (double)NAN;
}

double fit_form_ln_acks(enum analysis_fit_form form, const double *exponent, const struct fit_shape *s)
{
    double in = s->n_in, out = s->n_out; /* totals of either direction, up to a factor */
    if (!(fmin(in, out) > 0))
        return 0;
    if (form == ANALYSIS_FIT_WINDOW) {
        in = s->window_in;
        out = s->window_out;
    }
    double alike = form == ANALYSIS_FIT_EQ5 ? 0 : form == ANALYSIS_FIT_POWER ? 1 - exponent[0] : 1;
    double ratio = in / out;
    return -log1p(s->ack_cost * exp(-fabs(alike * log(ratio))));
}
