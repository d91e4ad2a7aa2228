/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/prediction.h - what a model says of a scenario's pattern, kept whole for a table or JSON. */
#ifndef CLI_PREDICTION_H
#define CLI_PREDICTION_H

#include "model/timeline.h"
#include "model/window.h"
#include "scenarios/pattern.h"

/* Queueing delays and round trips of the window law while the transfers of the first step are under way. */
struct prediction_queues {
    double *delay_s, *load_bps;   /* owned; one a directed link */
    struct model_window_rtt *rtt; /* owned; one a transfer */
    double residual;
};

#define PREDICTION_SHOWN 6 /* steps a table has columns for */

struct prediction_options {
    bool every_step; /* keep the rates of all: |E| of each */
    bool progress;   /* say on a terminal's standard error how far it is */
};

struct prediction {
    const char *model;
    size_t n, n_steps;
    double *step_start_s, *step_end_s; /* owned; end INFINITY: never */
    size_t n_kept;         /* steps whose rates are kept: all, or the first PREDICTION_SHOWN */
    double *rate_bps;      /* owned; [n_kept][n], 0 where not under way */
    double *first_bps;     /* owned; each transfer's first rate */
    double *completion_s;  /* owned; from the pattern's time 0, INFINITY: never done */
    struct prediction_queues queues; /* window only; else empty */
    size_t capacity, kept_capacity; /* of steps */
    bool failed;           /* out of memory within a step */
    struct prediction_options options;
    double said_s;
};

/* Names of models beyond model_rules[]. */
#define PREDICTION_FLUID "fluid" /* model/fluid.h */
#define PREDICTION_LOGGP "loggp"

/* NULL ends the list of every model's name. */
const char *const *prediction_models(void);
const char *prediction_summary(const char *model);

/* False and *err when the model is out of its domain or memory runs out; either way free with prediction_fini(). */
bool prediction_make(struct prediction *p, const char *model, const struct scenario_pattern *pattern,
                     const struct prediction_options *options, struct error *err);
void prediction_fini(struct prediction *p);

/* Appends a step, as a model's timeline calls it; a failure shows in p->failed. */
void prediction_step(void *user, const struct model_step *step);

/* Goodput of a transfer over its life, bit/s; INFINITY bytes have none (NAN). */
double prediction_mean_bps(const struct prediction *p, const struct model_transfer *t, size_t i);

/* Whether a model wants every message to end, as LogGP and the fluid do; model_rules[] ask for a pattern, no more. */
bool prediction_wants_ends(const char *model);
bool prediction_loggp(struct prediction *p, const struct scenario_pattern *pattern, struct error *err);
bool prediction_fluid(struct prediction *p, const struct scenario_pattern *pattern, struct error *err);

/* All of p->completion_s as one step, each at its mean rate. */
bool prediction_whole(struct prediction *p, const struct model_transfer *transfers, struct error *err);

#endif
