/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/buffer.h - how many packets a switch buffers, from the burst microbenchmark.
 *
 * Tam 2001, appendix A.1. S sources send a burst of k packets in all towards R sinks at full speed, more than the
 * buffer B of the bottleneck holds. The share that arrives is
 *   rho = D/A + B/k      with A = S/g_s packets/s arriving, D = R/g_r departing, k > A B / (A - D)       Eq. A.2
 * a line over 1/k: its slope is B, its intercept R g_s / (S g_r). */
#pragma once

#include "base/error.h"

struct model_buffer_point {
    double burst_packets; /* k: 1 to 1e12, of all sources together */
    double success;       /* rho in [0, 1]: packets received / sent */
};

struct model_buffer_fit {
    double buffer_packets, buffer_std_error, buffer_ci95; /* slope > 0, its error; ci95 is the half-width of its 95 %
                                                           * interval: t(0.975, used - 2) * std_error */
    double intercept, intercept_std_error; /* D / A */
    size_t used;                        /* points with losses: the others lie on rho = 1, not on the line */
};

/* Least squares of rho over 1/k on the points that lost packets (rho < 1). ERROR_INPUT for a point out of range
 * (1 <= k <= 1e12), for fewer than three such points, for points of one burst size or of sizes too close to tell a
 * line from, and for a slope that is not positive: larger bursts that do not lose a larger share show no buffer. */
bool model_buffer_fit(const struct model_buffer_point *points, size_t n, struct model_buffer_fit *fit,
                      struct error *err);

enum model_buffer_architecture { MODEL_BUFFER_INPUT, MODEL_BUFFER_OUTPUT, MODEL_BUFFER_SHARED };

struct model_buffer_signature {
    double sources, sinks; /* S, R >= 1 */
    double buffer_packets; /* B as fitted there */
};

struct model_buffer_reading {
    enum model_buffer_architecture architecture;
    double buffer_packets; /* B_L: per ingress port, per egress port, or of the pool */
    double spread;         /* relative standard deviation of B_L over the signatures under that reading */
};

/* Which architecture makes the fitted buffers of several S and R one constant: B = S B_L when every ingress port
 * buffers what it sends (input), B = R B_L when every egress port does (output), B = B_L when all share (shared).
 * Appendix A.1 says that B over S and R shows the architecture, and by graphs (Fig. A.2) how; the rule is ours. A
 * shared pool with a limit per port reads as output, as its two switches do (Table A.1, footnote).
 * The reading with the least spread is taken. Two signatures at least, in which S and R both vary: ERROR_INPUT
 * otherwise, naming what must vary. */
bool model_buffer_read(const struct model_buffer_signature *signatures, size_t n, struct model_buffer_reading *reading,
                       struct error *err);
