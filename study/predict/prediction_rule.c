/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/window/window_rule.h"
#include "study/predict/models.h"

/* The window law once more for the transfers of the first step, to show where the round trips go. */
static bool rule_fill_queues(struct study_prediction *p, const struct model_routes *routes, struct error *err)
{
    struct study_prediction_queues *q = &p->queues;
    size_t links = (size_t)routes->n_links;
    *q = (struct study_prediction_queues){
        .delay_s = memory_zeroed(links, sizeof *q->delay_s, "the queues of a prediction"),
        .load_bps = memory_zeroed(links, sizeof *q->load_bps, "the queues of a prediction"),
        .least_bps = memory_zeroed(p->n, sizeof *q->least_bps, "the queues of a prediction"),
        .most_bps = memory_zeroed(p->n, sizeof *q->most_bps, "the queues of a prediction"),
        .rtt = memory_zeroed(p->n, sizeof *q->rtt, "the queues of a prediction"),
    };
    MEMORY_LOCAL bool *active = memory_zeroed(p->n, sizeof *active, "the queues of a prediction");
    struct model_window_rule *rule = model_window_rule_new(routes, err);
    struct model_window *w = rule ? model_window_rule_window(rule) : NULL;
    for (size_t i = 0; i < p->n; i++)
        active[i] = p->rate_bps[i] > 0;
    bool ok = w;
    static const double bursts[] = {0, MODEL_WINDOW_BURSTS_MOST, MODEL_WINDOW_BURSTS_EXPECTED}; /* last: rtt */
    for (size_t k = 0; ok && k < sizeof bursts / sizeof *bursts; k++) {
        ok = model_window_rule_solve(rule, active, bursts[k], err);
        for (size_t i = 0; ok && i < p->n; i++) {
            double rate_bps = model_window_rates(w)[i];
            q->least_bps[i] = k ? fmin(q->least_bps[i], rate_bps) : rate_bps;
            q->most_bps[i] = k ? fmax(q->most_bps[i], rate_bps) : rate_bps;
        }
    }
    if (ok) {
        memcpy(q->delay_s, model_window_delays(w), links * sizeof *q->delay_s);
        memcpy(q->load_bps, model_window_loads(w), links * sizeof *q->load_bps);
        for (size_t i = 0; i < p->n; i++)
            q->rtt[i] = model_window_flow_rtt(w, i);
        q->residual = model_window_residual(w);
    }
    model_window_rule_free(rule);
    return ok;
}

static void rule_step(void *user, const struct model_step *step)
{
    struct study_prediction *p = user;
    if (p->options.progress) {
        struct study_prediction_progress progress = {.number = step->number + 1, .of = p->n};
        for (size_t i = 0; i < p->n; i++)
            progress.active += step->active[i];
        p->options.progress(p->options.user, p->model, &progress);
    }
    study_prediction_step(p, step);
}

bool study_prediction_rule(struct study_prediction *p, const struct scenario_pattern *s, struct error *err)
{
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    return model_routes_init(&routes, &s->platform, &s->pattern, err) &&
           model_timeline_run(&routes, p->model->rule, p->completion_s, rule_step, p, err) &&
           (p->model->rule != &model_rule_window || rule_fill_queues(p, &routes, err));
}
