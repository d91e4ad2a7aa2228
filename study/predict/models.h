/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/predict/models.h - every model that predicts a pattern's transfers, in one table.
 *
 * A model is a rule (model/rule.h), which gives all transfers under way a rate at any moment, or a function that fills
 * a prediction itself. Either costs its file and its row in study_models[]. */
#pragma once

#include "study/predict/prediction.h"

/* Fills a prediction that study_prediction_init() made room for. False and *err when the pattern is out of the model's
 * domain. */
typedef bool study_models_run(struct study_prediction *p, const struct scenario_pattern *pattern, struct error *err);

struct study_model {
    const char *name;    /* "eq6" */
    const char *summary; /* over its table */
    const struct model_rule *rule; /* NULL: `run` is not study_prediction_rule() */
    study_models_run *run;
    bool needs_ends; /* every transfer must have a number of bytes */
    int fit_column;  /* among the models that 'contraflow fit' holds against patterns of messages, from 1; 0: none */
};

extern const struct study_model study_models[]; /* in the order of 'contraflow predict --all'; ends with a NULL name */

/* NULL when there is none of that name. */
const struct study_model *study_models_find(const char *name);

/* Lets a model predict a pattern. Free with study_prediction_fini(), whatever it returns. */
bool study_models_predict(struct study_prediction *p, const struct study_model *model,
                          const struct scenario_pattern *pattern, const struct study_prediction_options *options,
                          struct error *err);

/* The models' own files: study/predict/prediction_*.c. */
study_models_run study_prediction_rule, study_prediction_fluid, study_prediction_loggp;
