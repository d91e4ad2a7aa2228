/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/posterior.h - how well one hypothesis explains measured times: its evidence, and what its parameters are.
 *
 * A hypothesis predicts the logarithm of each of n times, for a window or a buffer theta that nobody knows; of some
 * values of log theta that was emulated. Rates are times, -log rate. Then
 *   y_i = m_i(theta) - c + e_i,   e_i / sqrt(V_i) as Student's t with nu_i degrees of freedom
 *   V_i = (sigma k_i)^2 + u_i,    u_i = v_i D_i (1 / r_i + L_i),    L_i = sum of l_j^2
 *   V_i^2 / nu_i = (sigma k_i)^4 / known_i + u_i^2 / nu          (Welch 1947, Satterthwaite 1946)
 *   c normal with mean 0 and the deviation rate_sd:   the links' rate is e^c times the one that was emulated
 *   log theta uniform over the axis
 *   sigma: known; or pooled over repeats, s^2 with df degrees of freedom, scaled inverse chi-square; or, where nothing
 *   was repeated, log sigma normal about log s with deviation 1
 * y_i is a mean over r_i values, whose deviation is sigma k_i. m_i is a local linear regression over the q emulations
 * next to theta, with the share l_j of each (Cleveland 1979, Robust locally weighted regression), and v_i the mean square
 * of how far one emulation is from what the others say: what a seed changes, and what is lost between the points. What
 * was measured had seeds of its own, r_i of them, and m_i is as uncertain as its emulations are few: 1 / r_i + L_i. q is
 * the most that misses hardly more of this time, where theta probably is, than the one that misses least; v_i is of nu
 * emulations around theta, and of what those of the other times say of it, four more at most (model/moderated.h). Times
 * of flows that ran together are late, or gain, by each other: of the n times of one group, D_i is 1 + (n - 1) times the
 * mean size of their correlations over emulations, beyond what chance gives (Kish 1965, Survey Sampling, ch. 5).
 *
 * The evidence is the integral of likelihood times prior: over c by Laplace's method, over log sigma and log theta by
 * the trapezoidal rule. Two hypotheses are compared by the difference of their log evidence (Jeffreys 1961, Theory of
 * Probability, ch. 5; MacKay 2003, Information Theory, Inference, and Learning Algorithms, ch. 28): a parameter that must
 * be tuned costs the share of its range that fits.
 *
 * Evidence says which of several is the least bad, and not whether any is right. The tail does (Box 1980, Sampling and
 * Bayes' inference in scientific modelling and robustness; Gelman, Meng and Stern 1996): the probability that times which
 * this hypothesis makes at its best theta are as far from what it predicts as these, or farther,
 *   tail = E over sigma of P(chi-square of n >= sum of z_i^2),   z_i the normal deviate as unlikely as e_i / sqrt(V_i)
 * sigma as above, before these times are seen. theta and c were chosen by the times, which makes the tail longer. A group
 * that is far off is not to hide among others that are near: of G > 1 groups it is G + 1 times the least of what all
 * together and each group alone give, 1 at most (Bonferroni). */
#pragma once

#include "base/error.h"

#define MODEL_POSTERIOR_AXES 2
#define MODEL_POSTERIOR_POINTS 64 /* of an axis, at most */
#define MODEL_POSTERIOR_SCATTER 0.003 /* root of v at least */

enum model_posterior_spread { MODEL_POSTERIOR_KNOWN, MODEL_POSTERIOR_POOLED, MODEL_POSTERIOR_FITTED };

struct model_posterior_data {
    size_t n;
    const double *y; /* borrowed, as all four below */
    const double *k;
    const double *r;     /* NULL: each was measured once */
    const size_t *group; /* rising; which of them were measured together; NULL: none */
    const double *known; /* degrees of freedom of (sigma k_i)^2; NULL: exactly known but for sigma */
    enum model_posterior_spread how;
    double spread; /* s */
    double df;     /* pooled alone */
    double rate_sd;
};

struct model_posterior_axis {
    size_t n; /* 1: theta is known; else 3 or more */
    double at[MODEL_POSTERIOR_POINTS]; /* log theta, rising; from the least to the most that it may be */
};

struct model_posterior_point {
    double at[MODEL_POSTERIOR_AXES]; /* 0 beyond the axes */
    const double *m;                 /* borrowed; n values */
};

struct model_posterior_grid {
    struct model_posterior_axis axis[MODEL_POSTERIOR_AXES]; /* what the integral goes over, in steps between these */
    size_t axes;                                /* 0: nothing is unknown but the rate and sigma */
    const struct model_posterior_point *points; /* borrowed; emulations: not all pairs of coordinates need one */
    size_t n;
};

struct model_posterior_interval {
    double value, low, high; /* 95 %: from the 2.5th to the 97.5th percentile */
};

struct model_posterior {
    double log_evidence;
    struct model_posterior_interval theta[MODEL_POSTERIOR_AXES]; /* logarithms; value: the median */
    double best[MODEL_POSTERIOR_AXES];     /* the most probable theta */
    struct model_posterior_interval rate;  /* c; value: its median */
    double spread;                         /* sigma: exp of its mean logarithm at the best */
    double mass[MODEL_POSTERIOR_AXES][MODEL_POSTERIOR_POINTS]; /* probability between a point and the next */
    double behind[MODEL_POSTERIOR_AXES][MODEL_POSTERIOR_POINTS]; /* nats of density that the best there lacks */
    double tail;                           /* see above */
    double *tails;          /* owned; of each time, that of its group alone */
    double *fit, *variance; /* owned; n of each: m - c at the best, and the variance */
};

/* ERROR_INPUT when there is no time or no point, a value is not finite, an axis falls or has two points or too many, or s, k, df or rate_sd
 * is not above 0. Free with model_posterior_fini(), whatever it returns. */
bool model_posterior_find(struct model_posterior *p, const struct model_posterior_data *d,
                          const struct model_posterior_grid *g, struct error *err);
void model_posterior_fini(struct model_posterior *p); /* safe on a zeroed one */
