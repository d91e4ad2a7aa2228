/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/summary.h"
#include "test/cm.h"

/* A phase of 2 s at constant rates in Mb/s; 0: nothing goes that way. Round trips are `rtt_s` over a floor of 10 ms,
 * and each MB is answered by 100 segments. */
static void add(struct measure_test *t, enum measure_kind kind, double in_mbps, double out_mbps, double rtt_s)
{
    struct measure_phase *p = &t->phase[t->n++];
    *p = (struct measure_phase){.kind = kind, .from_s = 1, .to_s = 3};
    for (int incoming = 0; incoming < 2; incoming++) {
        double rate = (incoming ? in_mbps : out_mbps) * 1e6 / 8;
        if (rate <= 0)
            continue;
        struct measure_end *e = &p->end[p->n++];
        *e = (struct measure_end){.incoming = incoming, .pace_bps = kind == MEASURE_PACED ? 9e6 : 0};
        for (int i = 0; i <= 4; i++) {
            struct measure_sample receiver = {.at_s = i, .bytes = (int64_t)(rate * i), .rtt_s = NAN,
                                              .least_rtt_s = NAN, .segments = (int64_t)(rate * i / 1e4)};
            struct measure_sample sender = {.at_s = i, .rtt_s = rtt_s, .least_rtt_s = 0.01, .cwnd_bytes = 1e4,
                                            .busy_s = i, .segments = 1000 * i};
            measure_flow_add(incoming ? &e->near : &e->far, &receiver);
            measure_flow_add(incoming ? &e->far : &e->near, &sender);
        }
    }
}

/* What each direction loses against itself alone, block by block, so that a network that becomes slower from block to
 * block shows no interval by that. 100 ACKs of 90 bytes a MB are 0.9 % of the rate: 0.09 Mb/s of 10. */
TEST(test_losses_are_those_within_a_block)
{
    MEMORY_ENDS(measure_test_fini) struct measure_test t = {.in = 1, .out = 1};
    struct measure_summary s;
    for (int b = 0; b < 3; b++) {
        double slow = 1 - 0.1 * b;
        add(&t, MEASURE_IN, 10 * slow, 0, 0.05);
        add(&t, MEASURE_OUT, 0, 10 * slow, 0.05);
        add(&t, MEASURE_BOTH, 4 * slow, 10 * slow, 0.05);
    }
    measure_summary_of(&t, &s);
    assert_true(s.full_in && s.full_out); /* data wait 40 of 50 ms */
    double acks = 100.0 * 90 / 1e6 * 9e6; /* mean of the blocks, as possible_* takes it */
    assert_int_equal(s.in[MEASURE_OUT].mean.flows, 0);
    assert_all(fabs(s.out[MEASURE_OUT].mean.acks_bps - acks) <= 1e3, fabs(s.possible_in_bps - (9e6 - acks)) <= 1e4,
               fabs(s.lost_in.value - (1 - 3.6e6 / (9e6 - acks))) <= 1e-3);
    assert_true(s.lost_in.ci95 < 0.01); /* though rates differ by 10 % */
    assert_true(fabs(s.least_in.value - s.lost_in.value) <= 0); /* it is full */
    assert_all(fabs(s.in[MEASURE_BOTH].rate_bps.value - 3.6e6) <= 1, s.in[MEASURE_BOTH].rate_bps.ci95 > 0.5e6,
               fabs(s.in[MEASURE_IN].growth - 0) <= 1e-9);
}

/* A flow that waits nowhere and loses nothing leaves room: ACKs take nothing from it. */
TEST(test_a_link_that_is_not_full_has_room_for_acks)
{
    MEMORY_ENDS(measure_test_fini) struct measure_test t = {.in = 1, .out = 1};
    struct measure_summary s;
    add(&t, MEASURE_IN, 10, 0, 0.0105);
    add(&t, MEASURE_OUT, 0, 10, 0.0105);
    add(&t, MEASURE_BOTH, 10, 10, 0.0105);
    measure_summary_of(&t, &s);
    assert_all(!s.full_in && !s.full_out, fabs(s.possible_in_bps - 10e6) <= 1, fabs(s.lost.value - 0) <= 1e-9);
    assert_true(fabs(s.least.value - (1 - 10 / 9.91)) <= 1e-3); /* were it full, 0.09 Mb/s of ACKs had no room */
    assert_true(isnan(s.lost.ci95)); /* of one block */
}

/* Data in are answered twice as often alone as with both at once: 1.8 % of the rate. Served first, their ACKs are as
 * many as alone, and take 0.18 Mb/s of the 10 out. */
TEST(test_acks_are_those_of_a_direction_alone)
{
    MEMORY_ENDS(measure_test_fini) struct measure_test t = {.in = 1, .out = 1};
    struct measure_summary s;
    add(&t, MEASURE_IN, 10, 0, 0.05);
    add(&t, MEASURE_OUT, 0, 10, 0.05);
    add(&t, MEASURE_BOTH, 5, 10, 0.05);
    for (size_t i = 0; i < t.phase[0].end[0].near.n; i++)
        t.phase[0].end[0].near.sample[i].segments *= 2;
    measure_summary_of(&t, &s);
    assert_all(fabs(s.possible_out_bps - (10e6 - 0.18e6)) <= 2e3, fabs(s.possible_in_bps - (10e6 - 0.09e6)) <= 2e3);
}

TEST(test_the_better_paced_phase_shows_what_the_path_can)
{
    MEMORY_ENDS(measure_test_fini) struct measure_test t = {.in = 1, .out = 1};
    struct measure_summary s;
    add(&t, MEASURE_PACED, 3, 9, 0.011);
    add(&t, MEASURE_PACED, 9, 8.8, 0.011);
    measure_summary_of(&t, &s);
    assert_all(fabs(s.paced_in_bps - 9e6) <= 1, fabs(s.paced_out_bps - 8.8e6) <= 1, fabs(s.pace_in_bps - 9e6) <= 1);
}

/* Data in first: in gets 0.30 and 0.34 more of what is possible than out; out first: 0.26 and 0.30 less. Means 0.32 and
 * -0.28: who begins first gets half of what is between them, 0.30, more. Around them squares of 4 times 0.02, over two
 * degrees of freedom: 0.0008; half of sqrt(0.0008 / 2 + 0.0008 / 2) is 0.014142, and t is 4.30265 (tables). */
TEST(test_what_it_brings_to_begin_first)
{
    static const double difference[] = {0.30, -0.26, -0.30, 0.34};
    static const bool out_first[] = {false, true, true, false}, never[] = {false, false, false, true};
    struct estimate e = measure_summary_order(difference, out_first, 4);
    assert_all(fabs(e.value - 0.30) <= 1e-12, fabs(e.std_error - 0.014142) <= 1e-6,
               fabs(e.ci95 - 4.30265 * 0.0141421) <= 1e-4);
    e = measure_summary_order(difference, never, 4); /* one phase does not show how much it varies */
    assert_true(isnan(e.value) && isnan(e.ci95));
    e = measure_summary_order(difference, out_first, 2);
    assert_true(isnan(e.value));
}

/* 10 Mb/s each way alone, none of it lost to the other's ACKs as no queue stands; 9 for who begins first, 6 for the
 * other one: a share of 0.3 for the order, 0.25 lost by either direction, and 1.5 s for the transfers. */
TEST(test_both_orders_of_a_test)
{
    MEMORY_ENDS(measure_test_fini) struct measure_test t = {.in = 1, .out = 1};
    struct measure_summary s;
    for (int b = 0; b < 4; b++) {
        bool out_first = b == 1 || b == 2;
        add(&t, MEASURE_IN, 10, 0, 0.0105);
        add(&t, MEASURE_OUT, 0, 10, 0.0105);
        add(&t, MEASURE_BOTH, out_first ? 6 : 9, out_first ? 9 : 6, 0.0105);
        t.phase[t.n - 1].out_first = out_first;
        t.phase[t.n - 1].length_s = 1.2 + 0.2 * b;
    }
    measure_summary_of(&t, &s);
    assert_all(fabs(s.order.value - 0.3) <= 1e-6, s.order.ci95 <= 1e-6,
               fabs(s.lost_in.value - 0.25) <= 1e-6 && fabs(s.lost_out.value - 0.25) <= 1e-6,
               fabs(s.transfer_s - 1.5) <= 1e-9);
}

/* In the first half of what is judged, second 1 to 2, who begins second brings `early` of 10 Mb/s, in the second half
 * `late`, by turns `noise` less and more; who begins first 9 in either. */
static void both_orders(struct measure_test *t, double early_mbps, double late_mbps, double noise_mbps)
{
    for (int b = 0; b < 4; b++) {
        bool out_first = b == 1 || b == 2;
        double second = late_mbps + (b % 2 ? noise_mbps : -noise_mbps);
        add(t, MEASURE_IN, 10, 0, 0.0105);
        add(t, MEASURE_OUT, 0, 10, 0.0105);
        add(t, MEASURE_BOTH, out_first ? second : 9, out_first ? 9 : second, 0.0105);
        struct measure_phase *p = &t->phase[t->n - 1];
        p->out_first = out_first;
        p->length_s = 2.5;
        struct measure_end *e = &p->end[out_first ? 1 : 0]; /* add() has data out, then data in */
        struct measure_samples *receiver = e->incoming ? &e->near : &e->far;
        for (size_t i = 2; i < receiver->n; i++)
            receiver->sample[i].bytes += (int64_t)((early_mbps - second) * 1e6 / 8);
    }
}

/* 3 of 10 Mb/s early and 9 late: 0.3 for the order in the whole, nothing in the second half, which alone is judged
 * then: 10 % are lost, and not 25. With 6 in either half the order stays, and so does the whole. With 3 early and 7
 * late, give or take 1.5, the whole has 0.4 for the order, +- 4.30 times half of sqrt(0.01125), 0.23, and the second
 * half 0.2, +- 4.30 times half of sqrt(0.045), 0.46: it may be nothing, or 0.4 as before. Nothing is excluded, and
 * the whole stays. */
TEST(test_only_the_steady_half_is_judged)
{
    struct measure_test t = {.in = 1, .out = 1};
    struct measure_summary s;
    both_orders(&t, 3, 9, 0);
    measure_summary_settle(&t, &s);
    assert_all(fabs(s.order.value) <= 1e-6, fabs(s.lost.value - 0.1) <= 1e-6);
    for (size_t i = 0; i < t.n; i++)
        assert_true(fabs(t.phase[i].from_s - 2) <= 1e-9);
    measure_test_fini(&t);
    t = (struct measure_test){.in = 1, .out = 1};
    both_orders(&t, 6, 6, 0);
    measure_summary_settle(&t, &s);
    assert_all(fabs(s.order.value - 0.3) <= 1e-6, fabs(s.lost.value - 0.25) <= 1e-6);
    for (size_t i = 0; i < t.n; i++)
        assert_true(fabs(t.phase[i].from_s - 1) <= 1e-9);
    measure_test_fini(&t);
    t = (struct measure_test){.in = 1, .out = 1};
    both_orders(&t, 3, 7, 1.5);
    measure_summary_settle(&t, &s);
    assert_all(fabs(s.order.value - 0.4) <= 1e-6, fabs(s.order.ci95 - 4.30265 * 0.5 * sqrt(0.01125)) <= 1e-4);
    assert_true(fabs(s.lost.value - 0.3) <= 1e-6); /* 9 and 5 of 10 */
    assert_true(fabs(t.phase[0].from_s - 1) <= 1e-9);
    measure_test_fini(&t);
}
