/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/predict/models.h"

#include "model/logp.h"

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

/* LogGP's parameters of a scenario. Its hosts take no time of their own: o = 0. */
static struct model_logp loggp_parameters(const struct scenario_pattern *s)
{
    const struct model_platform *p = &s->platform;
    struct model_logp l = {
        .gap_s = 8 * p->segment_bytes / p->nic.goodput_bps,
        .gap_per_byte_s = 8 / p->nic.goodput_bps,
    };
    for (size_t i = 0; i < s->pattern.n; i++) {
        struct model_route r =
            model_platform_route(p, s->pattern.transfers[i].source, s->pattern.transfers[i].destination);
        l.latency_s = fmax(l.latency_s, model_platform_base_rtt_s(p, &r) / 2);
    }
    return l;
}

bool study_prediction_loggp(struct study_prediction *p, const struct scenario_pattern *s, struct error *err)
{
    if (!model_pattern_check(&s->platform, &s->pattern, err))
        return false;
    if (s->pattern.ways)
        return error_set(err, ERROR_INPUT, "LogGP knows hosts whose links are alike, in a star or a tree");
    struct model_logp parameters = loggp_parameters(s);
    MEMORY_LOCAL struct model_logp_message *messages = memory_zeroed(p->n, sizeof *messages, "the messages of a pattern");
    for (size_t i = 0; i < p->n; i++) {
        const struct model_transfer *t = &s->pattern.transfers[i];
        messages[i] = (struct model_logp_message){t->source, t->destination, t->bytes, t->start_s};
    }
    bool ok = model_logp_pattern(&parameters, s->platform.n_nodes, messages, p->n, p->completion_s, err);
    if (ok)
        study_prediction_whole(p, s->pattern.transfers);
    return ok;
}
