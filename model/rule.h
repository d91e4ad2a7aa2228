/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/rule.h - the rules that give every transfer of a pattern its rate. study/predict/models.h names them.
 *
 * A rule's state is scratch memory for one pattern: rates depend on the pattern and `active` alone. */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

#include "model/pattern.h"

struct model_rule {
    /* `routes` is borrowed until free. NULL and *err when out of memory or outside the rule's domain. */
    void *(*new)(const struct model_routes *routes, struct error *err);
    /* Goodput in bit/s of each transfer with active[i]; others are left alone. active NULL: all. */
    bool (*rates)(void *state, const bool *active, double *rate_bps, struct error *err);
    void (*free)(void *state);
};

/* Eq. 5 of Zhu et al. 2014: 1 / k, no link is given what another cannot use. */
extern const struct model_rule model_rule_eq5;
/* Eq. 6: 1 / max(k, k_bar). */
extern const struct model_rule model_rule_eq6;
/* Algorithm 1, and the same without contra-flow sets. */
extern const struct model_rule model_rule_algorithm1, model_rule_fairness;
/* Max-min fairness on directed links. */
extern const struct model_rule model_rule_maxmin;
/* The window law's fixed point (model/window/window.h). */
extern const struct model_rule model_rule_window;

#endif
