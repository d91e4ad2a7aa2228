/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/exchange/alltoall.h - time of MPI_Alltoall by direct exchange: lower bounds and two ways to add contention.
 *
 * Steffenel 2006, "Modelling network contention effects on all-to-all operations" (INRIA research report,
 * inria-00116891). n processes, each with a message of m bytes for each other one; every process sends at most one
 * message and receives at most one at a time (1-port, full duplex). Eq. 1-5 below are that paper's; fitting a
 * signature to measured times is model/exchange/signature.h.
 *
 * Functions that return bool set *time_s, or are false with ERROR_INPUT and leave it alone. */
#pragma once

#include "base/error.h"

/* Hockney's link: a message of m bytes takes alpha + beta * m seconds. */
struct model_alltoall_link {
    double alpha_s;         /* alpha: start-up, finite and >= 0 */
    double beta_s_per_byte; /* beta: gap per byte, finite and > 0 */
};

/* False and *err (ERROR_INPUT) when alpha or beta is out of range. Every function below checks its link so. */
bool model_alltoall_check(const struct model_alltoall_link *link, struct error *err);

/* Point to point, section 4: alpha + beta * m. m = bytes, finite and >= 0. */
bool model_alltoall_message(const struct model_alltoall_link *link, double bytes, double *time_s, struct error *err);

/* All-to-all without contention, Eq. 1; by Proposition 1 also the lower bound of every exchange that does not
 * forward messages:
 *   T = (n - 1) * (alpha + beta * m)
 * n = processes >= 1 (one has nobody to talk to: 0 s), m = bytes >= 0. */
bool model_alltoall_bound(const struct model_alltoall_link *link, size_t processes, double bytes, double *time_s,
                          struct error *err);

/* Point to point on a shared medium that n processes use at once, Clement's Eq. 2 with gamma = n:
 *   T = l + b * gamma / W = alpha + beta * m * n
 * l = alpha, W = 1 / beta, n = processes >= 1. Holds where all of them do send at once (hubs). */
bool model_alltoall_shared(const struct model_alltoall_link *link, size_t processes, double bytes, double *time_s,
                           struct error *err);

/* Lower bounds of an exchange of unequal messages, section 5.1, Claims 1-3. */
struct model_alltoall_bounds {
    size_t startups;  /* Claim 1: max(Delta_s, Delta_r), the largest outdegree or indegree */
    double send_s;    /* t_s: longest time any process takes to send its bytes, no start-ups */
    double receive_s; /* t_r: the same for receiving */
    double bytes_s;   /* Claim 2: max(t_s, t_r) */
    double rounds_s;  /* Claim 3: startups * alpha + bytes_s; a bound where sending goes in synchronous rounds,
                         or claim3 is true */
    bool claim3;      /* one process, in one direction, has both the most messages and the most bytes */
    double port_s;    /* bound without either condition: max over processes i and directions of
                         degree_i * alpha + bytes_i * beta; equals rounds_s if claim3, never above it */
};

/* bytes[i * processes + j] = w_ij goes from process i to j; 0: no message (no arc). The diagonal, data a process
 * keeps, crosses no link and is not looked at; Claim 2's sums include it, Proposition 1 does not.
 * Claim 3 asks that both maxima be due to the same process. The direction must be the same too: a process that sends
 * many small messages while it receives one large one overlaps the two.
 * False when processes = 0 or a size is negative or not finite. */
bool model_alltoall_bounds(const struct model_alltoall_link *link, const double *bytes, size_t processes,
                           struct model_alltoall_bounds *bounds, struct error *err);

/* A gap per byte of two states, section 6. */
struct model_alltoall_gaps {
    double free_s_per_byte;      /* beta_F: a connection that meets no contention, finite and > 0 */
    double contended_s_per_byte; /* beta_C: one that does, finite and >= beta_F */
    double rho;                  /* share of connections that meet contention, 0 to 1 */
};

/* The paper's Gigabit Ethernet: beta_F = 8.502e-9, beta_C = 8.498189e-8 s/byte (32 MB messages, Fig. 3);
 * rho = 0.5 is its assumption that at most every other connection is delayed, not a measurement. */
struct model_alltoall_gaps model_alltoall_gaps_default(void);

/* Eq. 3: beta = (1 - rho) * beta_F + rho * beta_C, for use as the beta of a link in Eq. 1.
 * False with ERROR_INPUT when gaps are out of range. */
bool model_alltoall_gap(const struct model_alltoall_gaps *gaps, double *beta_s_per_byte, struct error *err);

/* Eq. 3 solved for rho: (beta - beta_F) / (beta_C - beta_F), the share that explains a measured mean gap. gaps->rho is
 * not looked at. False also when beta is outside beta_F to beta_C or these are equal. */
bool model_alltoall_rho(const struct model_alltoall_gaps *gaps, double beta_s_per_byte, double *rho, struct error *err);

/* What contention does to a network, section 7: the signature. */
struct model_alltoall_signature {
    double gamma;           /* contention ratio, finite and > 0 */
    double delta_s;         /* start-up cost of each message of M bytes or more, finite and >= 0 */
    double threshold_bytes; /* M, finite and >= 0: 0 adds delta to messages of any size */
};

/* Eq. 4 (delta = 0) and Eq. 5:
 *   T = (n - 1) * (alpha + beta * m) * gamma             m <  M
 *   T = (n - 1) * ((alpha + beta * m) * gamma + delta)   m >= M
 * The brackets of Eq. 5 as printed do not tell whether delta counts once or n - 1 times. It is multiplied by n - 1
 * here: section 8.1 puts delta = 8.23 ms on each simultaneous communication, of which a process has n - 1, and
 * section 7.1 lets the term grow with the number of processes. gamma and delta are then independent of n, as the
 * paper's conclusions want them. n = processes >= 1, m = bytes >= 0. */
bool model_alltoall_contended(const struct model_alltoall_link *link, const struct model_alltoall_signature *signature,
                              size_t processes, double bytes, double *time_s, struct error *err);
