/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/estimate.h"
#include "study/fit.h"
#include "study/prediction.h"
#include "view/table.h"
#include "study/zhu2014.h"
#include "model/congestion.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const models[] = {"fluid", "window", "algorithm1", "fairness", "maxmin"};
enum { FLUID, WINDOW, ALGORITHM1, FAIRNESS, MODELS = sizeof models / sizeof *models };

#define BIN 0.05 /* of the histograms, from -1 to 1; beyond: the last one */
#define BINS 40
#define NEAR 0.1 /* the paper counts links within */

/* |error| of links, in patterns that are independent of each other. */
struct mean {
    double sum, squares; /* of a pattern's errors, summed: sum e, sum (e - m n)^2 needs the three below */
    double cross, counts;
    size_t links, patterns;
};

struct model_errors {
    struct mean all, both; /* both: of patterns with traffic both ways on a cable */
    size_t near;
    double last;        /* sum of |error| of the time until the last is there, one a pattern */
    double worst, bias; /* bias: sum of signed errors */
    char where[96];     /* the worst */
    size_t histogram[BINS];
};

/* A transfer; by every model. */
struct link {
    int64_t point, bytes;
    char name[SCENARIO_NAME];
    double time_s, ci95_s, predicted_s[MODELS]; /* NAN: never ended, was not repeated */
};

/* Points that differ by their seed alone: a cell of Table II. */
struct cell {
    char *axes; /* owned; as JSON */
    int nodes, d; /* d 0: no random pattern */
    double bytes, window_bytes; /* NAN: not the same for all */
    size_t patterns, n, capacity, patterns_both, unfinished, lossy, steps;
    struct link *links; /* owned; n of them */
    struct model_errors model[MODELS];
};

struct patterns {
    struct cell *cells; /* owned */
    json_t *numbers;    /* owned; of cells, by their axes */
    size_t n, points;
    bool told_apart; /* by hosts, d, bytes and windows */
};

static void *patterns_new(struct error *err)
{
    struct patterns *p = calloc(1, sizeof *p);
    if (p && (p->numbers = json_object()))
        return p;
    error_set(err, ERROR_SYSTEM, "out of memory");
    free(p);
    return NULL;
}

/* The variance of a ratio of sums, sum e / sum n, over patterns. */
static void mean_add(struct mean *m, double errors, size_t links)
{
    m->sum += errors;
    m->squares += errors * errors;
    m->cross += errors * (double)links;
    m->counts += (double)links * (double)links;
    m->links += links;
    m->patterns++;
}

static double mean_value(const struct mean *m)
{
    return m->links ? m->sum / (double)m->links : (double)NAN;
}

static double mean_ci95(const struct mean *m)
{
    double k = (double)m->patterns, value = mean_value(m);
    if (m->patterns < 2)
        return NAN;
    double residual = m->squares - 2 * value * m->cross + value * value * m->counts;
    return estimate_t975(m->patterns - 1) * sqrt(fmax(residual, 0) * k / (k - 1)) / (double)m->links;
}

static bool is_pattern(const struct scenario *s)
{
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].bytes == 0)
            return false;
    return s->n_flows > 0 && s->traffic == SCENARIO_TRAFFIC_FLOWS && s->transport == SCENARIO_TRANSPORT_TCP &&
           s->network.topology != EMU_TOPOLOGY_MESH;
}

static struct cell *cell_of(struct patterns *p, const struct sweep_result *r, struct error *err)
{
    char *axes = json_dumps(r->axes, JSON_COMPACT);
    const json_t *number = axes ? json_object_get(p->numbers, axes) : NULL;
    if (number) {
        free(axes);
        return &p->cells[json_integer_value(number)];
    }
    struct cell *grown = axes ? realloc(p->cells, (p->n + 1) * sizeof *grown) : NULL;
    if (grown)
        p->cells = grown;
    if (!grown || json_object_set_new(p->numbers, axes, json_integer((json_int_t)p->n)) != 0) {
        free(axes);
        error_set(err, ERROR_SYSTEM, "out of memory");
        return NULL;
    }
    const struct scenario_flow *first = &r->scenario->flows[0];
    struct cell *c = &p->cells[p->n++];
    *c = (struct cell){
        .axes = axes,
        .nodes = r->scenario->network.hosts,
        .d = (int)json_integer_value(json_object_get(r->axes, "traffic.random.d")),
        .bytes = (double)first->bytes,
        .window_bytes = (double)first->tcp.receive_buffer_bytes,
    };
    return c;
}

static bool both_ways(const struct model_routes *routes, int *count)
{
    model_congestion_count(routes, NULL, count);
    for (int l = 0; l < routes->n_links; l += 2)
        if (count[l] > 0 && count[l + 1] > 0)
            return true;
    return false;
}

static bool add_links(struct cell *c, const struct sweep_result *r, struct error *err)
{
    size_t n = (size_t)r->scenario->n_flows;
    if (c->n + n > c->capacity) {
        size_t capacity = 2 * c->capacity + n;
        struct link *grown = realloc(c->links, capacity * sizeof *grown);
        if (!grown)
            return error_set(err, ERROR_SYSTEM, "out of memory");
        c->links = grown;
        c->capacity = capacity;
    }
    for (size_t i = 0; i < n; i++) {
        const struct scenario_flow *f = &r->scenario->flows[i];
        struct link *l = &c->links[c->n + i];
        *l = (struct link){.point = r->number, .bytes = f->bytes, .time_s = results_flow_time_s(&r->flows[i]),
                           .ci95_s = r->flows[i].message_ci95_s};
        memcpy(l->name, f->name, sizeof l->name);
        c->unfinished += !(l->time_s > 0);
        c->lossy += r->flows[i].retransmitted_segments > 0;
        if ((double)f->bytes != c->bytes)
            c->bytes = NAN;
        if ((double)f->tcp.receive_buffer_bytes != c->window_bytes)
            c->window_bytes = NAN;
    }
    c->n += n;
    return true;
}

static void count_link(struct model_errors *m, double error, const struct link *l)
{
    double bin = floor((error + 1) / BIN);
    m->histogram[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (size_t)bin]++;
    m->near += fabs(error) <= NEAR;
    m->bias += error;
    if (fabs(error) <= fabs(m->worst))
        return;
    m->worst = error;
    snprintf(m->where, sizeof m->where, "point %" PRId64 ", %s", l->point, l->name);
}

/* The cell's latest links by one model. */
static bool judge_model(struct cell *c, int model, const struct scenario_pattern *pattern, bool both, struct error *err)
{
    struct study_prediction made;
    struct model_errors *m = &c->model[model];
    struct link *links = c->links + c->n - pattern->pattern.n;
    double sum = 0, last_s = 0, last_predicted_s = 0;
    size_t ended = 0;
    bool ok = study_prediction_make(&made, models[model], pattern, &(struct study_prediction_options){0}, err);
    for (size_t i = 0; ok && i < pattern->pattern.n; i++) {
        struct link *l = &links[i];
        l->predicted_s[model] = made.completion_s[i] - pattern->transfers[i].start_s;
        if (!(l->time_s > 0))
            continue;
        count_link(m, l->predicted_s[model] / l->time_s - 1, l);
        last_s = fmax(last_s, l->time_s);
        last_predicted_s = fmax(last_predicted_s, l->predicted_s[model]);
        sum += fabs(l->predicted_s[model] / l->time_s - 1);
        ended++;
    }
    if (ended > 0)
        m->last += fabs(last_predicted_s / last_s - 1);
    if (ok)
        mean_add(&m->all, sum, ended);
    if (ok && both)
        mean_add(&m->both, sum, ended);
    if (model == ALGORITHM1)
        c->steps += made.n_steps;
    study_prediction_fini(&made);
    return ok;
}

static bool patterns_take(void *state, const char *source, const struct sweep_result *r, struct error *err)
{
    struct patterns *p = state;
    struct scenario_pattern pattern;
    struct model_routes routes;
    if (!is_pattern(r->scenario))
        return true;
    struct cell *c = cell_of(p, r, err);
    bool ok = c && scenario_pattern_init(&pattern, r->scenario, err);
    if (!ok)
        return error_prefix(err, "%s: point %" PRId64 ": ", source, r->number);
    for (int i = 0; r->scenario->barrier && i < r->scenario->n_flows; i++)
        pattern.transfers[i].start_s = 0; /* each message starts anew; a time is its own from its start on */
    int *count = NULL;
    ok = model_routes_init(&routes, &pattern.platform, &pattern.pattern, err) &&
         ((count = calloc((size_t)routes.n_links, sizeof *count)) || error_set(err, ERROR_SYSTEM, "out of memory"));
    bool both = ok && both_ways(&routes, count);
    ok = ok && add_links(c, r, err);
    if (ok) {
        c->patterns++;
        c->patterns_both += both;
        p->points++;
    }
    for (int m = 0; ok && m < MODELS; m++)
        ok = judge_model(c, m, &pattern, both, err);
    free(count);
    model_routes_fini(&routes);
    scenario_pattern_fini(&pattern);
    return ok || error_prefix(err, "%s: point %" PRId64 ": ", source, r->number);
}

static size_t patterns_points(const void *state)
{
    return ((const struct patterns *)state)->points;
}

static bool cells_differ(const struct cell *a, const struct cell *b)
{
    return a->nodes != b->nodes || a->d != b->d || fabs(a->bytes - b->bytes) > 0 ||
           fabs(a->window_bytes - b->window_bytes) > 0;
}

static bool patterns_fit(void *state, struct error *err)
{
    struct patterns *p = state;
    (void)err;
    p->told_apart = true;
    for (size_t i = 0; p->told_apart && i < p->n; i++)
        for (size_t j = 0; p->told_apart && j < i; j++)
            p->told_apart = cells_differ(&p->cells[i], &p->cells[j]);
    return true;
}

/* The table's head behind that which names a cell. */
static void start_table(struct view_table *t, const struct patterns *p, const char *const *head, size_t columns)
{
    static const char *const names[] = {"nodes", "d", "MB", "window kB"};
    const char *all[VIEW_TABLE_COLUMNS];
    size_t n = p->told_apart ? 4 : 1;
    memcpy(all, n == 1 ? (const char *const[]){"axes"} : names, n * sizeof *all);
    memcpy(all + n, head, columns * sizeof *all);
    view_table_start(t, all, n + columns);
}

static void start_row(struct view_table *t, const struct patterns *p, const struct cell *c)
{
    if (!p->told_apart) {
        json_t *axes = json_loads(c->axes, 0, NULL);
        char *label = sweep_axes_label(axes);
        view_table_add(t, "%s", label ? label : "");
        free(label);
        json_decref(axes);
        return;
    }
    view_table_add(t, "%d", c->nodes);
    if (c->d > 0)
        view_table_add(t, "%d", c->d);
    else
        view_table_add(t, "-");
    view_table_add_number(t, c->bytes, 1e6);
    view_table_add_number(t, c->window_bytes, 1e3);
}

static bool print_errors(const struct patterns *p, struct error *err)
{
    static const char *const head[] = {"patterns", "links", "steps", "fluid",
                                       "window", "algorithm1", "fairness", "maxmin"};
    struct view_table t;
    start_table(&t, p, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < p->n; i++) {
        const struct cell *c = &p->cells[i];
        start_row(&t, p, c);
        view_table_add(&t, "%zu", c->patterns);
        view_table_add(&t, "%zu", c->n);
        view_table_add(&t, "%.1f", (double)c->steps / (double)c->patterns);
        for (int m = 0; m < MODELS; m++)
            view_table_add_share(&t, mean_value(&c->model[m].all));
    }
    puts("mean |error| of predicted completion times, % of the simulated ones");
    return view_table_print(&t, "", p->told_apart ? 0 : 1, stdout, err);
}

static bool print_near(const struct patterns *p, struct error *err)
{
    static const char *const head[] = {"fluid", "window", "algorithm1", "fairness", "maxmin", "window's worst",
                                       "fluid's worst"};
    struct view_table t;
    start_table(&t, p, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < p->n; i++) {
        const struct cell *c = &p->cells[i];
        start_row(&t, p, c);
        for (int m = 0; m < MODELS; m++)
            view_table_add(&t, "%.1f", 100 * (double)c->model[m].near / (double)c->model[m].all.links);
        view_table_add(&t, "%+.1f %%", 100 * c->model[WINDOW].worst);
        view_table_add(&t, "%+.1f %%", 100 * c->model[FLUID].worst);
    }
    puts("\nlinks with |error| <= 10 %, %");
    return view_table_print(&t, "", p->told_apart ? 0 : 1, stdout, err);
}

static bool print_last(const struct patterns *p, struct error *err)
{
    static const char *const head[] = {"fluid", "window", "algorithm1", "fairness", "maxmin"};
    struct view_table t;
    start_table(&t, p, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < p->n; i++) {
        start_row(&t, p, &p->cells[i]);
        for (int m = 0; m < MODELS; m++)
            view_table_add_share(&t, p->cells[i].model[m].last / (double)p->cells[i].patterns);
    }
    puts("\nthe slowest transfer of a pattern: mean |error| of its time, %");
    return view_table_print(&t, "", p->told_apart ? 0 : 1, stdout, err);
}

/* Ours beside what the paper measured on its clusters. */
static bool print_published(const struct patterns *p, struct error *err)
{
    static const char *const head[] = {"algorithm1", "main", "Grid5000", "both ways",
                                       "algorithm1", "main", "fairness", "main"};
    struct view_table t;
    bool any = false;
    start_table(&t, p, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < p->n; i++) {
        const struct cell *c = &p->cells[i];
        const struct study_zhu2014_table2 *z = study_zhu2014_cell(c->nodes, c->d);
        if (!z)
            continue;
        any = true;
        start_row(&t, p, c);
        view_table_add_share(&t, mean_value(&c->model[ALGORITHM1].all));
        view_table_add(&t, "%.2f", z->err);
        view_table_add(&t, "%.2f", z->g5k_err);
        view_table_add(&t, "%zu", c->patterns_both);
        view_table_add_share(&t, mean_value(&c->model[ALGORITHM1].both));
        view_table_add(&t, "%.2f", z->err_both);
        view_table_add_share(&t, mean_value(&c->model[FAIRNESS].both));
        view_table_add(&t, "%.2f", z->fair_both);
    }
    if (!any) {
        view_table_fini(&t);
        return true;
    }
    puts("\nsimulated here, and measured on clusters by Zhu et al. 2014 (Table II): mean |error|, %; then of patterns "
         "with traffic both ways");
    return view_table_print(&t, "", p->told_apart ? 0 : 1, stdout, err);
}

static bool patterns_print(const void *state, struct error *err)
{
    const struct patterns *p = state;
    size_t unfinished = 0, lossy = 0;
    for (size_t i = 0; i < p->n; i++) {
        unfinished += p->cells[i].unfinished;
        lossy += p->cells[i].lossy;
    }
    bool ok = print_errors(p, err) && print_near(p, err) && print_last(p, err) && print_published(p, err);
    if (ok && unfinished)
        printf("\n%zu transfers never ended and are left out\n", unfinished);
    if (ok && lossy)
        printf("\n%zu transfers lost segments: models that know no losses do not apply to them\n", lossy);
    return ok;
}

static json_t *model_json(const struct model_errors *m, const char *name, size_t patterns)
{
    json_t *counts = json_array();
    for (int i = 0; i < BINS; i++)
        json_array_append_new(counts, json_integer((json_int_t)m->histogram[i]));
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:{s:f, s:f, s:o}}", "model", name, "mean_abs_error",
        view_table_json_number(mean_value(&m->all)), "ci95", view_table_json_number(mean_ci95(&m->all)), "bias",
        view_table_json_number(m->bias / (double)m->all.links), "within_10_percent",
        view_table_json_number((double)m->near / (double)m->all.links), "mean_abs_error_both_ways",
        view_table_json_number(mean_value(&m->both)), "ci95_both_ways", view_table_json_number(mean_ci95(&m->both)),
        "slowest_mean_abs_error", view_table_json_number(m->last / (double)patterns), "worst_error",
        view_table_json_number(m->worst), "worst", m->where, "histogram", "from", -1.0, "step", BIN, "counts", counts);
}

static json_t *published_json(const struct study_zhu2014_table2 *z)
{
    return z ? json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "links", z->links, "steps", z->steps,
                         "main_algorithm1", z->err / 100, "main_algorithm1_both_ways", z->err_both / 100,
                         "main_fairness_both_ways", z->fair_both / 100, "grid5000_algorithm1", z->g5k_err / 100,
                         "grid5000_algorithm1_both_ways", z->g5k_err_both / 100, "grid5000_fairness_both_ways",
                         z->g5k_fair_both / 100)
             : json_null();
}

static json_t *links_json(const struct cell *c)
{
    json_t *links = json_array();
    for (size_t i = 0; i < c->n; i++) {
        const struct link *l = &c->links[i];
        json_t *predicted = json_object();
        for (int m = 0; m < MODELS; m++)
            json_object_set_new(predicted, models[m], view_table_json_number(l->predicted_s[m]));
        json_array_append_new(links, json_pack("{s:I, s:s, s:I, s:o, s:o, s:o}", "point", (json_int_t)l->point, "flow",
                                               l->name, "bytes", (json_int_t)l->bytes, "simulated_s",
                                               view_table_json_number(l->time_s), "simulated_ci95_s",
                                               view_table_json_number(l->ci95_s), "predicted_s", predicted));
    }
    return links;
}

static json_t *patterns_json(const void *state)
{
    const struct patterns *p = state;
    json_t *cells = json_array();
    for (size_t i = 0; i < p->n; i++) {
        const struct cell *c = &p->cells[i];
        json_t *errors = json_array();
        for (int m = 0; m < MODELS; m++)
            json_array_append_new(errors, model_json(&c->model[m], models[m], c->patterns));
        json_array_append_new(cells, json_pack("{s:o, s:i, s:i, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o}",
            "axes", json_loads(c->axes, 0, NULL), "nodes", c->nodes, "d", c->d, "message_bytes",
            view_table_json_number(c->bytes), "window_bytes", view_table_json_number(c->window_bytes), "patterns",
            (json_int_t)c->patterns, "patterns_both_ways", (json_int_t)c->patterns_both, "links",
            (json_int_t)c->n, "unfinished_links", (json_int_t)c->unfinished, "lossy_links", (json_int_t)c->lossy,
            "steps", (double)c->steps / (double)c->patterns, "models", errors, "zhu2014",
            published_json(study_zhu2014_cell(c->nodes, c->d)), "each", links_json(c)));
    }
    return json_pack("{s:o}", "cells", cells);
}

static void patterns_free(void *state)
{
    struct patterns *p = state;
    for (size_t i = 0; p && i < p->n; i++) {
        free(p->cells[i].axes);
        free(p->cells[i].links);
    }
    if (p) {
        free(p->cells);
        json_decref(p->numbers);
    }
    free(p);
}

const struct study_fit_part study_fit_patterns = {
    .name = "patterns",
    .new = patterns_new,
    .take = patterns_take,
    .fit = patterns_fit,
    .points = patterns_points,
    .print = patterns_print,
    .json = patterns_json,
    .free = patterns_free,
};
