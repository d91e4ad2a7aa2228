/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/exchange/signature.h - the contention signature of a network, fitted to measured times of MPI_Alltoall.
 *
 * Steffenel 2006, "Modelling network contention effects on all-to-all operations", section 8, which fits gamma and
 * delta of Eq. 5 by generalized least squares to four points or more, and does not say how M was found or what
 * covariance was taken. Choices made here:
 *
 * Model     T_i = gamma * B_i + delta * D_i + e_i        B_i = (n_i - 1) * (alpha + beta * m_i), D_i = n_i - 1 or 0
 *           delta counts for each of the n - 1 messages of m >= M bytes; alpha, beta are known (a point-to-point test).
 * Errors    independent. With standard errors: var(e_i) = s^2 * std_error_i^2. Without: var(e_i) = s^2 * (predicted
 *           T_i)^2, a constant relative error, by feasible GLS: weights from the predictions, in half steps, until they
 *           stand still (first weights: measured times). s is estimated from the residuals in both cases, so standard
 *           errors are relative weights: points that miss the model by more than their errors widen the intervals.
 *           No correlation between sizes is modelled.
 * M         each measured size in turn, from the smallest (delta for every message) to the largest, and no delta at
 *           all. The least Bayesian information criterion decides,
 *             BIC = N * ln(sum of r_i^2 / v_i / N) + sum of ln v_i + k * ln N     r residual, v = var(e) / s^2
 *           with k = 1 (gamma), 2 (and delta), 3 (and M). delta must also be above 0 and differ from 0 by t at the
 *           level of 5 % over the number of M tried (Bonferroni): the best of a dozen thresholds often looks good in
 *           noise. BIC alone saw a delta in one of five draws of 13 points that had none, 5 % noise.
 * Intervals value -+ t(0.975, N - parameters) * std_error; parameters = 1 or 2: M is taken as found, not as a
 *           random variable, which holds where it is found with certainty (one compatible candidate). */
#pragma once

#include "model/exchange/alltoall.h"

struct model_signature_point {
    size_t processes;   /* n, 2 or more */
    double bytes;       /* m: each message, finite and > 0 */
    double time_s;      /* T: measured completion time, finite and > 0 */
    double std_error_s; /* of T, finite; 0: not known. Known for all points or for none */
};

/* A parameter with its 95 % interval. */
struct model_signature_estimate {
    double value, std_error, low, high;
};

enum model_signature_shape {
    MODEL_SIGNATURE_RATIO,     /* Eq. 4: gamma alone */
    MODEL_SIGNATURE_STARTUP,   /* delta for messages of every measured size: M = 0 */
    MODEL_SIGNATURE_THRESHOLD, /* Eq. 5 */
};
const char *model_signature_shape_name(enum model_signature_shape shape); /* "ratio", ... */

/* The fit with one M. */
struct model_signature_candidate {
    double threshold_bytes; /* the measured size M was set to */
    double above_bytes;     /* the next smaller measured size, or 0: every M above it and up to threshold_bytes has
                               delta for the same points, so that data cannot tell them apart */
    bool fitted;            /* false, and the rest 0, if gamma and delta cannot be told apart or predictions at some
                               size become negative */
    double gamma, delta_s, bic;
    bool compatible;        /* delta > 0, and -2 ln likelihood (BIC without its last term) is at most
                               N * ln(1 + t(0.975, N - 2)^2 / (N - 2)) above the least: the F test of one parameter
                               at 95 %. Always true of the M chosen; false if RATIO */
};

struct model_signature_fit {
    enum model_signature_shape shape;
    struct model_alltoall_signature signature;   /* for model_alltoall_contended(); delta 0 and M 0 if RATIO */
    struct model_signature_estimate gamma;
    struct model_signature_estimate delta_s;     /* if RATIO: as it comes out for messages of every size, to show what
                                                    0 cannot be told from; infinitely wide if it does not */
    double threshold_above_bytes;                /* compatible M lie above this and up to the next; 0 and 0 if RATIO */
    double threshold_to_bytes;
    size_t n_compatible;                         /* candidates in that range that are compatible; 0 if RATIO */
    size_t n_candidates;                         /* distinct sizes measured */
    size_t df;                                   /* N - parameters */
    double scale;                                /* s: relative error of one time; with standard errors: how many of
                                                    them (1: the model explains the times) */
    double bic, ratio_bic;                       /* of the shape chosen, and of RATIO */
};

/* candidates: room for n, filled with n_candidates by increasing size; may be NULL.
 * False and ERROR_INPUT for fewer than four points, fewer than two sizes (all points on one side of any M), values
 * out of their domain or of magnitudes that squares cannot hold, and points that no gamma and delta fit.
 * *fit is then left alone. */
bool model_signature_fit(const struct model_alltoall_link *link, const struct model_signature_point *points, size_t n,
                         struct model_signature_fit *fit, struct model_signature_candidate *candidates,
                         struct error *err);
