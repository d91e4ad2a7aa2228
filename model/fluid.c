/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes are counted on the wire of their own kind, data or ACKs, and as payload at senders. come[] has what reaches each
 * stream in this step; after the streams it has two places a flow, for what reaches its receiver and its sender. */
#include "model/fluid.h"

#define STEPS_PER_WINDOW 200 /* a step is no shorter than this part of the quickest window on its slowest link */
#define DONE 1e-9            /* of a flow's bytes */
#define DRAINED 1e-6         /* of a window, of which no ACKs come any more */
#define SETTLE_TURNS 2       /* that are stepped through after a start or an end, before */
#define SPAN_TURNS 8         /* rates are averages over so many, or more: */
#define STEADY 5e-4          /* two averages in a row agree so well, on average over the flows, */
#define SPAN_MOST 64         /* or the span has grown so many times as long */
#define LONG 2000            /* turns: transfers longer than this are the law's alone, */
#define FIRST 16             /* and so is, of more than MODEL_WINDOW_FEW, what is left so many after the last start */
#define KNOWN_HERE 4
#define PROGRESS_STEPS 1024

/* A flow's passage through a queue, data or ACKs. */
struct fluid_hop {
    int flow, queue;
    bool last;     /* the next hop, if any, is one of ACKs or of another flow */
    size_t stream; /* while the flow is under way */
};

/* Streams of a queue are numbered in a row, those under way first. Slices of the ring, in order of arrival, have each
 * stream's bytes. */
struct fluid_queue {
    size_t first, n, most, width; /* most: ever; width: streams that a slice has room for */
    double *ring, *total;   /* owned; `room` slices, and their sums */
    size_t head, count, room;
    double gone;            /* of the first slice */
};

struct fluid_flow {
    double sent, acked, delivered; /* payload bytes; acked: as its sender knows */
    double left, window;    /* of its bytes, payload, those of skipped steps taken off */
    double wire, per_wire, ack_per_wire, per_ack; /* wire bytes a payload byte and the other way round; of ACKs for one
                                                   of data; payload for one of ACKs */
    size_t data_at, ack_at; /* in come[]: first streams */
    size_t n_known, at;     /* whole steps of the round trip beyond the two that a loop takes, and two; now */
    double part;            /* of one more step */
    double recent[KNOWN_HERE], *known; /* ring of n_known: acknowledged in the latest steps; owned, if many */
    double rate, rate_before; /* delivered a step, on average over this span (so far) and the one before */
    double least_s;         /* that all of its bytes take, alone */
    size_t data, ack, end;  /* its hops; data and ACKs begin */
    bool done;
};

struct fluid {
    const struct model_window_network *network;
    const double *bytes, *start_s;
    double *completion_s;
    struct model_fluid_cost cost;
    struct model_window *law;   /* owned, as the rest; NULL until it is asked */
    struct fluid_hop *hops;     /* data of flow 0, its ACKs, data of flow 1 and so on */
    struct fluid_queue *queues; /* two a link: ACKs that go first, and all others */
    size_t *target;             /* [streams] where in come[] a stream goes on */
    size_t *owner;              /* [streams] hop */
    double *come;
    int *links, *busy;          /* in the order of the paths; those that somebody crosses */
    size_t *starts, *live;      /* flows by start; under way */
    bool *sending;              /* [n_flows] */
    struct fluid_flow *flows;
    double *wait_s;             /* [n_links] that all windows under way take */
    double step_s, skipped_s;
    size_t turn, longest;       /* steps that a byte can wait; at most, until now */
    size_t last_start;          /* number of the step in which flows started */
    size_t settle;              /* steps until averages begin */
    size_t span, in_span;       /* steps of an average, and of the one that is made */
    size_t number;              /* steps */
    size_t started, unfinished, n_live, n_draining, n_hops, n_busy; /* draining: done, with ACKs under way */
};

static void fluid_fini(struct fluid *f)
{
    for (size_t i = 0; i < f->network->n_flows; i++)
        if (f->flows[i].known != f->flows[i].recent)
            free(f->flows[i].known);
    for (size_t q = 0; q < 2 * f->network->n_links; q++)
        MEMORY_FREE(f->queues[q].ring, f->queues[q].total);
    model_window_free(f->law);
    MEMORY_FREE(f->hops, f->queues, f->target, f->owner, f->come, f->links, f->busy, f->starts, f->live, f->sending,
                f->flows, f->wait_s);
}

static void fluid_add_path(struct fluid *f, size_t flow, bool ack, const int *path, int n)
{
    for (int h = 0; h < n; h++) {
        int queue = 2 * path[h] + !(ack && f->network->links[path[h]].ack_first);
        f->hops[f->n_hops++] = (struct fluid_hop){.flow = (int)flow, .queue = queue, .last = h + 1 == n};
        f->queues[queue].most++;
    }
}

/* Links so that every path meets them in order; rank by rank. Round a cycle somebody waits a step. */
static void fluid_order_links(struct fluid *f)
{
    size_t n = f->network->n_links, placed = 0;
    int *rank MEMORY_LOCAL = memory_zeroed(n, sizeof *rank, "the order of links"), top = 0;
    bool moved = true;
    for (size_t round = 0; moved && round < n; round++) {
        moved = false;
        for (size_t i = 0; i < f->n_hops; i++) {
            int from = f->hops[i].queue / 2, to = f->hops[i].last ? from : f->hops[i + 1].queue / 2;
            if (to == from || rank[to] > rank[from])
                continue;
            rank[to] = rank[from] + 1;
            top = rank[to] > top ? rank[to] : top;
            moved = true;
        }
    }
    for (int r = 0; r <= top; r++)
        for (size_t l = 0; l < n; l++)
            if (rank[l] == r)
                f->links[placed++] = (int)l;
}

/* That so many bytes take at the rate of the slowest link. */
static double flow_least_s(const struct model_window_network *n, const struct model_window_flow *flow, double bytes)
{
    double rate_bps = INFINITY;
    for (int h = 0; h < flow->n_data; h++)
        rate_bps = fmin(rate_bps, n->links[flow->data[h]].rate_bps);
    return 8 * bytes * flow->wire_per_byte / rate_bps;
}

static double fluid_step_s(const struct model_window_network *n)
{
    double trip_s = INFINITY, window_s = INFINITY;
    for (size_t i = 0; i < n->n_flows; i++) {
        const struct model_window_flow *flow = &n->flows[i];
        trip_s = fmin(trip_s, flow->base_rtt_s);
        window_s = fmin(window_s, flow_least_s(n, flow, flow->window_bytes));
    }
    return fmax(trip_s / 2, window_s / STEPS_PER_WINDOW);
}

/* ACKs without a size would never come: they take as good as nothing. */
static double flow_ack(const struct model_window_flow *flow)
{
    return fmax(flow->ack_wire_per_byte, 1e-6);
}

static void fluid_init_flow(struct fluid *f, size_t i)
{
    const struct model_window_flow *flow = &f->network->flows[i];
    struct fluid_flow *to = &f->flows[i];
    double steps = fmax(0, flow->base_rtt_s / f->step_s - 2);
    *to = (struct fluid_flow){.n_known = (size_t)steps + 2, .part = steps - floor(steps), .left = f->bytes[i],
                              .window = flow->window_bytes,
                              .least_s = flow_least_s(f->network, flow, f->bytes[i]), .wire = flow->wire_per_byte,
                              .per_wire = 1 / flow->wire_per_byte, .ack_per_wire = flow_ack(flow) / flow->wire_per_byte,
                              .per_ack = 1 / flow_ack(flow)};
    to->known = to->n_known <= KNOWN_HERE
                    ? to->recent
                    : memory_zeroed(to->n_known, sizeof *to->known, "transfers as a fluid");
    to->data = f->n_hops;
    fluid_add_path(f, i, false, flow->data, flow->n_data);
    to->ack = f->n_hops;
    fluid_add_path(f, i, true, flow->ack, flow->n_ack);
    to->end = f->n_hops;
    f->unfinished += isfinite(f->bytes[i]) ? 1 : 0;
    f->completion_s[i] = INFINITY;
}

static void fluid_init(struct fluid *f, const size_t *order)
{
    const struct model_window_network *n = f->network;
    size_t hops = 0, first = 0;
    for (size_t i = 0; i < n->n_flows; i++)
        hops += (size_t)(n->flows[i].n_data + n->flows[i].n_ack);
    f->hops = memory_zeroed(hops, sizeof *f->hops, "transfers as a fluid");
    f->queues = memory_zeroed(2 * n->n_links, sizeof *f->queues, "transfers as a fluid");
    f->target = memory_zeroed(hops, sizeof *f->target, "transfers as a fluid");
    f->owner = memory_zeroed(hops, sizeof *f->owner, "transfers as a fluid");
    f->come = memory_zeroed(hops + 2 * n->n_flows, sizeof *f->come, "transfers as a fluid");
    f->links = memory_zeroed(n->n_links, sizeof *f->links, "transfers as a fluid");
    f->busy = memory_zeroed(n->n_links, sizeof *f->busy, "transfers as a fluid");
    f->starts = memory_zeroed(n->n_flows, sizeof *f->starts, "transfers as a fluid");
    f->live = memory_zeroed(n->n_flows, sizeof *f->live, "transfers as a fluid");
    f->sending = memory_zeroed(n->n_flows, sizeof *f->sending, "transfers as a fluid");
    f->flows = memory_zeroed(n->n_flows, sizeof *f->flows, "transfers as a fluid");
    f->wait_s = memory_zeroed(n->n_links, sizeof *f->wait_s, "transfers as a fluid");
    f->step_s = fluid_step_s(n);
    for (size_t i = 0; i < n->n_flows; i++)
        fluid_init_flow(f, i);
    for (size_t q = 0; q < 2 * n->n_links; q++) {
        f->queues[q].first = first;
        first += f->queues[q].most;
    }
    /* By start; of equal ones as `order` has them. */
    for (size_t k = 0; k < f->network->n_flows; k++) {
        size_t i = order ? order[k] : k, at = k;
        for (; at > 0 && f->start_s[f->starts[at - 1]] > f->start_s[i]; at--)
            f->starts[at] = f->starts[at - 1];
        f->starts[at] = i;
    }
    fluid_order_links(f);
}

/* Room for `width` streams a slice and `room` slices. */
static void queue_lay_out(struct fluid_queue *q, size_t width, size_t room)
{
    double *ring = memory_zeroed(room * width, sizeof *ring, "transfers as a fluid");
    double *total = memory_zeroed(room, sizeof *total, "transfers as a fluid");
    for (size_t i = 0; i < q->count; i++) {
        size_t from = (q->head + i) % q->room;
        memcpy(ring + i * width, q->ring + from * q->width, (q->n < width ? q->n : width) * sizeof *ring);
        total[i] = q->total[from];
    }
    MEMORY_FREE(q->ring, q->total);
    q->ring = ring;
    q->total = total;
    q->width = width;
    q->room = room;
    q->head = 0;
}

/* Room for a slice at the end of the line; it joins with queue_push(). */
static double *queue_end(struct fluid_queue *q)
{
    if (q->count == q->room)
        queue_lay_out(q, q->width, q->room + q->room / 4 + 1);
    size_t at = q->head + q->count;
    return q->ring + (at >= q->room ? at - q->room : at) * q->width;
}

static void queue_push(struct fluid_queue *q, double total)
{
    size_t at = q->head + q->count++;
    q->total[at >= q->room ? at - q->room : at] = total;
}

static void fluid_link_stream(struct fluid *f, size_t hop)
{
    const struct fluid_hop *h = &f->hops[hop];
    struct fluid_flow *flow = &f->flows[h->flow];
    bool ack = hop >= flow->ack;
    f->owner[h->stream] = hop;
    f->target[h->stream] = h->last ? f->n_hops + 2 * (size_t)h->flow + ack : f->hops[hop + 1].stream;
    if (hop == flow->data)
        flow->data_at = h->stream;
    else if (hop == flow->ack)
        flow->ack_at = h->stream;
    else
        f->target[f->hops[hop - 1].stream] = h->stream;
}

static void fluid_add_stream(struct fluid *f, size_t hop)
{
    struct fluid_queue *q = &f->queues[f->hops[hop].queue];
    if (q->n == q->width)
        queue_lay_out(q, 2 * q->width < q->most ? 2 * q->width + 4 : q->most, q->room ? q->room : 16);
    for (size_t i = 0; i < q->count; i++)
        q->ring[(q->head + i) % q->room * q->width + q->n] = 0;
    f->hops[hop].stream = q->first + q->n++;
    f->come[f->hops[hop].stream] = 0;
}

/* What is left of it, next to nothing, goes with it; the last stream of the queue takes its place. */
static void fluid_remove_stream(struct fluid *f, size_t hop)
{
    struct fluid_queue *q = &f->queues[f->hops[hop].queue];
    size_t slot = f->hops[hop].stream - q->first, last = --q->n;
    for (size_t i = 0; i < q->count; i++) {
        size_t at = (q->head + i) % q->room;
        double *slice = q->ring + at * q->width;
        q->total[at] = fmax(0, q->total[at] - slice[slot]);
        slice[slot] = slice[last];
    }
    if (slot != last) {
        size_t moved = f->owner[q->first + last];
        f->hops[moved].stream = q->first + slot;
        f->come[q->first + slot] = f->come[q->first + last];
        fluid_link_stream(f, moved);
    }
    if (q->width > 4 && 2 * q->n < q->width)
        queue_lay_out(q, q->width / 2, q->count + q->count / 4 + 1);
}

/* After flows started or were done: which links are crossed, and how long a turn is. */
static void fluid_change(struct fluid *f)
{
    const struct model_window_network *n = f->network;
    double longest_s = 0;
    f->n_busy = 0;
    for (size_t k = 0; k < n->n_links; k++) {
        int l = f->links[k];
        if (f->queues[2 * l].n + f->queues[2 * l + 1].n == 0)
            continue;
        f->busy[f->n_busy++] = l;
        longest_s = fmax(longest_s, f->wait_s[l]);
    }
    for (size_t k = 0; k < f->n_live; k++) {
        longest_s = fmax(longest_s, n->flows[f->live[k]].base_rtt_s);
        f->flows[f->live[k]].rate = 0;
    }
    f->turn = (size_t)fmin(longest_s / f->step_s, 1e9) + 1;
    f->longest = f->turn > f->longest ? f->turn : f->longest;
    f->settle = SETTLE_TURNS * f->turn;
    f->span = SPAN_TURNS * f->turn;
    f->in_span = 0;
}

/* Adds or takes away the time that a flow's window takes on its links. */
static void fluid_weigh(struct fluid *f, size_t i, double sign)
{
    const struct model_window_flow *flow = &f->network->flows[i];
    for (int h = 0; h < flow->n_data; h++)
        f->wait_s[flow->data[h]] +=
            sign * 8 * flow->window_bytes * flow->wire_per_byte / f->network->links[flow->data[h]].rate_bps;
}

static void fluid_remove(struct fluid *f, size_t k)
{
    size_t i = f->live[k];
    for (size_t h = f->flows[i].data; h < f->flows[i].end; h++)
        fluid_remove_stream(f, h);
    f->live[k] = f->live[--f->n_live];
    f->n_draining--;
}

/* What a sender may send now, on the wire: its window less what it has out. */
static double flow_send(struct fluid_flow *flow)
{
    double most = flow->window + flow->acked, bytes = (flow->left < most ? flow->left : most) - flow->sent;
    if (!(bytes > 0))
        return 0;
    flow->sent += bytes;
    return bytes * flow->wire;
}

/* A window in a row: bursts keep their order. */
static void fluid_start(struct fluid *f, size_t i)
{
    struct fluid_flow *flow = &f->flows[i];
    for (size_t h = flow->data; h < flow->end; h++)
        fluid_add_stream(f, h);
    for (size_t h = flow->data; h < flow->end; h++)
        fluid_link_stream(f, h);
    struct fluid_queue *q = &f->queues[f->hops[flow->data].queue];
    double bytes = flow_send(flow), *slice = queue_end(q);
    memset(slice, 0, q->width * sizeof *slice);
    slice[f->hops[flow->data].stream - q->first] = bytes;
    queue_push(q, bytes);
    f->live[f->n_live++] = i;
    fluid_weigh(f, i, 1);
}

/* Lets out at most `budget` bytes; returns what is left of it. */
static double queue_serve(struct fluid *f, struct fluid_queue *q, double budget)
{
    const size_t *target = f->target + q->first;
    double *come = f->come;
    while (q->count > 0 && budget > 0) {
        const double *slice = q->ring + q->head * q->width;
        double total = q->total[q->head], part = 1 - q->gone;
        bool whole = total * part <= budget;
        if (!whole)
            part = budget / total;
        for (size_t i = 0; i < q->n; i++)
            come[target[i]] += part * slice[i];
        f->cost.moves += q->n;
        if (!whole) {
            q->gone += part;
            return 0;
        }
        budget -= total * part;
        q->gone = 0;
        q->head = q->head + 1 == q->room ? 0 : q->head + 1;
        q->count--;
    }
    return budget;
}

static double queue_come(const double *own, size_t n)
{
    double sum[4] = {0}; /* four at a time: one sum alone would wait for itself */
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += own[i + k];
    for (; i < n; i++)
        sum[0] += own[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* What has come joins the line, or goes straight through where there is none and it is not too much. */
static double queue_step(struct fluid *f, struct fluid_queue *q, double budget)
{
    const size_t n = q->n, *target = f->target + q->first;
    double *come = f->come, *own = come + q->first, total = queue_come(own, n);
    if (q->count == 0 && total <= budget) {
        for (size_t i = 0; total > 0 && i < n; i++) {
            come[target[i]] += own[i];
            own[i] = 0;
        }
        f->cost.moves += n;
        return budget - total;
    }
    if (total > 0) {
        double *slice = queue_end(q);
        for (size_t i = 0; i < n; i++) {
            slice[i] = own[i];
            own[i] = 0;
        }
        queue_push(q, total);
    }
    return queue_serve(f, q, budget);
}

/* What reached a flow's two ends in the last step, and what its sender does about it. True when that was its last byte. */
static bool flow_step(struct fluid *f, size_t i, double now_s, double weight)
{
    struct fluid_flow *flow = &f->flows[i];
    double *ends = f->come + f->n_hops + 2 * i, come = ends[0] * flow->per_wire;
    size_t at = flow->at, next = at + 1 == flow->n_known ? 0 : at + 1;
    bool ends_now = false;
    if (!flow->done && isfinite(flow->left) && come >= flow->left - flow->delivered - DONE * flow->left) {
        flow->done = ends_now = true;
        f->n_draining++;
        fluid_weigh(f, i, -1);
        f->completion_s[i] = now_s - f->step_s + fmin((flow->left - flow->delivered) / come, 1) * f->step_s +
                             f->network->flows[i].base_rtt_s / 2;
        f->unfinished--;
    }
    flow->delivered += come;
    flow->rate += weight * come;
    f->come[flow->ack_at] += ends[0] * flow->ack_per_wire;
    /* what arrived n_known - 1 steps ago, and the part of it that waits one step longer */
    flow->known[at ? at - 1 : flow->n_known - 1] = ends[1] * flow->per_ack;
    flow->acked += flow->part * flow->known[at] + (1 - flow->part) * flow->known[next];
    flow->at = next;
    ends[0] = ends[1] = 0;
    f->come[flow->data_at] += flow_send(flow);
    return ends_now;
}

/* At the end of a span: leaves out the steps that would only repeat it, up to a turn before the next flow starts or has
 * sent all. What stands in queues stays, and every flow has so much less to send: but for its end a sender sees no
 * totals, so that the fluid goes on as it was. */
static void fluid_jump(struct fluid *f, double now_s)
{
    double left = f->started < f->network->n_flows ? (f->start_s[f->starts[f->started]] - now_s) / f->step_s : INFINITY;
    double change = 0, n = 0;
    for (size_t k = 0; k < f->n_live; k++) {
        const struct fluid_flow *flow = &f->flows[f->live[k]];
        if (flow->done)
            continue;
        n++;
        change += flow->rate > 0 ? fmin(1, fabs(flow->rate / flow->rate_before - 1)) : 1;
        if (isfinite(flow->left))
            left = fmin(left, flow->rate > 0 ? (flow->left - flow->sent) / flow->rate : 0);
    }
    double skip = floor(left) - (double)f->turn;
    bool worth = isfinite(skip) && skip > (double)f->span, steady = change <= STEADY * n;
    if (worth && (steady || f->span >= SPAN_MOST * SPAN_TURNS * f->turn)) {
        for (size_t k = 0; k < f->n_live; k++)
            if (!f->flows[f->live[k]].done)
                f->flows[f->live[k]].left -= skip * f->flows[f->live[k]].rate;
        f->skipped_s += skip * f->step_s;
        f->cost.jumps++;
    }
    /* Begins to average again, over so many steps. */
    size_t span = worth && !steady ? 2 * f->span : f->span;
    f->span = span;
    f->in_span = 0;
    for (size_t k = 0; k < f->n_live; k++) {
        struct fluid_flow *flow = &f->flows[f->live[k]];
        flow->rate_before = flow->rate;
        flow->rate = 0;
    }
}

static void fluid_step(struct fluid *f)
{
    const struct model_window_network *n = f->network;
    double now_s = f->skipped_s + (double)f->number * f->step_s;
    /* Hann's weights: what comes in bursts is averaged as if the span were a whole number of them, nearly. */
    double weight = f->settle > 0 ? 0 : (1 - cos(2 * M_PI * ((double)f->in_span + 0.5) / (double)f->span)) /
                                            (double)f->span;
    bool changed = false;
    for (size_t k = 0; k < f->n_live; k++)
        changed = flow_step(f, f->live[k], now_s, weight) || changed;
    for (size_t k = f->n_live; f->n_draining > 0 && k-- > 0;) {
        const struct fluid_flow *flow = &f->flows[f->live[k]];
        if (flow->done && flow->sent - flow->acked <= DRAINED * flow->window)
            fluid_remove(f, k);
    }
    if (f->settle > 0) {
        f->settle--;
    } else if (++f->in_span == f->span && !changed) {
        fluid_jump(f, now_s);
        now_s = f->skipped_s + (double)f->number * f->step_s;
    }
    for (; f->started < n->n_flows && f->start_s[f->starts[f->started]] < now_s + f->step_s; f->started++) {
        fluid_start(f, f->starts[f->started]);
        f->last_start = f->number;
        changed = true;
    }
    if (changed)
        fluid_change(f);
    for (size_t k = 0; k < f->n_busy; k++) {
        int l = f->busy[k];
        struct fluid_queue *q = &f->queues[2 * l];
        double budget = n->links[l].rate_bps * f->step_s / 8;
        budget = q[0].n > 0 ? queue_step(f, q, budget) : budget;
        if (q[1].n > 0)
            queue_step(f, q + 1, budget);
    }
    f->number++;
}

/* The law's rates of the flows in sending[], payload bit/s, with what clumps wait; NULL where it has none. */
static const double *fluid_rates(struct fluid *f)
{
    struct error err;
    if (!f->law)
        f->law = model_window_new(f->network, &err);
    return f->law && model_window_solve(f->law, f->sending, &err) &&
                   model_window_add_bursts(f->law, 0, MODEL_WINDOW_BURSTS_EXPECTED, &err)
               ? model_window_rates(f->law)
               : NULL;
}

/* From now_s on the law alone, from one start or end to the next. False when it has no answer. */
static bool fluid_run_law(struct fluid *f, double now_s, void (*progress)(void *user, size_t left), void *user)
{
    const struct model_window_network *n = f->network;
    size_t unfinished = f->unfinished;
    while (unfinished > 0) {
        size_t before = unfinished;
        for (; f->started < n->n_flows && f->start_s[f->starts[f->started]] <= now_s; f->started++)
            f->sending[f->starts[f->started]] = true;
        double next_s = f->started < n->n_flows ? f->start_s[f->starts[f->started]] : INFINITY, span_s = INFINITY;
        const double *rate_bps = fluid_rates(f);
        if (!rate_bps)
            return false;
        for (size_t i = 0; i < n->n_flows; i++)
            if (f->sending[i])
                span_s = fmin(span_s, 8 * f->flows[i].left / rate_bps[i]);
        bool starts = next_s - now_s < span_s;
        span_s = starts ? next_s - now_s : span_s;
        now_s = starts ? next_s : now_s + span_s;
        for (size_t i = 0; i < n->n_flows; i++) {
            if (!f->sending[i])
                continue;
            f->flows[i].left -= span_s * rate_bps[i] / 8;
            if (!(f->flows[i].left <= DONE * f->bytes[i]))
                continue;
            f->sending[i] = false;
            f->completion_s[i] = now_s + n->flows[i].base_rtt_s / 2;
            unfinished--;
        }
        f->cost.jumps++;
        if (progress && unfinished < before)
            progress(user, unfinished);
    }
    f->unfinished = 0;
    return true;
}

/* Is every transfer that long? Turns of all flows at once. */
static bool fluid_is_long(struct fluid *f)
{
    double longest_s = 0, least_s = INFINITY;
    for (size_t i = 0; i < f->network->n_flows; i++) {
        fluid_weigh(f, i, 1);
        longest_s = fmax(longest_s, f->network->flows[i].base_rtt_s);
        least_s = fmin(least_s, f->flows[i].least_s);
    }
    for (size_t l = 0; l < f->network->n_links; l++) {
        longest_s = fmax(longest_s, f->wait_s[l]);
        f->wait_s[l] = 0;
    }
    return least_s >= LONG * longest_s;
}

/* Of many flows one ends in nearly every turn, so that no steps can be left out: once all have started, and clumps have
 * nearly found their places, what is left is the law's, if it is long. */
static bool fluid_is_laws(const struct fluid *f)
{
    double least_s = 0;
    if (f->network->n_flows <= MODEL_WINDOW_FEW || f->started < f->network->n_flows ||
        f->number - f->last_start != FIRST * f->longest)
        return false;
    for (size_t k = 0; k < f->n_live; k++) {
        const struct fluid_flow *flow = &f->flows[f->live[k]];
        if (!flow->done)
            least_s = fmax(least_s, flow->least_s * (1 - flow->delivered / flow->left));
    }
    return least_s >= (double)(FIRST * f->longest) * f->step_s;
}

static bool fluid_end_by_law(struct fluid *f, void (*progress)(void *user, size_t left), void *user)
{
    for (size_t k = 0; k < f->n_live; k++) {
        struct fluid_flow *flow = &f->flows[f->live[k]];
        f->sending[f->live[k]] = !flow->done;
        flow->left -= flow->delivered;
    }
    return fluid_run_law(f, f->skipped_s + (double)f->number * f->step_s, progress, user);
}

/* Step by step; what the law takes over, unless it has been found to have no answer. False when it has none. */
static bool fluid_run(struct fluid *f, bool law, void (*progress)(void *user, size_t left), void *user)
{
    if (law && fluid_is_long(f))
        return fluid_run_law(f, 0, progress, user);
    while (f->unfinished > 0) {
        size_t before = f->unfinished;
        if (law && fluid_is_laws(f))
            return fluid_end_by_law(f, progress, user);
        fluid_step(f);
        if (progress && (f->unfinished < before || f->number % PROGRESS_STEPS == 0))
            progress(user, f->unfinished);
    }
    return true;
}

struct model_fluid_cost model_fluid_run(const struct model_window_network *network, const double *bytes,
                                        const double *start_s, const size_t *order, double *completion_s,
                                        void (*progress)(void *user, size_t left), void *user)
{
    struct fluid f = {.network = network, .bytes = bytes, .start_s = start_s, .completion_s = completion_s};
    fluid_init(&f, order);
    if (!fluid_run(&f, true, progress, user)) {
        fluid_fini(&f);
        f = (struct fluid){.network = network, .bytes = bytes, .start_s = start_s, .completion_s = completion_s};
        fluid_init(&f, order);
        fluid_run(&f, false, progress, user);
    }
    f.cost.steps = f.number;
    fluid_fini(&f);
    return f.cost;
}
