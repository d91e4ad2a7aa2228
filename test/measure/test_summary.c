/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/summary.h"
#include "test/cm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
static void test_losses_are_those_within_a_block(void **state)
{
    (void)state;
    struct measure_test t = {.in = 1, .out = 1};
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
    assert_true(fabs(s.out[MEASURE_OUT].mean.acks_bps - acks) <= 1e3);
    assert_true(fabs(s.possible_in_bps - (9e6 - acks)) <= 1e4);
    assert_true(fabs(s.lost_in.value - (1 - 3.6e6 / (9e6 - acks))) <= 1e-3);
    assert_true(s.lost_in.ci95 < 0.01); /* though rates differ by 10 % */
    assert_true(fabs(s.least_in.value - s.lost_in.value) <= 0); /* it is full */
    assert_true(fabs(s.in[MEASURE_BOTH].rate_bps.value - 3.6e6) <= 1);
    assert_true(s.in[MEASURE_BOTH].rate_bps.ci95 > 0.5e6);
    assert_true(fabs(s.in[MEASURE_IN].growth - 0) <= 1e-9);
    measure_test_fini(&t);
}

/* A flow that waits nowhere and loses nothing leaves room: ACKs take nothing from it. */
static void test_a_link_that_is_not_full_has_room_for_acks(void **state)
{
    (void)state;
    struct measure_test t = {.in = 1, .out = 1};
    struct measure_summary s;
    add(&t, MEASURE_IN, 10, 0, 0.0105);
    add(&t, MEASURE_OUT, 0, 10, 0.0105);
    add(&t, MEASURE_BOTH, 10, 10, 0.0105);
    measure_summary_of(&t, &s);
    assert_true(!s.full_in && !s.full_out);
    assert_true(fabs(s.possible_in_bps - 10e6) <= 1);
    assert_true(fabs(s.lost.value - 0) <= 1e-9);
    assert_true(fabs(s.least.value - (1 - 10 / 9.91)) <= 1e-3); /* were it full, 0.09 Mb/s of ACKs had no room */
    assert_true(isnan(s.lost.ci95)); /* of one block */
    measure_test_fini(&t);
}

/* Data in are answered twice as often alone as with both at once: 1.8 % of the rate. Served first, their ACKs are as
 * many as alone, and take 0.18 Mb/s of the 10 out. */
static void test_acks_are_those_of_a_direction_alone(void **state)
{
    (void)state;
    struct measure_test t = {.in = 1, .out = 1};
    struct measure_summary s;
    add(&t, MEASURE_IN, 10, 0, 0.05);
    add(&t, MEASURE_OUT, 0, 10, 0.05);
    add(&t, MEASURE_BOTH, 5, 10, 0.05);
    for (size_t i = 0; i < t.phase[0].end[0].near.n; i++)
        t.phase[0].end[0].near.sample[i].segments *= 2;
    measure_summary_of(&t, &s);
    assert_true(fabs(s.possible_out_bps - (10e6 - 0.18e6)) <= 2e3);
    assert_true(fabs(s.possible_in_bps - (10e6 - 0.09e6)) <= 2e3);
    measure_test_fini(&t);
}

static void test_the_better_paced_phase_shows_what_the_path_can(void **state)
{
    (void)state;
    struct measure_test t = {.in = 1, .out = 1};
    struct measure_summary s;
    add(&t, MEASURE_PACED, 3, 9, 0.011);
    add(&t, MEASURE_PACED, 9, 8.8, 0.011);
    measure_summary_of(&t, &s);
    assert_true(fabs(s.paced_in_bps - 9e6) <= 1);
    assert_true(fabs(s.paced_out_bps - 8.8e6) <= 1);
    assert_true(fabs(s.pace_in_bps - 9e6) <= 1);
    measure_test_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses_are_those_within_a_block),
        cmocka_unit_test(test_a_link_that_is_not_full_has_room_for_acks),
        cmocka_unit_test(test_acks_are_those_of_a_direction_alone),
        cmocka_unit_test(test_the_better_paced_phase_shows_what_the_path_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
