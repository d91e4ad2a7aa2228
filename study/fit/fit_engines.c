/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit/fit_engines.h"

#include "base/order.h"

static bool engines_take(void *state, const char *source UNUSED, const struct sweep_result *r, struct error *err UNUSED)
{
    struct study_fit_engines *e = state;
    if (!json_object_get(r->axes, "engine"))
        return true;
    MEMORY_LOCAL char *point = study_fit_group(r->axes, (const char *const[]){"engine", NULL}, r->seed);
    for (int i = 0; i < r->scenario->n_flows; i++) {
        e->flows = memory_grown(e->flows, e->n, &e->capacity, 64, sizeof *e->flows, "flows of both engines");
        struct study_fit_engines_flow *m = &e->flows[e->n++];
        *m = (struct study_fit_engines_flow){
            .point = memory_text("%s", point),
            .ns3 = strncmp(r->engine, "native ", strlen("native ")) != 0, /* "native 0.1.0" */
            .number = r->number,
            .time_s = r->scenario->flows[i].bytes > 0 ? results_flow_time_s(&r->flows[i]) : (double)NAN, /* no end */
            .rate_bps = results_flow_rate_bps(&r->flows[i], r->scenario->flows[i].bytes),
            .retransmitted = r->flows[i].retransmitted_segments,
        };
        memcpy(m->name, r->scenario->flows[i].name, sizeof m->name);
    }
    e->points++;
    return true;
}

static ORDER_OF(engines_by_point, struct study_fit_engines_flow,
                4 * ORDER_TEXT(point) + 2 * ORDER_TEXT(name) + ORDER(ns3))

static ORDER_OF(engines_by_difference, struct study_fit_engines_difference, ORDER_TWO(fabs(b->share), fabs(a->share)))

/* |difference| that a share q of the flows does not exceed. */
static double engines_quantile(const struct study_fit_engines *e, double q)
{
    size_t n = e->n_differences, beyond = (size_t)((1 - q) * (double)n);
    return n ? fabs(e->differences[beyond < n ? beyond : n - 1].share) : (double)NAN;
}

/* Pairs what both engines ran: completion times where flows end, rates where they do not. */
static void engines_fit(void *state)
{
    struct study_fit_engines *e = state;
    qsort(e->flows, e->n, sizeof *e->flows, engines_by_point);
    e->differences = memory_zeroed(e->n, sizeof *e->differences, "differences of engines");
    for (size_t i = 0; i + 1 < e->n; i++) {
        const struct study_fit_engines_flow *a = &e->flows[i], *b = a + 1;
        if (a->ns3 || !b->ns3 || strcmp(a->point, b->point) != 0 || strcmp(a->name, b->name) != 0)
            continue;
        double share = a->time_s > 0 && b->time_s > 0 ? a->time_s / b->time_s - 1 : a->rate_bps / b->rate_bps - 1;
        if (isfinite(share))
            e->differences[e->n_differences++] = (struct study_fit_engines_difference){a, b, share};
        e->n_lossy += isfinite(share) && (a->retransmitted > 0 || b->retransmitted > 0);
    }
    qsort(e->differences, e->n_differences, sizeof *e->differences, engines_by_difference);
    double sum = 0;
    for (size_t i = 0; i < e->n_differences; i++)
        sum += fabs(e->differences[i].share);
    e->mean = sum / (double)e->n_differences;
    e->median = engines_quantile(e, 0.5);
    e->p95 = engines_quantile(e, 0.95);
    e->largest = engines_quantile(e, 1);
}

static void engines_fini(void *state)
{
    struct study_fit_engines *e = state;
    for (size_t i = 0; i < e->n; i++)
        free(e->flows[i].point);
    MEMORY_FREE(e->flows, e->differences);
}

STUDY_FIT_PART(engines, points);
