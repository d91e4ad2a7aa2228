/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/congestion.h"
#include "study/fit/fit_patterns.h"

#include <assert.h>

#define NEAR 0.1 /* the paper counts links within */

/* The variance of a ratio of sums, sum e / sum n, over patterns. */
static void patterns_add_errors(struct study_fit_patterns_mean *m, double errors, double each, size_t links)
{
    m->sum += errors;
    m->squares += errors * errors;
    m->cross += errors * (double)links;
    m->counts += (double)links * (double)links;
    m->each += each;
    m->links += links;
    m->patterns++;
}

double study_fit_patterns_mean(const struct study_fit_patterns_mean *m)
{
    return m->links ? m->sum / (double)m->links : (double)NAN;
}

double study_fit_patterns_ci95(const struct study_fit_patterns_mean *m)
{
    double k = (double)m->patterns, value = study_fit_patterns_mean(m);
    if (m->patterns < 2)
        return NAN;
    double residual = m->squares - 2 * value * m->cross + value * value * m->counts;
    return estimate_t975(m->patterns - 1) * sqrt(fmax(residual, 0) * k / (k - 1)) / (double)m->links;
}

double study_fit_patterns_precision(const struct study_fit_patterns_mean *m)
{
    double n = (double)m->links, value = study_fit_patterns_mean(m);
    if (m->links < 2 || !(value > 0))
        return NAN;
    double variance = fmax(m->each - n * value * value, 0) / (n - 1);
    return estimate_t975(m->links - 1) * sqrt(variance / n) / value;
}

static bool patterns_is(const struct scenario *s)
{
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].bytes == 0)
            return false;
    return s->n_flows > 0 && s->traffic == SCENARIO_TRAFFIC_FLOWS && scenario_has_streams(s) &&
           s->network.topology != EMU_TOPOLOGY_MESH;
}

/* With the first point. */
static void patterns_start(struct study_fit_patterns *p)
{
    for (const struct study_model *m = study_models; m->name; m++) {
        size_t column = (size_t)m->fit_column;
        assert(column <= STUDY_FIT_PATTERNS_MODELS);
        if (column > 0)
            p->model[column - 1] = m;
        p->n_models = column > p->n_models ? column : p->n_models;
    }
    p->numbers = json_object();
}

static struct study_fit_patterns_cell *patterns_cell(struct study_fit_patterns *p, const struct sweep_result *r)
{
    if (!p->numbers)
        patterns_start(p);
    char *axes = json_dumps(r->axes, JSON_COMPACT);
    const json_t *number = json_object_get(p->numbers, axes);
    if (number) {
        free(axes);
        return &p->cells[json_integer_value(number)];
    }
    p->cells = memory_resized(p->cells, p->n + 1, sizeof *p->cells, "cells of patterns");
    json_object_set_new(p->numbers, axes, json_integer((json_int_t)p->n));
    const struct scenario_flow *first = &r->scenario->flows[0];
    struct study_fit_patterns_cell *c = &p->cells[p->n++];
    *c = (struct study_fit_patterns_cell){
        .axes = axes,
        .nodes = r->scenario->network.hosts,
        .d = (int)json_integer_value(json_object_get(r->axes, "traffic.random.d")),
        .bytes = (double)first->bytes,
        .window_bytes = (double)first->tcp.receive_buffer_bytes,
    };
    return c;
}

static bool patterns_both_ways(const struct model_routes *routes)
{
    MEMORY_LOCAL int *count = memory_zeroed((size_t)routes->n_links, sizeof *count, "the links of a pattern");
    bool both = false;
    model_congestion_count(routes, NULL, count);
    for (int l = 0; l < routes->n_links; l += 2)
        both |= count[l] > 0 && count[l + 1] > 0;
    return both;
}

static void patterns_add_links(struct study_fit_patterns_cell *c, const struct sweep_result *r)
{
    size_t n = (size_t)r->scenario->n_flows;
    if (c->n + n > c->capacity) {
        c->capacity = 2 * c->capacity + n;
        c->links = memory_resized(c->links, c->capacity, sizeof *c->links, "links of patterns");
    }
    for (size_t i = 0; i < n; i++) {
        const struct scenario_flow *f = &r->scenario->flows[i];
        struct study_fit_patterns_link *l = &c->links[c->n + i];
        *l = (struct study_fit_patterns_link){
            .point = r->number,
            .bytes = f->bytes,
            .time_s = results_flow_time_s(&r->flows[i]),
            .ci95_s = r->flows[i].message_ci95_s,
        };
        memcpy(l->name, f->name, sizeof l->name);
        c->unfinished += !(l->time_s > 0);
        c->lossy += r->flows[i].retransmitted_segments > 0;
        if ((double)f->bytes != c->bytes)
            c->bytes = NAN;
        if ((double)f->tcp.receive_buffer_bytes != c->window_bytes)
            c->window_bytes = NAN;
    }
    c->n += n;
}

static void patterns_count(struct study_fit_patterns_errors *m, double error, const struct study_fit_patterns_link *l)
{
    double bin = floor((error + 1) / STUDY_FIT_PATTERNS_BIN);
    m->histogram[bin < 0 ? 0 : bin >= STUDY_FIT_PATTERNS_BINS ? STUDY_FIT_PATTERNS_BINS - 1 : (size_t)bin]++;
    m->near += fabs(error) <= NEAR;
    m->bias += error;
    if (fabs(error) <= fabs(m->worst))
        return;
    m->worst = error;
    snprintf(m->where, sizeof m->where, "point %" PRId64 ", %s", l->point, l->name);
}

/* The cell's latest links by the model of a column. */
static bool patterns_judge(const struct study_fit_patterns *p, struct study_fit_patterns_cell *c, size_t column,
                           const struct scenario_pattern *pattern, bool both, struct error *err)
{
    MEMORY_ENDS(study_prediction_fini) struct study_prediction made;
    struct study_fit_patterns_errors *m = &c->model[column];
    struct study_fit_patterns_link *links = c->links + c->n - pattern->pattern.n;
    double sum = 0, each = 0, last_s = 0, last_predicted_s = 0;
    size_t ended = 0;
    bool ok = study_models_predict(&made, p->model[column], pattern, &(struct study_prediction_options){0}, err);
    for (size_t i = 0; ok && i < pattern->pattern.n; i++) {
        struct study_fit_patterns_link *l = &links[i];
        l->predicted_s[column] = made.completion_s[i] - pattern->transfers[i].start_s;
        if (!(l->time_s > 0))
            continue;
        patterns_count(m, l->predicted_s[column] / l->time_s - 1, l);
        last_s = fmax(last_s, l->time_s);
        last_predicted_s = fmax(last_predicted_s, l->predicted_s[column]);
        double error = l->predicted_s[column] / l->time_s - 1;
        sum += fabs(error);
        each += error * error;
        ended++;
    }
    if (ended > 0)
        m->last += fabs(last_predicted_s / last_s - 1);
    if (ok)
        patterns_add_errors(&m->all, sum, each, ended);
    if (ok && both)
        patterns_add_errors(&m->both, sum, each, ended);
    if (p->model[column]->rule == &model_rule_algorithm1)
        c->steps += made.n_steps;
    return ok;
}

static bool patterns_take(void *state, const char *source, const struct sweep_result *r, struct error *err)
{
    struct study_fit_patterns *p = state;
    if (!patterns_is(r->scenario))
        return true;
    struct study_fit_patterns_cell *c = patterns_cell(p, r);
    MEMORY_ENDS(scenario_pattern_fini) struct scenario_pattern pattern;
    if (!scenario_pattern_init(&pattern, r->scenario, err))
        return error_prefix(err, "%s: point %" PRId64 ": ", source, r->number);
    for (int i = 0; r->scenario->barrier && i < r->scenario->n_flows; i++)
        pattern.transfers[i].start_s = 0; /* each message starts anew; a time is its own from its start on */
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    bool ok = model_routes_init(&routes, &pattern.platform, &pattern.pattern, err);
    bool both = ok && patterns_both_ways(&routes);
    if (ok) {
        patterns_add_links(c, r);
        c->patterns++;
        c->patterns_both += both;
        p->points++;
    }
    for (size_t m = 0; ok && m < p->n_models; m++)
        ok = patterns_judge(p, c, m, &pattern, both, err);
    return ok || error_prefix(err, "%s: point %" PRId64 ": ", source, r->number);
}

static bool patterns_differ(const struct study_fit_patterns_cell *a, const struct study_fit_patterns_cell *b)
{
    return a->nodes != b->nodes || a->d != b->d || fabs(a->bytes - b->bytes) > 0 ||
           fabs(a->window_bytes - b->window_bytes) > 0;
}

static void patterns_fit(void *state)
{
    struct study_fit_patterns *p = state;
    p->told_apart = true;
    for (size_t i = 0; p->told_apart && i < p->n; i++)
        for (size_t j = 0; p->told_apart && j < i; j++)
            p->told_apart = patterns_differ(&p->cells[i], &p->cells[j]);
}

const struct study_fit_patterns_errors *study_fit_patterns_of(const struct study_fit_patterns *p,
                                                              const struct study_fit_patterns_cell *c,
                                                              const char *model)
{
    size_t i = 0;
    while (strcmp(p->model[i]->name, model) != 0)
        i++;
    return &c->model[i];
}

static void patterns_fini(void *state)
{
    struct study_fit_patterns *p = state;
    for (size_t i = 0; i < p->n; i++)
        MEMORY_FREE(p->cells[i].axes, p->cells[i].links);
    free(p->cells);
    json_decref(p->numbers);
}

STUDY_FIT_PART(patterns, points);
