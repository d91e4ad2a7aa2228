/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a replay assumes where the capture does not show it, and when its baseline is worth no what-if. */
#include "study/replay/replay.h"

#include "test/scenarios/text.h"

static struct study_replay_flow flows[] = {{.from = "a:1", .to = "b:2", .measured_bps = 10e6},
                                           {.from = "b:3", .to = "c:4", .measured_bps = 20e6}};

TEST(test_without_losses_queues_and_growth_are_guessed)
{
    struct study_replay r = {.flows = flows, .n_flows = 2};
    study_replay_guess guess[STUDY_REPLAY_GUESSES];
    int n;
    study_replay_guesses(&r, true, true, true, guess, &n);
    assert_int_equal(n, 4);
    assert_strings({guess[0], "cc=linuxreno"}, {guess[1], "cc=cubic"}, {guess[2], "fair+cc=linuxreno"},
                   {guess[3], "ack-first+cc=linuxreno"});
    study_replay_guesses(&r, false, false, false, guess, &n); /* the scenario says all */
    assert_int_equal(n, 1);
    assert_string_equal(guess[0], "");
}

TEST(test_with_losses_buffers_are_guessed_where_data_were_lost)
{
    struct study_replay r = {.flows = flows, .n_flows = 2, .buffer_bytes = {40000, 0}};
    study_replay_guess guess[STUDY_REPLAY_GUESSES];
    int n;
    study_replay_guesses(&r, true, false, true, guess, &n);
    assert_int_equal(n, 5);
    assert_strings({guess[1], "buffer=30000B@port"}, {guess[2], "buffer=40000B@port"});
    r.buffer_bytes[1] = 90000;
    study_replay_guesses(&r, true, true, true, guess, &n); /* each of both ways and both alike, by two controls */
    assert_int_equal(n, 1 + 2 * 16 + 2 * 4);
    assert_string_equal(guess[1], "cc=linuxreno+buffer=30000B@port+buffer=67500B@nic");
    assert_string_equal(guess[34], "cc=linuxreno+buffer=60000B@port+buffer=60000B@nic");
    for (int i = 0; i < n; i++) {
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load("traffic: {star: {incoming: 1, outgoing: 1}}\n", NULL);
        assert_true(study_replay_what_if(&s, guess[i], &err));
    }
}

TEST(test_of_datagrams_that_fill_a_link_some_were_lost)
{
    struct scenario_datagrams udp = {.from = 1, .to = 0, .rate_bps = 19000000, .packet_bytes = 1428};
    struct study_replay r = {.flows = flows, .n_flows = 2, .buffer_bytes = {300000, 0}, .overfull = {true, false},
                             .scenario = {.datagrams = &udp, .n_datagrams = 1}};
    study_replay_guess guess[STUDY_REPLAY_GUESSES];
    int n;
    study_replay_guesses(&r, true, true, true, guess, &n);
    assert_int_equal(n, 1 + 18);
    assert_string_equal(guess[2], "cc=linuxreno+datagrams=19000kbps+buffer=300000B@port");
    assert_string_equal(guess[18], "cc=cubic+datagrams=21850kbps+buffer=405000B@port");
    study_replay_guesses_around(guess[18], guess, &n); /* the rate stays in what follows */
    assert_int_equal(n, 5);
    assert_string_equal(guess[0], "cc=cubic+datagrams=21850kbps+buffer=340200B@port");
}

/* Five sizes of each, 0.84 to 1.19 times the best, and all pairs of these but the best itself; or five of the one there is. */
TEST(test_guesses_around_the_best_vary_both_buffers)
{
    study_replay_guess guess[STUDY_REPLAY_GUESSES];
    int n;
    study_replay_guesses_around("cc=linuxreno+buffer=30000B@port+buffer=67500B@nic", guess, &n);
    assert_int_equal(n, 24);
    assert_string_equal(guess[0], "cc=linuxreno+buffer=25200B@port+buffer=56700B@nic");
    assert_string_equal(guess[23], "cc=linuxreno+buffer=35700B@port+buffer=80325B@nic");
    study_replay_guesses_around("buffer=100000B@nic", guess, &n);
    assert_int_equal(n, 5);
    assert_string_equal(guess[0], "buffer=84000B@nic");
    study_replay_guesses_around("cc=cubic", guess, &n); /* no buffer was guessed */
    assert_int_equal(n, 0);
}

TEST(test_a_baseline_beyond_a_tenth_is_refused_with_the_reason)
{
    struct study_replay r = {.flows = flows, .n_flows = 2};
    double rates[] = {9.1e6, 20e6};
    struct study_replay_run run = {.goodput_bps = rates};
    char why[240];
    assert_false(study_replay_refuses(&r, &run, why));
    assert_string_equal(why, "");
    rates[1] = 25e6;
    assert_true(study_replay_refuses(&r, &run, why));
    assert_non_null(strstr(why, "the baseline gives b:3 > c:4 +25 %"));
    assert_true(fabs(study_replay_error(&r, &run) - 0.25) < 1e-9);
    rates[1] = NAN; /* it never sent */
    assert_true(study_replay_refuses(&r, &run, why));
    assert_true(fabs(study_replay_error(&r, &run) - 1) < 1e-9);
}

TEST(test_what_a_replay_does_not_have_is_refused)
{
    struct study_replay_flow shrinking = {.from = "a:1", .to = "b:2", .measured_bps = 10e6, .shrinks = true};
    struct study_replay r = {.flows = flows, .n_flows = 2, .other_share = {0, 0.2}};
    double rates[] = {10e6, 20e6};
    struct study_replay_run run = {.goodput_bps = rates};
    char why[240];
    assert_true(study_replay_refuses(&r, &run, why));
    assert_non_null(strstr(why, "20 % of a direction's bytes are not TCP"));
    r = (struct study_replay){.flows = &shrinking, .n_flows = 1};
    assert_true(study_replay_refuses(&r, &run, why));
    assert_non_null(strstr(why, "shrank though nothing was lost"));
}

TEST(test_the_settled_phase_tells_guesses_apart)
{
    struct study_replay_flow settled[] = {{.measured_bps = 10e6, .settled_bps = 8e6}};
    struct study_replay r = {.flows = settled, .n_flows = 1};
    double rates[] = {10e6}, like_bps[] = {8e6}, unlike_bps[] = {4e6}, ended_bps[] = {NAN};
    struct study_replay_run like = {.goodput_bps = rates, .settled_bps = like_bps}, unlike = like, ended = like;
    unlike.settled_bps = unlike_bps;
    ended.settled_bps = ended_bps;
    assert_true(study_replay_distance(&r, &like) < 1e-9);
    assert_true(fabs(study_replay_distance(&r, &unlike) - 0.15) < 1e-9);
    assert_true(study_replay_distance(&r, &ended) < 1e-9); /* nothing to compare */
}

TEST(test_captured_windows_answer_for_what_no_control_here_does)
{
    struct study_replay_flow shrinking = {.from = "a:1", .to = "b:2", .measured_bps = 10e6, .shrinks = true};
    struct study_replay r = {.flows = &shrinking, .n_flows = 1};
    double near[] = {10e6}, far[] = {12e6};
    struct study_replay_run good = {.goodput_bps = near}, bad = {.goodput_bps = far};
    char why[240];
    assert_true(study_replay_needs_windows(&r, &good));
    shrinking.shrinks = false;
    assert_false(study_replay_needs_windows(&r, &good));
    assert_true(study_replay_needs_windows(&r, &bad));
    assert_false(study_replay_refuses_change(&r, "buffer=1MB", why));
    shrinking.shrinks = true;
    r.scenario.tcp.congestion = EMU_CONGESTION_GIVEN;
    assert_false(study_replay_refuses(&r, &good, why));
    assert_true(study_replay_refuses(&r, &bad, why));
    assert_false(study_replay_refuses_change(&r, "ack-first@port", why));
    assert_true(study_replay_refuses_change(&r, "fair+buffer=1MB", why));
    assert_non_null(strstr(why, "would not answer fair+buffer=1MB"));
}

TEST(test_captured_windows_become_larger_or_smaller_within_bounds)
{
    struct scenario_window windows[] = {{0, 10000}, {1, 40000}};
    struct scenario_flow flow = {.n_windows = 2, .windows = windows};
    struct study_replay_flow play = {.measured_bps = 12e6, .windows_by = 1};
    struct study_replay r = {.flows = &play, .n_flows = 1,
                             .scenario = {.flows = &flow, .n_flows = 1, .tcp.congestion = EMU_CONGESTION_GIVEN}};
    flow.tcp.congestion = EMU_CONGESTION_GIVEN;
    double rates[] = {10e6};
    struct study_replay_run run = {.goodput_bps = rates};
    study_replay_calibrate(&r, &run);
    assert_ints({windows[0].bytes, 12000}, {windows[1].bytes, 48000});
    *rates = 1e6;
    study_replay_calibrate(&r, &run);
    assert_int_equal(windows[1].bytes, 60000); /* by half more, not by twelve times */
}

/* A scenario has cables of 10 s at most, whatever a window over a measured rate says: of 3 MB at 1 bit/s a year. */
TEST(test_hosts_stay_where_a_scenario_may_have_them)
{
    int64_t delays_ps[] = {0, 0};
    struct scenario_flow flow = {.from = 1, .tcp.receive_buffer_bytes = 3000000};
    struct study_replay_flow play = {.settled_bps = 1};
    struct study_replay r = {.flows = &play, .n_flows = 1,
                             .scenario = {.flows = &flow, .n_flows = 1, .delays_ps = delays_ps, .network.n_delays = 2}};
    double rates[] = {1e9};
    struct study_replay_run run = {.goodput_bps = rates, .settled_bps = rates};
    study_replay_calibrate(&r, &run);
    assert_int_equal(delays_ps[1], SCENARIO_DELAY_PS);
}

TEST(test_retransmissions_tell_guesses_apart)
{
    struct study_replay r = {.flows = flows, .n_flows = 2, .retransmitted = 100};
    double rates[] = {10e6, 20e6};
    struct study_replay_run like = {.goodput_bps = rates, .retransmitted = 110}, unlike = like;
    unlike.retransmitted = 1000;
    assert_true(study_replay_distance(&r, &like) < 0.02);
    assert_true(study_replay_distance(&r, &unlike) > 0.2);
}

CM_GROUP(text_enter, text_leave)
