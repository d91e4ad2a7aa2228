/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/prediction.h"

#include "base/monotonic.h"
#include "model/window_rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODELS 16
#define SAY_EVERY_S 0.5
#define FLUID_SUMMARY "the window law in time: windows as fluids through FIFO queues, from the first byte on"
#define LOGGP_SUMMARY "LogGP: each host's messages one after the other, no contention in the network"

const char *const *study_prediction_models(void)
{
    static const char *names[MODELS];
    size_t n = 0;
    for (; model_rules[n] && n < MODELS - 3; n++)
        names[n] = model_rules[n]->name;
    names[n++] = STUDY_PREDICTION_FLUID;
    names[n++] = STUDY_PREDICTION_LOGGP;
    names[n] = NULL;
    return names;
}

const char *study_prediction_summary(const char *model)
{
    const struct model_rule *rule = model_rule_find(model);
    return rule                                    ? rule->summary
           : strcmp(model, STUDY_PREDICTION_FLUID) == 0 ? FLUID_SUMMARY
           : strcmp(model, STUDY_PREDICTION_LOGGP) == 0 ? LOGGP_SUMMARY
                                                  : NULL;
}

bool study_prediction_wants_ends(const char *model)
{
    return !model_rule_find(model);
}

static void prediction_say(struct study_prediction *p, const struct model_step *step)
{
    double now_s = monotonic_now_s();
    if (!p->options.progress || now_s < p->said_s + SAY_EVERY_S)
        return;
    size_t active = 0;
    for (size_t i = 0; i < p->n; i++)
        active += step->active[i];
    fprintf(stderr, "\r%s: step %zu, %zu of %zu transfers under way ", p->model, step->number + 1, active, p->n);
    p->said_s = now_s;
}

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
    prediction_say(p, step);
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
    return error_set(err, ERROR_SYSTEM, "out of memory for %s's %zu transfers", p->model, p->n);
}

/* The window law once more for the transfers of the first step, to show where the round trips go. */
static bool study_prediction_queues(struct study_prediction *p, const struct model_routes *routes, struct error *err)
{
    struct study_prediction_queues *q = &p->queues;
    size_t links = (size_t)routes->n_links;
    *q = (struct study_prediction_queues){
        .delay_s = calloc(links, sizeof *q->delay_s),
        .load_bps = calloc(links, sizeof *q->load_bps),
        .rtt = calloc(p->n, sizeof *q->rtt),
    };
    bool *active = calloc(p->n, sizeof *active);
    if (!q->delay_s || !q->load_bps || !q->rtt || !active) {
        free(active);
        return prediction_no_memory(p, err);
    }
    struct model_window_rule *rule = model_window_rule_new(routes, err);
    struct model_window *w = rule ? model_window_rule_window(rule) : NULL;
    for (size_t i = 0; i < p->n; i++)
        active[i] = p->rate_bps[i] > 0;
    bool ok = w && model_window_solve(w, active, err);
    if (ok) {
        memcpy(q->delay_s, model_window_delays(w), links * sizeof *q->delay_s);
        memcpy(q->load_bps, model_window_loads(w), links * sizeof *q->load_bps);
        for (size_t i = 0; i < p->n; i++)
            q->rtt[i] = model_window_flow_rtt(w, i);
        q->residual = model_window_residual(w);
    }
    model_window_rule_free(rule);
    free(active);
    return ok;
}

static bool prediction_by_rule(struct study_prediction *p, const struct model_rule *rule,
                               const struct scenario_pattern *pattern, struct error *err)
{
    struct model_routes routes;
    if (!model_routes_init(&routes, &pattern->platform, &pattern->pattern, err))
        return false;
    bool ok = model_timeline_run(&routes, rule, p->completion_s, study_prediction_step, p, err);
    if (p->said_s > 0)
        fputc('\n', stderr);
    if (ok && p->failed)
        ok = prediction_no_memory(p, err);
    if (ok && rule == &model_rule_window)
        ok = study_prediction_queues(p, &routes, err);
    model_routes_fini(&routes);
    return ok;
}

bool study_prediction_make(struct study_prediction *p, const char *model, const struct scenario_pattern *pattern,
                     const struct study_prediction_options *options, struct error *err)
{
    const struct model_rule *rule = model_rule_find(model);
    *p = (struct study_prediction){.model = model, .n = pattern->pattern.n, .options = *options};
    p->options.progress = options->progress && isatty(STDERR_FILENO);
    p->completion_s = calloc(p->n, sizeof *p->completion_s);
    p->first_bps = calloc(p->n, sizeof *p->first_bps);
    if (!p->completion_s || !p->first_bps)
        return prediction_no_memory(p, err);
    if (rule)
        return prediction_by_rule(p, rule, pattern, err);
    for (size_t i = 0; i < p->n; i++)
        if (isinf(pattern->pattern.transfers[i].bytes))
            return error_set(err, ERROR_INPUT, "%s: transfer %zu never ends; every flow needs bytes", model, i);
    return strcmp(model, STUDY_PREDICTION_FLUID) == 0 ? study_prediction_fluid(p, pattern, err)
                                                      : study_prediction_loggp(p, pattern, err);
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
    *p = (struct study_prediction){0};
}

double study_prediction_mean_bps(const struct study_prediction *p, const struct model_transfer *t, size_t i)
{
    return isfinite(p->completion_s[i]) ? 8 * t->bytes / (p->completion_s[i] - t->start_s) : (double)NAN;
}
