/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/moderated.h - many variances, each of few values: what each of them probably is, knowing them all.
 *
 * Variances s_i^2 of d_i degrees of freedom, s_i^2 as sigma_i^2 chi-square(d_i) / d_i, of true ones that vary themselves:
 * 1 / sigma_i^2 as chi-square(d0) / (d0 s0^2). Then sigma_i^2 is about (d0 s0^2 + d_i s_i^2) / (d0 + d_i), with d0 + d_i
 * degrees of freedom (Smyth 2004, Linear models and empirical Bayes methods, sections 3 and 6). d0 and s0^2 are those
 * with the mean and variance of the s_i^2's logarithms. */
#pragma once

#include <stddef.h>

#define MODEL_MODERATED_DEGREES 1e4 /* d0 at most: all true variances are the same */

struct model_moderated {
    double variance; /* s0^2; NAN with no s_i^2 above 0 */
    double degrees;  /* d0 */
};

/* Those with no degrees of freedom or a variance of 0 are left out. With fewer than three, d0 is the most. */
struct model_moderated model_moderated_find(const double *variance, const double *degrees, size_t n);

/* sigma_i^2 */
double model_moderated_variance(const struct model_moderated *m, double variance, double degrees);
