/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/rule.h - the rules that give every transfer of a pattern its rate. study/predict/models.h names them.
 *
 * A rule's state is scratch memory for one pattern: rates depend on the pattern and `active` alone. */
#pragma once

#include "model/pattern.h"

struct model_rule {
    /* `routes` is borrowed until free; `contra_flow` is the rule's own. NULL and *err outside the rule's domain. */
    void *(*new)(const struct model_routes *routes, bool contra_flow, struct error *err);
    /* Goodput in bit/s of each transfer with active[i]; others are left alone. active NULL: all. */
    bool (*rates)(void *state, const bool *active, double *rate_bps, struct error *err);
    void (*free)(void *state);
    bool contra_flow; /* transfers the other way over a cable count, too: of rules that differ by that alone */
};

/* A rule is a row here and a file that defines model_rule_<name>. ROW(name, fit_column, summary); fit_column: its place in
 * the tables of 'contraflow fit', 0: it is not there. */
#define MODEL_RULES(ROW)                                                                                              \
    ROW(eq5, 0, "fairness: B / (transfers in the same direction) at the most congested link")                         \
    ROW(eq6, 0, "delta max: B / max(indegree, outdegree) at the most congested cable")                                \
    ROW(algorithm1, 3, "Algorithm 1 of Zhu et al. 2014: Eq. 5 and 6, bottleneck by bottleneck")                       \
    ROW(fairness, 4, "Algorithm 1 without contra-flow sets")                                                          \
    ROW(maxmin, 5, "max-min fairness on directed links: full duplex, no contra-flow rule")                            \
    ROW(window, 2, "the window law: W / RTT with queues in the round trip, data and ACKs both waiting")
#define MODEL_RULE_DECLARE(name, fit_column, summary) extern const struct model_rule model_rule_##name;
MODEL_RULES(MODEL_RULE_DECLARE)
