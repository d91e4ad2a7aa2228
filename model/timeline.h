/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/timeline.h - Algorithm 2 of Zhu et al. 2014: completion times, as rates change when transfers end.
 *
 * A step lasts until the next transfer is done or starts; within it rates are a rule's for the transfers
 * under way:
 *   dt = min over those of m(e) / rate(e), and of the time to the next start
 *   m(e) := m(e) - dt rate(e);   T(e) = t when m(e) = 0, counted from the pattern's time 0
 * The paper starts all at 0; here each has a start of its own. Transfers that have 1e-9 of their bytes left or
 * less at the end of a step are done, so that equal ones end together. With steps s and cost c(n) of the rule
 * it takes s c(|E|); s is 2 |E| at most. */
#pragma once

#include "model/rule.h"

struct model_step {
    size_t number;         /* from 0 */
    double start_s, end_s; /* end INFINITY when only endless transfers are left */
    const bool *active;    /* [n] borrowed until the callback returns, as rate_bps */
    const double *rate_bps; /* [n] goodput; 0 where not active */
};

/* completion_s[n] of the pattern: INFINITY for endless transfers. `step` may be NULL. False and *err when
 * the rule has no answer. */
bool model_timeline_run(const struct model_routes *routes, const struct model_rule *rule, double *completion_s,
                        void (*step)(void *user, const struct model_step *step), void *user, struct error *err);
