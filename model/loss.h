/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/loss.h - what congestion loss leaves of a many-to-one flow under Go-Back-N with fast retransmission.
 *
 * Tam 2001, "Performance analysis and modeling ...", chapter 4. P senders keep W (his W_FC) packets each under way
 * to one receiver, which takes one packet per g_r; a port buffers B_L packets. Efficiency counts in-order packets
 * per g_r: 1 is the receiver's full rate.
 *
 * All functions return false with ERROR_INPUT, and answer nothing, when a parameter is out of its domain. */
#pragma once

#include "base/error.h"

struct model_loss_flow {
    double senders;        /* P: whole, 1 to MODEL_LOSS_MOST */
    double window_packets; /* W: 1 to MODEL_LOSS_MOST; a mean over time need not be whole */
    double buffer_packets; /* B_L: 1 to MODEL_LOSS_MOST, per port */
};
#define MODEL_LOSS_MOST 1e12 /* beyond any switch, and P B_L is still exact enough to compare */

struct model_loss_input {
    bool lossless;          /* W <= B_L: the first burst fits, nothing is ever lost; both efficiencies are 1 */
    double efficiency;      /* Eq. 4.2, first line */
    double approximate;     /* Eq. 4.2, second line: an O(W / P^2) term of the denominator dropped */
    double packs_per_nack;  /* good packets between two Nacks, 1 / c (section 4.3.4): see below */
};

/* Input-buffered switch (section 4.3.2). In a loss cycle of two Nacks, with G = (B_L - (W - 1)/P) / (1 - 1/P),
 *   G + 1 packets arrive in order, (W - 1)/P + 1 + B_L out of order:
 *   T = (G + 1) / (G + 2 + (W - 1)/P + B_L)                                         Eq. 4.2, first line
 *     ~ (B_L + 1 - W/P) / (2 B_L + 2 - (B_L + 2)/P)                                 second line
 * All senders together have the efficiency of one (Eq. 4.3). P = 1 has nobody to contend with: lossless. Domain
 * besides: W - 1 <= P B_L, the retransmitted burst fits what P buffers' worth of departures make room for. */
bool model_loss_input_buffered(const struct model_loss_flow *flow, struct model_loss_input *answer, struct error *err);

/* A sender's events as a Markov chain (Fig. 4.7): P (a Pack), N (a Nack), TO (a timeout).
 *   from P:  1 - c to P, c to N        from N:  a to P, 1 - a to TO        from TO:  f to P, 1 - f to TO */
struct model_loss_chain {
    double c, one_minus_a, f; /* probabilities in [0, 1] */
};

struct model_loss_output {
    bool lossless;             /* c = 0 or P W <= B_L: nothing is lost; efficiency 1, E[x], E[y], E[S] INFINITY */
    bool contradicted;         /* lossless by P W <= B_L, yet c > 0: what c was measured on lost packets, so P, W or B_L
                                * is not that flow's */
    double packs_per_nack;     /* E[x] = 1/c                        Eq. 4.5 */
    double nacks_per_timeout;  /* E[y] = 1/(1 - a), INFINITY        Eq. 4.6 */
    double timeouts_in_a_row;  /* E[m] = 1/f, INFINITY; 0 lossless  Eq. 4.7 */
    double nack_cycle_gr;      /* E[S] / g_r                        Eq. 4.8 */
    double sender_efficiency;  /* T                                 Eq. 4.9 */
    double efficiency;         /* P T                               Eq. 4.10 */
    bool saturated;            /* the formula exceeded 1, which no receiver can: efficiency is 1 */
};

/* Output-buffered switch (section 4.3.3), and shared-buffered with a limit per port (section 4.3.4):
 *   E[S]/g_r = (3/2 + (1 - c)/(c W)) B_L                                            Eq. 4.8
 *   T = 1 / ((3c/2 + (1 - c)/W) B_L + (1 - a) c (TO/g_r) / f),  P T for all         Eq. 4.9, 4.10 */
bool model_loss_output_buffered(const struct model_loss_flow *flow, const struct model_loss_chain *chain,
                                double to_gr, struct model_loss_output *answer, struct error *err);
