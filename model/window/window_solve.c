/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/window/window_state.h"

#define SWEEPS 200000
#define PATIENCE 256     /* sweeps between Newton steps at most */
#define SLIDE_SWEEPS 8   /* sweeps that show where they go */
#define SLIDE 1.01       /* residual, of that before, where going on as sweeps did may end */
#define EXACT 1e-13      /* residual of which rounding may be all */
#define GOOD_ENOUGH 1e-6 /* residual that still counts after the last sweep */
#define TIE 1e-9         /* links of one unknown are equally full */

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

static struct window_layer layer_new(const struct model_window_network *net)
{
    return (struct window_layer){
        .wait_s = memory_zeroed(net->n_links, sizeof(double), "the window law"),
        .rtt_s = memory_zeroed(net->n_flows, sizeof(double), "the window law"),
        .rate_bps = memory_zeroed(net->n_flows, sizeof(double), "the window law"),
        .burst_s = memory_zeroed(net->n_flows, sizeof(double), "the window law"),
        .delay_s = memory_zeroed(net->n_links, sizeof(double), "the window law"),
        .fill = memory_zeroed(net->n_links, sizeof(struct window_fill), "the window law"),
        .fullest = memory_zeroed(net->n_links, sizeof(int), "the window law"),
    };
}

void model_window_free(struct model_window *w)
{
    if (!w)
        return;
    window_newton_free(w->newton);
    window_burst_free(w->burst);
    for (struct window_layer *y = w->layers; y < w->layers + 2; y++)
        MEMORY_FREE(y->wait_s, y->rtt_s, y->rate_bps, y->burst_s, y->delay_s, y->fill, y->fullest);
    MEMORY_FREE(w->active, w->hops, w->flow_hops, w->links, w->uses, w->use_hops, w->load_bps, w->unknowns,
                w->buckets, w->hash, w->bits, w->kept_delay_s, w->step_s, w->changed, w->moved, w->is_moved, w->dirty,
                w->queue, w->reached, w->shifted, w->before_s, w->shift_s, w);
}

static void window_add_hops(struct model_window *w, size_t flow, const int *path, int n, bool data)
{
    for (int i = 0; i < n; i++) {
        w->hops[w->flow_hops[flow + 1]++] = (struct window_hop){
            .wire = data ? w->net.flows[flow].wire_per_byte : w->net.flows[flow].ack_wire_per_byte,
            .flow = (int)flow, .link = path[i], .data = data};
        w->links[path[i]].n++;
    }
}

/* Passages flow by flow, and room for all that may cross a link. */
static void window_fill(struct model_window *w)
{
    const struct model_window_network *net = &w->net;
    for (size_t i = 0; i < net->n_flows; i++) {
        const struct model_window_flow *f = &net->flows[i];
        w->hash[i] = window_hash(i);
        w->bits[i] = 8 * f->window_bytes;
        w->flow_hops[i + 1] = w->flow_hops[i];
        window_add_hops(w, i, f->data, f->n_data, true);
        window_add_hops(w, i, f->ack, f->n_ack, false);
    }
    size_t first = 0;
    for (size_t l = 0; l < net->n_links; l++) {
        w->links[l].first = first;
        first += w->links[l].n;
        w->links[l].n = 0;
        w->links[l].unknown = -1;
        for (int i = 0; i < 2; i++)
            w->layers[i].fill[l] = (struct window_fill){0, -INFINITY, net->links[l].rate_bps * (1 + w->near)};
    }
    for (uint64_t i = 0; i <= w->mask; i++)
        w->buckets[i] = -1;
}

struct model_window *model_window_new(const struct model_window_network *net, struct error *err)
{
    if (!window_check(net, err))
        return NULL;
    size_t uses = 0;
    uint64_t mask = 1;
    bool many = net->n_flows > MODEL_WINDOW_FEW;
    for (size_t i = 0; i < net->n_flows; i++)
        uses += (size_t)(net->flows[i].n_data + net->flows[i].n_ack);
    while (mask < net->n_links)
        mask = 2 * mask + 1;
    struct model_window *w = memory_zeroed(1, sizeof *w, "the window law");
    *w = (struct model_window){
        .net = *net,
        .layers = {layer_new(net), layer_new(net)},
        .now = w->layers,
        .active = memory_zeroed(net->n_flows, sizeof *w->active, "the window law"),
        .hops = memory_zeroed(uses, sizeof *w->hops, "the window law"),
        .flow_hops = memory_zeroed(net->n_flows + 1, sizeof *w->flow_hops, "the window law"),
        .links = memory_zeroed(net->n_links, sizeof *w->links, "the window law"),
        .uses = memory_zeroed(uses, sizeof *w->uses, "the window law"),
        .use_hops = memory_zeroed(uses, sizeof *w->use_hops, "the window law"),
        .unknowns = memory_zeroed(net->n_links, sizeof *w->unknowns, "the window law"),
        .buckets = memory_zeroed(mask + 1, sizeof *w->buckets, "the window law"),
        .mask = mask,
        .hash = memory_zeroed(net->n_flows, sizeof *w->hash, "the window law"),
        .bits = memory_zeroed(net->n_flows, sizeof *w->bits, "the window law"),
        .kept_delay_s = memory_zeroed(net->n_links, sizeof *w->kept_delay_s, "the window law"),
        .changed = memory_zeroed(net->n_flows, sizeof *w->changed, "the window law"),
        .moved = memory_zeroed(net->n_flows, sizeof *w->moved, "the window law"),
        .is_moved = memory_zeroed(net->n_flows, sizeof *w->is_moved, "the window law"),
        .step_s = memory_zeroed(net->n_links, sizeof *w->step_s, "the window law"),
        .dirty = memory_zeroed(net->n_links, sizeof *w->dirty, "the window law"),
        .queue = memory_zeroed(net->n_links, sizeof *w->queue, "the window law"),
        .reached = memory_zeroed(net->n_links, sizeof *w->reached, "the window law"),
        .shifted = memory_zeroed(net->n_links, sizeof *w->shifted, "the window law"),
        .before_s = memory_zeroed(net->n_links, sizeof *w->before_s, "the window law"),
        .shift_s = memory_zeroed(net->n_links, sizeof *w->shift_s, "the window law"),
        .load_bps = memory_zeroed(net->n_links, sizeof *w->load_bps, "the window law"),
        .many = many,
        .near = many ? MODEL_WINDOW_NEAR_OF_MANY : MODEL_WINDOW_NEAR,
        .close = many ? MODEL_WINDOW_CLOSE_OF_MANY : MODEL_WINDOW_CLOSE,
    };
    window_fill(w);
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

double window_load(const struct model_window *w, const struct window_layer *y, const struct window_link *l,
                   double *fall)
{
    double load_bps = 0, slope = 0;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct window_use *use = &w->uses[i];
        double x = use->wire * y->rate_bps[use->flow];
        load_bps += x;
        slope += fall && use->waits ? x / y->rtt_s[use->flow] : 0;
    }
    if (fall)
        *fall = slope;
    return load_bps;
}

double window_evaluate_unknown(const struct model_window *w, struct window_unknown *u, double wait_s)
{
    struct window_layer *y = w->now;
    const struct window_link *waiters = &w->links[u->head];
    u->overload = -INFINITY;
    u->rtt_s = INFINITY;
    for (int l = u->head; l >= 0; l = w->links[l].mate) {
        y->fill[l].load_bps = window_load(w, y, &w->links[l], NULL);
        double overload = y->fill[l].load_bps / w->net.links[l].rate_bps - 1;
        if (overload > u->overload) {
            u->overload = overload;
            u->fullest = l;
        }
    }
    for (size_t i = waiters->first; i < waiters->first + waiters->n; i++)
        if (w->uses[i].waits)
            u->rtt_s = fmin(u->rtt_s, y->rtt_s[w->uses[i].flow]);
    return fabs(fmin(wait_s / u->rtt_s, -u->overload));
}

void window_evaluate(struct model_window *w)
{
    struct window_layer *y = w->now;
    w->residual = 0;
    for (size_t i = 0; i < w->net.n_flows; i++) {
        if (!w->active[i])
            continue;
        y->rtt_s[i] = w->net.flows[i].base_rtt_s + y->burst_s[i];
        for (size_t k = w->flow_hops[i]; k < w->flow_hops[i + 1]; k++) {
            int v = window_hop_unknown(w, &w->hops[k]);
            y->rtt_s[i] += v >= 0 ? y->wait_s[v] : 0;
        }
        y->rate_bps[i] = w->bits[i] / y->rtt_s[i];
    }
    for (size_t v = 0; v < w->n_unknowns; v++)
        w->residual = fmax(w->residual, window_evaluate_unknown(w, &w->unknowns[v], y->wait_s[v]));
}

void window_watch(const struct model_window *w, struct window_layer *y, int unknown)
{
    bool waits = y->wait_s[unknown] > 0;
    for (int l = w->unknowns[unknown].head; l >= 0; l = w->links[l].mate)
        y->fill[l].least_bps =
            waits && y->fullest[unknown] == l ? w->net.links[l].rate_bps * (1 - w->near) : -(double)INFINITY;
}

double window_step_s(struct model_window *w, int unknown)
{
    struct window_layer *y = w->now;
    struct window_unknown *u = &w->unknowns[unknown];
    double change_s = 0;
    int before = y->fullest[unknown];
    u->overload = -INFINITY;
    for (int l = u->head; l >= 0; l = w->links[l].mate) {
        double fall, capacity_bps = w->net.links[l].rate_bps, load_bps = window_load(w, y, &w->links[l], &fall);
        y->fill[l].load_bps = load_bps;
        if (load_bps / capacity_bps - 1 > u->overload) {
            u->overload = load_bps / capacity_bps - 1;
            y->fullest[unknown] = l;
            change_s = (load_bps - capacity_bps) / fall;
        }
    }
    if (y->fullest[unknown] != before)
        window_watch(w, y, unknown);
    return fmax(change_s, -y->wait_s[unknown]);
}

static void window_relax(struct model_window *w, int unknown)
{
    struct window_layer *y = w->now;
    double change_s = window_step_s(w, unknown);
    if (!(fabs(change_s) > 0))
        return;
    y->wait_s[unknown] += change_s;
    const struct window_link *l = &w->links[w->unknowns[unknown].head];
    for (size_t i = l->first; i < l->first + l->n; i++) {
        int f = w->uses[i].flow;
        if (!w->uses[i].waits)
            continue;
        y->rtt_s[f] += change_s;
        y->rate_bps[f] = w->bits[f] / y->rtt_s[f];
    }
}

void window_split(const struct model_window *w, struct window_layer *y, int unknown)
{
    const struct window_unknown *u = &w->unknowns[unknown];
    double most = 0;
    int full = 0;
    if (!(y->wait_s[unknown] > 0)) {
        for (int l = u->head; l >= 0; l = w->links[l].mate)
            y->delay_s[l] = 0;
        return;
    }
    for (int l = u->head; l >= 0; l = w->links[l].mate)
        most = fmax(most, y->fill[l].load_bps / w->net.links[l].rate_bps);
    for (int pass = 0; pass < 2; pass++)
        for (int l = u->head; l >= 0; l = w->links[l].mate) {
            bool is = y->fill[l].load_bps / w->net.links[l].rate_bps >= most - TIE;
            if (pass)
                y->delay_s[l] = is ? y->wait_s[unknown] / full : 0;
            else
                full += is;
        }
}

/* One sweep; what it changes is in w->step_s. */
static void window_sweep(struct model_window *w)
{
    for (size_t v = 0; v < w->n_unknowns; v++) {
        double before_s = w->now->wait_s[v];
        window_relax(w, (int)v);
        w->step_s[v] = w->now->wait_s[v] - before_s;
    }
    w->sweeps++;
}

static void window_leap(struct model_window *w, double times)
{
    for (size_t v = 0; v < w->n_unknowns; v++)
        w->now->wait_s[v] = fmax(0, w->kept_delay_s[v] + times * w->step_s[v]);
    window_evaluate(w);
}

/* Where waits trade off, sweeps shift them by nearly as much each time until one is empty: goes on as the last sweep did
 * as far as that, or half as far and so on, if the residual does not grow. */
static void window_slide(struct model_window *w)
{
    double before = w->residual, times = INFINITY;
    for (size_t v = 0; v < w->n_unknowns; v++) {
        w->kept_delay_s[v] = w->now->wait_s[v];
        if (w->step_s[v] < 0 && w->kept_delay_s[v] > 0)
            times = fmin(times, w->kept_delay_s[v] / -w->step_s[v]);
    }
    for (; isfinite(times) && times > 1; times /= 2) {
        window_leap(w, times);
        if (w->residual <= SLIDE * before)
            return;
    }
    window_leap(w, 0);
}

bool window_settle(struct model_window *w, struct error *err)
{
    window_evaluate(w);
    w->cost.solved_whole++;
    int patience = 2; /* sweeps between Newton steps: more when those do not help */
    for (w->sweeps = 0; w->residual > MODEL_WINDOW_TOLERANCE && w->sweeps < SWEEPS;) {
        for (int i = 1; i <= patience; i++) {
            window_sweep(w);
            if (i % SLIDE_SWEEPS && i < patience)
                continue;
            window_evaluate(w); /* from scratch: sweeps add up rounding errors */
            if (i < patience)
                window_slide(w);
        }
        if (w->residual <= MODEL_WINDOW_TOLERANCE || window_newton_step(w, false))
            continue;
        window_slide(w);
        patience = patience < PATIENCE ? 2 * patience : PATIENCE;
    }
    if (w->residual > EXACT && w->residual <= MODEL_WINDOW_TOLERANCE)
        window_newton_step(w, false); /* near the end a step doubles the digits */
    w->cost.relaxed += (size_t)w->sweeps * w->n_unknowns;
    for (size_t v = 0; v < w->n_unknowns; v++) {
        w->now->fullest[v] = w->unknowns[v].fullest;
        window_watch(w, w->now, (int)v);
    }
    return w->residual <= GOOD_ENOUGH ||
           error_set(err, ERROR_INPUT, "the window law found no fixed point in %d sweeps (residual %.1e): do ACKs alone "
                     "fill a link?", w->sweeps, w->residual);
}

bool model_window_solve(struct model_window *w, const bool *active, struct error *err)
{
    window_change(w, active);
    return window_solve_layer(w, 0, NULL, 0, err);
}

const double *model_window_rates(const struct model_window *w)
{
    return w->now->rate_bps;
}

const double *model_window_delays(const struct model_window *w)
{
    for (size_t v = 0; v < w->n_unknowns; v++)
        window_split(w, w->now, (int)v);
    return w->now->delay_s;
}

const double *model_window_loads(const struct model_window *w)
{
    for (size_t l = 0; l < w->net.n_links; l++)
        w->load_bps[l] = w->now->fill[l].load_bps;
    return w->load_bps;
}

struct model_window_rtt model_window_flow_rtt(const struct model_window *w, size_t flow)
{
    const struct model_window_flow *f = &w->net.flows[flow];
    struct model_window_rtt rtt = {.propagation_s = f->base_rtt_s, .burst_wait_s = w->now->burst_s[flow]};
    for (size_t k = w->flow_hops[flow]; w->active[flow] && k < w->flow_hops[flow + 1]; k++) {
        const struct window_hop *h = &w->hops[k];
        double *wait_s = h->data ? &rtt.data_wait_s : &rtt.ack_wait_s;
        if (!h->data && w->links[h->link].ack_first)
            continue;
        window_split(w, w->now, w->links[h->link].unknown);
        *wait_s += w->now->delay_s[h->link];
    }
    return rtt;
}

double model_window_residual(const struct model_window *w)
{
    double residual = 0;
    for (size_t v = 0; v < w->n_unknowns; v++) {
        struct window_unknown u = w->unknowns[v];
        residual = fmax(residual, window_evaluate_unknown(w, &u, w->now->wait_s[v]));
    }
    return residual;
}

struct model_window_cost model_window_costs(const struct model_window *w)
{
    return w->cost;
}
