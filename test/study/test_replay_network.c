/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A judge's facts as the network of a replay, and what of it is said to be assumed. */
#include "study/replay/replay_parts.h"

#include "test/cm.h"

static const bool no_losses[] = {false, false};

static struct study_replay network_of(const struct judge_facts *facts, const bool lossy[2], double in_bps, double out_bps)
{
    struct study_replay r = {.reads_network = true, .carried_most_bps = {in_bps, out_bps}};
    replay_network_rates(&r, facts, lossy, (double[]){in_bps / 2, out_bps / 2});
    return r;
}

static bool assumes(const struct study_replay *r, const char *words)
{
    char text[STUDY_REPLAY_TEXT];
    for (int i = 0; study_replay_assumes(r, i, text); i++)
        if (strstr(text, words))
            return true;
    return false;
}

/* The uplink is a tenth as fast: nothing of the other direction's rate comes into it. */
TEST(test_rates_that_the_judge_knows_are_played_and_not_assumed)
{
    struct judge_facts facts = {.in = {.capacity_bps = 20e6, .source = JUDGE_CAPACITY_DISPERSION},
                                .out = {.capacity_bps = 2e6, .source = JUDGE_CAPACITY_QUEUE}};
    struct study_replay r = network_of(&facts, no_losses, 20e6, 2e6);
    char text[STUDY_REPLAY_TEXT];
    assert_float_equal(r.rate_bps[0], 20e6, 1);
    assert_float_equal(r.rate_bps[1], 2e6, 1);
    assert_true(study_replay_rate_known(&r, 0) && study_replay_rate_known(&r, 1));
    assert_false(study_replay_assumes(&r, 0, text));
}

TEST(test_the_other_directions_rate_is_said_to_be_assumed)
{
    struct judge_facts facts = {.in = {.capacity_bps = 20e6, .source = JUDGE_CAPACITY_DISPERSION},
                                .out = {.capacity_bps = 20e6, .source = JUDGE_CAPACITY_ASSUMED}};
    struct study_replay r = network_of(&facts, no_losses, 20e6, 2e6);
    assert_float_equal(r.rate_bps[1], 20e6, 1);
    assert_true(study_replay_rate_known(&r, 0));
    assert_false(study_replay_rate_known(&r, 1));
    assert_true(assumes(&r, "as fast from h0 as the other way, 20 Mb/s"));
    r.reads_network = false; /* the scenario says how fast it is */
    assert_false(assumes(&r, "h0"));
}

/* 100 ms carried 8 Mb/s: a link that was never full has 10, the other way as well; one that lost data 8. */
TEST(test_a_rate_that_nobody_knows_follows_from_what_was_carried)
{
    const bool lossy[] = {false, true};
    struct judge_facts facts = {.in.capacity_bps = (double)NAN, .out.capacity_bps = (double)NAN};
    struct study_replay r = network_of(&facts, lossy, 8e6, 8e6);
    assert_float_equal(r.rate_bps[0], 10e6, 1);
    assert_float_equal(r.rate_bps[1], 8e6, 1);
    assert_false(study_replay_rate_known(&r, 0) || study_replay_rate_known(&r, 1));
    assert_true(assumes(&r, "10 Mb/s towards h0: its rate does not show, and 100 ms carried 8 Mb/s at most"));
    r = network_of(&facts, no_losses, 8e6, 0.4e6);
    assert_float_equal(r.rate_bps[1], 10e6, 1);
}

/* ACKs of incoming data wait all the time where no data go: what passes, 4 Mb/s on average, is all that can. */
TEST(test_a_direction_full_of_acks_carries_what_it_can)
{
    struct judge_facts facts = {.in = {.capacity_bps = 20e6, .source = JUDGE_CAPACITY_DISPERSION, .acks_stand = true},
                                .out = {.capacity_bps = 20e6, .source = JUDGE_CAPACITY_ASSUMED}};
    struct study_replay r = network_of(&facts, no_losses, 20e6, 8e6);
    assert_float_equal(r.rate_bps[1], 4e6, 1);
    assert_true(study_replay_rate_known(&r, 1));
    assert_int_equal(r.rate_source[1], JUDGE_CAPACITY_QUEUE);
    struct judge_flow data = {.incoming = false, .rate_bps = 1e6, .data_wait_s = 0.001, .sender.flight_bytes = 1e6};
    facts.flow = &data; /* beside data they may wait for those */
    facts.n = 1;
    r = network_of(&facts, no_losses, 20e6, 8e6);
    assert_float_equal(r.rate_bps[1], 20e6, 1);
    facts.in.acks_beyond = true; /* where data do not wait */
    r = network_of(&facts, no_losses, 20e6, 8e6);
    assert_float_equal(r.rate_bps[1], 4e6, 1);
}

/* 3 kB wait for 1 ms on average: no link of 100 Mb/s lets them, and none of more than 24 does. */
TEST(test_an_assumed_rate_at_which_data_would_not_wait_is_none)
{
    struct judge_flow f = {.incoming = false, .rate_bps = 4e6, .data_wait_s = 0.001, .sender.flight_bytes = 3000};
    struct judge_facts facts = {.flow = &f, .n = 1, .in = {.capacity_bps = 100e6, .source = JUDGE_CAPACITY_DISPERSION},
                                .out = {.capacity_bps = 100e6, .source = JUDGE_CAPACITY_ASSUMED}};
    struct study_replay r = network_of(&facts, no_losses, 100e6, 8e6);
    assert_float_equal(r.rate_bps[1], 24e6, 1);
    assert_int_equal(r.rate_source[1], JUDGE_CAPACITY_UNKNOWN);
    f.data_wait_s = 0.0002; /* 120 Mb/s */
    r = network_of(&facts, no_losses, 100e6, 8e6);
    assert_float_equal(r.rate_bps[1], 100e6, 1);
    assert_int_equal(r.rate_source[1], JUDGE_CAPACITY_ASSUMED);
}

TEST(test_how_fast_a_link_may_be_and_how_many_there_are_is_said)
{
    struct judge_facts facts = {.in = {.capacity_bps = 4e6, .source = JUDGE_CAPACITY_QUEUE, .works = 0.5},
                                .out = {.capacity_bps = 2e6, .source = JUDGE_CAPACITY_DISPERSION, .apart = true}};
    struct study_replay r = network_of(&facts, no_losses, 2e6, 2e6);
    assert_float_equal(r.rate_bps[0], 2e6, 1);
    assert_float_equal(r.rate_most_bps[0], 4e6, 1);
    assert_true(assumes(&r, "no more than 2 Mb/s towards h0: by how long data wait it could carry up to 4"));
    assert_true(assumes(&r, "data from h0 wait behind one link"));
}

/* A sender that idles half of the time, 6 Mb/s; 93 % of a link's rate are its goodput when it is full. */
TEST(test_what_fills_its_link_is_played_by_its_window)
{
    struct judge_flow f = {.incoming = true, .lossless = true, .rate_bps = 6e6, .floor_s = 0.02,
                           .known = JUDGE_CAUSE_APPLICATION};
    struct judge_facts facts = {.flow = &f, .n = 1, .full_bytes = 1448, .segments_per_ack = 2,
                                .in = {.capacity_bps = 20e6, .source = JUDGE_CAPACITY_DISPERSION}};
    assert_int_equal(replay_network_limit(&facts, &f), JUDGE_CAUSE_APPLICATION);
    f.rate_bps = 18.8e6;
    assert_int_equal(replay_network_limit(&facts, &f), JUDGE_CAUSE_WINDOW);
    f.known = JUDGE_CAUSE_LOSSES;
    assert_int_equal(replay_network_limit(&facts, &f), JUDGE_CAUSE_LOSSES);
}

TEST(test_what_does_not_show_of_flows_and_queues_is_said)
{
    struct study_replay_flow flows[] = {{.from = "a:1", .to = "b:2", .otherwise = 0.999},
                                        {.from = "c:3", .to = "d:4", .otherwise = 0.7},
                                        {.from = "e:5", .to = "f:6", .otherwise = (double)NAN}};
    struct study_replay r = {.flows = flows, .n_flows = 3, .assumed = "cc=cubic", .windows_unknown = 2};
    char text[STUDY_REPLAY_TEXT];
    assert_true(study_replay_assumes(&r, 0, text));
    assert_string_equal(text, "cc=cubic, which comes nearest");
    assert_true(study_replay_assumes(&r, 1, text));
    assert_string_equal(text, "c:3 > d:4 is held by its application or its reader, which is 70 % likely");
    assert_true(study_replay_assumes(&r, 2, text));
    assert_string_equal(text, "2 of 3 flows, whose windows do not show, have the scenario's");
    assert_false(study_replay_assumes(&r, 3, text));
    r.segments_per_ack = 2.4; /* a delayed ACK now and then */
    assert_false(study_replay_assumes(&r, 3, text));
    r.segments_per_ack = 4; /* a NIC merges them */
    assert_true(study_replay_assumes(&r, 3, text));
    assert_string_equal(text, "an ACK is for 2 segments, and in the capture for 4.0");
    flows[0].otherwise = 0.4;
    assert_true(study_replay_assumes(&r, 1, text));
    assert_string_equal(text, "a:1 > b:2 is held by its window, which is 60 % likely; others are not sure, either");
}
