/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"
#include "model/window_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS 200000
#define PATIENCE 256     /* sweeps between Newton steps at most */
#define GOOD_ENOUGH 1e-6 /* residual that still counts after the last sweep */

/* A number of its own for each flow (the finalizer of SplitMix64): sums of them tell sets of flows apart. */
static uint64_t window_hash(size_t flow)
{
    uint64_t x = (flow + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static bool window_number(const char *what, double value, bool zero, struct error *err)
{
    if (isfinite(value) && (value > 0 || (zero && value >= 0)))
        return true;
    return error_set(err, ERROR_INPUT, "%s: %g is not a %s number", what, value,
                     zero ? "finite, not negative" : "positive, finite");
}

static bool window_path(const struct model_window_network *net, const char *what, const int *path, int n,
                        struct error *err)
{
    if (n < 1)
        return error_set(err, ERROR_INPUT, "%s path: no links; it needs one at least", what);
    for (int i = 0; i < n; i++)
        if (path[i] < 0 || (size_t)path[i] >= net->n_links)
            return error_set(err, ERROR_INPUT, "%s path: link %d is not one of 0 to %zu", what, path[i],
                             net->n_links - 1);
    return true;
}

static bool window_check(const struct model_window_network *net, struct error *err)
{
    if (net->n_flows == 0)
        return error_set(err, ERROR_INPUT, "the network has no flows; it needs one at least");
    for (size_t l = 0; l < net->n_links; l++)
        if (!window_number("rate in bit/s", net->links[l].rate_bps, false, err))
            return error_prefix(err, "link %zu: ", l);
    for (size_t i = 0; i < net->n_flows; i++) {
        const struct model_window_flow *f = &net->flows[i];
        if (!window_number("window in bytes", f->window_bytes, false, err) ||
            !window_number("base round trip in s", f->base_rtt_s, false, err) ||
            !window_number("wire bytes per byte", f->wire_per_byte, false, err) ||
            !window_number("ACK wire bytes per byte", f->ack_wire_per_byte, true, err) ||
            !window_path(net, "data", f->data, f->n_data, err) || !window_path(net, "ACK", f->ack, f->n_ack, err))
            return error_prefix(err, "flow %zu: ", i);
    }
    return true;
}

void model_window_free(struct model_window *w)
{
    if (!w)
        return;
    window_newton_free(w->newton);
    free(w->active);
    free(w->links);
    free(w->uses);
    free(w->unknowns);
    free(w->by_unknown);
    free(w->flow_unknowns);
    free(w->flow_first);
    free(w->rtt_s);
    free(w->rate_bps);
    free(w->bits);
    free(w->burst_s);
    free(w->delay_s);
    free(w->load_bps);
    free(w->kept_delay_s);
    free(w);
}

struct model_window *model_window_new(const struct model_window_network *net, struct error *err)
{
    if (!window_check(net, err))
        return NULL;
    size_t uses = 0;
    for (size_t i = 0; i < net->n_flows; i++)
        uses += (size_t)(net->flows[i].n_data + net->flows[i].n_ack);
    struct model_window *w = memory_zeroed(1, sizeof *w, "the window law");
    *w = (struct model_window){
        .net = *net,
        .active = memory_zeroed(net->n_flows, sizeof *w->active, "the window law"),
        .links = memory_zeroed(net->n_links, sizeof *w->links, "the window law"),
        .uses = memory_zeroed(uses, sizeof *w->uses, "the window law"),
        .unknowns = memory_zeroed(net->n_links, sizeof *w->unknowns, "the window law"),
        .by_unknown = memory_zeroed(net->n_links, sizeof *w->by_unknown, "the window law"),
        .flow_unknowns = memory_zeroed(uses, sizeof *w->flow_unknowns, "the window law"),
        .flow_first = memory_zeroed(net->n_flows + 1, sizeof *w->flow_first, "the window law"),
        .rtt_s = memory_zeroed(net->n_flows, sizeof *w->rtt_s, "the window law"),
        .rate_bps = memory_zeroed(net->n_flows, sizeof *w->rate_bps, "the window law"),
        .bits = memory_zeroed(net->n_flows, sizeof *w->bits, "the window law"),
        .burst_s = memory_zeroed(net->n_flows, sizeof *w->burst_s, "the window law"),
        .delay_s = memory_zeroed(net->n_links, sizeof *w->delay_s, "the window law"),
        .load_bps = memory_zeroed(net->n_links, sizeof *w->load_bps, "the window law"),
        .kept_delay_s = memory_zeroed(net->n_links, sizeof *w->kept_delay_s, "the window law"),
    };
    for (size_t i = 0; i < net->n_flows; i++)
        w->bits[i] = 8 * net->flows[i].window_bytes;
    return w;
}

struct model_window_flight model_window_flight(double window_bytes, double segment_bytes, double segments_per_ack)
{
    double n = floor(window_bytes / segment_bytes), rest = fmod(n, segments_per_ack);
    if (n < 1)
        return (struct model_window_flight){.bytes = window_bytes, .waits_timer = segments_per_ack > 1};
    if (n < segments_per_ack)
        return (struct model_window_flight){.bytes = n * segment_bytes, .waits_timer = true};
    return (struct model_window_flight){.bytes = (n - rest) * segment_bytes, .mates = segments_per_ack - 1 - rest};
}

static void window_add_uses(struct model_window *w, size_t flow, const int *path, int n, bool data)
{
    const struct model_window_flow *f = &w->net.flows[flow];
    for (int i = 0; i < n; i++) {
        struct window_link *l = &w->links[path[i]];
        bool waits = data || !l->ack_first;
        w->uses[l->first + l->n++] =
            (struct window_use){(int)flow, waits, data ? f->wire_per_byte : f->ack_wire_per_byte};
        if (waits)
            l->waiters += window_hash(flow);
    }
}

/* Who crosses which link, for the active flows. */
static void window_fill_links(struct model_window *w)
{
    const struct model_window_network *net = &w->net;
    memset(w->links, 0, net->n_links * sizeof *w->links);
    for (size_t i = 0; i < net->n_flows; i++) {
        for (int k = 0; w->active[i] && k < net->flows[i].n_data; k++) {
            struct window_link *l = &w->links[net->flows[i].data[k]];
            l->n++;
            l->ack_first = net->links[net->flows[i].data[k]].ack_first;
        }
        for (int k = 0; w->active[i] && k < net->flows[i].n_ack; k++)
            w->links[net->flows[i].ack[k]].n++;
    }
    size_t first = 0;
    for (size_t l = 0; l < net->n_links; l++) {
        w->links[l].first = first;
        first += w->links[l].n;
        w->links[l].n = 0;
    }
    for (size_t i = 0; i < net->n_flows; i++) {
        if (!w->active[i])
            continue;
        window_add_uses(w, i, net->flows[i].data, net->flows[i].n_data, true);
        window_add_uses(w, i, net->flows[i].ack, net->flows[i].n_ack, false);
    }
}

static int window_compare_links(const void *a, const void *b, void *links)
{
    int x = *(const int *)a, y = *(const int *)b;
    uint64_t p = ((const struct window_link *)links)[x].waiters, q = ((const struct window_link *)links)[y].waiters;
    return p != q ? (p < q ? -1 : 1) : (x > y) - (x < y);
}

/* Groups links into unknowns; an unknown starts from what its links had. */
static void window_fill_unknowns(struct model_window *w)
{
    int n = 0;
    for (size_t l = 0; l < w->net.n_links; l++) {
        w->links[l].unknown = -1;
        if (w->links[l].n > 0)
            w->by_unknown[n++] = (int)l;
        else
            w->delay_s[l] = w->load_bps[l] = 0;
    }
    qsort_r(w->by_unknown, (size_t)n, sizeof *w->by_unknown, window_compare_links, w->links);
    w->n_unknowns = 0;
    for (int i = 0; i < n; i++) {
        struct window_link *l = &w->links[w->by_unknown[i]];
        if (i == 0 || l->waiters != w->links[w->by_unknown[i - 1]].waiters)
            w->unknowns[w->n_unknowns++] = (struct window_unknown){.first = (size_t)i};
        struct window_unknown *u = &w->unknowns[w->n_unknowns - 1];
        u->n++;
        u->delay_s += w->delay_s[w->by_unknown[i]];
        l->unknown = (int)w->n_unknowns - 1;
    }
}

/* Every link of an unknown has the same waiters: the first stands for them. */
static const struct window_link *unknown_waiters(const struct model_window *w, const struct window_unknown *u)
{
    return &w->links[w->by_unknown[u->first]];
}

static void window_fill_flows(struct model_window *w)
{
    size_t n = w->net.n_flows;
    memset(w->flow_first, 0, (n + 1) * sizeof *w->flow_first);
    for (int fill = 0; fill < 2; fill++) {
        for (size_t v = 0; v < w->n_unknowns; v++) {
            const struct window_link *l = unknown_waiters(w, &w->unknowns[v]);
            for (size_t i = l->first; i < l->first + l->n; i++) {
                if (!w->uses[i].waits)
                    continue;
                if (fill)
                    w->flow_unknowns[--w->flow_first[w->uses[i].flow]] = (int)v;
                else
                    w->flow_first[w->uses[i].flow]++;
            }
        }
        for (size_t i = 1; !fill && i <= n; i++)
            w->flow_first[i] += w->flow_first[i - 1]; /* ends, which filling turns into starts */
    }
}

/* Load of a link and, with `fall`, how fast it falls with the delay of its own unknown. */
static double window_load(const struct model_window *w, const struct window_link *l, double *fall)
{
    double load_bps = 0, slope = 0;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct window_use *use = &w->uses[i];
        double x = use->wire * w->rate_bps[use->flow];
        load_bps += x;
        slope += use->waits ? x / w->rtt_s[use->flow] : 0;
    }
    if (fall)
        *fall = slope;
    return load_bps;
}

void window_evaluate(struct model_window *w)
{
    w->residual = 0;
    for (size_t i = 0; i < w->net.n_flows; i++) {
        if (!w->active[i])
            continue;
        w->rtt_s[i] = w->net.flows[i].base_rtt_s + w->burst_s[i];
        for (size_t k = w->flow_first[i]; k < w->flow_first[i + 1]; k++)
            w->rtt_s[i] += w->unknowns[w->flow_unknowns[k]].delay_s;
        w->rate_bps[i] = w->bits[i] / w->rtt_s[i];
    }
    for (size_t v = 0; v < w->n_unknowns; v++) {
        struct window_unknown *u = &w->unknowns[v];
        const struct window_link *waiters = unknown_waiters(w, u);
        u->overload = -INFINITY;
        u->rtt_s = INFINITY;
        for (size_t k = u->first; k < u->first + u->n; k++) {
            int l = w->by_unknown[k];
            w->load_bps[l] = window_load(w, &w->links[l], NULL);
            double overload = w->load_bps[l] / w->net.links[l].rate_bps - 1;
            if (overload > u->overload) {
                u->overload = overload;
                u->fullest = l;
            }
        }
        for (size_t i = waiters->first; i < waiters->first + waiters->n; i++)
            if (w->uses[i].waits)
                u->rtt_s = fmin(u->rtt_s, w->rtt_s[w->uses[i].flow]);
        w->residual = fmax(w->residual, fabs(fmin(u->delay_s / u->rtt_s, -u->overload)));
    }
}

/* One Newton step of an unknown's own equation: convex and falling, so that from the right it lands on the left
 * and from the left it never goes too far. */
static void window_relax(struct model_window *w, struct window_unknown *u)
{
    double best = -INFINITY, change_s = 0;
    for (size_t k = u->first; k < u->first + u->n; k++) {
        int l = w->by_unknown[k];
        double fall, capacity_bps = w->net.links[l].rate_bps, load_bps = window_load(w, &w->links[l], &fall);
        if (load_bps / capacity_bps > best) {
            best = load_bps / capacity_bps;
            change_s = (load_bps - capacity_bps) / fall;
        }
    }
    change_s = fmax(change_s, -u->delay_s);
    if (!(fabs(change_s) > 0))
        return;
    u->delay_s += change_s;
    const struct window_link *l = unknown_waiters(w, u);
    for (size_t i = l->first; i < l->first + l->n; i++) {
        int f = w->uses[i].flow;
        if (!w->uses[i].waits)
            continue;
        w->rtt_s[f] += change_s;
        w->rate_bps[f] = w->bits[f] / w->rtt_s[f];
    }
}

/* An unknown's delay belongs to its fullest links, in equal parts. */
static void window_split_delays(struct model_window *w)
{
    for (size_t v = 0; v < w->n_unknowns; v++) {
        const struct window_unknown *u = &w->unknowns[v];
        int full = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t k = u->first; k < u->first + u->n; k++) {
                int l = w->by_unknown[k];
                bool is = w->load_bps[l] / w->net.links[l].rate_bps - 1 >= u->overload - MODEL_WINDOW_TOLERANCE;
                if (pass)
                    w->delay_s[l] = is ? u->delay_s / full : 0;
                else
                    full += is;
            }
    }
}

bool window_settle(struct model_window *w, struct error *err)
{
    window_evaluate(w);
    int patience = 2; /* sweeps between Newton steps: more when those do not help */
    for (w->sweeps = 0; w->residual > MODEL_WINDOW_TOLERANCE && w->sweeps < SWEEPS;) {
        for (int i = 0; i < patience; i++, w->sweeps++)
            for (size_t v = 0; v < w->n_unknowns; v++)
                window_relax(w, &w->unknowns[v]);
        window_evaluate(w); /* from scratch: sweeps add up rounding errors */
        if (w->residual > MODEL_WINDOW_TOLERANCE && !window_newton_step(w) && patience < PATIENCE)
            patience *= 2;
    }
    window_split_delays(w);
    if (w->residual <= GOOD_ENOUGH)
        return true;
    return error_set(err, ERROR_INPUT,
                     "the window law found no fixed point in %d sweeps (residual %.1e): do ACKs alone fill a link?",
                     w->sweeps, w->residual);
}

bool model_window_solve(struct model_window *w, const bool *active, struct error *err)
{
    for (size_t i = 0; i < w->net.n_flows; i++) {
        w->active[i] = !active || active[i];
        w->rate_bps[i] = w->rtt_s[i] = w->burst_s[i] = 0;
    }
    window_fill_links(w);
    window_fill_unknowns(w);
    window_fill_flows(w);
    return window_settle(w, err);
}

const double *model_window_rates(const struct model_window *w)
{
    return w->rate_bps;
}

const double *model_window_delays(const struct model_window *w)
{
    return w->delay_s;
}

const double *model_window_loads(const struct model_window *w)
{
    return w->load_bps;
}

struct model_window_rtt model_window_flow_rtt(const struct model_window *w, size_t flow)
{
    const struct model_window_flow *f = &w->net.flows[flow];
    struct model_window_rtt rtt = {.propagation_s = f->base_rtt_s, .burst_wait_s = w->burst_s[flow]};
    for (int i = 0; i < f->n_data; i++)
        rtt.data_wait_s += w->delay_s[f->data[i]];
    for (int i = 0; i < f->n_ack; i++)
        if (!w->links[f->ack[i]].ack_first)
            rtt.ack_wait_s += w->delay_s[f->ack[i]];
    return rtt;
}

double model_window_residual(const struct model_window *w)
{
    return w->residual;
}
