/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/exchange/exchange.h - time of a complete exchange (all-to-all) on a non-blocking switch, by algorithm.
 *
 * Tam 2001, chapter 5, Eq. 5.1-5.4 and Table 5.1, in the parameters of model/exchange/tam.h. Every process sends k packets to
 * each of the others. The algorithms have no node contention by design; the model knows of no loss and no
 * head-of-line blocking, so a measured time is longer: see the schedules in model/schedule.h. */
#pragma once

#include "model/exchange/tam.h"

enum model_exchange_algorithm {
    MODEL_EXCHANGE_SYNC,     /* synchronous shuffle: one packet to each partner in turn, one round */
    MODEL_EXCHANGE_GROUP,    /* group shuffle: that, among `group` partners at a time */
    MODEL_EXCHANGE_PAIRWISE, /* a whole message to and from one partner a round */
    MODEL_EXCHANGE_SHIFT,    /* a whole message to one partner, from another */
    MODEL_EXCHANGE_ALGORITHMS
};

struct model_exchange {
    size_t processes; /* p, >= 2 */
    size_t packets;   /* k, >= 1: packets of one message */
    size_t group;     /* omega, 1 to p - 1: partners a round; only MODEL_EXCHANGE_GROUP looks */
};

struct model_exchange_cost {
    double time_s;
    double bound_s;          /* Eq. 5.1 */
    double node_goodput_bps; /* 8 b k (p - 1) / time_s: what a process sends, and as much that it receives */
    double efficiency;       /* bound_s / time_s */
    size_t rounds;
    double round_s;          /* T_w, what a round adds when the pipeline must drain and fill */
    double gap_s;            /* G, as in struct model_tam_cost */
    enum model_tam_stage stage;
};

/* bound_s by Eq. 5.1, than which no algorithm can be faster, and time_s by Eq. 5.2-5.4:
 *   T_ata = k (p - 1) G + T_w,   T_w = O_s + L - G + O_r + U_r      seconds
 *   G = max(g_s, g_r, O_s + O_r + U_r): he assumes the first two.
 *   T = slots k G + rounds T_w
 *              slots              rounds
 *   sync       p - 1              1                     Eq. 5.3, equal to 5.1
 *   shift      p - 1              p - 1                 Eq. 5.2
 *   pairwise   chi                chi                   = 5.2 for even p
 *   group      chi                ceil(chi / omega)     Eq. 5.4; Table 5.1
 *   chi = p - 1 for even p, p for odd p: colours of the complete graph's edges (section 5.3.2).
 * For odd p he gives pairwise p rounds and no formula, and leaves group out. In each slot one process is idle; rounds
 * wait for the slowest, so the idle slot is counted for everybody. Exact for pairwise, an upper estimate for group.
 * T_w < 0 (G > L + O_s + O_r + U_r, outside his condition g < L) would beat Eq. 5.1: further rounds then cost
 * nothing. */
bool model_exchange_cost(const struct model_tam *t, enum model_exchange_algorithm algorithm,
                         const struct model_exchange *x, struct model_exchange_cost *cost, struct error *err);
