/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/collective.h"

const char *const model_collective_names[] = {
    "ring-allreduce",      "recursive-doubling-allreduce", "rabenseifner-allreduce", "ring-allgather",
    "bruck-allgather",     "ring-reduce-scatter",          "pairwise-reduce-scatter", "binomial-broadcast",
    "binomial-reduce",     "dissemination-barrier",        "halo", NULL,
};

static double wire_frame_s(const struct model_collective_link *l, int64_t payload_bytes)
{
    int64_t bytes = payload_bytes + l->overhead_bytes;
    return 8.0 * (double)(bytes < l->least_bytes ? l->least_bytes : bytes) / l->rate_bps;
}

double model_collective_wire_s(const struct model_collective_link *l, int64_t bytes)
{
    int64_t full = bytes / l->segment_bytes, rest = bytes % l->segment_bytes;
    return (double)full * wire_frame_s(l, l->segment_bytes) + (rest > 0 ? wire_frame_s(l, rest) : 0);
}

/* alpha, of a message of so many bytes. */
static double collective_alpha_s(const struct model_collective_link *l, int64_t bytes)
{
    double gap_s = 8.0 * (double)l->gap_bytes / l->rate_bps;
    return l->latency_s - gap_s + l->stores * (wire_frame_s(l, bytes < l->segment_bytes ? bytes : l->segment_bytes) - gap_s);
}

double model_collective_message_s(const struct model_collective_link *l, int64_t bytes)
{
    return model_collective_wire_s(l, bytes) + collective_alpha_s(l, bytes);
}

int64_t model_collective_blocks_bytes(int64_t bytes, int blocks, int first, int n)
{
    int64_t total = 0, each = bytes / blocks, longer = bytes % blocks;
    if (n == blocks)
        return bytes;
    for (int i = 0; i < n; i++)
        total += each + ((first + i) % blocks < longer);
    return total;
}

/* Rounds one after another. */
struct collective_rounds {
    const struct model_collective_link *link; /* borrowed */
    double time_s, left_s; /* left: ACKs of the round before that still wait */
};

/* A round in which every process sends and receives so many bytes. */
static void collective_round(struct collective_rounds *r, int64_t bytes)
{
    const struct model_collective_link *l = r->link;
    bytes = bytes > 0 ? bytes : 1;
    r->time_s += r->left_s + model_collective_message_s(l, bytes);
    double acks = l->segments_per_ack > 0 ? (double)(bytes / l->segment_bytes / l->segments_per_ack) : 0;
    r->left_s = acks * wire_frame_s(l, 0) - collective_alpha_s(l, bytes);
    if (r->left_s < 0)
        r->left_s = 0;
}

/* One way: what acknowledges goes where nobody sends. */
static void collective_one_way(struct collective_rounds *r, int64_t bytes)
{
    r->time_s += model_collective_message_s(r->link, bytes > 0 ? bytes : 1);
    r->left_s = 0;
}

/* The longest block: a ring waits for it in every round, but where it is not in turn. */
static int64_t collective_share(int64_t bytes, int blocks)
{
    return (bytes + blocks - 1) / blocks;
}

static void collective_ring(struct collective_rounds *r, const struct model_collective_call *c, int times)
{
    for (int i = 0; i < times * (c->ranks - 1); i++)
        collective_round(r, collective_share(c->bytes, c->ranks));
}

static void collective_folded(struct collective_rounds *r, const struct model_collective_call *c)
{
    int power = 1;
    while (2 * power <= c->ranks)
        power *= 2;
    bool fold = power < c->ranks, halves = c->algorithm == MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE;
    if (fold)
        collective_one_way(r, c->bytes);
    for (int part = 2; part <= power; part *= 2)
        collective_round(r, halves ? collective_share(c->bytes, part) : c->bytes);
    for (int part = power; halves && part >= 2; part /= 2)
        collective_round(r, collective_share(c->bytes, part));
    if (fold) {
        double waiting_s = r->left_s;
        collective_one_way(r, c->bytes);
        r->time_s += waiting_s;
    }
}

static void collective_logarithm(struct collective_rounds *r, const struct model_collective_call *c)
{
    for (int far = 1; far < c->ranks; far *= 2) {
        int64_t blocks = far < c->ranks - far ? far : c->ranks - far;
        if (c->algorithm == MODEL_COLLECTIVE_BRUCK_ALLGATHER)
            collective_round(r, blocks * collective_share(c->bytes, c->ranks));
        else if (c->algorithm == MODEL_COLLECTIVE_DISSEMINATION_BARRIER)
            collective_round(r, c->bytes);
        else
            collective_one_way(r, c->bytes);
    }
}

static void collective_halo(struct collective_rounds *r, const struct model_collective_call *c)
{
    int neighbours = 0;
    for (int i = 0; i < 3; i++)
        neighbours += c->dimensions[i] > 1 ? 2 : 0;
    if (neighbours > 0)
        r->time_s += neighbours * model_collective_wire_s(r->link, c->bytes) + collective_alpha_s(r->link, c->bytes);
}

bool model_collective_time(const struct model_collective_link *l, const struct model_collective_call *c,
                           double *time_s, struct error *err)
{
    struct collective_rounds r = {.link = l};
    if (!(l->rate_bps > 0) || !(l->latency_s >= 0) || l->stores < 0 || l->segment_bytes < 1 || l->overhead_bytes < 0 ||
        l->gap_bytes < 0 || l->gap_bytes > l->overhead_bytes)
        return error_set(err, ERROR_INPUT, "a collective's link needs a rate and segments above 0, no time below it");
    if (c->ranks < 2 || c->bytes < 1)
        return error_set(err, ERROR_INPUT, "a collective needs 2 processes and 1 byte, or more");
    switch (c->algorithm) {
    case MODEL_COLLECTIVE_RING_ALLREDUCE:
        collective_ring(&r, c, 2);
        break;
    case MODEL_COLLECTIVE_RING_ALLGATHER:
    case MODEL_COLLECTIVE_RING_REDUCE_SCATTER:
    case MODEL_COLLECTIVE_PAIRWISE_REDUCE_SCATTER:
        collective_ring(&r, c, 1);
        break;
    case MODEL_COLLECTIVE_DOUBLING_ALLREDUCE:
    case MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE:
        collective_folded(&r, c);
        break;
    case MODEL_COLLECTIVE_BRUCK_ALLGATHER:
    case MODEL_COLLECTIVE_BINOMIAL_BROADCAST:
    case MODEL_COLLECTIVE_BINOMIAL_REDUCE:
    case MODEL_COLLECTIVE_DISSEMINATION_BARRIER:
        collective_logarithm(&r, c);
        break;
    case MODEL_COLLECTIVE_HALO:
        collective_halo(&r, c);
        break;
    }
    *time_s = r.time_s;
    return true;
}

double model_collective_bus_alltoall(int ranks)
{
    return (double)(ranks - 1) / ranks;
}

double model_collective_bus(enum model_collective algorithm, int ranks)
{
    switch (algorithm) {
    case MODEL_COLLECTIVE_RING_ALLREDUCE:
    case MODEL_COLLECTIVE_DOUBLING_ALLREDUCE:
    case MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE:
        return 2 * model_collective_bus_alltoall(ranks);
    case MODEL_COLLECTIVE_RING_ALLGATHER:
    case MODEL_COLLECTIVE_BRUCK_ALLGATHER:
    case MODEL_COLLECTIVE_RING_REDUCE_SCATTER:
    case MODEL_COLLECTIVE_PAIRWISE_REDUCE_SCATTER:
        return model_collective_bus_alltoall(ranks);
    case MODEL_COLLECTIVE_BINOMIAL_BROADCAST:
    case MODEL_COLLECTIVE_BINOMIAL_REDUCE:
        return 1;
    case MODEL_COLLECTIVE_DISSEMINATION_BARRIER:
    case MODEL_COLLECTIVE_HALO:
        break;
    }
    return 0;
}
