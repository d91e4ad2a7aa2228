/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/traffic/collective.h"

#define ROUND_OPS 16 /* a 3-D halo's six sends and six receives are the most */

/* A process in its round: its operations wait for all of the round before. */
struct maker_rank {
    int before[ROUND_OPS], now[ROUND_OPS], n_before, n_now, round;
};

struct maker {
    const struct collective_config *config; /* borrowed, as is the schedule */
    struct schedule *schedule;
    struct maker_rank *ranks; /* owned */
    int blocks;
};

static void maker_add(struct maker *m, int rank, const struct schedule_op *op)
{
    struct maker_rank *r = &m->ranks[rank];
    int number = schedule_add(m->schedule, rank, op);
    for (int i = 0; i < r->n_before; i++)
        schedule_require(m->schedule, rank, number, r->before[i], false);
    r->now[r->n_now++] = number;
}

/* The process comes to its next round. */
static void maker_next(struct maker *m, int rank)
{
    struct maker_rank *r = &m->ranks[rank];
    for (int i = 0; i < r->n_now; i++)
        r->before[i] = r->now[i];
    if (r->n_now > 0)
        r->n_before = r->n_now;
    r->n_now = 0;
    r->round++;
}

static void maker_message(struct maker *m, enum schedule_kind kind, int rank, int peer, int first, int n, bool reduce)
{
    first = (first % m->blocks + m->blocks) % m->blocks;
    int64_t bytes = model_collective_blocks_bytes(m->config->bytes, m->blocks, first, n);
    maker_add(m, rank, &(struct schedule_op){.kind = kind, .peer = peer, .tag = m->ranks[rank].round,
                                             .amount = bytes > 0 ? bytes : 1, .first_block = first, .blocks = n,
                                             .reduce = reduce});
}

static void maker_send(struct maker *m, int rank, int to, int first, int n)
{
    maker_message(m, SCHEDULE_SEND, rank, to, first, n, false);
}

/* The tag of a message is its sender's round, which is the receiver's where all are in step. */
static void maker_receive(struct maker *m, int rank, int from, int first, int n, bool reduce)
{
    maker_message(m, SCHEDULE_RECEIVE, rank, from, first, n, reduce);
}

/* Patarasuk and Yuan 2009, Bandwidth optimal all-reduce algorithms: in each round a block goes to the next process, which
 * adds its own. Process i ends with block i + owned. */
static void make_ring_reduce(struct maker *m, int owned)
{
    int n = m->config->ranks;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < n - 1; k++) {
            maker_send(m, r, (r + 1) % n, r - k - 1 + owned, 1);
            maker_receive(m, r, (r + n - 1) % n, r - k - 2 + owned, 1, true);
            maker_next(m, r);
        }
}

/* Process i begins with block i + owned. */
static void make_ring_gather(struct maker *m, int owned)
{
    int n = m->config->ranks;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < n - 1; k++) {
            maker_send(m, r, (r + 1) % n, r - k + owned, 1);
            maker_receive(m, r, (r + n - 1) % n, r - k - 1 + owned, 1, false);
            maker_next(m, r);
        }
}

static void make_ring_allreduce(struct maker *m)
{
    make_ring_reduce(m, 1);
    make_ring_gather(m, 1);
}

static void make_ring_allgather(struct maker *m)
{
    make_ring_gather(m, 0);
}

static void make_ring_reduce_scatter(struct maker *m)
{
    make_ring_reduce(m, 0);
}

/* Thakur, Rabenseifner and Gropp 2005, section 4.3, of long messages. */
static void make_pairwise_reduce_scatter(struct maker *m)
{
    int n = m->config->ranks;
    for (int r = 0; r < n; r++)
        for (int k = 1; k < n; k++) {
            maker_send(m, r, (r + k) % n, r + k, 1);
            maker_receive(m, r, (r + n - k) % n, r, 1, true);
            maker_next(m, r);
        }
}

/* Bruck, Ho, Kipnis, Upfal and Weathersby 1997; Thakur et al. 2005, section 4.1. */
static void make_bruck_allgather(struct maker *m)
{
    int n = m->config->ranks;
    for (int r = 0; r < n; r++)
        for (int far = 1; far < n; far *= 2) {
            int blocks = far < n - far ? far : n - far;
            maker_send(m, r, (r + n - far) % n, r, blocks);
            maker_receive(m, r, (r + far) % n, r + far, blocks, false);
            maker_next(m, r);
        }
}

static int maker_power(int ranks)
{
    int power = 1;
    while (2 * power <= ranks)
        power *= 2;
    return power;
}

/* Without a power of two, as MPICH does (Thakur et al. 2005, section 4.5): of the first 2 (n - 2^k) processes every other
 * one hands its vector to the one after it, and gets the result back at the end. Number of a process among the 2^k that
 * go on; -1: it does not. */
static int fold_number(int rank, int extra)
{
    return rank >= 2 * extra ? rank - extra : rank % 2 ? rank / 2 : -1;
}

static int fold_rank(int number, int extra)
{
    return number < extra ? 2 * number + 1 : number + extra;
}

/* Before (`after` false) and after: a process beyond the power of two and the one that stands for it. */
static void maker_fold(struct maker *m, int rank, int extra, bool after)
{
    if (rank >= 2 * extra)
        return;
    bool outside = rank % 2 == 0;
    int other = outside ? rank + 1 : rank - 1;
    m->ranks[rank].round = after ? 1000 : m->ranks[rank].round; /* the one outside has had no rounds */
    if (outside != after)
        maker_send(m, rank, other, 0, m->blocks);
    else
        maker_receive(m, rank, other, 0, m->blocks, !after);
    maker_next(m, rank);
}

static void make_doubling_allreduce(struct maker *m)
{
    int n = m->config->ranks, power = maker_power(n), extra = n - power;
    for (int r = 0; r < n; r++) {
        int me = fold_number(r, extra);
        maker_fold(m, r, extra, false);
        m->ranks[r].round = 1;
        for (int far = 1; me >= 0 && far < power; far *= 2) {
            int other = fold_rank(me ^ far, extra);
            maker_send(m, r, other, 0, 1);
            maker_receive(m, r, other, 0, 1, true);
            maker_next(m, r);
        }
        maker_fold(m, r, extra, true);
    }
}

/* Rabenseifner 2004, Optimization of collective reduction operations: vector halving with distance doubling, then back
 * again. */
static void make_rabenseifner_allreduce(struct maker *m)
{
    int n = m->config->ranks, power = maker_power(n), extra = n - power;
    for (int r = 0; r < n; r++) {
        int me = fold_number(r, extra), low = 0, blocks = power;
        maker_fold(m, r, extra, false);
        m->ranks[r].round = 1;
        for (int far = 1; me >= 0 && far < power; far *= 2) {
            int other = fold_rank(me ^ far, extra);
            blocks /= 2;
            maker_send(m, r, other, me & far ? low : low + blocks, blocks);
            low += me & far ? blocks : 0;
            maker_receive(m, r, other, low, blocks, true);
            maker_next(m, r);
        }
        for (int far = power / 2; me >= 0 && far > 0; far /= 2, blocks *= 2) {
            int other = fold_rank(me ^ far, extra), theirs = me & far ? low - blocks : low + blocks;
            maker_send(m, r, other, low, blocks);
            maker_receive(m, r, other, theirs, blocks, false);
            low = theirs < low ? theirs : low;
            maker_next(m, r);
        }
        maker_fold(m, r, extra, true);
    }
}

/* A binomial tree (Thakur et al. 2005, sections 4.2 and 4.4): the parent of process i, counted from the root, is i
 * without its lowest bit that is set; its children are i plus each bit below that. */
static int tree_top(int number, int ranks)
{
    int top = 1;
    while (number > 0 ? !(number & top) : top < ranks)
        top *= 2;
    return top;
}

/* Messages of a tree have the number of the child as tag: both ends know it. */
static void maker_tree(struct maker *m, bool sends, int child, int parent, bool up)
{
    int n = m->config->ranks, rank = sends == up ? child : parent, peer = sends == up ? parent : child;
    int real = (rank + m->config->root) % n;
    m->ranks[real].round = child;
    maker_message(m, sends ? SCHEDULE_SEND : SCHEDULE_RECEIVE, real, (peer + m->config->root) % n, 0, 1, up && !sends);
    maker_next(m, real);
}

static void make_binomial_broadcast(struct maker *m)
{
    int n = m->config->ranks;
    for (int i = 0; i < n; i++) {
        int top = tree_top(i, n);
        if (i > 0)
            maker_tree(m, false, i, i & (i - 1), false);
        for (int bit = top / 2; bit > 0; bit /= 2) /* the largest subtree first */
            if (i + bit < n)
                maker_tree(m, true, i + bit, i, false);
    }
}

static void make_binomial_reduce(struct maker *m)
{
    int n = m->config->ranks;
    for (int i = 0; i < n; i++) {
        int top = tree_top(i, n);
        for (int bit = 1; bit < top; bit *= 2) /* the smallest subtree first */
            if (i + bit < n)
                maker_tree(m, false, i + bit, i, true);
        if (i > 0)
            maker_tree(m, true, i, i & (i - 1), true);
    }
}

/* Hensgen, Finkel and Manber 1988, Two algorithms for barrier synchronization. */
static void make_dissemination_barrier(struct maker *m)
{
    int n = m->config->ranks;
    for (int r = 0; r < n; r++)
        for (int far = 1; far < n; far *= 2) {
            maker_send(m, r, (r + far) % n, 0, 1);
            maker_receive(m, r, (r + n - far) % n, 0, 1, true);
            maker_next(m, r);
        }
}

/* Each process of a torus, the last dimension fastest, with both neighbours of each row at once: down the first
 * dimension, up it, down the second, ... The tag says which way a message goes. */
static void make_halo(struct maker *m)
{
    const int *dimensions = m->config->dimensions;
    for (int r = 0; r < m->config->ranks; r++) {
        int stride = m->config->ranks;
        for (int d = 0; d < 3 && dimensions[d] > 0; d++) {
            int length = dimensions[d], row = stride;
            stride /= length;
            for (int up = 0; up < 2 && length > 1; up++) {
                int at = r % row / stride;
                int to = r + ((at + (up ? 1 : length - 1)) % length - at) * stride;
                int from = r + ((at + (up ? length - 1 : 1)) % length - at) * stride;
                m->ranks[r].round = 2 * d + up;
                maker_send(m, r, to, 0, 1);
                maker_receive(m, r, from, 0, 1, true);
            }
        }
    }
}

static const struct {
    void (*make)(struct maker *m);
    bool cut; /* the vector is cut into blocks: one a process, or one for each of the power of two below */
} collectives[] = {
    [MODEL_COLLECTIVE_RING_ALLREDUCE] = {make_ring_allreduce, true},
    [MODEL_COLLECTIVE_DOUBLING_ALLREDUCE] = {make_doubling_allreduce, false},
    [MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE] = {make_rabenseifner_allreduce, true},
    [MODEL_COLLECTIVE_RING_ALLGATHER] = {make_ring_allgather, true},
    [MODEL_COLLECTIVE_BRUCK_ALLGATHER] = {make_bruck_allgather, true},
    [MODEL_COLLECTIVE_RING_REDUCE_SCATTER] = {make_ring_reduce_scatter, true},
    [MODEL_COLLECTIVE_PAIRWISE_REDUCE_SCATTER] = {make_pairwise_reduce_scatter, true},
    [MODEL_COLLECTIVE_BINOMIAL_BROADCAST] = {make_binomial_broadcast, false},
    [MODEL_COLLECTIVE_BINOMIAL_REDUCE] = {make_binomial_reduce, false},
    [MODEL_COLLECTIVE_DISSEMINATION_BARRIER] = {make_dissemination_barrier, false},
    [MODEL_COLLECTIVE_HALO] = {make_halo, false},
};

int collective_blocks(const struct collective_config *c)
{
    if (!collectives[c->algorithm].cut)
        return 1;
    return c->algorithm == MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE ? maker_power(c->ranks) : c->ranks;
}

int64_t collective_count(const struct collective_config *c)
{
    int64_t n = c->ranks, rounds = 2; /* of a send and a receive each; a tree, and what folds */
    switch (c->algorithm) {
    case MODEL_COLLECTIVE_RING_ALLREDUCE: return 4 * n * (n - 1);
    case MODEL_COLLECTIVE_RING_ALLGATHER:
    case MODEL_COLLECTIVE_RING_REDUCE_SCATTER:
    case MODEL_COLLECTIVE_PAIRWISE_REDUCE_SCATTER: return 2 * n * (n - 1);
    case MODEL_COLLECTIVE_HALO: return 12 * n;
    default: break;
    }
    for (int64_t far = 1; far < n; far *= 2)
        rounds += 2;
    return 2 * n * rounds;
}

void collective_schedule(const struct collective_config *c, struct schedule *s)
{
    schedule_init(s, c->ranks);
    struct maker m = {c, s, memory_zeroed((size_t)c->ranks, sizeof *m.ranks, "a collective"), collective_blocks(c)};
    collectives[c->algorithm].make(&m);
    free(m.ranks);
}
