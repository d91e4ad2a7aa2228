/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/prediction.h - what a model says of a scenario's pattern, kept whole for a table or JSON. */
#ifndef STUDY_PREDICTION_H
#define STUDY_PREDICTION_H

#include "model/timeline.h"
#include "model/window.h"
#include "scenarios/pattern.h"

/* Queueing delays and round trips of the window law while the transfers of the first step are under way. */
struct study_prediction_queues {
    double *delay_s, *load_bps;   /* owned; one a directed link */
    struct model_window_rtt *rtt; /* owned; one a transfer */
    double residual;
};

#define STUDY_PREDICTION_SHOWN 6 /* steps a table has columns for */

struct study_prediction_options {
    bool every_step; /* keep the rates of all: |E| of each */
    bool progress;   /* say on a terminal's standard error how far it is */
};

struct study_prediction {
    const char *model;
    size_t n, n_steps;
    double *step_start_s, *step_end_s; /* owned; end INFINITY: never */
    size_t n_kept;         /* steps whose rates are kept: all, or the first STUDY_PREDICTION_SHOWN */
    double *rate_bps;      /* owned; [n_kept][n], 0 where not under way */
    double *first_bps;     /* owned; each transfer's first rate */
    double *completion_s;  /* owned; from the pattern's time 0, INFINITY: never done */
    struct study_prediction_queues queues; /* window only; else empty */
    size_t capacity, kept_capacity; /* of steps */
    bool failed;           /* out of memory within a step */
    struct study_prediction_options options;
    double said_s;
};

/* Names of models beyond model_rules[]. */
#define STUDY_PREDICTION_FLUID "fluid" /* model/fluid.h */
#define STUDY_PREDICTION_LOGGP "loggp"

/* NULL ends the list of every model's name. */
const char *const *study_prediction_models(void);
const char *study_prediction_summary(const char *model);

/* False and *err when the model is out of its domain or memory runs out; either way free with
 * study_prediction_fini(). */
bool study_prediction_make(struct study_prediction *p, const char *model, const struct scenario_pattern *pattern,
                     const struct study_prediction_options *options, struct error *err);
void study_prediction_fini(struct study_prediction *p);

/* Appends a step, as a model's timeline calls it; a failure shows in p->failed. */
void study_prediction_step(void *user, const struct model_step *step);

/* Goodput of a transfer over its life, bit/s; INFINITY bytes have none (NAN). */
double study_prediction_mean_bps(const struct study_prediction *p, const struct model_transfer *t, size_t i);

/* Whether a model wants every message to end, as LogGP and the fluid do; model_rules[] ask for a pattern, no more. */
bool study_prediction_wants_ends(const char *model);
bool study_prediction_loggp(struct study_prediction *p, const struct scenario_pattern *pattern, struct error *err);
bool study_prediction_fluid(struct study_prediction *p, const struct scenario_pattern *pattern, struct error *err);

/* All of p->completion_s as one step, each at its mean rate. */
bool study_prediction_whole(struct study_prediction *p, const struct model_transfer *transfers, struct error *err);

#endif
