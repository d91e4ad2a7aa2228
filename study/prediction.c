/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool prediction_grow(struct study_prediction *p)
{
    size_t capacity = p->capacity ? 2 * p->capacity : 8;
    double *start_s = realloc(p->step_start_s, capacity * sizeof *start_s);
    if (start_s)
        p->step_start_s = start_s;
    double *end_s = realloc(p->step_end_s, capacity * sizeof *end_s);
    if (end_s)
        p->step_end_s = end_s;
    if (!start_s || !end_s)
        return false;
    p->capacity = capacity;
    return true;
}

static bool prediction_keep(struct study_prediction *p, const struct model_step *step)
{
    if (!p->options.every_step && p->n_kept == STUDY_PREDICTION_SHOWN)
        return true;
    if (p->n_kept == p->kept_capacity) {
        size_t capacity = p->kept_capacity ? 2 * p->kept_capacity : STUDY_PREDICTION_SHOWN;
        double *rate_bps = realloc(p->rate_bps, capacity * p->n * sizeof *rate_bps);
        if (!rate_bps)
            return false;
        p->rate_bps = rate_bps;
        p->kept_capacity = capacity;
    }
    memcpy(p->rate_bps + p->n_kept++ * p->n, step->rate_bps, p->n * sizeof *p->rate_bps);
    return true;
}

void study_prediction_step(void *user, const struct model_step *step)
{
    struct study_prediction *p = user;
    p->failed = p->failed || (p->n_steps == p->capacity && !prediction_grow(p)) || !prediction_keep(p, step);
    if (p->failed)
        return;
    p->step_start_s[p->n_steps] = step->start_s;
    p->step_end_s[p->n_steps] = step->end_s;
    p->n_steps++;
    for (size_t i = 0; i < p->n; i++)
        if (step->active[i] && !(p->first_bps[i] > 0))
            p->first_bps[i] = step->rate_bps[i];
}

static bool prediction_no_memory(const struct study_prediction *p, struct error *err)
{
    return error_set(err, ERROR_SYSTEM, "out of memory for a prediction of %zu transfers", p->n);
}

bool study_prediction_init(struct study_prediction *p, const struct study_model *model, size_t n,
                           const struct study_prediction_options *options, struct error *err)
{
    *p = (struct study_prediction){.model = model, .n = n, .options = *options};
    p->completion_s = calloc(n, sizeof *p->completion_s);
    p->first_bps = calloc(n, sizeof *p->first_bps);
    return (p->completion_s && p->first_bps) || prediction_no_memory(p, err);
}

bool study_prediction_whole(struct study_prediction *p, const struct model_transfer *transfers, struct error *err)
{
    bool *active = calloc(p->n, sizeof *active);
    double *rate_bps = calloc(p->n, sizeof *rate_bps), first_s = INFINITY, last_s = 0;
    bool ok = active && rate_bps;
    for (size_t i = 0; ok && i < p->n; i++) {
        active[i] = true;
        rate_bps[i] = study_prediction_mean_bps(p, &transfers[i], i);
        first_s = fmin(first_s, transfers[i].start_s);
        last_s = fmax(last_s, p->completion_s[i]);
    }
    if (ok)
        study_prediction_step(p, &(struct model_step){0, first_s, last_s, active, rate_bps});
    free(active);
    free(rate_bps);
    return (ok && !p->failed) || prediction_no_memory(p, err);
}

void study_prediction_fini(struct study_prediction *p)
{
    free(p->step_start_s);
    free(p->step_end_s);
    free(p->rate_bps);
    free(p->first_bps);
    free(p->completion_s);
    free(p->queues.delay_s);
    free(p->queues.load_bps);
    free(p->queues.rtt);
    free(p->queues.least_bps);
    free(p->queues.most_bps);
    *p = (struct study_prediction){0};
}

double study_prediction_mean_bps(const struct study_prediction *p, const struct model_transfer *t, size_t i)
{
    return isfinite(p->completion_s[i]) ? 8 * t->bytes / (p->completion_s[i] - t->start_s) : (double)NAN;
}
