/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/loss_trace.h"

#include "base/random.h"

#include "test/cm.h"

#define P MODEL_LOSS_PACK
#define N MODEL_LOSS_NACK
#define TO MODEL_LOSS_TIMEOUT

static void count(const enum model_loss_event *events, size_t n, struct model_loss_counts *k)
{
    for (size_t i = 0; i < n; i++)
        model_loss_trace_add(k, events[i]);
}

/* P P P N P P N TO TO P: 6 P of which 2 go to N; 2 sequences, 1 ends in a timeout; 2 TO, 1 goes to P. */
TEST(test_a_trace_by_hand)
{
    const enum model_loss_event events[] = {P, P, P, N, P, P, N, TO, TO, P};
    struct model_loss_counts k = {0};
    count(events, 10, &k);
    struct model_loss_estimate e = model_loss_trace_estimate(&k);
    assert_int_equal(k.packs, 6);
    assert_near(e.c.value, 2.0 / 6, 1e-15);
    assert_ints({e.c.hits, 2}, {e.c.trials, 6});
    assert_all_near(1e-15, {e.one_minus_a.value, 1.0 / 2}, {e.f.value, 1.0 / 2});
    assert_int_equal(k.foreign, 0);
}

/* P N TO P: after as many Nacks as Packs the trace is none that begins: N goes to TO, and TO to P. */
TEST(test_as_many_nacks_as_packs_begin_no_trace_anew)
{
    const enum model_loss_event events[] = {P, N, TO, P};
    struct model_loss_counts k = {0};
    count(events, 4, &k);
    assert_ints({k.pack_nack, 1}, {k.nack_timeout, 1}, {k.timeout_pack, 1});
}

TEST(test_transitions_the_chain_has_not_are_counted_apart)
{
    const enum model_loss_event events[] = {P, TO, N, N, TO, P};
    struct model_loss_counts k = {0};
    count(events, 6, &k);
    assert_int_equal(k.foreign, 3); /* P-TO, TO-N, N-N */
    struct model_loss_estimate e = model_loss_trace_estimate(&k);
    assert_int_equal(e.one_minus_a.trials, 0);
    assert_true(isnan(e.one_minus_a.value));
}

/* Wilson 1927: 2 of 10 gives 0.0567 to 0.5098. */
TEST(test_wilson_interval)
{
    struct model_loss_proportion p = model_loss_trace_proportion(2, 10);
    assert_near(p.value, 0.2, 1e-15);
    assert_all_near(0.00005, {p.low, 0.0567}, {p.high, 0.5098});
    p = model_loss_trace_proportion(0, 10);
    assert_near(p.low, 0, 1e-15);
    assert_true(p.high > 0.2 && p.high < 0.35);
}

static enum model_loss_event next(struct random *r, enum model_loss_event from, const struct model_loss_chain *chain)
{
    double u = random_share(r);
    switch (from) {
    case P:
        return u < chain->c ? N : P;
    case N:
        return u < chain->one_minus_a ? TO : P;
    default:
        return u < chain->f ? P : TO;
    }
}

/* Chains of known probabilities: 95 % of the intervals hold them. Of 600 (200 seeds, three probabilities) 570 are
 * expected with a standard deviation of 5.3; 545 is nearly five below. */
TEST(test_simulated_chains_are_recovered)
{
    enum { EVENTS = 20000, SEEDS = 200 };
    static enum model_loss_event events[EVENTS];
    int covered = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct random r = random_of(seed);
        struct model_loss_chain chain = {0.005 + 0.05 * (double)random_below(&r, 1000) / 1000,
                                         0.05 + 0.4 * (double)random_below(&r, 1000) / 1000,
                                         0.3 + 0.5 * (double)random_below(&r, 1000) / 1000};
        enum model_loss_event e = P;
        for (int i = 0; i < EVENTS; i++)
            events[i] = e = next(&r, e, &chain);
        struct model_loss_counts k = {0};
        count(events, EVENTS, &k);
        assert_ints({k.foreign, 0}, {k.packs + k.nacks + k.timeouts, EVENTS});
        struct model_loss_estimate found = model_loss_trace_estimate(&k);
        covered += found.c.low <= chain.c && chain.c <= found.c.high;
        covered += found.one_minus_a.low <= chain.one_minus_a && chain.one_minus_a <= found.one_minus_a.high;
        covered += found.f.low <= chain.f && chain.f <= found.f.high;
    }
    assert_in_range(covered, 545, 600);
}

TEST(test_the_chain_of_senders_is_their_mean)
{
    struct model_loss_chain chain;
    struct model_loss_counts senders[2] = {
        {.packs = 100, .nacks = 10, .timeouts = 4, .pack_nack = 10, .nack_timeout = 2, .timeout_pack = 2},
        {.packs = 100, .nacks = 0},
    };
    assert_true(model_loss_trace_chain(senders, 2, &chain, &err));
    assert_near(chain.c, 0.05, 1e-15);          /* 0.1 and 0 */
    assert_near(chain.one_minus_a, 0.2, 1e-15); /* the second has no sequence to judge */
    assert_near(chain.f, 0.5, 1e-15);
    assert_true(model_loss_trace_chain(senders + 1, 1, &chain, &err));
    assert_near(chain.c, 0, 0);
    assert_false(model_loss_trace_chain(senders, 0, &chain, &err));
    assert_non_null(strstr(err.message, "Pack"));
}
