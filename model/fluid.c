/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fluid.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_PER_WINDOW 200 /* a step is no shorter than this part of the quickest window on its slowest link */
#define DONE 1e-9            /* of a flow's bytes */
#define SPAN_TURNS 10        /* rates are averages over so many turns of the fullest queue, or more: */
#define STEADY 1e-3          /* two averages in a row agree so well, */
#define SPAN_MOST 1024       /* or the span has grown so many times as long */
#define SKIP_SPANS 4         /* nothing is left out where less than so many spans remain */

/* What waits of one flow, data or ACKs, in one queue. */
struct fluid_stream {
    int flow, queue, slot; /* slot: in the queue's slices */
    int next;              /* the stream it becomes in the queue after; -1: it arrives */
    bool ack;
    double come; /* bytes on the wire in this step */
};

/* Slices in order of arrival: each stream's bytes, and their sum behind them. */
struct fluid_queue {
    int *streams; /* owned; by slot */
    int n;
    bool fed;     /* something has come in this step */
    double *ring; /* owned; `room` slices of n + 1 */
    size_t head, count, room;
};

struct fluid_flow {
    int data, ack; /* first streams */
    double sent, acked, delivered, delivered_before; /* payload bytes; acked: as its sender knows */
    double *known; /* owned ring of lag + 2: acknowledged in the latest steps */
    size_t lag;    /* whole steps of the round trip beyond the two that a loop takes, and */
    double part;   /* of one more */
    double left;   /* of its bytes, payload, those of skipped steps taken off */
    double rate, rate_before; /* delivered a step, on average over this span (so far) and the one before */
    bool done;
};

struct fluid {
    const struct model_window_network *network;
    const double *bytes, *start_s;
    double *completion_s;
    struct fluid_stream *streams; /* owned, as the rest */
    struct fluid_queue *queues;   /* two a link: ACKs that go first, and all others */
    int *links;                   /* in the order of the paths */
    size_t *starts;               /* flows by start */
    struct fluid_flow *flows;
    double step_s, skipped_s;
    size_t turn, span, in_span; /* steps */
    size_t number, started, unfinished, n_streams;
};

static void fluid_fini(struct fluid *f)
{
    for (size_t i = 0; i < f->network->n_flows; i++)
        free(f->flows[i].known);
    for (size_t q = 0; q < 2 * f->network->n_links; q++) {
        free(f->queues[q].streams);
        free(f->queues[q].ring);
    }
    free(f->streams);
    free(f->queues);
    free(f->links);
    free(f->starts);
    free(f->flows);
}

/* Streams of one path, one a link. */
static void fluid_add_path(struct fluid *f, size_t flow, bool ack, const int *path, int n)
{
    for (int h = 0; h < n; h++) {
        struct fluid_stream *s = &f->streams[f->n_streams];
        int queue = 2 * path[h] + !(ack && f->network->links[path[h]].ack_first);
        *s = (struct fluid_stream){.flow = (int)flow, .queue = queue, .slot = f->queues[queue].n++, .ack = ack,
                                   .next = h + 1 < n ? (int)f->n_streams + 1 : -1};
        f->n_streams++;
    }
}

static void fluid_join_queues(struct fluid *f)
{
    for (size_t q = 0; q < 2 * f->network->n_links; q++)
        f->queues[q].streams = memory_zeroed((size_t)f->queues[q].n, sizeof(int), "the streams of a queue");
    for (size_t i = 0; i < f->n_streams; i++)
        f->queues[f->streams[i].queue].streams[f->streams[i].slot] = (int)i;
}

/* Links so that every path meets them in order; rank by rank. Round a cycle somebody waits a step. */
static void fluid_order_links(struct fluid *f)
{
    size_t n = f->network->n_links, placed = 0;
    int *rank = memory_zeroed(n, sizeof *rank, "the order of links"), top = 0;
    bool moved = true;
    for (size_t round = 0; moved && round < n; round++) {
        moved = false;
        for (size_t i = 0; i < f->n_streams; i++) {
            const struct fluid_stream *s = &f->streams[i];
            int from = s->queue / 2, to = s->next < 0 ? from : f->streams[s->next].queue / 2;
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
    free(rank);
}

/* By start; of equal ones as `order` has them. */
static void fluid_sort_starts(struct fluid *f, const size_t *order)
{
    for (size_t k = 0; k < f->network->n_flows; k++) {
        size_t i = order ? order[k] : k, at = k;
        for (; at > 0 && f->start_s[f->starts[at - 1]] > f->start_s[i]; at--)
            f->starts[at] = f->starts[at - 1];
        f->starts[at] = i;
    }
}

static double fluid_step_s(const struct model_window_network *n)
{
    double trip_s = INFINITY, window_s = INFINITY;
    for (size_t i = 0; i < n->n_flows; i++) {
        const struct model_window_flow *flow = &n->flows[i];
        double rate_bps = INFINITY;
        for (int h = 0; h < flow->n_data; h++)
            rate_bps = fmin(rate_bps, n->links[flow->data[h]].rate_bps);
        trip_s = fmin(trip_s, flow->base_rtt_s);
        window_s = fmin(window_s, 8 * flow->window_bytes * flow->wire_per_byte / rate_bps);
    }
    return fmax(trip_s / 2, window_s / STEPS_PER_WINDOW);
}

/* Steps that a byte can wait in a queue, at most: until all windows that share it have gone. */
static size_t fluid_turn(const struct fluid *f)
{
    const struct model_window_network *n = f->network;
    double *wait_s = memory_zeroed(n->n_links, sizeof *wait_s, "transfers as a fluid"), longest_s = 0;
    for (size_t i = 0; i < n->n_flows; i++) {
        const struct model_window_flow *flow = &n->flows[i];
        longest_s = fmax(longest_s, flow->base_rtt_s);
        for (int h = 0; h < flow->n_data; h++)
            wait_s[flow->data[h]] += 8 * flow->window_bytes * flow->wire_per_byte / n->links[flow->data[h]].rate_bps;
    }
    for (size_t l = 0; l < n->n_links; l++)
        longest_s = fmax(longest_s, wait_s[l]);
    free(wait_s);
    return (size_t)fmin(longest_s / f->step_s, 1e9) + 1;
}

static void fluid_init(struct fluid *f, const size_t *order)
{
    const struct model_window_network *n = f->network;
    size_t streams = 0;
    for (size_t i = 0; i < n->n_flows; i++)
        streams += (size_t)(n->flows[i].n_data + n->flows[i].n_ack);
    f->streams = memory_zeroed(streams, sizeof *f->streams, "transfers as a fluid");
    f->queues = memory_zeroed(2 * n->n_links, sizeof *f->queues, "transfers as a fluid");
    f->links = memory_zeroed(n->n_links, sizeof *f->links, "transfers as a fluid");
    f->starts = memory_zeroed(n->n_flows, sizeof *f->starts, "transfers as a fluid");
    f->flows = memory_zeroed(n->n_flows, sizeof *f->flows, "transfers as a fluid");
    f->step_s = fluid_step_s(n);
    f->span = SPAN_TURNS * (f->turn = fluid_turn(f));
    for (size_t i = 0; i < n->n_flows; i++) {
        const struct model_window_flow *flow = &n->flows[i];
        struct fluid_flow *to = &f->flows[i];
        double steps = fmax(0, flow->base_rtt_s / f->step_s - 2);
        *to = (struct fluid_flow){.lag = (size_t)steps, .part = steps - floor(steps), .left = f->bytes[i]};
        to->known = memory_zeroed(to->lag + 2, sizeof *to->known, "transfers as a fluid");
        to->data = (int)f->n_streams;
        fluid_add_path(f, i, false, flow->data, flow->n_data);
        to->ack = (int)f->n_streams;
        fluid_add_path(f, i, true, flow->ack, flow->n_ack);
        f->unfinished += isfinite(f->bytes[i]) ? 1 : 0;
        f->completion_s[i] = INFINITY;
    }
    fluid_sort_starts(f, order);
    fluid_join_queues(f);
    fluid_order_links(f);
}

/* A slice at the end of the line, all zero. */
static double *queue_push(struct fluid_queue *q)
{
    size_t width = (size_t)q->n + 1;
    if (q->count == q->room) {
        size_t room = q->room ? 2 * q->room : 16;
        double *ring = memory_zeroed(room * width, sizeof *ring, "transfers as a fluid");
        for (size_t i = 0; i < q->count; i++)
            memcpy(ring + i * width, q->ring + (q->head + i) % q->room * width, width * sizeof *ring);
        free(q->ring);
        q->ring = ring;
        q->room = room;
        q->head = 0;
    }
    double *slice = q->ring + (q->head + q->count++) % q->room * width;
    memset(slice, 0, width * sizeof *slice);
    return slice;
}

static void fluid_feed(struct fluid *f, int stream, double bytes)
{
    struct fluid_stream *s = &f->streams[stream];
    if (!(bytes > 0))
        return;
    s->come += bytes;
    f->queues[s->queue].fed = true;
}

static void queue_gather(struct fluid *f, struct fluid_queue *q)
{
    if (!q->fed)
        return;
    double *slice = queue_push(q), total = 0;
    for (int i = 0; i < q->n; i++) {
        struct fluid_stream *s = &f->streams[q->streams[i]];
        total += slice[i] = s->come;
        s->come = 0;
    }
    slice[q->n] = total;
    q->fed = false;
}

/* ACKs without a size would never come: they take as good as nothing. */
static double flow_ack(const struct model_window_flow *flow)
{
    return fmax(flow->ack_wire_per_byte, 1e-6);
}

static void fluid_pass(struct fluid *f, const struct fluid_stream *s, double bytes)
{
    const struct model_window_flow *flow = &f->network->flows[s->flow];
    struct fluid_flow *to = &f->flows[s->flow];
    if (s->next >= 0)
        fluid_feed(f, s->next, bytes);
    else if (s->ack)
        to->known[f->number % (to->lag + 2)] += bytes / flow_ack(flow);
    else
        to->delivered += bytes / flow->wire_per_byte;
}

/* Lets out at most `budget` bytes; returns what is left of it. */
static double queue_serve(struct fluid *f, struct fluid_queue *q, double budget)
{
    while (q->count > 0 && budget > 0) {
        double *slice = q->ring + q->head * ((size_t)q->n + 1), total = slice[q->n];
        double part = total > budget ? budget / total : 1;
        for (int i = 0; i < q->n; i++) {
            if (slice[i] > 0)
                fluid_pass(f, &f->streams[q->streams[i]], part * slice[i]);
            slice[i] -= part * slice[i];
        }
        slice[q->n] -= part * total;
        budget -= part * total;
        if (part < 1)
            return 0;
        q->head = (q->head + 1) % q->room;
        q->count--;
    }
    return budget;
}

/* What a sender may send now: its window less what it has out. */
static double flow_send(struct fluid *f, size_t i)
{
    struct fluid_flow *flow = &f->flows[i];
    double bytes = fmin(flow->left, f->network->flows[i].window_bytes + flow->acked) - flow->sent;
    if (!(bytes > 0))
        return 0;
    flow->sent += bytes;
    return bytes * f->network->flows[i].wire_per_byte;
}

/* What arrived `lag` + 1 steps ago, and the part of it that waits one step longer. */
static void flow_learn(const struct fluid *f, struct fluid_flow *flow)
{
    size_t ring = flow->lag + 2;
    double *oldest = &flow->known[f->number % ring];
    flow->acked += flow->part * *oldest + (1 - flow->part) * flow->known[(f->number + 1) % ring];
    *oldest = 0; /* room for this step's */
}

/* Begins to average again, over so many steps. */
static void fluid_watch(struct fluid *f, size_t span)
{
    f->span = span;
    f->in_span = 0;
    for (size_t k = 0; k < f->started; k++) {
        struct fluid_flow *flow = &f->flows[f->starts[k]];
        flow->rate_before = flow->rate;
        flow->rate = 0;
    }
}

/* At the end of a span: leaves out the steps that would only repeat it, up to a span before the next flow starts or has
 * sent all. What stands in queues stays, and every flow has so much less to send: but for its end a sender sees no
 * totals, so that the fluid goes on as it was. */
static void fluid_skip(struct fluid *f, double now_s)
{
    double left = f->started < f->network->n_flows ? (f->start_s[f->starts[f->started]] - now_s) / f->step_s : INFINITY;
    bool steady = true;
    for (size_t k = 0; k < f->started; k++) {
        const struct fluid_flow *flow = &f->flows[f->starts[k]];
        if (flow->done || !isfinite(flow->left))
            continue;
        left = fmin(left, flow->rate > 0 ? (flow->left - flow->sent) / flow->rate : INFINITY);
        steady = steady && fabs(flow->rate - flow->rate_before) <= STEADY * flow->rate;
    }
    double skip = floor(left - (double)f->span);
    bool worth = isfinite(left) && left > SKIP_SPANS * (double)f->span;
    if (worth && (steady || f->span >= SPAN_MOST * SPAN_TURNS * f->turn)) {
        f->skipped_s += skip * f->step_s;
        for (size_t k = 0; k < f->started; k++)
            f->flows[f->starts[k]].left -= skip * f->flows[f->starts[k]].rate;
    }
    fluid_watch(f, worth && !steady ? 2 * f->span : f->span);
}

static void fluid_step(struct fluid *f)
{
    const struct model_window_network *n = f->network;
    double now_s = f->skipped_s + (double)f->number * f->step_s;
    /* Hann's weights: what comes in bursts is averaged as if the span were a whole number of them, nearly. */
    double weight = (1 - cos(2 * M_PI * ((double)f->in_span + 0.5) / (double)f->span)) / (double)f->span;
    bool changed = false;
    for (size_t k = 0; k < f->started; k++) {
        size_t i = f->starts[k];
        struct fluid_flow *flow = &f->flows[i];
        fluid_feed(f, flow->ack, (flow->delivered - flow->delivered_before) * flow_ack(&n->flows[i]));
        flow->delivered_before = flow->delivered;
        flow_learn(f, flow);
        fluid_feed(f, flow->data, flow_send(f, i));
    }
    for (; f->started < n->n_flows && f->start_s[f->starts[f->started]] < now_s + f->step_s; f->started++) {
        size_t i = f->starts[f->started];
        const struct fluid_stream *s = &f->streams[f->flows[i].data];
        double *slice = queue_push(&f->queues[s->queue]); /* a window in a row: bursts keep their order */
        slice[s->slot] = slice[f->queues[s->queue].n] = flow_send(f, i);
        changed = true;
    }
    for (size_t k = 0; k < n->n_links; k++) {
        int l = f->links[k];
        struct fluid_queue *acks = &f->queues[2 * l], *others = acks + 1;
        queue_gather(f, acks);
        queue_gather(f, others);
        queue_serve(f, others, queue_serve(f, acks, n->links[l].rate_bps * f->step_s / 8));
    }
    for (size_t k = 0; k < f->started; k++) {
        size_t i = f->starts[k];
        struct fluid_flow *flow = &f->flows[i];
        double missing = flow->left - flow->delivered_before, come = flow->delivered - flow->delivered_before;
        flow->rate += weight * come;
        if (flow->done || !isfinite(f->bytes[i]) || come < missing - DONE * flow->left)
            continue;
        changed = flow->done = true;
        f->completion_s[i] = now_s + fmin(missing / come, 1) * f->step_s + n->flows[i].base_rtt_s / 2;
        f->unfinished--;
    }
    f->number++;
    if (changed)
        fluid_watch(f, SPAN_TURNS * f->turn);
    else if (++f->in_span == f->span)
        fluid_skip(f, now_s);
}

void model_fluid_run(const struct model_window_network *network, const double *bytes, const double *start_s,
                     const size_t *order, double *completion_s, void (*progress)(void *user, size_t left), void *user)
{
    struct fluid f = {.network = network, .bytes = bytes, .start_s = start_s, .completion_s = completion_s};
    fluid_init(&f, order);
    while (f.unfinished > 0) {
        size_t before = f.unfinished;
        fluid_step(&f);
        if (progress && f.unfinished < before)
            progress(user, f.unfinished);
    }
    fluid_fini(&f);
}
