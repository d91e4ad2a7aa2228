/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/zhu.h - Algorithm 1 of Zhu et al. 2014: rates of simultaneous transfers, bottleneck by bottleneck.
 *
 * Transfers are taken from a queue in descending order of the key (Eq. 7)
 *   < max(k, k_bar), k, k_bar >         congestion factors of model/congestion.h
 * and each is settled in its turn:
 *   k >= k_bar (lines 7-10): of the sets i with beta[i] |S[i]| = k the slowest share of what is left,
 *     beta(e) = max over i of max(beta_N, |E''| / (1/beta[i] - sum of 1/beta over E'))
 *     with E' the settled and E'' the unsettled members of S[i]
 *   k < k_bar (lines 11-20): of the sets i with beta[i] |S_bar[i]| = k_bar, those whose settled members fill
 *     the cable (sum of 1/beta = 1/beta[i]) give beta(e) = min of beta over them; if none does, they are
 *     struck from S_bar and the transfer goes back into the queue with what is left of k_bar
 *
 * Where the paper compares reals or leaves something open:
 * - factors closer than 1e-9 relative are equal; a cable is full when 1 - 1e-6 of its goodput is used;
 * - of equal keys the transfer with the slowest share goes first, so the answer does not depend on the order of
 *   the pattern (the order still decides between equal shares, which then changes nothing);
 * - several full contra-flow cables: the slowest of what they give;
 * - a cable that transfers settled elsewhere have taken whole, or more (the algorithm looks only at the sets that
 *   tie for k), gives its fair share 1 / (beta |S|); the paper's expression would be infinite or negative there;
 * - floor: the paper's beta_E is the inverse bandwidth of one NIC, beta_N here.
 *
 * Rounds: every round settles a transfer or strikes sets from one. The paper's bound of 2 |E| rounds is asserted. We
 * know no proof (three contra-flow sets may be struck from a transfer one after the other), nor a pattern beyond
 * 1.78 |E|, which took hill climbing; random patterns stay under 1.2 |E|. Cost O(|E| log |E|) in practice. */
#pragma once

#include "model/pattern.h"

struct model_zhu; /* scratch for one pattern; opaque */

/* contra_flow false: the fairness-only version, every k_bar = 0. `routes` is borrowed until
 * model_zhu_free(). */
struct model_zhu *model_zhu_new(const struct model_routes *routes, bool contra_flow);
void model_zhu_free(struct model_zhu *z);

/* Goodput 1 / beta in bit/s of each active transfer (active NULL: of all); returns the rounds it took. */
size_t model_zhu_rates(struct model_zhu *z, const bool *active, double *rate_bps);
