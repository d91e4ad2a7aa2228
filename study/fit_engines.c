/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit.h"
#include "view/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORST 5 /* differences shown one by one */

/* A flow of a point under one engine. */
struct measured {
    char *point; /* owned; its axes but the engine's, and the seed: as JSON */
    char name[SCENARIO_NAME];
    bool ns3;
    int64_t number;
    double time_s, rate_bps;
    int64_t retransmitted;
};

struct difference {
    const struct measured *native, *ns3;
    double share; /* native / ns-3 - 1 */
};

struct engines {
    struct measured *flows; /* owned */
    struct difference *differences; /* owned; largest first */
    size_t n, capacity, n_differences, n_lossy, points;
};

static void *engines_new(struct error *err)
{
    struct engines *e = calloc(1, sizeof *e);
    if (!e)
        error_set(err, ERROR_SYSTEM, "out of memory");
    return e;
}

static struct measured *engines_add(struct engines *e)
{
    if (e->n == e->capacity) {
        size_t capacity = e->capacity ? 2 * e->capacity : 64;
        struct measured *grown = realloc(e->flows, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        e->flows = grown;
        e->capacity = capacity;
    }
    return &e->flows[e->n++];
}

static bool engines_take(void *state, const char *source, const struct sweep_result *r, struct error *err)
{
    struct engines *e = state;
    if (!json_object_get(r->axes, "engine"))
        return true;
    json_t *rest = json_copy((json_t *)r->axes); /* jansson's copy takes no const */
    json_object_del(rest, "engine");
    json_object_set_new(rest, "seed", json_integer(r->seed));
    char *point = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(rest);
    bool ok = point != NULL;
    for (int i = 0; ok && i < r->scenario->n_flows; i++) {
        struct measured *m = engines_add(e);
        ok = m != NULL;
        if (!ok)
            break;
        *m = (struct measured){
            .point = strdup(point),
            .ns3 = strncmp(r->engine, "native ", strlen("native ")) != 0, /* "native 0.1.0" */
            .number = r->number,
            .time_s = r->scenario->flows[i].bytes > 0 ? results_flow_time_s(&r->flows[i]) : (double)NAN, /* no end */
            .rate_bps = results_flow_rate_bps(&r->flows[i], r->scenario->flows[i].bytes),
            .retransmitted = r->flows[i].retransmitted_segments,
        };
        memcpy(m->name, r->scenario->flows[i].name, sizeof m->name);
        ok = m->point != NULL;
    }
    free(point);
    e->points += ok;
    return ok || error_set(err, ERROR_SYSTEM, "%s: out of memory", source);
}

static int by_point(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    int order = strcmp(x->point, y->point);
    order = order ? order : strcmp(x->name, y->name);
    return order ? order : x->ns3 - y->ns3;
}

static int by_difference(const void *a, const void *b)
{
    double x = fabs(((const struct difference *)a)->share), y = fabs(((const struct difference *)b)->share);
    return (x < y) - (x > y);
}

/* Pairs what both engines ran: completion times where flows end, rates where they do not. */
static bool engines_fit(void *state, struct error *err)
{
    struct engines *e = state;
    qsort(e->flows, e->n, sizeof *e->flows, by_point);
    e->differences = calloc(e->n + 1, sizeof *e->differences);
    if (!e->differences)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    for (size_t i = 0; i + 1 < e->n; i++) {
        const struct measured *a = &e->flows[i], *b = a + 1;
        if (a->ns3 || !b->ns3 || strcmp(a->point, b->point) != 0 || strcmp(a->name, b->name) != 0)
            continue;
        double share = a->time_s > 0 && b->time_s > 0 ? a->time_s / b->time_s - 1 : a->rate_bps / b->rate_bps - 1;
        if (isfinite(share))
            e->differences[e->n_differences++] = (struct difference){a, b, share};
        e->n_lossy += isfinite(share) && (a->retransmitted > 0 || b->retransmitted > 0);
    }
    qsort(e->differences, e->n_differences, sizeof *e->differences, by_difference);
    return true;
}

static size_t engines_points(const void *state)
{
    return ((const struct engines *)state)->points;
}

static double engines_mean(const struct engines *e)
{
    double sum = 0;
    for (size_t i = 0; i < e->n_differences; i++)
        sum += fabs(e->differences[i].share);
    return sum / (double)e->n_differences;
}

/* |difference| that a share q of the flows does not exceed. */
static double engines_quantile(const struct engines *e, double q)
{
    size_t n = e->n_differences, beyond = (size_t)((1 - q) * (double)n);
    return n ? fabs(e->differences[beyond < n ? beyond : n - 1].share) : (double)NAN;
}

static bool engines_print(const void *state, struct error *err)
{
    static const char *const head[] = {"point", "flow", "native s", "ns-3 s", "native Mb/s", "ns-3 Mb/s", "difference"};
    const struct engines *e = state;
    struct view_table t;
    if (e->n_differences == 0)
        return puts("no flow that both engines have run") != EOF;
    printf("both engines: %zu flows, native against ns-3: mean |difference| %.2f %%, median %.2f %%, 95 %% of them "
           "within %.2f %%, largest %.2f %%; %zu flows with losses\n", e->n_differences, 100 * engines_mean(e),
           100 * engines_quantile(e, 0.5), 100 * engines_quantile(e, 0.95), 100 * engines_quantile(e, 1), e->n_lossy);
    view_table_start(&t, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < e->n_differences && i < WORST; i++) {
        const struct difference *d = &e->differences[i];
        view_table_add(&t, "%" PRId64 ", %" PRId64, d->native->number, d->ns3->number);
        view_table_add(&t, "%s", d->native->name);
        view_table_add(&t, "%.4f", d->native->time_s);
        view_table_add(&t, "%.4f", d->ns3->time_s);
        view_table_add_number(&t, d->native->rate_bps, 1e6);
        view_table_add_number(&t, d->ns3->rate_bps, 1e6);
        view_table_add(&t, "%+.2f %%", 100 * d->share);
    }
    puts("the largest:");
    return view_table_print(&t, "", 2, stdout, err);
}

static json_t *engines_json(const void *state)
{
    const struct engines *e = state;
    json_t *flows = json_array();
    for (size_t i = 0; i < e->n_differences; i++) {
        const struct difference *d = &e->differences[i];
        json_array_append_new(flows, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:f}", "point",
            json_loads(d->native->point, 0, NULL), "flow", d->native->name, "native_s",
            view_table_json_number(d->native->time_s), "ns3_s", view_table_json_number(d->ns3->time_s), "native_bps",
            view_table_json_number(d->native->rate_bps), "ns3_bps", view_table_json_number(d->ns3->rate_bps),
            "difference", d->share));
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:I, s:o}", "flows", (json_int_t)e->n_differences,
                     "mean_abs_difference", view_table_json_number(engines_mean(e)), "median_abs_difference",
                     view_table_json_number(engines_quantile(e, 0.5)), "p95_abs_difference",
                     view_table_json_number(engines_quantile(e, 0.95)), "max_abs_difference",
                     view_table_json_number(engines_quantile(e, 1)), "lossy_flows", (json_int_t)e->n_lossy,
                     "differences", flows);
}

static void engines_free(void *state)
{
    struct engines *e = state;
    for (size_t i = 0; e && i < e->n; i++)
        free(e->flows[i].point);
    if (e) {
        free(e->flows);
        free(e->differences);
    }
    free(e);
}

const struct study_fit_part study_fit_engines = {
    .name = "engines",
    .new = engines_new,
    .take = engines_take,
    .fit = engines_fit,
    .points = engines_points,
    .print = engines_print,
    .json = engines_json,
    .free = engines_free,
};
