/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/verdict.h"
#include "test/judge/words.h"

#define CI 0.02

static void decide(const struct measure_summary *s, struct judge_diagnosis *d)
{
    measure_verdict_decide(s, d);
    words_make_sense(d->why, sizeof d->why);
}

static struct estimate known(double value, double ci95)
{
    return (struct estimate){value, ci95 / 2, ci95};
}

static struct measure_summary_way way(double rate_bps, double rtt_s, double wait_s)
{
    return (struct measure_summary_way){
        .rate_bps = known(rate_bps, 0.01 * rate_bps),
        .mean = {.flows = 1, .rate_bps = rate_bps, .early_bps = rate_bps, .late_bps = rate_bps, .rtt_s = rtt_s,
                 .window_bytes = rate_bps / 8 * rtt_s, .busy = 1, .wait_s = wait_s,
                 .most_wait_s = wait_s}};
}

#define FRAME_S (8 * 1448 / 10e6) /* of a full one's goodput */

/* 10 Mb/s each way, 20 ms through empty queues. With both at once `in` carries 5, and its ACKs wait 60 ms in the queue
 * of data out: of 82.2 ms of round trip, 1 in its own queue, 1.2 for a frame. Without that its window would carry 19,
 * more than is possible. Paced, all go. */
static struct measure_summary acks_wait(void)
{
    struct measure_summary s = {.in_flows = 1, .out_flows = 1, .words = true, .floor_in_s = 0.02, .floor_out_s = 0.02,
                                .pace_in_bps = 9e6, .pace_out_bps = 9e6, .paced_in_bps = 8.9e6,
                                .paced_out_bps = 8.9e6, .full_in = true, .full_out = true, .possible_in_bps = 9.7e6,
                                .possible_out_bps = 9.7e6};
    s.in[MEASURE_IN] = way(10e6, 0.06, 0.04);
    s.out[MEASURE_OUT] = way(10e6, 0.08, 0.06);
    s.in[MEASURE_BOTH] = way(5e6, 0.081 + FRAME_S, 0.001);
    s.out[MEASURE_BOTH] = way(9.6e6, 0.081 + FRAME_S, 0.06);
    s.lost_in = known(1 - 5 / 9.7, CI);
    s.lost_out = known(1 - 9.6 / 9.7, CI);
    s.lost = known(1 - 14.6 / 19.4, CI);
    s.least_in = s.lost_in, s.least_out = s.lost_out, s.least = s.lost;
    return s;
}

static void grow(struct measure_summary_way *w, double growth)
{
    w->growth = growth;
    w->mean.early_bps = w->rate_bps.value / (1 + growth / 2);
    w->mean.late_bps = w->mean.early_bps * (1 + growth);
}

/* Where both directions are full, what is lost is what is lost at least. */
static enum judge_cause cause; /* of the answer before */

static enum judge_answer answer(const struct measure_summary *s)
{
    struct judge_diagnosis d;
    struct measure_summary full = *s;
    full.least_in = s->lost_in, full.least_out = s->lost_out, full.least = s->lost;
    decide(&full, &d);
    cause = d.cause;
    assert_true(strlen(d.why) > 20);
    assert_true(strlen(d.why) < sizeof d.why - 1); /* not cut */
    return d.answer;
}

/* A server may leave out its round trips: then nothing is said of them. */
TEST(test_no_sentence_has_a_number_that_is_none)
{
    struct judge_diagnosis d;
    for (int both = 0; both < 2; both++) {
        struct measure_summary s = acks_wait();
        s.in[MEASURE_BOTH].mean.rtt_s = NAN;
        if (both)
            s.out[MEASURE_BOTH].mean.rtt_s = s.in[MEASURE_IN].mean.rtt_s = s.out[MEASURE_OUT].mean.rtt_s = NAN;
        decide(&s, &d);
        assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
        assert_null(strstr(d.why, "nan"));
        assert_non_null(strstr(d.why, "how long round trips of data in are is not known"));
    }
}

TEST(test_acks_behind_data)
{
    struct judge_diagnosis d;
    struct measure_summary s = acks_wait();
    decide(&s, &d);
    assert_ints({d.answer, JUDGE_ANSWER_YES}, {d.cause, JUDGE_CAUSE_ACKS});
    assert_non_null(strstr(d.why, "incoming data get 5.0 of 9.7 Mb/s, as their ACKs wait behind outgoing "
                                      "data for 60.0 ms of a round trip of 82.2 ms"));
    assert_all(fabs(d.in.ack_wait_s - 0.06) <= 1e-9, fabs(d.in.data_wait_s - 0.001 - FRAME_S) <= 1e-9);
    assert_true(fabs(d.out.data_wait_s - 0.06 - FRAME_S) <= 1e-9); /* its own queue */
    assert_true(fabs(d.lost_share - (1 - 14.6 / 19.4)) <= 1e-9);
}

TEST(test_on_an_access_line_the_remedy_is_another)
{
    struct measure_summary s = acks_wait();
    s.out[MEASURE_OUT].rate_bps.value = 3e6;
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    assert_int_equal(cause, JUDGE_CAUSE_THIN_ACKS);
}

/* 7.5 of 9.4 Mb/s are less than was asked for; yet they are 2.5 Mb/s more than what is not paced brings, and half of
 * the 4.7 that it loses, while 8.9 go out as asked. */
TEST(test_paced_it_brings_half_of_it_back)
{
    struct measure_summary s = acks_wait();
    s.pace_in_bps = 9.4e6;
    s.paced_in_bps = 7.5e6;
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    s.pace_in_bps = s.pace_out_bps = 10e6; /* 90 % of it is as asked, */
    s.paced_in_bps = s.paced_out_bps = 9e6;
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    s.pace_in_bps = s.pace_out_bps = 9e6; /* 8 of 9 out is not, nor are 2.3 of 4.8 Mb/s more than when not paced half of it */
    s.paced_in_bps = 8.9e6;
    s.paced_out_bps = 8e6;
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.pace_in_bps = 9.4e6;
    s.paced_in_bps = 8.3e6; /* at the other one's price */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.paced_out_bps = 8.9e6;
    s.paced_in_bps = 7.3e6;
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.paced_out_bps = 8e6; /* neither is what was asked for, and both are 2.5 of 4.8 Mb/s more than when not paced */
    s.paced_in_bps = 9.1e6;
    s.pace_in_bps = 11e6;
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    s.paced_in_bps = 8.9e6; /* 2.3 */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
}

/* 7 % are lost if there is room for the other direction's ACKs beside a window that all but fills the link, and 4 % if
 * not: neither a yes nor a no. */
TEST(test_what_is_lost_at_least_decides_a_yes)
{
    struct judge_diagnosis d;
    struct measure_summary s = acks_wait();
    s.full_in = s.full_out = false;
    s.lost_in = s.lost_out = s.lost = known(0.07, 0.01);
    s.least_in = s.least_out = s.least = known(0.04, 0.005);
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    s.least = known(0.06, 0.005);
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_YES);
}

/* Each of these alone takes the yes away. */
TEST(test_right_or_silent)
{
    struct measure_summary s = acks_wait();
    s.lost_in.ci95 = 0.5, s.lost.ci95 = 0.3; /* beyond no interval */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s = acks_wait();
    s.lost_in.ci95 = s.lost.ci95 = NAN;
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s = acks_wait();
    s.paced_in_bps = 7e6; /* 78 % of its pace, and 2 of 4.7 Mb/s that it loses */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s = acks_wait();
    s.pace_in_bps = s.paced_in_bps = 4e6; /* carried, and no more than with both at once */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s = acks_wait();
    s.out[MEASURE_BOTH].mean.wait_s = 0.01; /* words that go the ACKs' way hardly wait */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s = acks_wait();
    s.in[MEASURE_BOTH].mean.rtt_s = 0.025; /* words wait, the flow's ACKs do not: flows have turns */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s = acks_wait();
    s.out[MEASURE_BOTH].mean.wait_s = NAN; /* nobody knows */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s = acks_wait();
    s.out[MEASURE_IN].mean.wait_s = 0.04; /* words go out no sooner when no data do */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s = acks_wait();
    grow(&s.in[MEASURE_IN], 0.4);
    grow(&s.in[MEASURE_BOTH], 1); /* it catches up: 10/7 from half to half, which for as long again makes 10 of 9.7 */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    grow(&s.in[MEASURE_IN], 0.2501); /* a quarter is as good as none */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    grow(&s.in[MEASURE_IN], 0.25);
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    grow(&s.in[MEASURE_IN], 0.4);
    grow(&s.in[MEASURE_BOTH], 0.5); /* 15/14: 5.7 of 9.7 */
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    grow(&s.in[MEASURE_BOTH], 0.3);
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
}

/* Both lose, and data out a little more; whose ACKs hardly wait at all. Those of data in do. */
TEST(test_the_other_direction_may_be_the_one)
{
    struct judge_diagnosis d;
    struct measure_summary s = acks_wait();
    s.out[MEASURE_BOTH].rate_bps.value = 4.5e6;
    s.lost_out = s.least_out = known(1 - 4.5 / 9.7, CI);
    s.lost = s.least = known(1 - 9.5 / 19.4, CI);
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_YES);
    s.least_in = known(0.09, CI);
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
}

/* ACKs of 1.3 Mb/s wait 30.3 of 65 ms, 15.1 of them for a frame that has begun: without, the window would bring 0.4
 * Mb/s more. That is 8 % of the 4.87 possible, and 7 % of both; 4.5 % where 4 Mb/s are possible the other way. */
TEST(test_enough_of_one_or_of_both)
{
    struct measure_summary s = acks_wait();
    s.in[MEASURE_IN] = way(5e6, 0.03, 0.01);
    s.in[MEASURE_BOTH] = way(1.3e6, 0.065, 0.002);
    s.out[MEASURE_OUT] = way(0.77e6, 0.07, 0.025);
    s.out[MEASURE_BOTH] = way(0.73e6, 0.074, 0.0303);
    s.possible_in_bps = 4.87e6, s.possible_out_bps = 0.59e6;
    s.in[MEASURE_BOTH].mean.window_bytes = 1e6; /* not smaller than alone */
    s.lost_in = known(1 - 1.3 / 4.87, CI), s.lost_out = known(1 - 0.73 / 0.59, CI), s.lost = known(0.63, CI);
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    s.possible_out_bps = 4e6;
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
}

/* 30 of 60 ms are waits of ACKs: the window that it has would bring 1.2 Mb/s instead of 0.6 without, which is too
 * little of 9.7. Yet that window is a sixteenth of what it is alone, as it grew so slowly; unless losses cut it that
 * are there without any queue, too. */
TEST(test_a_window_that_waits_keep_small)
{
    struct measure_summary s = acks_wait();
    s.in[MEASURE_BOTH] = way(0.6e6, 0.06, 0.001);
    s.out[MEASURE_BOTH].mean.wait_s = 0.03;
    s.lost_in = known(1 - 0.6 / 9.7, CI);
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    s.in[MEASURE_BOTH].mean.retransmitted = 0.01;
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES); /* bunches of ACKs call for bursts of data */
    s.in[MEASURE_PACED].mean.retransmitted = 0.01;
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.in[MEASURE_IN].mean.retransmitted = 0.0006; /* of 17 times as many segments: as often as alone */
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    s.in[MEASURE_IN].mean.retransmitted = 0.0003;
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.in[MEASURE_IN].mean.retransmitted = 0.0006;
    s.in[MEASURE_BOTH].mean.window_bytes = 1e5; /* larger than alone */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s = acks_wait();
    s.in[MEASURE_BOTH] = way(0.6e6, 0.06, 0.001);
    s.out[MEASURE_BOTH].mean.wait_s = 0.004; /* 1.3 ms of it a frame: less than a twentieth */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
}

/* A slow start over 72 ms ends 5 ms later than round trips begin to grow (HyStart): the window stays at 120 kB of 300,
 * and 11 of 17.4 Mb/s are carried, without a loss. ACKs that wait 6.4 of 89 ms are why. They are not where words wait
 * in another queue, or where it is a queue of its own data that makes round trips longer. */
TEST(test_waits_that_end_a_slow_start)
{
    struct measure_summary s = acks_wait();
    s.floor_in_s = s.floor_out_s = 0.072;
    s.in[MEASURE_IN] = way(18e6, 0.133, 0.06);
    s.out[MEASURE_OUT] = way(18e6, 0.133, 0.06);
    s.in[MEASURE_BOTH] = way(11e6, 0.089, 0.0064);
    s.out[MEASURE_BOTH] = way(11e6, 0.089, 0.0064);
    s.possible_in_bps = s.possible_out_bps = 17.4e6;
    s.pace_in_bps = s.pace_out_bps = s.paced_in_bps = s.paced_out_bps = 16e6;
    s.lost = s.lost_in = s.lost_out = known(1 - 11 / 17.4, CI);
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    s.lost_out = known(0.05, CI); /* from here on nothing that counts is lost out */
    s.in[MEASURE_BOTH] = way(11e6, 0.078, 0.0064);
    s.out[MEASURE_BOTH].mean.wait_s = 0.01; /* longer than the 6 ms of the flow's own round trip */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.out[MEASURE_BOTH].mean.wait_s = 0.0064;
    s.in[MEASURE_BOTH] = way(11e6, 0.1, 0.0064); /* of 28 ms beyond the least 22 are its own */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.in[MEASURE_BOTH] = way(11e6, 0.089, 0.0064);
    s.in[MEASURE_BOTH].mean.retransmitted = s.out[MEASURE_PACED].mean.retransmitted = 0.01; /* its losses are */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
}

/* An access line of 0.94 Mb/s of goodput the ACKs' way, where a frame takes 12.3 ms: of 18 ms that they wait 5.7 are for
 * others, of 27 that the round trip of 79 is longer than the least 14.7. That is more than a quarter of what order can
 * spare; of all 27 it would not be. */
TEST(test_a_frame_that_has_begun_is_no_queue_of_its_own_either)
{
    struct measure_summary s = acks_wait();
    s.floor_in_s = s.floor_out_s = 0.052;
    s.in[MEASURE_IN] = way(9e6, 0.056, 0.001);
    s.out[MEASURE_OUT] = way(0.94e6, 0.09, 0.018);
    s.in[MEASURE_BOTH] = way(2.5e6, 0.079, 0);
    s.out[MEASURE_BOTH] = way(0.76e6, 0.09, 0.018);
    s.possible_in_bps = 9e6;
    s.possible_out_bps = 0.86e6;
    s.pace_in_bps = s.paced_in_bps = 8.6e6;
    s.pace_out_bps = s.paced_out_bps = 0.54e6;
    s.lost_in = known(1 - 2.5 / 9, CI);
    s.lost_out = known(0.12, CI);
    s.lost = known(1 - 3.26 / 9.86, CI);
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    s.in[MEASURE_BOTH] = way(2.5e6, 0.099, 0); /* 20 ms more are its own */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
}

/* 100 of 170 ms are waits: without them a window that losses keep small would bring 1.7 Mb/s instead of 0.7, which is
 * more than 10 % of the 2.8 that are possible. That it is not half of what is lost, as more segments are lost in the
 * bursts of data that bursts of ACKs call for, is no reason to doubt. */
TEST(test_waits_that_cost_enough_by_themselves)
{
    struct measure_summary s = acks_wait();
    s.in[MEASURE_IN] = way(2.8e6, 0.07, 0.03);
    s.in[MEASURE_BOTH] = way(0.7e6, 0.17, 0.001);
    s.in[MEASURE_BOTH].mean.retransmitted = 0.01;
    s.in[MEASURE_PACED].mean.retransmitted = 0.01;
    s.out[MEASURE_BOTH].mean.wait_s = 0.1;
    s.possible_in_bps = 2.8e6;
    s.lost_in = known(0.75, CI);
    s.pace_in_bps = s.paced_in_bps = 2.6e6;
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
    s.out[MEASURE_BOTH].mean.wait_s = 0.03; /* 0.15 Mb/s come back: 5 % */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
}

/* Losses make rates vary by half from phase to phase. ACKs wait 1 of 50 ms, though: without that no window brings more
 * than (50 / 49)^2, 4 % more. With 2 of 50 ms it may be 8 %: nobody knows. */
TEST(test_whatever_rates_do_waits_cost_little)
{
    struct measure_summary s = acks_wait();
    s.lost = s.lost_in = s.lost_out = known(0.04, 0.5);
    s.in[MEASURE_BOTH] = way(9e6, 0.05, 0.0023); /* 1.2 ms of it a frame at 10 Mb/s */
    s.out[MEASURE_BOTH] = way(9e6, 0.05, 0.0023);
    s.in[MEASURE_IN].mean.retransmitted = s.out[MEASURE_OUT].mean.retransmitted = 0.02;
    s.floor_in_s = s.floor_out_s = 0.044;
    s.in[MEASURE_IN].mean.rtt_s = s.out[MEASURE_OUT].mean.rtt_s = 0.045;
    assert_int_equal(answer(&s), JUDGE_ANSWER_NO);
    assert_int_equal(cause, JUDGE_CAUSE_LOSSES);
    struct judge_diagnosis d;
    s.lost = s.least = s.least_in = s.least_out = known(0.3, 0.5); /* no more is said than what waits may cost */
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
    double sooner = 0.05 / (0.05 - 0.0023 + 8 * 1538 / (10e6 * 1538 / 1448));
    assert_true(fabs(d.lost_share - (1 - 1 / (sooner * sooner))) <= 1e-9);
    assert_true(fabs(d.in.possible_bps - 9e6 * sooner * sooner) <= 1);
    assert_all_near(1e-9, {d.in.lost_share, d.lost_share}, {d.out.lost_share, d.lost_share});
    s.lost = known(0.04, 0.5);
    s.in[MEASURE_BOTH] = s.out[MEASURE_BOTH] = way(9e6, 0.052, 0.0033);
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.in[MEASURE_BOTH].mean.wait_s = s.out[MEASURE_BOTH].mean.wait_s = NAN; /* nobody knows what words wait */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.in[MEASURE_BOTH].mean.wait_s = s.out[MEASURE_BOTH].mean.wait_s = 0.0023;
    s.lost = known(0.3, 0.1); /* surely lost, and not by this */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
}

/* Half of what goes in is lost where both go, and words wait for 1 ms: less than a frame at 10 Mb/s, 1.2 ms. Whatever
 * takes it, no ACK waits behind data. */
TEST(test_where_nothing_waits_it_is_something_else)
{
    struct judge_diagnosis d;
    struct measure_summary s = acks_wait();
    s.in[MEASURE_BOTH] = way(5e6, 0.025, 0.001);
    s.out[MEASURE_BOTH] = way(9.6e6, 0.025, 0.001);
    s.in[MEASURE_BOTH].mean.retransmitted = 0.05;
    decide(&s, &d);
    assert_ints({d.answer, JUDGE_ANSWER_NO}, {d.cause, JUDGE_CAUSE_LOSSES});
    assert_string_equal(d.why, "14.6 of 14.6 Mb/s; 0 % lost to waiting ACKs: losses set the windows");
    s.words = false; /* somebody's guess */
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    s.words = true;
    s.out[MEASURE_BOTH].mean.wait_s = 0.002;
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    s.out[MEASURE_BOTH].mean.wait_s = 0.001;
    s.in[MEASURE_BOTH].mean.most_wait_s = 0.002; /* one in ten meets a burst */
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    s.in[MEASURE_BOTH].mean.most_wait_s = 0.001;
    s.out[MEASURE_BOTH].mean.wait_s = s.out[MEASURE_BOTH].mean.most_wait_s = NAN;
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
}

/* A frame of 1538 bytes takes 24.6 ms at 0.5 Mb/s: ACKs that wait 25 ms of 40 wait for no more than the frame that has
 * begun, which whoever is served first waits for, too. */
TEST(test_a_frame_that_has_begun_is_no_queue)
{
    struct measure_summary s = acks_wait();
    s.out[MEASURE_OUT] = way(0.47e6, 0.08, 0.06); /* goodput of 0.5 Mb/s */
    s.in[MEASURE_BOTH] = way(5e6, 0.046 + FRAME_S, 0.001);
    s.out[MEASURE_BOTH].mean.wait_s = 0.025;
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.out[MEASURE_OUT] = way(4.7e6, 0.08, 0.06); /* 2.5 ms of these */
    assert_int_equal(answer(&s), JUDGE_ANSWER_YES);
}

/* 20 down and 2 up: 0.7 of what is asked for, 17.4, are the uplink's. Of a download that brings a tenth less than it was asked
 * for, by chance, both together bring what the download brings alone: that is no medium which both share, as there without
 * the uplink it would be the same. */
TEST(test_who_asks_for_little_shares_nothing)
{
    struct judge_diagnosis d;
    struct measure_summary s = acks_wait();
    s.in[MEASURE_IN] = way(14.9e6, 0.046, 0.037);
    s.out[MEASURE_OUT] = way(1.85e6, 0.137, 0.12);
    s.in[MEASURE_BOTH] = way(2.05e6, 0.161, 0.001);
    s.out[MEASURE_BOTH] = way(1.83e6, 0.161, 0.13);
    s.possible_in_bps = 14.8e6;
    s.possible_out_bps = 1.0e6;
    s.pace_in_bps = 16.7e6, s.pace_out_bps = 0.7e6;
    s.paced_in_bps = 14.9e6, s.paced_out_bps = 0.66e6;
    s.lost_in = known(1 - 2.05 / 14.8, CI);
    s.lost_out = known(1 - 1.83 / 1.0, CI);
    s.lost = known(1 - 3.88 / 15.8, CI);
    s.least_in = s.lost_in, s.least_out = s.lost_out, s.least = s.lost;
    decide(&s, &d);
    assert_int_not_equal(d.answer, JUDGE_ANSWER_NO);
    assert_int_not_equal(d.cause, JUDGE_CAUSE_SHARED);
}

/* 10 Mb/s for both together, whatever their pace. */
TEST(test_a_shared_medium)
{
    struct measure_summary s = acks_wait();
    s.out[MEASURE_BOTH].rate_bps.value = 5e6;
    s.paced_in_bps = s.paced_out_bps = 4.9e6;
    struct judge_diagnosis d;
    decide(&s, &d);
    assert_ints({d.answer, JUDGE_ANSWER_NO}, {d.cause, JUDGE_CAUSE_SHARED});
    assert_string_equal(d.why, "10.0 of 10.0 Mb/s; 0 % lost to waiting ACKs: both directions share one medium, or one "
                               "processor");
    s.paced_in_bps = s.paced_out_bps = 7e6; /* neither all that was asked for nor the same sum */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.in[MEASURE_BOTH].rate_bps.value = s.out[MEASURE_BOTH].rate_bps.value = 4e6; /* losses take from both, not paced */
    s.paced_in_bps = s.paced_out_bps = 6e6;
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.paced_in_bps = s.paced_out_bps = 5e6; /* as much as one direction alone */
    assert_int_equal(answer(&s), JUDGE_ANSWER_NO);
    s.pace_in_bps = 4.5e6; /* of a direction that is slower */
    s.paced_in_bps = 1e6; /* together less than a medium has: losses */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
    s.paced_out_bps = 8.5e6; /* all that it has, 9.5 of 13.5 */
    assert_int_equal(answer(&s), JUDGE_ANSWER_NO);
    s.paced_in_bps = 3.8e6; /* and more: 12.3 */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
}

TEST(test_a_no_says_what_holds_the_directions)
{
    struct measure_summary s = acks_wait();
    s.lost = s.lost_in = s.lost_out = known(0.01, CI);
    assert_int_equal(answer(&s), JUDGE_ANSWER_NO);
    assert_int_equal(cause, JUDGE_CAUSE_FULL);
    s.out[MEASURE_OUT].mean.rwnd_limited = 0.9;
    assert_int_equal(answer(&s), JUDGE_ANSWER_NO);
    assert_int_equal(cause, JUDGE_CAUSE_WINDOW);
    s.in[MEASURE_IN].mean.sndbuf_limited = 0.9;
    answer(&s);
    assert_int_equal(cause, JUDGE_CAUSE_SEND_BUFFER);
    s.in[MEASURE_IN].mean.busy = 0.5;
    answer(&s);
    assert_int_equal(cause, JUDGE_CAUSE_APPLICATION);
    s = acks_wait();
    s.lost = s.lost_in = s.lost_out = known(0.01, CI);
    s.in[MEASURE_IN].mean.retransmitted = 0.02; /* and no queue */
    s.in[MEASURE_IN].mean.rtt_s = 0.021;
    answer(&s);
    assert_int_equal(cause, JUDGE_CAUSE_LOSSES);
    s.lost_in = known(0.08, 0.03); /* up to 11 % of a direction: not surely no */
    assert_int_equal(answer(&s), JUDGE_ANSWER_UNKNOWN);
}

/* Two samples at the phase's ends are enough: 5 Mb/s in, 9.6 out, as the summary has them. */
TEST(test_a_resource_as_check_has_it)
{
    MEMORY_LOCAL struct measure_test *t = calloc(1, sizeof *t);
    struct analysis_resource r;
    struct measure_summary s = acks_wait();
    assert_non_null(t);
    *t = (struct measure_test){.in = 1, .out = 1, .hosts = 1, .n = 1, .took_s = 30};
    t->phase[0] = (struct measure_phase){.kind = MEASURE_BOTH, .from_s = 1, .to_s = 2, .n = 2};
    for (int i = 0; i < 2; i++) {
        struct measure_end *e = &t->phase[0].end[i];
        e->incoming = i == 0;
        for (int k = 1; k <= 2; k++) {
            struct measure_sample receiver = {.at_s = k, .bytes = k * (i == 0 ? 625000 : 1200000), .rtt_s = NAN};
            struct measure_sample sender = {.at_s = k, .rtt_s = 0.08, .cwnd_bytes = 5e4, .retransmitted = k};
            measure_flow_add(i == 0 ? &e->near : &e->far, &receiver);
            measure_flow_add(i == 0 ? &e->far : &e->near, &sender);
        }
    }
    measure_verdict_of(t, &s, "laptop", (const char *const[]){"server"}, &r);
    assert_string_equal(r.host, "laptop");
    assert_int_equal(r.n, 2);
    assert_all(r.diagnosed && r.live, r.flows[0].incoming && !r.flows[1].incoming);
    assert_strings({r.flows[0].src, "server"}, {r.flows[1].dst, "server"});
    assert_all(fabs(r.flows[0].rate_bps - 5e6) <= 1, fabs(r.flows[1].rate_bps - 9.6e6) <= 1,
               fabs(r.flows[0].window_bytes - 5e4) <= 1e-6);
    assert_ints({r.flows[0].retransmitted_segments, 2}, {r.diagnosis.answer, JUDGE_ANSWER_YES},
                {r.judgement.indegree, 1});
    free(r.flows);
    measure_test_fini(t);
}

/* Half is lost for sure, and all marks accuse ACKs: 98 %. By waits that are a guess 96 %, times P(lost more than 5 %):
 * with +- 18 of 23 %, z is 1.96 * 18 / 18 = 1.96 and that is 97.5 %: not enough. With both at once by 1 % less than alone,
 * where 1 % is certain, nothing is. */
TEST(test_how_sure_it_is)
{
    struct judge_diagnosis d;
    struct measure_summary s = acks_wait();
    decide(&s, &d);
    assert_all(fabs(d.probability - 0.98) <= 1e-6, fabs(d.ci95 - CI) <= 1e-9);
    s.words = false;
    s.lost = s.least = known(0.23, 0.18);
    s.lost_in = s.least_in = known(0.23, 0.26);
    decide(&s, &d);
    assert_true(fabs(d.probability - 0.96 * 0.975) <= 1e-4);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    s.words = true;
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_YES); /* 0.98 * 0.975 = 0.9555 */
    s = acks_wait();
    s.lost = s.lost_in = s.lost_out = s.least = s.least_in = s.least_out = known(0.01, 0.01);
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
    assert_true(d.probability < 1e-6);
}

/* Waits that cost 4.9 % at most bound what is said to be lost, and its interval: up to as much, or nothing. */
TEST(test_a_bound_has_an_interval)
{
    struct judge_diagnosis d;
    struct measure_summary s = acks_wait();
    s.lost = s.lost_in = s.lost_out = s.least = s.least_in = s.least_out = known(0.3, 0.5);
    s.in[MEASURE_BOTH] = s.out[MEASURE_BOTH] = way(9e6, 0.05, 0.0023); /* as where waits cost little, above */
    s.floor_in_s = s.floor_out_s = 0.044;
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
    assert_all(d.lost_share > 0.03 && d.lost_share < 0.05, fabs(d.ci95 - d.lost_share) <= 1e-9);
}

/* 48 % of data in are lost, 25 % of all. If who begins first gets 90 % more, each direction loses 45 points less
 * than its mean when it is first: 48 - 45 are less than 10, and 25 - 45 less than 5. If it gets 20 % more, 38 and 15
 * are left, which no order explains. Nor does an order that varies as much as it brings. */
TEST(test_what_only_the_second_loses_is_said_of_such_transfers)
{
    struct judge_diagnosis d;
    struct measure_summary s = acks_wait();
    s.transfer_s = 1.7;
    s.order = known(0.9, 0.1);
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_YES);
    assert_ptr_equal(strstr(d.why, "for transfers of 1.7 s 14.6 of 19.4 Mb/s"), d.why);
    assert_non_null(strstr(d.why, "ms; who begins first gets 90 % more"));
    assert_true(strlen(d.why) < sizeof d.why - 1);
    s.order = known(-0.9, 0.1); /* who begins second gets more: it is the order all the same */
    decide(&s, &d);
    assert_ptr_equal(strstr(d.why, "for transfers of "), d.why);
    s.order = known(0.2, 0.1);
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_YES);
    assert_null(strstr(d.why, "transfers"));
    s.order = known(0.9, 1);
    decide(&s, &d);
    assert_null(strstr(d.why, "transfers"));
    s.order = known(0.9, NAN);
    decide(&s, &d);
    assert_null(strstr(d.why, "transfers"));
}

/* 25 % of all are lost and 48 % of data in, each +- 2; what would tell has the figures that leave it open. */
TEST(test_an_open_answer_has_its_figures)
{
    static const char *const says[] = {
        /* 10 Mb/s on average, 0.4 more in the second half: 10 / 1.2, and 1.4 times that */
        "connections still change when their phase ends, data in alone from 8.33 to 11.7 Mb/s: a longer",
        "rates vary too much: with both at once 25 % are lost, +- 30, of data in 48 %, +- 60: a longer",
        "with both at once 25 % are lost (+- 2), but paced, when no ACK has to wait, they bring 5 in and 7 out of 9 and 8.9 Mb/s",
        "with both at once 25 % are lost (+- 2), but what goes out waits 50 ms with data in alone, too: one queue",
        ("with both at once 25 % are lost (+- 2), but ACKs of data in wait 2 of 82.2 ms, too little for that; 3 % of segments are sent "
         "again, 1 % alone")};
    for (int i = 0; i < 5; i++) {
        struct judge_diagnosis d;
        struct measure_summary s = acks_wait();
        s.least_in = s.lost_in = known(1 - 5 / 9.7, i == 1 ? 0.6 : CI);
        s.least = s.lost = known(1 - 14.6 / 19.4, i == 1 ? 0.3 : CI);
        if (i == 0) {
            grow(&s.in[MEASURE_IN], 0.4);
            grow(&s.in[MEASURE_BOTH], 2); /* twice as much, from half to half */
        }
        s.pace_out_bps = 8.9e6;
        s.paced_in_bps = i == 2 ? 5e6 : 9e6;
        s.paced_out_bps = i == 2 ? 7e6 : 8.9e6;
        s.out[MEASURE_IN].mean.wait_s = i == 3 ? 0.05 : 0;
        s.out[MEASURE_BOTH].mean.wait_s = i == 4 ? 0.002 : 0.06;
        s.in[MEASURE_BOTH].mean.retransmitted = 0.03;
        s.in[MEASURE_IN].mean.retransmitted = 0.01;
        decide(&s, &d);
        if (d.answer != JUDGE_ANSWER_UNKNOWN || !strstr(d.why, says[i]))
            fail_msg("%d '%s' has no '%s'", (int)d.answer, d.why, says[i]);
    }
}

/* The path is not able to carry more, so there is no yes: then transfers of that length are what is not known. */
TEST(test_an_order_without_a_yes_cannot_tell)
{
    struct judge_diagnosis d;
    struct measure_summary s = acks_wait();
    s.transfer_s = 1.7;
    s.order = known(0.9, 0.1);
    s.paced_in_bps = 5e6, s.paced_out_bps = 7e6;
    decide(&s, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    assert_ptr_equal(strstr(d.why, "for transfers of 1.7 s 25 % are lost"), d.why);
    assert_non_null(strstr(d.why, "who begins first gets 90 % more (+- 10)"));
    assert_true(strlen(d.why) < sizeof d.why - 1);
}
