/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/moderated.h"

#include <gsl/gsl_sf_psi.h>

#include <math.h>

#define STEPS 50
#define CLOSE 1e-9

/* x with trigamma(x) = y: Newton's steps on 1 / trigamma, which is convex and nearly linear (Smyth 2004, appendix). */
static double trigamma_inverse(double y)
{
    double x = 0.5 + 1 / y;
    for (int i = 0; i < STEPS; i++) {
        double tri = gsl_sf_psi_1(x), step = tri * (1 - tri / y) / gsl_sf_psi_n(2, x);
        x += step;
        if (-step / x < CLOSE)
            break;
    }
    return x;
}

struct model_moderated model_moderated_find(const double *variance, const double *degrees, size_t n)
{
    double used = 0, mean = 0, squares = 0, expected = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(variance[i] > 0) || !(degrees[i] > 0))
            continue;
        double e = log(variance[i]) - gsl_sf_psi(degrees[i] / 2) + log(degrees[i] / 2), from = e - mean;
        used++;
        mean += from / used;
        squares += from * (e - mean);
        expected += gsl_sf_psi_1(degrees[i] / 2);
    }
    struct model_moderated m = {.variance = used > 0 ? exp(mean) : NAN, .degrees = MODEL_MODERATED_DEGREES};
    double more = used > 2 ? squares / (used - 1) - expected / used : 0;
    if (!(more > gsl_sf_psi_1(MODEL_MODERATED_DEGREES / 2)))
        return m;
    m.degrees = 2 * trigamma_inverse(more);
    m.variance = exp(mean + gsl_sf_psi(m.degrees / 2) - log(m.degrees / 2));
    return m;
}

double model_moderated_variance(const struct model_moderated *m, double variance, double degrees)
{
    return degrees > 0 ? (m->degrees * m->variance + degrees * variance) / (m->degrees + degrees) : m->variance;
}
