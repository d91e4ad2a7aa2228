/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/predict/prediction.h - what a model (study/predict/models.h) predicts for a scenario's pattern: rates step by step and
 * completion times, kept whole for a table or JSON. Knows no model. */
#pragma once

#include "model/timeline.h"
#include "model/window/window.h"
#include "scenarios/traffic/pattern.h"

struct study_model;

/* Queueing delays and round trips of the window law while the transfers of the first step are under way. */
struct study_prediction_queues {
    double *delay_s, *load_bps;   /* owned; one a directed link */
    struct model_window_rtt *rtt; /* owned; one a transfer */
    double *least_bps, *most_bps; /* owned; one a transfer: its rate between the longest wait of bursts and none */
    double residual;
};

#define STUDY_PREDICTION_SHOWN 6 /* steps a table has columns for */

/* How far a model is: at a step of its timeline, or at an order of the fluid's. */
struct study_prediction_progress {
    size_t number;       /* from 1 */
    size_t orders;       /* at most; 0: steps are counted, whose number nobody knows */
    size_t active, of;   /* transfers that are not done, of how many */
};

struct study_prediction_options {
    bool every_step; /* keep the rates of all: |E| of each */
    /* Called now and then; NULL: nobody looks. */
    void (*progress)(void *user, const struct study_model *model, const struct study_prediction_progress *progress);
    void *user;      /* borrowed */
};

struct study_prediction {
    const struct study_model *model; /* borrowed; of study_models[] */
    size_t n, n_steps;
    double *step_start_s, *step_end_s; /* owned; end INFINITY: never */
    size_t n_kept;         /* steps whose rates are kept: all, or the first STUDY_PREDICTION_SHOWN */
    double *rate_bps;      /* owned; [n_kept][n], 0 where not under way */
    double *first_bps;     /* owned; each transfer's first rate */
    double *completion_s;  /* owned; from the pattern's time 0, INFINITY: never done */
    struct study_prediction_queues queues; /* window only; else empty */
    size_t capacity, kept_capacity; /* of steps */
    struct study_prediction_options options;
};

/* Room for n transfers. */
void study_prediction_init(struct study_prediction *p, const struct study_model *model, size_t n,
                           const struct study_prediction_options *options);
void study_prediction_fini(struct study_prediction *p);

/* Appends a step, as a model's timeline calls it. */
void study_prediction_step(void *user, const struct model_step *step);

/* All of p->completion_s as one step, each at its mean rate. */
void study_prediction_whole(struct study_prediction *p, const struct model_transfer *transfers);

/* Goodput of a transfer over its life, bit/s; INFINITY bytes have none (NAN). */
double study_prediction_mean_bps(const struct study_prediction *p, const struct model_transfer *t, size_t i);
