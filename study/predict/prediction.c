/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/predict/prediction.h"

static void prediction_keep(struct study_prediction *p, const struct model_step *step)
{
    if (!p->options.every_step && p->n_kept == STUDY_PREDICTION_SHOWN)
        return;
    p->rate_bps = memory_grown(p->rate_bps, p->n_kept, &p->kept_capacity, STUDY_PREDICTION_SHOWN,
                               p->n * sizeof *p->rate_bps, "the rates of a prediction");
    memcpy(p->rate_bps + p->n_kept++ * p->n, step->rate_bps, p->n * sizeof *p->rate_bps);
}

void study_prediction_step(void *user, const struct model_step *step)
{
    struct study_prediction *p = user;
    size_t capacity = p->capacity; /* of both arrays */
    prediction_keep(p, step);
    p->step_start_s = memory_grown(p->step_start_s, p->n_steps, &capacity, 8, sizeof(double), "steps");
    p->step_end_s = memory_grown(p->step_end_s, p->n_steps, &p->capacity, 8, sizeof(double), "steps");
    p->step_start_s[p->n_steps] = step->start_s;
    p->step_end_s[p->n_steps] = step->end_s;
    p->n_steps++;
    for (size_t i = 0; i < p->n; i++)
        if (step->active[i] && !(p->first_bps[i] > 0))
            p->first_bps[i] = step->rate_bps[i];
}

void study_prediction_init(struct study_prediction *p, const struct study_model *model, size_t n,
                           const struct study_prediction_options *options)
{
    *p = (struct study_prediction){.model = model, .n = n, .options = *options};
    p->completion_s = memory_zeroed(n, sizeof *p->completion_s, "a prediction");
    p->first_bps = memory_zeroed(n, sizeof *p->first_bps, "a prediction");
}

void study_prediction_whole(struct study_prediction *p, const struct model_transfer *transfers)
{
    MEMORY_LOCAL bool *active = memory_zeroed(p->n, sizeof *active, "a prediction");
    double *rate_bps MEMORY_LOCAL = memory_zeroed(p->n, sizeof *rate_bps, "a prediction"), first_s = INFINITY, last_s = 0;
    for (size_t i = 0; i < p->n; i++) {
        active[i] = true;
        rate_bps[i] = study_prediction_mean_bps(p, &transfers[i], i);
        first_s = fmin(first_s, transfers[i].start_s);
        last_s = fmax(last_s, p->completion_s[i]);
    }
    study_prediction_step(p, &(struct model_step){0, first_s, last_s, active, rate_bps});
}

void study_prediction_fini(struct study_prediction *p)
{
    MEMORY_FREE(p->step_start_s, p->step_end_s, p->rate_bps, p->first_bps, p->completion_s, p->queues.delay_s,
                p->queues.load_bps, p->queues.rtt, p->queues.least_bps, p->queues.most_bps);
    *p = (struct study_prediction){0};
}

double study_prediction_mean_bps(const struct study_prediction *p, const struct model_transfer *t, size_t i)
{
    return isfinite(p->completion_s[i]) ? 8 * t->bytes / (p->completion_s[i] - t->start_s) : (double)NAN;
}
