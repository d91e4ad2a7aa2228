/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every collective is played with sets instead of numbers: who has contributed to each block of each process's vector, and
 * how often. What must be there at the end is the definition of the operation, whoever sent what to whom. */
#include "base/random.h"
#include "scenarios/traffic/collective.h"
#include "test/cm.h"

#define RANKS 40
#define SEED 19

struct message {
    int from, to, tag, first, n;
    bool taken;
    int times[RANKS][RANKS]; /* of a block, by a process */
};

struct game {
    struct schedule schedule;
    struct collective_config config;
    int blocks;
    int (*has)[RANKS][RANKS]; /* of a process: how often a block holds a process's contribution */
    bool *done[RANKS], *begun[RANKS];
    struct message *messages;
    size_t n_messages;
    struct random random;
};

static bool may_begin(const struct game *g, int rank, int op)
{
    const struct schedule_rank *r = &g->schedule.ranks[rank];
    for (size_t i = 0; i < r->n_needs; i++)
        if (r->needs[i].op == op && !(r->needs[i].started ? g->begun : g->done)[rank][r->needs[i].earlier])
            return false;
    return true;
}

static void take(struct game *g, int rank, const struct schedule_op *op, struct message *m)
{
    m->taken = true;
    assert_int_equal(m->first, op->first_block); /* both ends mean the same part */
    assert_int_equal(m->n, op->blocks);
    for (int i = 0; i < m->n; i++)
        for (int who = 0; who < g->config.ranks; who++) {
            int block = (m->first + i) % g->blocks, *has = &g->has[rank][block][who];
            *has = (op->reduce ? *has : 0) + m->times[i][who];
        }
}

/* What begins sends at once; a receive ends when it likes. False when nothing more happens. */
static bool step(struct game *g)
{
    struct {
        int rank, op;
        struct message *m;
    } may[8 * RANKS];
    size_t n = 0;
    bool more = true, any = false;
    while (more) {
        more = false;
        for (int r = 0; r < g->config.ranks; r++)
            for (int i = 0; i < (int)g->schedule.ranks[r].n; i++) {
                const struct schedule_op *op = &g->schedule.ranks[r].ops[i];
                if (g->begun[r][i] || !may_begin(g, r, i))
                    continue;
                g->begun[r][i] = more = any = true;
                if (op->kind != SCHEDULE_SEND)
                    continue;
                struct message *m = &g->messages[g->n_messages++];
                *m = (struct message){.from = r, .to = op->peer, .tag = op->tag, .first = op->first_block, .n = op->blocks};
                for (int k = 0; k < op->blocks; k++)
                    memcpy(m->times[k], g->has[r][(op->first_block + k) % g->blocks], sizeof m->times[k]);
                g->done[r][i] = true;
            }
    }
    for (int r = 0; r < g->config.ranks; r++)
        for (int i = 0; i < (int)g->schedule.ranks[r].n; i++) {
            const struct schedule_op *op = &g->schedule.ranks[r].ops[i];
            if (op->kind != SCHEDULE_RECEIVE || !g->begun[r][i] || g->done[r][i])
                continue;
            for (size_t k = 0; k < g->n_messages; k++) {
                struct message *m = &g->messages[k];
                if (!m->taken && m->from == op->peer && m->to == r && m->tag == op->tag) {
                    may[n].rank = r;
                    may[n].op = i;
                    may[n++].m = m;
                    break;
                }
            }
        }
    if (n == 0)
        return any;
    size_t pick = random_below(&g->random, n);
    take(g, may[pick].rank, &g->schedule.ranks[may[pick].rank].ops[may[pick].op], may[pick].m);
    g->done[may[pick].rank][may[pick].op] = true;
    return true;
}

static bool gathers(enum model_collective a)
{
    return a == MODEL_COLLECTIVE_RING_ALLGATHER || a == MODEL_COLLECTIVE_BRUCK_ALLGATHER;
}

static bool scatters(enum model_collective a)
{
    return a == MODEL_COLLECTIVE_RING_REDUCE_SCATTER || a == MODEL_COLLECTIVE_PAIRWISE_REDUCE_SCATTER;
}

/* Process `who` gives block `block` of process `rank` its contribution: at the start, where those are the same. */
static bool starts_with(const struct game *g, int rank, int block)
{
    enum model_collective a = g->config.algorithm;
    return gathers(a) ? block == rank : a == MODEL_COLLECTIVE_BINOMIAL_BROADCAST ? rank == g->config.root : true;
}

/* Neighbours by their places in the torus, not by the schedule: how often `who` is one of `rank`. */
static int neighbours(const struct collective_config *c, int rank, int who)
{
    int n = 0;
    for (int d = 0; d < 3 && c->dimensions[d] > 0; d++) {
        int a = rank, b = who, equal = 0, at = 0, other = 0;
        for (int e = 2; e >= 0; e--) {
            int length = c->dimensions[e] > 0 ? c->dimensions[e] : 1;
            equal += e != d && a % length == b % length;
            at = e == d ? a % length : at;
            other = e == d ? b % length : other;
            a /= length;
            b /= length;
        }
        int length = c->dimensions[d];
        if (equal == 2 && length > 1)
            n += ((at + 1) % length == other) + ((other + 1) % length == at);
    }
    return n;
}

static void ends_right(const struct game *g)
{
    enum model_collective a = g->config.algorithm;
    for (int r = 0; r < g->config.ranks; r++)
        for (int b = 0; b < g->blocks; b++)
            for (int who = 0; who < g->config.ranks; who++) {
                int has = g->has[r][b][who];
                if (gathers(a))
                    assert_int_equal(has, who == b);
                else if (scatters(a) && b == r)
                    assert_int_equal(has, 1);
                else if (a == MODEL_COLLECTIVE_BINOMIAL_BROADCAST)
                    assert_int_equal(has, who == g->config.root);
                else if (a == MODEL_COLLECTIVE_BINOMIAL_REDUCE && r == g->config.root)
                    assert_int_equal(has, 1);
                else if (a <= MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE)
                    assert_int_equal(has, 1);
                else if (a == MODEL_COLLECTIVE_DISSEMINATION_BARRIER)
                    assert_true(has >= 1);
                else if (a == MODEL_COLLECTIVE_HALO)
                    assert_int_equal(has, (who == r) + neighbours(&g->config, r, who));
            }
}

static void play(const struct collective_config *config, uint64_t seed)
{
    struct game g = {.config = *config, .blocks = collective_blocks(config)};
    struct error err = {0};
    collective_schedule(config, &g.schedule);
    assert_true((int64_t)schedule_count(&g.schedule) <= collective_count(config));
    if (!schedule_finishes(&g.schedule, 0, &err))
        fail_msg("%s of %d: %s", model_collective_names[config->algorithm], config->ranks, err.message);
    g.random = random_of(seed);
    g.has = memory_zeroed(RANKS, sizeof *g.has, "a test");
    g.messages = memory_zeroed(schedule_count(&g.schedule), sizeof *g.messages, "a test");
    for (int r = 0; r < config->ranks; r++) {
        g.done[r] = memory_zeroed(g.schedule.ranks[r].n + 1, sizeof **g.done, "a test");
        g.begun[r] = memory_zeroed(g.schedule.ranks[r].n + 1, sizeof **g.begun, "a test");
        for (int b = 0; b < g.blocks; b++)
            g.has[r][b][r] = starts_with(&g, r, b);
    }
    while (step(&g))
        ;
    for (int r = 0; r < config->ranks; r++)
        for (size_t i = 0; i < g.schedule.ranks[r].n; i++)
            assert_true(g.done[r][i]);
    ends_right(&g);
    for (int r = 0; r < config->ranks; r++) {
        free(g.done[r]);
        free(g.begun[r]);
    }
    free(g.has);
    free(g.messages);
    schedule_fini(&g.schedule);
}

TEST(test_what_each_leaves_is_its_definition)
{
    struct random random = random_of(SEED);
    for (int a = 0; a < MODEL_COLLECTIVE_HALO; a++)
        for (int i = 0; i < 12; i++) {
            int ranks = i < 8 ? i + 2 : 10 + (int)random_below(&random, 15);
            struct collective_config c = {.algorithm = (enum model_collective)a, .ranks = ranks,
                                          .root = (int)random_below(&random, (uint64_t)ranks),
                                          .bytes = 1 + (int64_t)random_below(&random, 100000)};
            play(&c, SEED + (uint64_t)i);
        }
}

TEST(test_a_halo_reaches_all_neighbours)
{
    static const int dimensions[][3] = {{2, 2, 0}, {4, 3, 0}, {1, 5, 0}, {3, 3, 3}, {2, 3, 4}, {2, 2, 2}, {1, 1, 6}};
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
        struct collective_config c = {.algorithm = MODEL_COLLECTIVE_HALO, .ranks = 1, .bytes = 1000};
        for (int d = 0; d < 3; d++) {
            c.dimensions[d] = dimensions[i][d];
            c.ranks *= dimensions[i][d] > 0 ? dimensions[i][d] : 1;
        }
        play(&c, SEED);
    }
}

static int64_t sent(enum model_collective a, int ranks, int64_t bytes)
{
    struct collective_config c = {.algorithm = a, .ranks = ranks, .bytes = bytes};
    MEMORY_ENDS(schedule_fini) struct schedule s;
    int64_t total = 0;
    collective_schedule(&c, &s);
    for (int r = 0; r < ranks; r++)
        for (size_t i = 0; i < s.ranks[r].n; i++)
            total += s.ranks[r].ops[i].kind == SCHEDULE_SEND ? s.ranks[r].ops[i].amount : 0;
    return total;
}

/* Thakur, Rabenseifner and Gropp 2005, section 4: bytes in all, whatever does not divide evenly. */
TEST(test_bytes_are_those_of_the_papers)
{
    for (int n = 2; n < 20; n++) {
        int64_t s = 100003;
        assert_int_equal(sent(MODEL_COLLECTIVE_RING_ALLREDUCE, n, s), 2 * (n - 1) * s);
        assert_int_equal(sent(MODEL_COLLECTIVE_RING_ALLGATHER, n, s), (n - 1) * s);
        assert_int_equal(sent(MODEL_COLLECTIVE_BRUCK_ALLGATHER, n, s), (n - 1) * s);
        assert_int_equal(sent(MODEL_COLLECTIVE_RING_REDUCE_SCATTER, n, s), (n - 1) * s);
        assert_int_equal(sent(MODEL_COLLECTIVE_PAIRWISE_REDUCE_SCATTER, n, s), (n - 1) * s);
        assert_int_equal(sent(MODEL_COLLECTIVE_BINOMIAL_BROADCAST, n, s), (n - 1) * s);
        assert_int_equal(sent(MODEL_COLLECTIVE_BINOMIAL_REDUCE, n, s), (n - 1) * s);
    }
    assert_int_equal(sent(MODEL_COLLECTIVE_DOUBLING_ALLREDUCE, 16, 1001), 16 * 4 * 1001);
    assert_int_equal(sent(MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE, 16, 1001), 2 * 15 * 1001);
    /* 11 = 8 + 3: three vectors in, three out, and 8 processes between */
    assert_int_equal(sent(MODEL_COLLECTIVE_DOUBLING_ALLREDUCE, 11, 1001), (6 + 8 * 3) * 1001);
    assert_int_equal(sent(MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE, 11, 1001), (6 + 2 * 7) * 1001);
    assert_int_equal(sent(MODEL_COLLECTIVE_RING_ALLREDUCE, 4, 1), 2 * 3 * 4); /* shares of nothing are a byte each */
}
