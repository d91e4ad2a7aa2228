/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/predict/models.h"

#define RULE(model, column, text)                                                                                      \
    {.name = #model, .summary = text, .run = study_prediction_rule, .rule = &model_rule_##model, .fit_column = column},

const struct study_model study_models[] = {
    MODEL_RULES(RULE)
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
