/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/congestion.h"

#include "model/rule.h"

void model_congestion_count(const struct model_routes *routes, const bool *active, int *count)
{
    memset(count, 0, (size_t)routes->n_links * sizeof *count);
    for (size_t i = 0; i < routes->pattern.n; i++)
        for (int h = 0; (!active || active[i]) && h < routes->route[i].n; h++)
            count[routes->route[i].link[h]]++;
}

struct model_congestion model_congestion_factors(const struct model_routes *routes, const int *count, size_t transfer)
{
    const struct model_route *r = &routes->route[transfer];
    struct model_congestion c = {0, 0};
    for (int h = 0; h < r->n; h++) {
        double goodput_bps = routes->goodput_bps[r->link[h]];
        c.k = fmax(c.k, count[r->link[h]] / goodput_bps);
        c.k_bar = fmax(c.k_bar, count[r->link[h] ^ 1] / goodput_bps);
    }
    return c;
}

/* The rules that look at numbers of transfers alone. */
struct degree_state {
    const struct model_routes *routes;
    int *count; /* owned */
    bool contra_flow;
};

static void degree_free(void *state)
{
    struct degree_state *d = state;
    if (d)
        free(d->count);
    free(d);
}

static void *degree_new(const struct model_routes *routes, bool contra_flow, struct error *err UNUSED)
{
    struct degree_state *d = memory_zeroed(1, sizeof *d, "a rule");
    d->routes = routes;
    d->contra_flow = contra_flow;
    d->count = memory_zeroed((size_t)routes->n_links, sizeof *d->count, "the links of a rule");
    return d;
}

static bool degree_rates(void *state, const bool *active, double *rate_bps, struct error *err UNUSED)
{
    const struct degree_state *d = state;
    model_congestion_count(d->routes, active, d->count);
    for (size_t i = 0; i < d->routes->pattern.n; i++) {
        if (active && !active[i])
            continue;
        struct model_congestion c = model_congestion_factors(d->routes, d->count, i);
        rate_bps[i] = 1 / (d->contra_flow ? fmax(c.k, c.k_bar) : c.k);
    }
    return true;
}

const struct model_rule model_rule_eq5 = {degree_new, degree_rates, degree_free, .contra_flow = false};
const struct model_rule model_rule_eq6 = {degree_new, degree_rates, degree_free, .contra_flow = true};
