/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/predict/models.h"

#include <math.h>
#include <string.h>

#define RULE(model) .name = #model, .rule = &model_rule_##model, .run = study_prediction_rule

const struct study_model study_models[] = {
    {RULE(eq5), .summary = "fairness: B / (transfers in the same direction) at the most congested link"},
    {RULE(eq6), .summary = "delta max: B / max(indegree, outdegree) at the most congested cable"},
    {RULE(algorithm1), .summary = "Algorithm 1 of Zhu et al. 2014: Eq. 5 and 6, bottleneck by bottleneck",
     .fit_column = 3},
    {RULE(fairness), .summary = "Algorithm 1 without contra-flow sets", .fit_column = 4},
    {RULE(maxmin), .summary = "max-min fairness on directed links: full duplex, no contra-flow rule", .fit_column = 5},
    {RULE(window), .summary = "the window law: W / RTT with queues in the round trip, data and ACKs both waiting",
     .fit_column = 2},
    {"fluid", "the window law in time: windows as fluids through FIFO queues, from the first byte on",
     .run = study_prediction_fluid, .needs_ends = true, .fit_column = 1},
    {"loggp", "LogGP: each host's messages one after the other, no contention in the network",
     .run = study_prediction_loggp, .needs_ends = true},
    {.name = NULL},
};

const struct study_model *study_models_find(const char *name)
{
    for (const struct study_model *m = study_models; m->name; m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

bool study_models_predict(struct study_prediction *p, const struct study_model *model,
                          const struct scenario_pattern *pattern, const struct study_prediction_options *options,
                          struct error *err)
{
    study_prediction_init(p, model, pattern->pattern.n, options);
    for (size_t i = 0; model->needs_ends && i < p->n; i++)
        if (isinf(pattern->pattern.transfers[i].bytes))
            return error_set(err, ERROR_INPUT, "%s: transfer %zu never ends; every flow needs bytes", model->name, i);
    return model->run(p, pattern, err);
}
