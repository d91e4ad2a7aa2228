/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows of a capture as those of a scenario: hosts, bytes, and where the application paused. */
#include "study/replay/replay.h"

#include "test/analysis/segment.h"
#include "test/scenarios/text.h"

#define SEGMENT 1000u
#define SEGMENTS 100u
#define STAR "network: {topology: star, hosts: 2}\ntraffic: {flows: [{from: h1, to: h0}]}\n"

/* A flow of 100 kB, a segment and its ACK a millisecond; after 40 kB nothing for 60 ms more. The tap is at the sender:
 * the handshake's answer takes 2 ms, its ACK none. Returns when the last ACK passed. */
static int64_t add_paused_flow(struct analysis_flows *f)
{
    int64_t t = 0;
    feed(f, t, syn(A_TO_B, 99));
    feed(f, t += 2 * MS, syn_ack(B_TO_A, 499, 100));
    feed(f, t, segment(A_TO_B, 100, 0, 500));
    for (uint32_t i = 0; i < SEGMENTS; i++) {
        uint32_t seq = 100 + SEGMENT * i;
        feed(f, t, stamped(A_TO_B, seq, SEGMENT, 500, 1000 + i, 5000 + i));
        feed(f, t += MS, stamped(B_TO_A, 500, 0, seq + SEGMENT, 5001 + i, 1000 + i));
        if (i == 39)
            t += 60 * MS;
    }
    return t;
}

static struct study_replay built(struct analysis_flows *f)
{
    struct study_replay r = {.scenario = text_load(STAR, NULL)};
    struct error err = {0};
    if (!study_replay_build(&r, f, &err))
        fail_msg("%s", err.message);
    analysis_flows_free(f);
    return r;
}

static struct analysis_flows *new_explained(void)
{
    struct analysis_flows *f = analysis_flows_new();
    assert_non_null(f);
    analysis_flows_keep_explanations(f);
    analysis_flows_set_origin(f, 0);
    return f;
}

TEST(test_a_pause_follows_the_byte_it_followed)
{
    struct analysis_flows *f = new_explained();
    add_paused_flow(f);
    MEMORY_ENDS(study_replay_fini) struct study_replay r = built(f);
    assert_ints({r.n_flows, 1}, {r.flows[0].pauses, 1});
    assert_true(r.scenario.flows[0].n_pauses > 1); /* it goes on where it gets through more than was captured */
    for (int i = 0; i < r.scenario.flows[0].n_pauses; i++) {
        const struct scenario_pause *p = &r.scenario.flows[0].pauses[i];
        assert_int_equal(p->after_bytes, 40000 + i * (int)(SEGMENTS * SEGMENT));
        assert_int_equal(p->pause_ps, INT64_C(60000000000)); /* the tap is at the sender */
    }
    assert_false(study_replay_pace(&r)); /* one pause is no habit */
    assert_true(r.scenario.flows[0].n_pauses > 1);
    r.flows[0].paced_bps = 8e6;
    assert_true(study_replay_pace(&r));
    assert_ints({r.scenario.flows[0].n_pauses, 0}, {r.scenario.flows[0].rate_bps, 8000000});
    assert_true(fabs(r.floor_s - 0.002) < 1e-9);
}

/* As many data, each alone in flight, that wait 60 ms in the sender's own NIC after their 40th: their stamps are from
 * before the ACK passed, and echo the ACK before it. No application paused. */
TEST(test_data_that_waited_in_the_own_nic_are_no_pause)
{
    struct analysis_flows *f = new_explained();
    int64_t t = 0;
    feed(f, t, syn(A_TO_B, 99));
    feed(f, t += 2 * MS, syn_ack(B_TO_A, 499, 100));
    feed(f, t, segment(A_TO_B, 100, 0, 500));
    for (uint32_t i = 0; i < SEGMENTS; i++) {
        uint32_t seq = 100 + SEGMENT * i, waited = i == 40;
        feed(f, t, stamped(A_TO_B, seq, SEGMENT, 500, 1000 + i - waited, 5000 + i - waited));
        feed(f, t += MS, stamped(B_TO_A, 500, 0, seq + SEGMENT, 5001 + i, 1000 + i - waited));
        if (i == 39)
            t += 60 * MS;
    }
    MEMORY_ENDS(study_replay_fini) struct study_replay r = built(f);
    assert_int_equal(r.scenario.flows[0].n_pauses, 0);
}

TEST(test_a_flow_that_ends_early_has_its_bytes)
{
    struct analysis_flows *f = new_explained();
    int64_t end = add_paused_flow(f);
    for (uint32_t i = 0; i < SEGMENTS; i++) { /* another, towards the same host, that is still sending at the end */
        struct capture_segment s = segment(A_TO_B, 100 + SEGMENT * i, SEGMENT, 500);
        s.src.bytes[3] = 7;
        feed(f, end + i * 3 * MS, s);
    }
    MEMORY_ENDS(study_replay_fini) struct study_replay r = built(f);
    assert_ints({r.n_flows, 2}, {r.scenario.flows[0].bytes, 100000});
    assert_int_equal(r.scenario.flows[0].to, 0); /* the host that both share */
    assert_int_equal(r.scenario.flows[1].to, 0);
    assert_int_not_equal(r.scenario.flows[0].from, r.scenario.flows[1].from);
    assert_int_equal(r.scenario.network.hosts, 3);
}

/* A window of 20 segments each round trip of 10 ms, for a second: its window limits the flow, and stays as it is. */
TEST(test_a_window_that_stays_does_not_shrink)
{
    struct analysis_flows *f = new_explained();
    const uint32_t window = 20;
    struct capture_segment hello = syn(A_TO_B, 99), answer = syn_ack(B_TO_A, 499, 100);
    hello.mss = answer.mss = SEGMENT + 12; /* and the timestamps' option */
    feed(f, 0, hello);
    feed(f, 10 * MS, answer);
    feed(f, 10 * MS, segment(A_TO_B, 100, 0, 500));
    for (uint32_t i = 0; i < 100 * window; i++) {
        uint32_t tick = 10 * (i / window + 1), seq = 100 + SEGMENT * i;
        int64_t t = tick * MS + i % window * MS / 20;
        if (i >= window)
            feed(f, t, stamped(B_TO_A, 500, 0, seq - (window - 1) * SEGMENT, tick - 5, tick - 10));
        feed(f, t + MS / 100, stamped(A_TO_B, seq, SEGMENT, 500, tick, i >= window ? tick - 5 : 5));
    }
    MEMORY_ENDS(study_replay_fini) struct study_replay r = built(f);
    assert_int_equal(r.n_flows, 1);
    assert_false(r.flows[0].shrinks);
    assert_false(r.flows[0].lossy);
    assert_int_equal(r.flows[0].pauses, 0);
}

/* Each segment of it has an ACK, and so it is played, unless the scenario says otherwise. */
TEST(test_as_many_segments_have_an_ack_as_in_the_capture)
{
    for (int reads = 0; reads < 2; reads++) {
        struct analysis_flows *f = new_explained();
        MEMORY_ENDS(study_replay_fini) struct study_replay r = {.scenario = text_load(STAR, NULL), .reads_acks = reads};
        add_paused_flow(f);
        assert_true(study_replay_build(&r, f, &err));
        analysis_flows_free(f);
        assert_ints({r.scenario.tcp.delayed_ack, reads ? 1 : 2}, {r.scenario.flows[0].tcp.delayed_ack, reads ? 1 : 2});
    }
}

/* The judge speaks of the host that two flows share, wherever the user placed it; what is lost towards it and from it is
 * counted there. */
TEST(test_directions_are_those_of_the_judged_host)
{
    for (int placed = 0; placed < 2; placed++) {
        struct analysis_flows *f = new_explained();
        MEMORY_ENDS(study_replay_fini) struct study_replay r = {.scenario = text_load(STAR, NULL)};
        add_paused_flow(f);
        for (int host = 0; placed && host < 3; host++) {
            static const char *const addresses[] = {"10.0.0.7", "10.0.0.1", "10.0.0.2"};
            assert_true(capture_address_parse(addresses[host], &r.maps[host].address));
            r.maps[host].host = host;
            r.n_given = ++r.n_maps;
        }
        for (uint32_t i = 0; i < SEGMENTS; i++) {
            struct capture_segment s = segment(A_TO_B, 100 + SEGMENT * i, SEGMENT, 500);
            s.src.bytes[3] = 7;
            feed(f, i * 2 * MS, s);
        }
        if (!study_replay_build(&r, f, &err))
            fail_msg("%s", err.message);
        analysis_flows_free(f);
        assert_ints({r.n_flows, 2}, {r.scenario.flows[0].to, r.judged_host}, {r.scenario.flows[1].to, r.judged_host},
                    {r.judged_host, placed ? 2 : 0});
    }
}

/* 100 packets and 100 kB are 169 frames with their ACKs, six times as many and 2000 a play may have: 2000 + 6 * 1.5 *
 * (100000 / 1448 + 100). Bytes that sequence numbers leap over cost nobody anything. */
TEST(test_what_is_played_is_bounded_by_what_was_seen)
{
    for (int leap = 0; leap < 2; leap++) {
        struct analysis_flows *f = new_explained();
        int64_t t = add_paused_flow(f);
        for (uint32_t i = 0; leap && i < 10; i++)
            feed(f, t += MS, segment(A_TO_B, 100 + SEGMENT * SEGMENTS + i * (1u << 28), 1, 500));
        MEMORY_ENDS(study_replay_fini) struct study_replay r = built(f);
        int64_t frames = strtoll(r.frames + strlen("--frames="), NULL, 10);
        assert_memory_equal(r.frames, "--frames=", strlen("--frames="));
        assert_true(leap ? frames > 3521 && frames < 3521 + 6 * 2 * 10 + 10 : frames == 3522);
    }
}

TEST(test_a_played_run_has_the_rates_of_its_table)
{
    static const char table[] =
        "flow,src,dst,bytes,start_s,end_s,goodput_bps,steady_goodput_bps,steady_ci95_bps,retransmitted_segments\n"
        "a,h1,h0,0,0,,10e6,8e6,1e5,3\n"
        "b,h0,h2,0,0,,20e6,16e6,1e5,4\n";
    struct study_replay_run run = {.directory = "."};
    text_write("flows.csv", table, strlen(table));
    assert_true(study_replay_run_read(&run, 2, &err));
    assert_true(fabs(run.goodput_bps[0] - 10e6) < 1 && fabs(run.goodput_bps[1] - 20e6) < 1);
    assert_true(fabs(run.settled_bps[0] - 8e6) < 1 && fabs(run.settled_bps[1] - 16e6) < 1);
    assert_int_equal(run.retransmitted, 7);
    free(run.goodput_bps);
    assert_false(study_replay_run_read(&run, 3, &err));
    assert_non_null(strstr(err.message, "flows are missing"));
    free(run.goodput_bps);
    remove("flows.csv");
}

TEST(test_a_capture_without_bulk_flows_is_refused)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_explained();
    MEMORY_ENDS(study_replay_fini) struct study_replay r = {.scenario = text_load(STAR, NULL)};
    feed(f, 0, segment(A_TO_B, 1, 100, 1));
    assert_false(study_replay_build(&r, f, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_string_equal(err.message, "no bulk flow to replay: 1 small ones");
}

/* doc/keys.md: `duration` is 10000 s at most. */
TEST(test_a_capture_longer_than_a_run_can_be_is_refused)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_explained();
    MEMORY_ENDS(study_replay_fini) struct study_replay r = {.scenario = text_load(STAR, NULL)};
    for (uint32_t i = 0; i < SEGMENTS; i++)
        feed(f, i * INT64_C(108) * 1000 * MS, segment(A_TO_B, 100 + SEGMENT * i, SEGMENT, 500));
    assert_false(study_replay_build(&r, f, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, "last 10692 s")); /* 99 x 108 s */
}

CM_GROUP(text_enter, text_leave)
