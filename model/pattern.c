/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/pattern.h"

static bool pattern_transfer_check(const struct model_platform *p, const struct model_transfer *t, struct error *err)
{
    if (t->source < 0 || t->source >= p->n_nodes)
        return error_set(err, ERROR_INPUT, "source %d is not a node; nodes are 0 to %d", t->source, p->n_nodes - 1);
    if (t->destination < 0 || t->destination >= p->n_nodes)
        return error_set(err, ERROR_INPUT, "destination %d is not a node; nodes are 0 to %d", t->destination,
                         p->n_nodes - 1);
    if (t->source == t->destination)
        return error_set(err, ERROR_INPUT, "node %d sends to itself; that crosses no link", t->source);
    if (isnan(t->bytes) || t->bytes <= 0)
        return error_set(err, ERROR_INPUT, "%g bytes; a transfer has more than 0", t->bytes);
    if (!isfinite(t->window_bytes) || t->window_bytes <= 0)
        return error_set(err, ERROR_INPUT, "a window of %g bytes; it must be positive and finite", t->window_bytes);
    if (!isfinite(t->start_s) || t->start_s < 0)
        return error_set(err, ERROR_INPUT, "a start at %g s; it must be 0 or later", t->start_s);
    return true;
}

bool model_pattern_check(const struct model_platform *platform, const struct model_pattern *pattern, struct error *err)
{
    if (!model_platform_check(platform, err))
        return false;
    if (pattern->n == 0)
        return error_set(err, ERROR_INPUT, "the pattern has no transfers; it needs one at least");
    for (size_t i = 0; i < pattern->n; i++)
        if (!pattern_transfer_check(platform, &pattern->transfers[i], err))
            return error_prefix(err, "transfer %zu: ", i);
    return true;
}

static struct model_way pattern_there_and_back(const struct model_platform *p, int source, int destination)
{
    struct model_way w = {.data = model_platform_route(p, source, destination)};
    w.acks.n = w.data.n;
    for (int h = 0; h < w.data.n; h++)
        w.acks.link[h] = w.data.link[w.data.n - 1 - h] ^ 1;
    return w;
}

bool model_routes_init(struct model_routes *routes, const struct model_platform *platform,
                       const struct model_pattern *pattern, struct error *err)
{
    *routes = (struct model_routes){0};
    if (!model_pattern_check(platform, pattern, err))
        return false;
    *routes = (struct model_routes){
        .platform = *platform, .pattern = *pattern, .n_links = model_platform_link_count(platform)};
    routes->route = memory_zeroed(pattern->n, sizeof *routes->route, "routes");
    routes->goodput_bps = memory_zeroed((size_t)routes->n_links, sizeof *routes->goodput_bps, "routes");
    routes->acks = memory_zeroed(pattern->n, sizeof *routes->acks, "routes");
    for (size_t i = 0; i < pattern->n; i++) {
        const struct model_transfer *t = &pattern->transfers[i];
        struct model_way way = pattern->ways ? pattern->ways[i]
                                             : pattern_there_and_back(platform, t->source, t->destination);
        routes->route[i] = way.data;
        routes->acks[i] = way.acks;
    }
    for (int l = 0; l < routes->n_links; l++)
        routes->goodput_bps[l] = model_platform_cable(platform, l)->goodput_bps;
    return true;
}

void model_routes_fini(struct model_routes *routes)
{
    MEMORY_FREE(routes->route, routes->acks, routes->goodput_bps);
    *routes = (struct model_routes){0};
}
