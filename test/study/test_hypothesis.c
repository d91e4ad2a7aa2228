/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hypotheses in words, and what they make of a scenario. */
#include "study/infer/hypothesis.h"

#include "base/text.h"

#include "test/scenarios/text.h"

#define PATTERN "tcp: {window: 3MB}\nnetwork: {topology: star, hosts: 4}\n" \
                "traffic: {flows: [{from: h1, to: h0}, {from: h2, to: h0}, {from: h0, to: h3}]}\n"

static struct study_hypothesis parsed(const char *text)
{
    struct study_hypothesis h;
    struct error err;
    if (!study_hypothesis_parse(&h, text, &err))
        fail_msg("%s", err.message);
    return h;
}

static struct scenario made(const char *text, double window, double buffer, double ratio, bool relative)
{
    struct scenario s = text_load(PATTERN, NULL);
    struct study_hypothesis h = parsed(text);
    struct error err;
    const double value[STUDY_HYPOTHESIS_PARAMETERS] = {window, buffer, ratio, 2e9, 3e-6, 5e-5, 64};
    if (!study_hypothesis_apply(&h, value, relative, &s, &err))
        fail_msg("%s", err.message);
    return s;
}

TEST(test_the_window_is_searched_for_unless_something_else_is)
{
    assert_true(parsed("fair@nic").searched[STUDY_HYPOTHESIS_WINDOW]);
    assert_false(parsed("cc=cubic+buffer").searched[STUDY_HYPOTHESIS_WINDOW]);
    assert_true(parsed("cc=cubic+buffer").searched[STUDY_HYPOTHESIS_BUFFER]);
    assert_false(parsed("fifo+window=1MB").searched[STUDY_HYPOTHESIS_WINDOW]);
    assert_true(parsed("window+ratio").searched[STUDY_HYPOTHESIS_WINDOW]);
    assert_non_null(parsed("eq6").model);
    assert_false(parsed("eq6").searched[STUDY_HYPOTHESIS_WINDOW]);
    assert_true(parsed("fluid").searched[STUDY_HYPOTHESIS_WINDOW]);
}

TEST(test_the_usual_ones_are_all_queues_at_both_places_and_seven_more)
{
    char text[STUDY_HYPOTHESIS_TEXT], all[2048] = "";
    size_t n = 0, queues = 0;
    for (int i = 0; emu_discipline_names[i]; i++)
        queues += emu_discipline_is_plain(emu_disciplines[i]);
    while (study_hypothesis_usual(n, 1000000000, text)) {
        parsed(text);
        text_add(all, sizeof all, "%s\n", text);
        n++;
    }
    assert_int_equal(n, queues * queues + 7);
    assert_non_null(strstr(all, "fifo@nic+ack-first@port\n"));
    assert_non_null(strstr(all, "small-queues=125kB\n")); /* 1 ms of 1 Gb/s */
    study_hypothesis_usual(queues * queues, 1000000, text);
    assert_string_equal(text, "small-queues=2896B"); /* two segments are the least (Linux: tcp_small_queue_check) */
}

TEST(test_parameters_reach_every_flow)
{
    struct scenario s = made("fair@nic", 64e3, NAN, NAN, false);
    assert_ints({s.network.nic.discipline, EMU_DISCIPLINE_FAIR}, {s.network.sw.queue.discipline, EMU_DISCIPLINE_FIFO});
    for (int i = 0; i < 3; i++) {
        assert_ints({s.flows[i].tcp.receive_buffer_bytes, 64000}, {s.flows[i].tcp.send_buffer_bytes, 64000});
        assert_int_equal(s.flows[i].tcp.initial_window_segments, 45); /* warm: 64000 / 1448, rounded up */
    }
    scenario_fini(&s);
    s = made("cc=cubic+buffer", NAN, 1e5, NAN, false);
    assert_int_equal(s.network.sw.queue.limit_bytes, 100000);
    assert_int_equal(s.network.nic.limit_bytes, 20000000); /* the default */
    assert_int_equal(s.flows[2].tcp.congestion, EMU_CONGESTION_CUBIC);
    scenario_fini(&s);
}

/* The one with the most ends, of equal ones the first: each host once, that of another, and two of two. */
TEST(test_unequal_windows_are_those_out_of_the_busiest_host)
{
    static const struct { const char *flows; int hub; } rows[] = {
        {"{from: h1, to: h0}, {from: h2, to: h0}, {from: h0, to: h3}", 0},
        {"{from: h0, to: h1}, {from: h1, to: h2}, {from: h3, to: h2}, {from: h2, to: h1}, {from: h2, to: h0}", 2},
        {"{from: h0, to: h3}, {from: h1, to: h3}, {from: h2, to: h3}, {from: h3, to: h2}", 3},
        {"{from: h3, to: h1}, {from: h2, to: h1}, {from: h3, to: h2}, {from: h1, to: h3}", 1},
        {"{from: h3, to: h2}, {from: h2, to: h3}", 2},
        {"{from: h0, to: h3}, {from: h1, to: h3}, {from: h2, to: h0}, {from: h1, to: h3}", 3}, /* nothing goes out of it */
    };
    const double value[STUDY_HYPOTHESIS_PARAMETERS] = {1e5, NAN, 4};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500];
        snprintf(text, sizeof text, "network: {topology: star, hosts: 4}\ntraffic: {flows: [%s]}\n", rows[i].flows);
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(text, NULL);
        struct study_hypothesis h = parsed("window+ratio");
        assert_true(study_hypothesis_apply(&h, value, false, &s, &err));
        for (int k = 0; k < s.n_flows; k++)
            assert_int_equal(s.flows[k].tcp.receive_buffer_bytes, s.flows[k].from == rows[i].hub ? 200000 : 50000);
    }
}

/* 2 Gb/s, 3 us and 50 us, of those that are searched for. */
TEST(test_parameters_of_hosts_reach_them)
{
    struct scenario s = made("bus", 1e5, NAN, NAN, false);
    assert_ints({s.network.host.bus_bps, 2000000000}, {s.network.host.frame_ps + s.network.host.interrupt_ps, 0});
    scenario_fini(&s);
    s = made("processor+window=1MB+interrupts", NAN, NAN, NAN, false);
    assert_ints({s.network.host.bus_bps, 0}, {s.network.host.frame_ps, 3000000},
                {s.network.host.interrupt_ps, 50000000});
    scenario_fini(&s);
    s = made("interrupts+ring+window=1MB", NAN, NAN, NAN, false);
    assert_ints({s.network.host.interrupt_ps, 50000000}, {s.network.host.rx_ring, 64});
    scenario_fini(&s);
    double range[STUDY_HYPOTHESIS_PARAMETERS][2] = {{0}};
    study_hypothesis_host_ranges(100000000, range);
    assert_true(range[STUDY_HYPOTHESIS_BUS][0] == 5e7 && range[STUDY_HYPOTHESIS_BUS][1] == 8e8);
    assert_true(fabs(range[STUDY_HYPOTHESIS_PROCESSOR][1] / 492.16e-6 - 1) < 1e-12); /* four times 123.04 us */
}

TEST(test_autotuned_connections_begin_with_ten_segments)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = made("autotuned", 1e6, NAN, NAN, false); /* RFC 6928 */
    assert_ints({s.flows[0].tcp.initial_window_segments, 10}, {s.flows[0].tcp.receive_buffer_bytes, 1000000});
}

TEST(test_of_a_capture_windows_are_times_their_own)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = made("fifo", 0.5, NAN, NAN, true);
    assert_int_equal(s.flows[0].tcp.receive_buffer_bytes, 1500000);
}

static void rejects(const char *text, const char *words)
{
    struct study_hypothesis h;
    struct error err;
    assert_false(study_hypothesis_parse(&h, text, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    if (!strstr(err.message, words))
        fail_msg("'%s' has no '%s'", err.message, words);
}

TEST(test_what_is_no_hypothesis_is_refused)
{
    rejects("fast", "'fast' is no part of one");
    rejects("fifo+", "'' is no part of one");
    rejects("fifo+eq6", "'eq6' is no part of one"); /* a model stands alone */
    rejects("window+buffer+ratio", "2 parameters at most");
}

CM_GROUP(text_enter, text_leave)
