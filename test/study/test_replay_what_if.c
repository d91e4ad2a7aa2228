/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --what-if changes in a scenario, and what it refuses. */
#include "study/replay.h"

#include <math.h>
#include <string.h>

#include "test/scenarios/text.h"

#define STAR "network: {topology: star, hosts: 4}\ntraffic: {flows: [{from: h1, to: h0}, {from: h0, to: h2}]}\n"

static struct scenario changed(const char *text)
{
    struct scenario s = text_load(STAR, NULL);
    struct error err;
    assert_true(study_replay_what_if(&s, text, &err));
    return s;
}

static void test_a_discipline_is_everywhere_or_at_one_place(void **state)
{
    (void)state;
    struct scenario s = changed("ack-first");
    assert_int_equal(s.network.nic.discipline, EMU_DISCIPLINE_ACK_FIRST);
    assert_int_equal(s.network.sw.queue.discipline, EMU_DISCIPLINE_ACK_FIRST);
    scenario_fini(&s);
    s = changed("fair@port");
    assert_int_equal(s.network.nic.discipline, EMU_DISCIPLINE_FIFO);
    assert_int_equal(s.network.sw.queue.discipline, EMU_DISCIPLINE_FAIR);
    scenario_fini(&s);
    s = changed("ack-first@nic");
    assert_int_equal(s.network.nic.discipline, EMU_DISCIPLINE_ACK_FIRST);
    assert_int_equal(s.network.sw.queue.discipline, EMU_DISCIPLINE_FIFO);
    scenario_fini(&s);
}

static void test_changes_join(void **state)
{
    (void)state;
    struct scenario s = changed("ack-first@port+buffer=1MB@nic");
    assert_int_equal(s.network.sw.queue.discipline, EMU_DISCIPLINE_ACK_FIRST);
    assert_int_equal(s.network.sw.queue.limit_bytes, 20000000); /* the default */
    assert_int_equal(s.network.nic.limit_bytes, 1000000);
    scenario_fini(&s);
}

static void test_a_buffer_counts_bytes_or_packets(void **state)
{
    (void)state;
    struct scenario s = changed("buffer=100p@port");
    assert_int_equal(s.network.sw.queue.limit_packets, 100);
    assert_int_equal(s.network.sw.queue.limit_bytes, EMU_QUEUE_UNLIMITED);
    scenario_fini(&s);
}

static void test_what_belongs_to_tcp_reaches_every_flow(void **state)
{
    (void)state;
    struct scenario s = changed("window=300kB+cc=cubic+small-queues=10kB");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s.flows[i].tcp.send_buffer_bytes, 300000);
        assert_int_equal(s.flows[i].tcp.receive_buffer_bytes, 300000);
        assert_int_equal(s.flows[i].tcp.congestion, EMU_CONGESTION_CUBIC);
        assert_int_equal(s.flows[i].tcp.small_queue_bytes, 10000);
    }
    scenario_fini(&s);
}

static void test_datagrams_get_another_rate(void **state)
{
    (void)state;
    struct scenario s = text_load("traffic:\n  flows: [{from: h1, to: h0}]\n"
                                  "  datagrams: [{from: h1, to: h0, rate: 7Mbps}]\n", NULL);
    struct error err;
    assert_true(study_replay_what_if(&s, "datagrams=2Mbps+fair", &err));
    assert_int_equal(s.datagrams[0].rate_bps, 2000000);
    scenario_fini(&s);
}

static void test_pause_stops_everybody_or_the_senders(void **state)
{
    (void)state;
    struct scenario s = changed("pause");
    assert_true(s.network.sw.pause.on && s.network.sw.pause.everybody);
    scenario_fini(&s);
    s = changed("pause-senders");
    assert_true(s.network.sw.pause.on && !s.network.sw.pause.everybody);
    scenario_fini(&s);
}

static void test_nonsense_is_refused_and_named(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "lifo", "fifo=1", "buffer", "buffer=1kB", "buffer=9x", "window=10B",
                                      "window", "cc=reno2", "cc", "pause=1", "pause@port", "window=1MB@nic",
                                      "ack-first@switch", "ack-first+", "small-queues=many", "datagrams",
                                      "datagrams=0bps", "datagrams=many"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct scenario s = text_load(STAR, NULL);
        struct error err;
        assert_false(study_replay_what_if(&s, bad[i], &err));
        assert_int_equal(err.code, ERROR_INPUT);
        assert_non_null(strstr(err.message, "--what-if"));
        assert_non_null(strstr(err.message, bad[i]));
        scenario_fini(&s);
    }
}

/* 2 in, 1 out: 20 of 30 Mb/s, all of it lost by outgoing data, whose ACKs wait in the port towards the host. */
static void test_the_diagnosis_expects_what_acks_first_give_at_the_right_place(void **state)
{
    (void)state;
    struct judge_diagnosis d = {.in = {.lost_share = 0}, .out = {.lost_share = 0.5}, .lost_share = 1 / 3.0};
    assert_float_equal(study_replay_expected(&d, "ack-first"), 0.5, 1e-9);
    assert_float_equal(study_replay_expected(&d, "fair@port"), 0.5, 1e-9);
    assert_float_equal(study_replay_expected(&d, "ack-first@nic"), 0, 1e-9);
    assert_true(isnan(study_replay_expected(&d, "buffer=1MB")));
    assert_true(isnan(study_replay_expected(&d, "ack-first+buffer=1MB")));
    d.in.lost_share = 0.3; /* a change at one place helps both directions, or neither: who knows */
    assert_true(isnan(study_replay_expected(&d, "ack-first@nic")));
    assert_float_equal(study_replay_expected(&d, "ack-first"), 0.5, 1e-9);
    d.lost_share = d.in.lost_share = d.out.lost_share = (double)NAN;
    assert_true(isnan(study_replay_expected(&d, "ack-first")) && isnan(study_replay_expected(&d, "fair@nic")));
}

/* One flow goes from 10 to 15 Mb/s with ACKs first: a third was lost. The diagnosis may be a tenth off, not more; and a
 * replay does not know what the capture does not show. */
static void test_a_gain_that_the_diagnosis_does_not_expect_is_refused(void **state)
{
    (void)state;
    char why[240];
    double settled_before[] = {10e6}, settled_after[] = {15e6};
    struct scenario_flow flow = {.from = 1};
    struct study_replay r = {.n_flows = 1, .scenario.flows = &flow};
    struct study_replay_run before = {.label = "baseline", .settled_bps = settled_before},
                            after = {.label = "ack-first", .settled_bps = settled_after};
    struct judge_diagnosis d = {.answer = JUDGE_ANSWER_YES, .in.lost_share = 0.25, .lost_share = 0.25};
    assert_false(study_replay_refuses_gain(&r, NULL, &before, &after, why));
    assert_false(study_replay_refuses_gain(&r, &d, &before, &after, why));
    d.in.lost_share = 0.2; /* both together as expected, one direction not */
    assert_true(study_replay_refuses_gain(&r, &d, &before, &after, why));
    assert_string_equal(why, "ack-first wins back 50 % of incoming data in the replay, and the diagnosis expects 25 %: "
                             "one of them is wrong");
    d.lost_share = 0.2;
    assert_true(study_replay_refuses_gain(&r, &d, &before, &after, why));
    assert_string_equal(why, "ack-first wins back 50 % in the replay, and the diagnosis expects 25 %: one of them is wrong");
    after.label = "buffer=1MB";
    assert_false(study_replay_refuses_gain(&r, &d, &before, &after, why));
    after.label = "fair";
    assert_true(study_replay_refuses_gain(&r, &d, &before, &after, why));
    d = (struct judge_diagnosis){.answer = JUDGE_ANSWER_UNKNOWN, .lost_share = (double)NAN};
    assert_true(study_replay_refuses_gain(&r, &d, &before, &after, why));
    r.reads_network = true;
    r.rate_bps[1] = 16e6; /* never full: 16 Mb/s are a guess, and 15 fill them */
    flow = (struct scenario_flow){.to = 1};
    d = (struct judge_diagnosis){.answer = JUDGE_ANSWER_YES, .out.lost_share = 0.25, .lost_share = 0.25};
    assert_true(study_replay_refuses_gain(&r, &d, &before, &after, why));
    assert_non_null(strstr(why, "fills the link from h0, whose rate does not show"));
    r.rate_source[1] = JUDGE_CAPACITY_DISPERSION;
    assert_false(study_replay_refuses_gain(&r, &d, &before, &after, why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_discipline_is_everywhere_or_at_one_place),
        cmocka_unit_test(test_changes_join),
        cmocka_unit_test(test_a_buffer_counts_bytes_or_packets),
        cmocka_unit_test(test_what_belongs_to_tcp_reaches_every_flow),
        cmocka_unit_test(test_datagrams_get_another_rate),
        cmocka_unit_test(test_pause_stops_everybody_or_the_senders),
        cmocka_unit_test(test_nonsense_is_refused_and_named),
        cmocka_unit_test(test_the_diagnosis_expects_what_acks_first_give_at_the_right_place),
        cmocka_unit_test(test_a_gain_that_the_diagnosis_does_not_expect_is_refused),
    };
    return cmocka_run_group_tests(tests, text_enter, text_leave);
}
