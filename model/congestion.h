/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/congestion.h - with-flow and contra-flow sets, and the congestion factors that come of them.
 *
 * Zhu et al. 2014, section 4.4.1 and Eq. 5, 6. For a transfer e from a to b:
 *   Eq. 1  S(e)     = < E-(rack of a), E-(node of a), E+(node of b) >   the sets it shares a directed link with
 *   Eq. 2  k(e)     = max over i of beta[i] |S(e)[i]|                   s/bit: 1 / k is its fair share
 *   Eq. 3  S_bar(e) = < E+(rack of a), E+(node of a), E-(node of b) >   those that cross the same cables the other way
 *   Eq. 4  k_bar(e) = max over i of beta[i] |S_bar(e)[i]|
 * beta[i] = 1 / goodput of cable i. A transfer inside a rack is in no backbone set, and has none. With three
 * racks or more the cable into b's rack counts as well: the paper has two, where it is the same cable. */
#pragma once

#include "model/pattern.h"

/* count[n_links]: transfers on each directed link, |S|. Eq. 1's sets of transfer e are those of its route's links l, Eq.
 * 3's those of l ^ 1. active NULL: every transfer counts. */
void model_congestion_count(const struct model_routes *routes, const bool *active, int *count);

struct model_congestion {
    double k, k_bar; /* s per bit; k_bar is 0 when nothing flows the other way */
};

/* Eq. 2 and 4 of one transfer from model_congestion_count()'s counts. */
struct model_congestion model_congestion_factors(const struct model_routes *routes, const int *count, size_t transfer);
