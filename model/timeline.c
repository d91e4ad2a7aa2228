/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/timeline.h"

#define DONE 1e-9 /* of a transfer's bytes */

struct timeline {
    const struct model_routes *routes;
    const struct model_rule *rule;
    void *state;       /* owned, the rule's; as are the next four */
    bool *active;
    size_t *under_way; /* as `active` has them */
    double *left_bits;
    double *rate_bps;
    double time_s;
    size_t unfinished, waiting, n_under_way; /* waiting: not started yet */
};

static void timeline_fini(struct timeline *t)
{
    if (t->state)
        t->rule->free(t->state);
    MEMORY_FREE(t->active, t->under_way, t->left_bits, t->rate_bps);
}

static bool timeline_init(struct timeline *t, const struct model_routes *routes, const struct model_rule *rule,
                          struct error *err)
{
    size_t n = routes->pattern.n;
    *t = (struct timeline){
        .routes = routes,
        .rule = rule,
        .state = rule->new(routes, rule->contra_flow, err),
        .active = memory_zeroed(n, sizeof *t->active, "transfers over time"),
        .under_way = memory_zeroed(n, sizeof *t->under_way, "transfers over time"),
        .left_bits = memory_zeroed(n, sizeof *t->left_bits, "transfers over time"),
        .rate_bps = memory_zeroed(n, sizeof *t->rate_bps, "transfers over time"),
        .unfinished = n,
        .waiting = n,
    };
    if (!t->state)
        return false;
    for (size_t i = 0; i < n; i++)
        t->left_bits[i] = 8 * routes->pattern.transfers[i].bytes;
    return true;
}

/* Starts what is due; returns the next start after now, INFINITY when none is left. */
static double timeline_start(struct timeline *t, const double *completion_s)
{
    double next_s = INFINITY;
    for (size_t i = 0; t->waiting > 0 && i < t->routes->pattern.n; i++) {
        double start_s = t->routes->pattern.transfers[i].start_s;
        if (t->active[i] || completion_s[i] >= 0)
            continue;
        if (start_s <= t->time_s) {
            t->active[i] = true;
            t->under_way[t->n_under_way++] = i;
            t->waiting--;
        } else {
            next_s = fmin(next_s, start_s);
        }
    }
    return next_s;
}

/* dt_s rather than end_s - time_s, which may have lost the digits that a short step needs. */
static void timeline_advance(struct timeline *t, double dt_s, double end_s, double *completion_s)
{
    size_t n = t->n_under_way;
    t->n_under_way = 0;
    for (size_t k = 0; k < n; k++) {
        size_t i = t->under_way[k];
        double bits = 8 * t->routes->pattern.transfers[i].bytes;
        if (isfinite(bits))
            t->left_bits[i] -= dt_s * t->rate_bps[i];
        if (!isinf(end_s) && (isinf(bits) || t->left_bits[i] > DONE * bits)) {
            t->under_way[t->n_under_way++] = i;
            continue;
        }
        completion_s[i] = end_s;
        t->active[i] = false;
        t->rate_bps[i] = 0;
        t->unfinished--;
    }
    t->time_s = end_s;
}

bool model_timeline_run(const struct model_routes *routes, const struct model_rule *rule, double *completion_s,
                        void (*step)(void *user, const struct model_step *step), void *user, struct error *err)
{
    MEMORY_ENDS(timeline_fini) struct timeline t;
    bool ok = timeline_init(&t, routes, rule, err);
    for (size_t i = 0; i < routes->pattern.n; i++)
        completion_s[i] = -1;
    for (size_t number = 0; ok && t.unfinished > 0;) {
        double next_start_s = timeline_start(&t, completion_s);
        if (t.unfinished == t.waiting) { /* nobody under way */
            t.time_s = next_start_s;
            continue;
        }
        ok = rule->rates(t.state, t.active, t.rate_bps, err);
        if (!ok)
            break;
        /* Until the first transfer under way is done at these rates. */
        double done_s = INFINITY;
        for (size_t k = 0; k < t.n_under_way; k++) {
            double left_s = t.left_bits[t.under_way[k]] / t.rate_bps[t.under_way[k]];
            done_s = left_s < done_s ? left_s : done_s;
        }
        bool starts = next_start_s - t.time_s < done_s;
        double dt_s = starts ? next_start_s - t.time_s : done_s;
        double end_s = starts ? next_start_s : t.time_s + dt_s;
        struct model_step s = {number++, t.time_s, end_s, t.active, t.rate_bps};
        if (step)
            step(user, &s);
        timeline_advance(&t, dt_s, end_s, completion_s);
    }
    return ok;
}
