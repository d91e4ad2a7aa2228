/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --what-if changes in a scenario, and what it refuses. */
#include "study/replay/replay.h"

#include "test/scenarios/text.h"

#define STAR "network: {topology: star, hosts: 4}\ntraffic: {flows: [{from: h1, to: h0}, {from: h0, to: h2}]}\n"

static struct scenario changed(const char *text)
{
    struct scenario s = text_load(STAR, NULL);
    struct error err;
    assert_true(study_replay_what_if(&s, text, &err));
    return s;
}

TEST(test_a_discipline_is_everywhere_or_at_one_place)
{
    struct scenario s = changed("ack-first");
    assert_int_equal(s.network.nic.discipline, EMU_DISCIPLINE_ACK_FIRST);
    assert_int_equal(s.network.sw.queue.discipline, EMU_DISCIPLINE_ACK_FIRST);
    scenario_fini(&s);
    s = changed("fair@port");
    assert_ints({s.network.nic.discipline, EMU_DISCIPLINE_FIFO}, {s.network.sw.queue.discipline, EMU_DISCIPLINE_FAIR});
    scenario_fini(&s);
    s = changed("ack-first@nic");
    assert_int_equal(s.network.nic.discipline, EMU_DISCIPLINE_ACK_FIRST);
    assert_int_equal(s.network.sw.queue.discipline, EMU_DISCIPLINE_FIFO);
    scenario_fini(&s);
}

TEST(test_changes_join)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = changed("ack-first@port+buffer=1MB@nic");
    assert_int_equal(s.network.sw.queue.discipline, EMU_DISCIPLINE_ACK_FIRST);
    assert_int_equal(s.network.sw.queue.limit_bytes, 20000000); /* the default */
    assert_int_equal(s.network.nic.limit_bytes, 1000000);
}

TEST(test_a_buffer_counts_bytes_or_packets)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = changed("buffer=100p@port");
    assert_ints({s.network.sw.queue.limit_packets, 100}, {s.network.sw.queue.limit_bytes, EMU_QUEUE_UNLIMITED});
}

TEST(test_what_belongs_to_tcp_reaches_every_flow)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = changed("window=300kB+cc=cubic+small-queues=10kB");
    for (int i = 0; i < 2; i++) {
        assert_ints({s.flows[i].tcp.send_buffer_bytes, 300000}, {s.flows[i].tcp.receive_buffer_bytes, 300000},
                    {s.flows[i].tcp.congestion, EMU_CONGESTION_CUBIC}, {s.flows[i].tcp.small_queue_bytes, 10000});
    }
}

TEST(test_datagrams_get_another_rate)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load("traffic:\n  flows: [{from: h1, to: h0}]\n"
                                                             "  datagrams: [{from: h1, to: h0, rate: 7Mbps}]\n", NULL);
    assert_true(study_replay_what_if(&s, "datagrams=2Mbps+fair", &err));
    assert_int_equal(s.datagrams[0].rate_bps, 2000000);
}

TEST(test_pause_stops_everybody_or_the_senders)
{
    struct scenario s = changed("pause");
    assert_true(s.network.sw.pause.on && s.network.sw.pause.everybody);
    scenario_fini(&s);
    s = changed("pause-senders");
    assert_true(s.network.sw.pause.on && !s.network.sw.pause.everybody);
    scenario_fini(&s);
}

TEST(test_nonsense_is_refused_and_named)
{
    static const char *const bad[] = {"", "lifo", "fifo=1", "buffer", "buffer=1kB", "buffer=9x", "window=10B",
                                      "window", "cc=reno2", "cc", "pause=1", "pause@port", "window=1MB@nic",
                                      "ack-first@switch", "ack-first+", "small-queues=many", "datagrams",
                                      "datagrams=0bps", "datagrams=many"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(STAR, NULL);
        assert_false(study_replay_what_if(&s, bad[i], &err));
        assert_int_equal(err.code, ERROR_INPUT);
        assert_non_null(strstr(err.message, "--what-if"));
        assert_non_null(strstr(err.message, bad[i]));
    }
}

static double expected(const struct judge_diagnosis *d, const char *what_if)
{
    return study_replay_expected(d, what_if, 0).share;
}

/* 2 in, 1 out: 20 of 30 Mb/s, all of it lost by outgoing data, whose ACKs wait in the port towards the host. */
TEST(test_the_judge_expects_what_acks_first_give_at_the_right_place)
{
    struct judge_diagnosis d = {.in = {.lost_share = 0}, .out = {.lost_share = 0.5, .lost_ci95 = 0.03},
                                .lost_share = 1 / 3.0, .ci95 = 0.02};
    assert_float_equal(expected(&d, "ack-first"), (float)(1 / 3.0), 1e-6);
    assert_float_equal(expected(&d, "fair@port"), (float)(1 / 3.0), 1e-6);
    assert_float_equal(study_replay_expected(&d, "ack-first", 0).ci95, 0.02, 1e-9);
    assert_float_equal(study_replay_expected(&d, "ack-first", 2).share, 0.5, 1e-9);
    assert_float_equal(study_replay_expected(&d, "ack-first", 2).ci95, 0.03, 1e-9);
    assert_float_equal(expected(&d, "ack-first@nic"), 0, 1e-9);
    assert_true(isnan(expected(&d, "buffer=1MB")));
    assert_true(isnan(expected(&d, "ack-first+buffer=1MB")));
    d.in.lost_share = 0.3; /* a change at one place helps both directions, or neither: who knows */
    assert_true(isnan(expected(&d, "ack-first@nic")));
    assert_float_equal(expected(&d, "ack-first"), (float)(1 / 3.0), 1e-6);
    d.lost_share = d.in.lost_share = d.out.lost_share = (double)NAN;
    assert_true(isnan(expected(&d, "ack-first")) && isnan(expected(&d, "fair@nic")));
}

/* One flow towards h0 goes from 10 to 15 Mb/s with ACKs first. */
static double captured_bps[] = {10e6}, before_bps[] = {10e6}, after_bps[] = {15e6}, ci95_bps[] = {(double)NAN};
static struct scenario_flow towards = {.from = 1};
static struct study_replay_flow captured = {.settled_bps = 10e6};
static const struct study_replay_run before = {.label = "baseline", .settled_bps = before_bps, .settled_ci95_bps = ci95_bps};

static struct study_replay one_flow(void)
{
    captured.settled_bps = captured_bps[0];
    return (struct study_replay){.flows = &captured, .n_flows = 1, .scenario.flows = &towards};
}

static struct study_replay_run changed_to(const char *label)
{
    return (struct study_replay_run){.label = label, .settled_bps = after_bps, .settled_ci95_bps = ci95_bps};
}

/* A third is lost, 4 points more or less: as replays are. A baseline that is 10 % off makes it 4 and 2 / 3 of 10 points,
 * hypot 7.8; rates known to 3 % each, 4 and 2 / 3 of hypot(3, 3): 4.9. */
TEST(test_what_is_lost_by_a_replay_has_an_interval)
{
    struct study_replay r = one_flow();
    struct study_replay_run after = changed_to("ack-first");
    for (int way = 0; way < 2; way++) {
        struct study_replay_lost lost = study_replay_lost(&r, &before, &after, way);
        assert_float_equal(lost.share, (float)(1 / 3.0), 1e-6);
        assert_float_equal(lost.ci95, 0.04, 1e-9);
    }
    captured.settled_bps = 10e6 / 1.1;
    assert_float_equal(study_replay_lost(&r, &before, &after, 0).ci95, 0.0777, 1e-3);
    captured.settled_bps = 10e6;
    double known_bps[] = {0.3e6}, known_after_bps[] = {0.45e6};
    struct study_replay_run first = before;
    first.settled_ci95_bps = known_bps;
    after.settled_ci95_bps = known_after_bps;
    assert_float_equal(study_replay_lost(&r, &first, &after, 0).ci95, 0.049, 1e-3);
}

/* The judge says that a quarter is lost: 8.3 points less, which 4 and 4 do not cover and 4 and 5 do. */
TEST(test_where_judge_and_replay_disagree_nobody_can_tell)
{
    char why[240];
    struct study_replay r = one_flow();
    struct study_replay_run after = changed_to("ack-first");
    struct judge_diagnosis d = {.answer = JUDGE_ANSWER_YES, .in = {.lost_share = 0.25, .lost_ci95 = 0.05},
                                .lost_share = 0.25, .ci95 = 0.05};
    assert_false(study_replay_doubts(&r, NULL, &before, &after, why));
    assert_false(study_replay_doubts(&r, &d, &before, &after, why));
    assert_string_equal(why, "");
    d.in.lost_ci95 = 0.04; /* both together as expected, one direction not */
    assert_true(study_replay_doubts(&r, &d, &before, &after, why));
    assert_string_equal(why, "without ack-first 33 +- 4 % of incoming data are lost by the replay, and 25 +- 4 % by the "
                             "judge: they disagree by more than both intervals");
    d.ci95 = 0.04;
    assert_true(study_replay_doubts(&r, &d, &before, &after, why));
    assert_string_equal(why, "without ack-first 33 +- 4 % are lost by the replay, and 25 +- 4 % by the judge: they "
                             "disagree by more than both intervals");
    after = changed_to("buffer=1MB"); /* of which the judge says nothing */
    assert_false(study_replay_doubts(&r, &d, &before, &after, why));
    after = changed_to("fair");
    assert_true(study_replay_doubts(&r, &d, &before, &after, why));
    d = (struct judge_diagnosis){.answer = JUDGE_ANSWER_UNKNOWN, .lost_share = (double)NAN};
    assert_true(study_replay_doubts(&r, &d, &before, &after, why));
    assert_non_null(strstr(why, "the capture does not show what waiting ACKs cost"));
}

/* 15 Mb/s fill 16 that were only taken to be there. */
TEST(test_a_gain_that_fills_a_link_whose_rate_does_not_show_is_doubted)
{
    char why[240];
    struct study_replay r = one_flow();
    struct study_replay_run after = changed_to("fair");
    struct judge_diagnosis d = {.answer = JUDGE_ANSWER_YES, .in = {.lost_share = 1 / 3.0}, .lost_share = 1 / 3.0};
    r.reads_network = true;
    r.rate_bps[0] = 16e6;
    assert_true(study_replay_doubts(&r, &d, &before, &after, why));
    assert_non_null(strstr(why, "fills the link towards h0, whose rate does not show"));
    r.rate_source[0] = JUDGE_CAPACITY_ASSUMED; /* by the judge, which is sure enough of it */
    assert_false(study_replay_doubts(&r, &d, &before, &after, why));
}

CM_GROUP(text_enter, text_leave)
