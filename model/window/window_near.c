/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What few flows that start or end reach, solved alone: unknowns out of the tolerance wait in a queue and are relaxed one
 * by one; whoever a step takes out of it joins them. Since that is slow where waits trade off, now and then a Newton
 * step on all unknowns reached so far goes ahead. Loads follow every rate that changes, so that what is not reached
 * keeps within the tolerance, too. */
#include "model/window/window_state.h"

#define NEAR_CHANGES 16 /* flows that start or end, at most, to be solved so, */
#define NEAR_LEAST 1000 /* with so many single steps, and so many for each unknown; else all is solved */
#define NEAR_SWEEPS 20
#define NEAR_PATIENCE 3 /* single steps for each unknown reached before a Newton step: more when those do not help */
#define NEAR_MOST 48    /* at which these are stuck */

static void near_push(struct model_window *w, int unknown)
{
    if (w->unknowns[unknown].queued)
        return;
    w->unknowns[unknown].queued = true;
    w->queue[(w->queue_head + w->queue_n++) % w->net.n_links] = unknown;
}

static int near_pop(struct model_window *w)
{
    int v = w->queue[w->queue_head];
    w->queue_head = (w->queue_head + 1) % w->net.n_links;
    w->queue_n--;
    w->unknowns[v].queued = false;
    if (!w->unknowns[v].reached) {
        w->unknowns[v].reached = true;
        w->before_s[w->n_reached] = w->now->wait_s[v];
        w->reached[w->n_reached++] = v;
    }
    return v;
}

static void near_end(struct model_window *w)
{
    while (w->queue_n > 0)
        near_pop(w);
    w->n_shifted = 0;
    for (size_t k = 0; k < w->n_reached; k++) {
        int v = w->reached[k];
        w->unknowns[v].reached = false;
        if (w->now != w->layers)
            continue;
        w->shifted[w->n_shifted] = v;
        w->shift_s[w->n_shifted++] = w->now->wait_s[v] - w->before_s[k];
    }
    w->n_reached = 0;
}

/* With bursts waits change nearly as without. */
static void near_foresee(struct model_window *w)
{
    for (size_t k = 0; k < w->n_shifted; k++) {
        double change_s = fmax(w->shift_s[k], -w->now->wait_s[w->shifted[k]]);
        if (fabs(change_s) > 0)
            window_shift(w, w->shifted[k], change_s);
    }
    w->n_shifted = 0;
}

/* Gives a flow a round trip; queues the unknowns of links whose load that takes out of the tolerance. */
static void near_move_flow(struct model_window *w, int flow, double rtt_s)
{
    struct window_layer *y = w->now;
    double rate_bps = w->bits[flow] / rtt_s, change_bps = rate_bps - y->rate_bps[flow];
    y->rtt_s[flow] = rtt_s;
    y->rate_bps[flow] = rate_bps;
    for (size_t k = w->flow_hops[flow]; k < w->flow_hops[flow + 1]; k++) {
        int link = w->hops[k].link;
        struct window_fill *fill = &y->fill[link];
        fill->load_bps += w->hops[k].wire * change_bps;
        if (fill->load_bps > fill->most_bps || fill->load_bps < fill->least_bps)
            near_push(w, w->links[link].unknown);
    }
    if (y == w->layers && !w->is_moved[flow]) {
        w->is_moved[flow] = true;
        w->moved[w->n_moved++] = flow;
    }
}

void window_shift(struct model_window *w, int unknown, double change_s)
{
    struct window_layer *y = w->now;
    const struct window_link *l = &w->links[w->unknowns[unknown].head];
    bool waited = y->wait_s[unknown] > 0;
    y->wait_s[unknown] += change_s;
    if ((y->wait_s[unknown] > 0) != waited)
        window_watch(w, y, unknown);
    for (size_t i = l->first; i < l->first + l->n; i++)
        if (w->uses[i].waits)
            near_move_flow(w, w->uses[i].flow, y->rtt_s[w->uses[i].flow] + change_s);
}

/* Round trip and rate of a flow from what its unknowns have. */
static void near_refresh_flow(struct model_window *w, int flow)
{
    double rtt_s = w->net.flows[flow].base_rtt_s + w->now->burst_s[flow];
    for (size_t k = w->flow_hops[flow]; k < w->flow_hops[flow + 1]; k++) {
        int v = window_hop_unknown(w, &w->hops[k]);
        rtt_s += v >= 0 ? w->now->wait_s[v] : 0;
    }
    near_move_flow(w, flow, rtt_s);
}

/* False when that takes too long. */
static bool near_settle(struct model_window *w)
{
    size_t most = NEAR_LEAST + NEAR_SWEEPS * w->n_unknowns, n = 0, since = 0, patience = NEAR_PATIENCE;
    for (; w->queue_n > 0 && n < most; n++, since++) {
        int v = near_pop(w);
        double change_s = window_step_s(w, v);
        if (fabs(change_s) > 0 && fabs(w->unknowns[v].overload) > w->near)
            window_shift(w, v, change_s);
        if (since < patience * w->n_reached)
            continue;
        since = 0;
        if (!window_newton_near(w, true) && patience < NEAR_MOST)
            patience *= 2;
    }
    bool done = w->queue_n == 0;
    near_end(w);
    w->cost.relaxed += n;
    return done;
}

/* What changed flows do before anything settles: their own round trips and those of who waits with them, loads of their
 * links from scratch, and all of these unknowns to be relaxed. */
static void near_begin(struct model_window *w)
{
    struct window_layer *y = w->now;
    for (size_t k = 0; k < w->n_dirty; k++)
        if (w->links[w->dirty[k]].n > 0)
            window_watch(w, y, w->links[w->dirty[k]].unknown);
    for (size_t k = 0; k < w->n_changed; k++)
        if (w->active[w->changed[k]])
            near_refresh_flow(w, w->changed[k]);
    for (size_t k = 0; k < w->n_dirty; k++) {
        const struct window_link *l = &w->links[w->dirty[k]];
        for (size_t i = l->first; l->n > 0 && y->wait_s[l->unknown] > 0 && i < l->first + l->n; i++)
            near_refresh_flow(w, w->uses[i].flow);
    }
    for (size_t k = 0; k < w->n_dirty; k++) {
        const struct window_link *l = &w->links[w->dirty[k]];
        y->fill[w->dirty[k]].load_bps = window_load(w, y, l, NULL);
        if (l->n > 0)
            near_push(w, l->unknown);
    }
}

bool window_solve_layer(struct model_window *w, int layer, const int *flows, size_t n, struct error *err)
{
    w->now = &w->layers[layer];
    bool near = w->solved[layer] && w->n_changed <= NEAR_CHANGES;
    if (near && w->behind[layer])
        near_begin(w);
    if (near && layer == 1)
        near_foresee(w);
    for (size_t k = 0; near && k < n; k++)
        near_refresh_flow(w, flows[k]);
    if (!near) {
        window_evaluate(w);
        for (size_t v = 0; v < w->n_unknowns; v++) {
            w->now->fullest[v] = w->unknowns[v].fullest;
            window_watch(w, w->now, (int)v);
            near_push(w, (int)v);
        }
    }
    near = near_settle(w) && near;
    w->cost.solved_near += near;
    w->all_moved = w->all_moved || (!near && layer == 0);
    w->solved[layer] = near || window_settle(w, err);
    w->behind[layer] = false;
    return w->solved[layer];
}
