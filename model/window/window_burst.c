/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bursts wait at links that are busy but not full: w of model/window/window.h. Of a network where little has changed, only
 * what moves a wait by a small part of a round trip is found again. */
#include "model/window/window_state.h"

#define DATA_FACTOR 0.25   /* of rho^2 and the clumps met by data, */
#define ACK_FACTOR 0.125   /* by ACKs, */
#define FRAME_FACTOR 0.125 /* and of the bursts that single ACKs let go */
#define ANEW 64            /* changes of a link after which its sums are made anew, where there are many flows */

struct burst_link {
    double rho, delay_s, rtt_s; /* rtt_s: shortest */
    double windows_s;           /* sum of P b, and */
    double most_s;              /* how long a queue would have to be to space all clumps out */
    double clumps_s;            /* sum of P k b */
    double frames_s;            /* sum of P g */
    double data_s, ack_s;       /* w of data and ACKs, but for a flow's own share and q, */
    double told_data_s, told_ack_s, told_delay_s; /* as its flows know them */
    bool marked, anew;          /* anew: sums are to be made from all passages */
    int changes;                /* of sums, since they were */
};

struct window_burst {
    struct burst_link *links; /* owned, as the rest */
    double *clump_s, *frame_s; /* b and g of each hop of data */
    double *rate_bps;         /* [n_flows] of the shares P */
    double *left;             /* [n_flows] k */
    bool *is_near;            /* [n_flows] in near[], to be looked at */
    int *near, *stale;        /* [n_flows]; [n_links] links of those that moved */
    size_t *seen;             /* [n_links] the last round that looked at an unknown */
    size_t round;
    size_t n_near, n_stale;
    double release_bytes, times;
};

void window_burst_free(struct window_burst *b)
{
    if (!b)
        return;
    MEMORY_FREE(b->links, b->clump_s, b->frame_s, b->rate_bps, b->left, b->is_near, b->near, b->stale, b->seen, b);
}

static struct window_burst *burst_new(const struct model_window *w)
{
    const struct model_window_network *net = &w->net;
    size_t hops = w->flow_hops[net->n_flows];
    struct window_burst *b = memory_zeroed(1, sizeof *b, "bursts");
    *b = (struct window_burst){
        .links = memory_zeroed(net->n_links, sizeof *b->links, "bursts"),
        .clump_s = memory_zeroed(hops, sizeof *b->clump_s, "bursts"),
        .frame_s = memory_zeroed(hops, sizeof *b->frame_s, "bursts"),
        .rate_bps = memory_zeroed(net->n_flows, sizeof *b->rate_bps, "bursts"),
        .left = memory_zeroed(net->n_flows, sizeof *b->left, "bursts"),
        .is_near = memory_zeroed(net->n_flows, sizeof *b->is_near, "bursts"),
        .near = memory_zeroed(net->n_flows, sizeof *b->near, "bursts"),
        .seen = memory_zeroed(net->n_links, sizeof *b->seen, "bursts"),
        .stale = memory_zeroed(net->n_links, sizeof *b->stale, "bursts"),
    };
    return b;
}

/* P of a flow's data on a link. */
static double burst_share(const struct model_window *w, size_t flow, int link)
{
    return w->net.flows[flow].wire_per_byte * w->burst->rate_bps[flow] / w->net.links[link].rate_bps;
}

static double burst_time_s(const struct model_window *w, size_t flow, int link, double bytes)
{
    return 8 * w->net.flows[flow].wire_per_byte * bytes / w->net.links[link].rate_bps;
}

/* b and g of all hops. */
static void burst_fill_hops(struct model_window *w)
{
    struct window_burst *b = w->burst;
    for (size_t h = 0; h < w->flow_hops[w->net.n_flows]; h++) {
        size_t f = (size_t)w->hops[h].flow;
        b->clump_s[h] = burst_time_s(w, f, w->hops[h].link, w->net.flows[f].window_bytes);
        b->frame_s[h] = burst_time_s(w, f, w->hops[h].link, b->release_bytes);
    }
}

static void burst_mark_flow(struct window_burst *b, int flow)
{
    if (b->is_near[flow])
        return;
    b->is_near[flow] = true;
    b->near[b->n_near++] = flow;
}

static void burst_unmark_flows(struct window_burst *b)
{
    for (size_t k = 0; k < b->n_near; k++)
        b->is_near[b->near[k]] = false;
    b->n_near = 0;
}

static void burst_mark_link(struct window_burst *b, int link)
{
    if (b->links[link].marked)
        return;
    b->links[link].marked = true;
    b->stale[b->n_stale++] = link;
}

/* Takes a flow's new rate for its shares if it differs; `whole`: in any case. */
static void burst_take_rate(struct model_window *w, int flow, bool whole)
{
    struct window_burst *b = w->burst;
    double rate_bps = w->layers[0].rate_bps[flow], change_bps = rate_bps - b->rate_bps[flow];
    if (!whole && fabs(change_bps) <= w->close * fmin(rate_bps, b->rate_bps[flow]))
        return;
    b->rate_bps[flow] = rate_bps;
    for (size_t h = w->flow_hops[flow]; h < w->flow_hops[flow + 1]; h++) {
        int link = w->hops[h].link;
        struct burst_link *l = &b->links[link];
        burst_mark_link(b, link);
        if (!w->hops[h].data || !w->many)
            continue;
        double share = w->hops[h].wire * change_bps / w->net.links[link].rate_bps;
        l->windows_s += share * b->clump_s[h];
        l->frames_s += share * b->frame_s[h];
        l->clumps_s += share * b->clump_s[h] * b->left[flow];
    }
}

/* Does a queue that is q_s long, not l->delay_s, leave as much of clumps? */
static bool burst_spaces_alike(const struct model_window *w, const struct burst_link *l, double q_s)
{
    return (q_s > 0) == (l->delay_s > 0) && fabs(q_s - l->delay_s) <= w->close * fmin(l->most_s, l->rtt_s);
}

/* Where the queues of an unknown's links have moved, however little the rates have. */
static void burst_take_waits(struct model_window *w, int flow)
{
    struct window_burst *b = w->burst;
    for (size_t h = w->flow_hops[flow]; h < w->flow_hops[flow + 1]; h++) {
        int v = w->links[w->hops[h].link].unknown;
        if (v < 0 || b->seen[v] == b->round)
            continue;
        b->seen[v] = b->round;
        window_split(w, w->layers, v);
        for (int l = w->unknowns[v].head; l >= 0; l = w->links[l].mate)
            if (!burst_spaces_alike(w, &b->links[l], w->layers[0].delay_s[l]))
                burst_mark_link(b, l);
    }
}

/* All of a link but clumps, from all its passages. */
static void burst_sum_link(struct model_window *w, int link)
{
    struct window_burst *b = w->burst;
    const struct window_link *from = &w->links[link];
    struct burst_link *l = &b->links[link];
    l->rtt_s = INFINITY;
    l->windows_s = l->frames_s = 0;
    for (size_t i = from->first; i < from->first + from->n; i++) {
        size_t f = (size_t)w->uses[i].flow;
        l->rtt_s = fmin(l->rtt_s, w->layers[0].rtt_s[f]);
        if (!w->uses[i].data)
            continue;
        double share = burst_share(w, f, link);
        l->windows_s += share * b->clump_s[w->use_hops[i]];
        l->frames_s += share * b->frame_s[w->use_hops[i]];
    }
}

/* All of a link but clumps; its flows are marked where their k may differ. */
static void burst_fill_link(struct model_window *w, int link, bool whole)
{
    struct window_burst *b = w->burst;
    struct window_layer *y = w->layers;
    const struct window_link *from = &w->links[link];
    struct burst_link *l = &b->links[link];
    double most_s = l->most_s, q_s = l->delay_s;
    if (from->n > 0)
        window_split(w, y, from->unknown);
    l->rho = fmin(1, y->fill[link].load_bps / w->net.links[link].rate_bps);
    l->delay_s = y->delay_s[link];
    l->anew = whole || !w->many || ++l->changes >= ANEW;
    if (l->anew)
        burst_sum_link(w, link);
    l->most_s = b->times * DATA_FACTOR * l->rho * l->rho * l->windows_s;
    bool alike = !whole && burst_spaces_alike(w, l, q_s) &&
                 (!(q_s > 0) || fabs(l->most_s - most_s) <= w->close * most_s);
    for (size_t i = from->first; i < from->first + from->n && !alike; i++)
        burst_mark_flow(b, w->uses[i].flow);
}

/* What standing queues on a flow's paths leave of its clumps. */
static double burst_left(const struct model_window *w, size_t flow)
{
    const struct window_burst *b = w->burst;
    double left = 1;
    for (size_t h = w->flow_hops[flow]; h < w->flow_hops[flow + 1]; h++) {
        const struct burst_link *l = &b->links[w->hops[h].link];
        if (l->delay_s > 0 && (w->hops[h].data || !w->links[w->hops[h].link].ack_first))
            left = fmin(left, l->most_s > l->delay_s ? 1 - l->delay_s / l->most_s : 0);
    }
    return left;
}

static void burst_take_left(struct model_window *w, int flow, bool whole)
{
    struct window_burst *b = w->burst;
    double left = burst_left(w, (size_t)flow), change = left - b->left[flow];
    if (!whole && fabs(change) <= w->close)
        return;
    b->left[flow] = left;
    for (size_t h = w->flow_hops[flow]; h < w->flow_hops[flow + 1]; h++) {
        int link = w->hops[h].link;
        if (!w->hops[h].data)
            continue;
        burst_mark_link(b, link);
        if (w->many)
            b->links[link].clumps_s += change * burst_share(w, (size_t)flow, link) * b->clump_s[h];
    }
}

static void burst_sum_clumps(struct model_window *w, int link)
{
    struct window_burst *b = w->burst;
    const struct window_link *from = &w->links[link];
    struct burst_link *l = &b->links[link];
    l->clumps_s = 0;
    l->changes = 0;
    l->anew = false;
    for (size_t i = from->first; i < from->first + from->n; i++) {
        size_t f = (size_t)w->uses[i].flow;
        if (w->uses[i].data)
            l->clumps_s += b->left[f] * burst_share(w, f, link) * b->clump_s[w->use_hops[i]];
    }
}

/* Clumps of a link, and the flows marked that have to know. */
static void burst_fill_clumps(struct model_window *w, int link, bool whole)
{
    struct window_burst *b = w->burst;
    const struct window_link *from = &w->links[link];
    struct burst_link *l = &b->links[link];
    if (l->anew || !w->many)
        burst_sum_clumps(w, link);
    l->data_s = b->times * (DATA_FACTOR * l->rho * l->rho * l->clumps_s + FRAME_FACTOR * l->frames_s);
    l->ack_s = b->times * (ACK_FACTOR * l->rho * l->rho * l->clumps_s + FRAME_FACTOR * l->frames_s);
    double change_s = fmax(fabs(l->data_s - l->told_data_s), fabs(l->ack_s - l->told_ack_s));
    if (!whole && fmax(change_s, fabs(l->delay_s - l->told_delay_s)) <= w->close * l->rtt_s)
        return;
    l->told_data_s = l->data_s;
    l->told_ack_s = l->ack_s;
    l->told_delay_s = l->delay_s;
    for (size_t i = from->first; i < from->first + from->n; i++)
        burst_mark_flow(b, w->uses[i].flow);
}

static double burst_wait_s(const struct model_window *w, size_t flow)
{
    const struct window_burst *b = w->burst;
    double wait_s = 0;
    for (size_t h = w->flow_hops[flow]; h < w->flow_hops[flow + 1]; h++) {
        int at = w->hops[h].link;
        const struct burst_link *l = &b->links[at];
        double own_s = 0;
        if (w->hops[h].data)
            own_s = b->times * burst_share(w, flow, at) *
                    (DATA_FACTOR * l->rho * l->rho * b->left[flow] * b->clump_s[h] + FRAME_FACTOR * b->frame_s[h]);
        if (w->hops[h].data || !w->links[at].ack_first)
            wait_s += fmax(0, (w->hops[h].data ? l->data_s : l->ack_s) - own_s - l->delay_s);
    }
    return wait_s;
}

/* Brings w of the flows up to date that may differ; these are in near[] then, but of many for those that hardly do. */
static void burst_fill(struct model_window *w, bool whole)
{
    struct window_burst *b = w->burst;
    size_t n = whole ? w->net.n_flows : w->n_moved;
    b->round++;
    for (size_t k = 0; k < n; k++) {
        burst_take_rate(w, whole ? (int)k : w->moved[k], whole);
        burst_take_waits(w, whole ? (int)k : w->moved[k]);
    }
    for (size_t k = 0; k < w->n_changed; k++)
        burst_take_rate(w, w->changed[k], true);
    for (size_t k = 0; k < b->n_stale; k++)
        burst_fill_link(w, b->stale[k], whole);
    for (size_t k = 0; k < w->n_changed; k++)
        if (w->active[w->changed[k]])
            burst_mark_flow(b, w->changed[k]);
    for (size_t k = 0; k < b->n_near; k++)
        burst_take_left(w, b->near[k], whole);
    burst_unmark_flows(b);
    for (size_t k = 0; k < b->n_stale; k++) {
        burst_fill_clumps(w, b->stale[k], whole);
        b->links[b->stale[k]].marked = false;
    }
    b->n_stale = 0;
    n = b->n_near;
    b->n_near = 0;
    for (size_t k = 0; k < n; k++) {
        int f = b->near[k];
        double wait_s = burst_wait_s(w, (size_t)f), *known_s = &w->layers[1].burst_s[f];
        b->is_near[f] = whole || !w->many ||
                        fabs(wait_s - *known_s) > w->close * w->layers[1].rtt_s[f];
        if (!b->is_near[f])
            continue;
        *known_s = wait_s;
        b->near[b->n_near++] = f;
    }
}

bool model_window_add_bursts(struct model_window *w, double release_bytes, double times, struct error *err)
{
    if (!w->burst)
        w->burst = burst_new(w);
    struct window_burst *b = w->burst;
    bool same = !(fabs(b->release_bytes - release_bytes) > 0) && !(fabs(b->times - times) > 0);
    if (!w->solved[1])
        for (size_t v = 0; v < w->n_unknowns; v++)
            w->layers[1].wait_s[v] = w->layers[0].wait_s[v];
    w->solved[1] = w->solved[1] && same && !w->all_moved;
    b->release_bytes = release_bytes;
    b->times = times;
    if (!same)
        burst_fill_hops(w);
    burst_fill(w, !w->solved[1]);
    bool ok = window_solve_layer(w, 1, b->near, b->n_near, err);
    burst_unmark_flows(b);
    window_forget_changes(w);
    return ok;
}
