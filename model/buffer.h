/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/buffer.h - how many packets a switch buffers, from the burst microbenchmark.
 *
 * Tam 2001, appendix A.1. S sources send a burst of k packets in all towards R sinks at full speed, more than the
 * buffer B of the bottleneck holds. The share that arrives is
 *   rho = D/A + B/k      with A = S/g_s packets/s arriving, D = R/g_r departing, k > A B / (A - D)       Eq. A.2
 * a line over 1/k: its slope is B, its intercept R g_s / (S g_r). */
#ifndef MODEL_BUFFER_H
#define MODEL_BUFFER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct model_buffer_point {
    double burst_packets; /* k > 0 */
    double success;       /* rho in [0, 1]: packets received / sent */
};

struct model_buffer_fit {
    double buffer_packets, buffer_ci95; /* slope, half-width of its 95 % interval (Student's t, n - 2) */
    double intercept, intercept_ci95;   /* D / A */
    size_t used;                        /* points with losses: the others lie on rho = 1, not on the line */
};

/* rho of Eq. A.2; 1 below the burst that overflows. departure_ratio D/A in [0, 1), buffer >= 0, burst > 0. */
bool model_buffer_success(double buffer_packets, double departure_ratio, double burst_packets, double *success,
                          struct error *err);

/* Least squares of rho over 1/k on the points that lost packets (rho < 1). ERROR_INPUT for a point out of range, for
 * fewer than three such points, and for points of one burst size. */
bool model_buffer_fit(const struct model_buffer_point *points, size_t n, struct model_buffer_fit *fit,
                      struct error *err);

enum model_buffer_architecture { MODEL_BUFFER_INPUT, MODEL_BUFFER_OUTPUT, MODEL_BUFFER_SHARED };

struct model_buffer_signature {
    double sources, sinks; /* S, R >= 1: integers */
    double buffer_packets; /* B as fitted there */
};

struct model_buffer_reading {
    enum model_buffer_architecture architecture;
    double buffer_packets; /* B_L: per ingress port, per egress port, or of the pool */
    double spread;         /* relative standard deviation of B_L over the signatures under that reading */
};

/* Which architecture makes the fitted buffers of several S and R one constant: B = S B_L when every ingress port
 * buffers what it sends (input), B = R B_L when every egress port does (output), B = B_L when all share (shared).
 * The reading with the least spread is taken. Two signatures at least, in which S and R both vary: ERROR_INPUT
 * otherwise, naming what must vary. */
bool model_buffer_read(const struct model_buffer_signature *signatures, size_t n, struct model_buffer_reading *reading,
                       struct error *err);

#endif
