/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/analysis/segment.h"

#define US INT64_C(1000)
#define SEGMENT 1000

/* Each ACK lets go a segment, a window after the one before. Its sender takes 100 us, the data's queue there more the
 * later an ACK comes within its burst; stamps tick once a millisecond, from `clock` on. `hole`: the second burst begins
 * with a duplicate ACK that has a block. */
static struct analysis_flows *flow_in_bursts(uint32_t window, uint32_t clock, bool hole)
{
    struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    for (uint32_t i = 0; i < window; i++)
        feed(f, i * 10 * US, stamped(A_TO_B, 1 + i * SEGMENT, SEGMENT, 1, clock, clock));
    for (uint32_t k = 0; k < 300; k++) {
        uint32_t tick = clock + k;
        int64_t round_ns = (2 + (int64_t)k) * MS;
        if (hole && k == 1) {
            struct capture_segment again = stamped(B_TO_A, 1, 0, 1 + k * window * SEGMENT, tick + 1, tick);
            again.n_sack = 1;
            again.sack[0] = (struct capture_sack){again.ack + SEGMENT, again.ack + 2 * SEGMENT};
            feed(f, round_ns, again);
        }
        for (uint32_t i = 0; i < window; i++)
            feed(f, round_ns + i * US, stamped(B_TO_A, 1, 0, 1 + (k * window + i + 1) * SEGMENT, tick + 1, tick));
        for (uint32_t i = 0; i < window; i++)
            feed(f, round_ns + (100 + i * 10) * US,
                 stamped(A_TO_B, 1 + (k * window + i + window) * SEGMENT, SEGMENT, 1, tick + 1, tick + 1));
    }
    return f;
}

static void burst_shows(uint32_t window, bool hole)
{
    static struct analysis_wait waits[ANALYSIS_LEG_SERIES_SLOTS];
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = flow_in_bursts(window, 0, hole);
    size_t n = analysis_flows_waits(f, 0, waits);
    double sum = 0, samples = 0;
    for (size_t i = 0; i < n; i++) {
        double k = waits[i].loop_samples[ANALYSIS_LOOP_SENDER];
        sum += k > 0 ? k * waits[i].loop_s[ANALYSIS_LOOP_SENDER] : 0;
        samples += k;
    }
    assert_true(hole ? samples < 300 + window : samples > 250 * window); /* the first of each tick alone, or not */
    assert_true(hole || fabs(sum / samples - (100e-6 + 4.5e-6 * (window - 1))) < 2e-6);
    struct analysis_round_trip_figures x;
    assert_true(analysis_flows_explain(f, 0, &x));
    assert_true(fabs(x.loop_least_s[ANALYSIS_LOOP_SENDER] - 100e-6) < 1e-9);
}

TEST(test_all_of_a_burst_shows_in_the_loop_to_the_sender)
{
    burst_shows(10, false);
}

TEST(test_all_of_a_wide_burst_shows)
{
    burst_shows(ANALYSIS_THIN_SPARED / 300, false); /* as wide as none is spared */
}

/* Beside the sender, every `single`-th time one segment, whose ACK is held back for 50 ms, else two, for 10 ms: samples of the
 * loop to the receiver, whose mean is *loop_s. */
static double acks_of_one(uint32_t single, double *loop_s)
{
    static struct analysis_wait waits[ANALYSIS_LEG_SERIES_SLOTS];
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    double samples = 0, sum = 0;
    for (uint32_t k = 1, seq = 1; k <= 400; k++) {
        int64_t at_ns = k * 100 * MS, held_ns = (k % single == 0 ? 50 : 10) * MS;
        for (int i = k % single == 0; i < 2; i++, seq += SEGMENT)
            feed(f, at_ns + i * US, stamped(A_TO_B, seq, SEGMENT, 1, k * 100, k * 100 - 50));
        feed(f, at_ns + US + held_ns, stamped(B_TO_A, 1, 0, seq, (uint32_t)((at_ns + held_ns) / MS), k * 100));
    }
    size_t n = analysis_flows_waits(f, 0, waits);
    for (size_t i = 0; i < n; i++) {
        double some = waits[i].loop_samples[ANALYSIS_LOOP_RECEIVER];
        samples += some;
        sum += some > 0 ? some * waits[i].loop_s[ANALYSIS_LOOP_RECEIVER] : 0;
    }
    *loop_s = sum / samples;
    return samples;
}

/* An ACK of one segment may have waited for another one, unless nearly all are such. */
TEST(test_a_delayed_ack_times_nothing_where_others_are_prompt)
{
    double loop_s;
    assert_true(acks_of_one(10, &loop_s) > 100);
    assert_near(loop_s, 0.01, 2e-6);
    assert_true(acks_of_one(1, &loop_s) > 100); /* so long does it take */
    assert_near(loop_s, 0.05, 2e-6);
}

/* Beside the receiver of a flow whose sender is 100 us away, and that has four segments in flight, 25 us apart. Stamps
 * tick once a ms: in the middle of some ticks the window grows by a segment, which comes with the one before it. The ACK
 * that let it go is that one's: by a window of four it would be one that passed 25 us later. `back`: an ACK of the same
 * tick lets nothing go, and the window is as it was. */
static struct analysis_flows *flow_that_grows(bool back)
{
    static int64_t passed_ns[4000];
    struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    uint32_t n = 4, in_flight = 4;
    for (uint32_t i = 0; i < n; i++)
        passed_ns[i] = i * 25 * US;
    for (uint32_t i = 0; n < 4000; i++) {
        uint32_t by = i < in_flight ? 0 : (uint32_t)((passed_ns[i] - 100 * US) / MS);
        uint32_t tick = (uint32_t)(passed_ns[i] / MS);
        feed(f, passed_ns[i], stamped(A_TO_B, 1 + i * SEGMENT, SEGMENT, 1, by, by));
        feed(f, passed_ns[i], stamped(B_TO_A, 1, 0, 1 + (i + 1) * SEGMENT, tick, by));
        bool grows = in_flight < 12 && passed_ns[i] % MS >= 500 * US && passed_ns[i] / MS >= 5 * (in_flight - 1);
        if (back && in_flight > 4 && passed_ns[i] % MS >= 800 * US) {
            in_flight--;
            continue;
        }
        grows = grows && (!back || (in_flight == 4 && passed_ns[i] % MS < 600 * US));
        passed_ns[n++] = passed_ns[i] + 100 * US;
        if (grows && n < 4000) {
            passed_ns[n] = passed_ns[n - 1];
            n++;
            in_flight++;
        }
    }
    return f;
}

/* How many loops to the sender were timed; each slot's mean is within `off_s` of loop_s. */
static double loops_near(const struct analysis_flows *f, double loop_s, double off_s)
{
    static struct analysis_wait waits[ANALYSIS_LEG_SERIES_SLOTS];
    size_t slots = analysis_flows_waits(f, 0, waits);
    double samples = 0;
    for (size_t i = 0; i < slots; i++) {
        samples += waits[i].loop_samples[ANALYSIS_LOOP_SENDER];
        assert_true(waits[i].loop_samples[ANALYSIS_LOOP_SENDER] == 0 ||
                    fabs(waits[i].loop_s[ANALYSIS_LOOP_SENDER] - loop_s) < off_s);
    }
    return samples;
}

TEST(test_a_window_that_grows_between_ticks_times_nothing_wrong)
{
    struct analysis_round_trip_figures x;
    for (int back = 0; back < 2; back++) {
        struct analysis_flows *f = flow_that_grows(back);
        assert_true(analysis_flows_explain(f, 0, &x));
        assert_true(fabs(x.loop_least_s[ANALYSIS_LOOP_SENDER] - 100e-6) < 1e-9);
        analysis_flows_free(f);
    }
    struct analysis_flows *f = flow_that_grows(false);
    assert_true(loops_near(f, 100e-6, 1e-9) > 500); /* of ticks whose window is that of the one before: all of them */
    analysis_flows_free(f);
}

/* What losses let go follows no window: of ACKs with one stamp only the first is known to have let go what echoes it. */
TEST(test_after_a_hole_the_first_of_each_stamp_shows)
{
    burst_shows(10, true);
}

/* Bursts of 44 segments, each of which waits 10 us more than the one before it: of 660,000 an eighth of those after the
 * first is taken, and their mean is that of all. */
TEST(test_a_share_of_many_segments_has_the_mean_of_all)
{
    static struct analysis_wait waits[ANALYSIS_LEG_SERIES_SLOTS];
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    struct analysis_round_trip_figures x;
    analysis_flows_keep_explanations(f);
    for (uint32_t i = 0; i < 660000; i++) {
        int64_t sent_us = i / 44 * 1000, wait_us = i % 44 * 10;
        feed(f, (sent_us + wait_us) * US, stamped(A_TO_B, 1 + i * SEGMENT, SEGMENT, 1, (uint32_t)sent_us, 1));
        if (i % 44 == 43)
            feed(f, (sent_us + 500) * US, stamped(B_TO_A, 1, 0, 1 + (i + 1) * SEGMENT, (uint32_t)sent_us + 500,
                                                  (uint32_t)sent_us));
    }
    assert_true(analysis_flows_explain(f, 0, &x));
    assert_true(fabs(x.wait_s[ANALYSIS_LEG_DATA_OUT] - 215e-6) < 1e-6);
    size_t slots = analysis_flows_waits(f, 0, waits);
    double samples = 0;
    for (size_t i = 0; i < slots; i++) {
        double n = waits[i].leg_samples[ANALYSIS_LEG_DATA_OUT];
        samples += n;
        assert_true(i == 0 || i + 1 == slots || fabs(waits[i].leg_s[ANALYSIS_LEG_DATA_OUT] - 215e-6) < 20e-6);
    }
    assert_true(samples < 660000.0 / 4);
}

/* Two segments each 1.301 ms for 6.5 s, so that stamps of a millisecond are of all ages, and a third that is in flight when their
 * ACK comes: 50 us from the sender to the tap, 250 to the receiver, 300 back to the tap, and 701 until the sender goes on. The
 * tap's clock is so many ppm faster than theirs, or than the sender's alone. Their stamps move on every step_ms. */
static uint32_t stepped(int64_t ns, double step_ms)
{
    return (uint32_t)(floor((double)(ns / MS) / step_ms) * step_ms);
}

static struct analysis_flows *flow_by_a_clock(int64_t ppm, bool of_receiver, double step_ms)
{
    const int64_t receiver_ppm = of_receiver ? ppm : 0;
    struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    uint32_t heard = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        const int64_t sent_ns = 5 * MS + i * 1301 * US, passes_ns = sent_ns + 50 * US, third_ns = sent_ns + 400 * US;
        const int64_t back_ns = sent_ns + 600 * US;
        const int64_t got_ns = sent_ns + 300 * US + sent_ns / 1000000 * receiver_ppm;
        const uint32_t by = stepped(sent_ns, step_ms), got = stepped(got_ns, step_ms);
        for (uint32_t k = 0; k < 2; k++)
            feed(f, passes_ns + passes_ns / 1000000 * ppm, stamped(A_TO_B, 1 + (3 * i + k) * SEGMENT, SEGMENT, 1, by, heard));
        feed(f, third_ns + third_ns / 1000000 * ppm,
             stamped(A_TO_B, 1 + (3 * i + 2) * SEGMENT, SEGMENT, 1, stepped(third_ns - 50 * US, step_ms), heard));
        feed(f, back_ns + back_ns / 1000000 * ppm, stamped(B_TO_A, 1, 0, 1 + (3 * i + 2) * SEGMENT, got, by));
        heard = got;
    }
    return f;
}

/* Nothing waits, whatever the tap's clock makes of it: 500 ppm are 3 ms in the end. */
TEST(test_a_clock_of_another_pace_makes_nothing_wait)
{
    static struct analysis_wait waits[ANALYSIS_LEG_SERIES_SLOTS];
    static const int64_t ppm[] = {0, 300, -300, 500, -500};
    for (size_t k = 0; k < 2 * sizeof ppm / sizeof *ppm; k++) {
        CM_OWNED(analysis_flows_free) struct analysis_flows *f = flow_by_a_clock(ppm[k / 2], k % 2, 1);
        struct analysis_round_trip_figures x;
        assert_true(analysis_flows_explain(f, 0, &x));
        assert_true(x.clock_off_s == 0);
        /* Each of four legs is known to half of what the clock gains in a slot of 256 ms. */
        assert_true(fabs(x.floor_s - 1301e-6) < 2 * 256e-3 * 500e-6);
        for (int leg = 0; leg < ANALYSIS_LEGS; leg++)
            assert_true(x.wait_s[leg] < 150e-6);
        const size_t slots = analysis_flows_waits(f, 0, waits);
        assert_true(slots > 100);
        for (size_t i = 0; i < slots; i++)
            assert_true(waits[i].data_s < 300e-6 && fabs(waits[i].least_s) < 500e-6); /* the last has few */
    }
}

/* Stamps count milliseconds and move on every 4, 15.625 or 16 of them: they are as old as that, and no clock was set. What moves
 * on less often are no clock's ticks. */
TEST(test_a_clock_that_moves_on_by_several_ticks_is_so_coarse)
{
    static struct analysis_wait waits[ANALYSIS_LEG_SERIES_SLOTS];
    static const double step_ms[] = {1, 4, 15.625, 16, 40};
    for (size_t k = 0; k < sizeof step_ms / sizeof *step_ms; k++) {
        CM_OWNED(analysis_flows_free) struct analysis_flows *f = flow_by_a_clock(0, false, step_ms[k]);
        struct analysis_round_trip_figures x;
        assert_true(analysis_flows_explain(f, 0, &x));
        if (step_ms[k] > 16) {
            assert_true(fabs(x.tick_s - 1e-3) < 2e-6); /* and no pace is more off */
            continue;
        }
        assert_true(x.clock_off_s == 0);
        assert_true(x.tick_s > (step_ms[k] - 0.1) * 1e-3 && x.tick_s < (step_ms[k] + 2.1) * 1e-3);
        assert_true(fabs(x.floor_s - 1301e-6) < 1e-3);
        assert_true(fabs(x.stamped_least_s[ANALYSIS_LOOP_RECEIVER] - 550e-6) < 1e-3);
        for (int leg = 0; leg < ANALYSIS_LEGS; leg++)
            assert_true(x.wait_s[leg] < 0.6e-3);
        const size_t slots = analysis_flows_waits(f, 0, waits);
        double sum_s = 0;
        for (size_t i = 0; i < slots; i++)
            sum_s += waits[i].leg_s[ANALYSIS_LEG_DATA_IN];
        assert_true(fabs(sum_s / (double)slots) < 0.6e-3);
    }
}

/* The first stamp that the capture shows may have been the handshake's already: its echo says nothing of that ACK. */
TEST(test_the_first_stamp_times_nothing)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    for (uint32_t i = 0; i < 3; i++)
        feed(f, i * 10 * US, stamped(A_TO_B, 1 + i * SEGMENT, SEGMENT, 1, 7, 7));
    feed(f, 31 * US, stamped(B_TO_A, 1, 0, 1 + SEGMENT, 7, 7));
    feed(f, 32 * US, stamped(A_TO_B, 1 + 3 * SEGMENT, SEGMENT, 1, 7, 7)); /* was on its way */
    struct analysis_round_trip_figures x;
    assert_true(analysis_flows_explain(f, 0, &x));
    assert_true(isnan(x.loop_least_s[ANALYSIS_LOOP_SENDER]));
    feed(f, 2 * MS, stamped(B_TO_A, 1, 0, 1 + 2 * SEGMENT, 9, 7));
    feed(f, 2 * MS + 60 * US, stamped(A_TO_B, 1 + 4 * SEGMENT, SEGMENT, 1, 9, 9));
    assert_true(analysis_flows_explain(f, 0, &x));
    assert_true(fabs(x.loop_least_s[ANALYSIS_LOOP_SENDER] - 60e-6) < 1e-9);
}

/* Ten segments, 1 ms from the tap to the receiver and back. The third of them is lost there, and what is sent again is
 * acknowledged after 21 ms with all that came meanwhile: that one ACK says nothing of how long they took. */
static void held_back_by_a_hole(bool sack, bool stamps)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    for (uint32_t k = 0; k < 40; k++) {
        uint32_t first = 1 + k * 10 * SEGMENT, hole = first + 2 * SEGMENT, tick = 50 * k;
        int64_t at_ns = tick * MS;
        for (uint32_t i = 0; i < 10; i++) {
            struct capture_segment s = stamped(A_TO_B, first + i * SEGMENT, SEGMENT, 1, tick, tick);
            s.has_timestamps = stamps;
            feed(f, at_ns + i * 10 * US, s);
        }
        for (uint32_t i = 0; i < 10; i++) {
            struct capture_segment s =
                stamped(B_TO_A, 1, 0, first + (i < 2 ? i + 1 : 2) * SEGMENT, tick + 1, tick);
            s.has_timestamps = stamps;
            s.n_sack = sack && i > 2;
            s.sack[0] = (struct capture_sack){hole + SEGMENT, first + (i + 1) * SEGMENT};
            if (i != 2)
                feed(f, at_ns + MS + i * 10 * US, s);
        }
        struct capture_segment again = stamped(A_TO_B, hole, SEGMENT, 1, tick + 20, tick + 1);
        struct capture_segment all = stamped(B_TO_A, 1, 0, first + 10 * SEGMENT, tick + 21, tick + 20);
        again.has_timestamps = all.has_timestamps = stamps;
        feed(f, at_ns + 20 * MS, again);
        feed(f, at_ns + 21 * MS, all);
    }
    struct analysis_round_trip_figures x;
    assert_true(analysis_flows_explain(f, 0, &x));
    assert_true(fabs(x.hold_s - 1e-3) < 1e-9);
    assert_true(!stamps || x.wait_s[ANALYSIS_LEG_DATA_IN] < 1e-3); /* a tick */
}

/* RFC 2018 section 3; RFC 5681 section 2, duplicate acknowledgement. */
TEST(test_what_a_hole_held_back_times_nothing)
{
    held_back_by_a_hole(true, true);
    held_back_by_a_hole(true, false);
    held_back_by_a_hole(false, true);
    held_back_by_a_hole(false, false);
}

/* Beside the receiver: an ACK a ms, of which a queue on its way drops four of five, as tc-cake's ack-filter does. 52 ms
 * after one that is left its five segments pass. The first ACK that passes after them never comes back, but those that
 * do show what they took: by the clock that made the stamps. */
TEST(test_acks_that_a_queue_drops_leave_the_others_to_time)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    struct analysis_round_trip_figures x;
    analysis_flows_keep_explanations(f);
    for (uint32_t i = 0; i < 60; i++)
        feed(f, i * MS / 60, stamped(A_TO_B, 1 + i * SEGMENT, SEGMENT, 1, 1, 1));
    for (uint32_t k = 1, sent = 60; k < 1000; k++) {
        feed(f, k * MS, stamped(B_TO_A, 1, 0, 1 + k * SEGMENT, k, 1));
        for (uint32_t i = 0; k > 60 && k % 5 == 0 && i < 5; i++, sent++)
            feed(f, k * MS + (2 * i + 1) * US, stamped(A_TO_B, 1 + sent * SEGMENT, SEGMENT, 1, k - 26, k - 52));
    }
    assert_true(analysis_flows_explain(f, 0, &x));
    assert_true(isnan(x.loop_least_s[ANALYSIS_LOOP_SENDER])); /* of none for certain */
    assert_true(loops_near(f, 52e-3, 1e-3) >= 16); /* one a round trip */
}

/* 300 ms of a flow whose loop to the sender, or to the receiver, takes 2 s: no ACK and its data are both in the capture, yet
 * stamps say how old what they echo is, once their clock has shown its pace. A sender that rested for 3 s echoes what came
 * before that: this times nothing. */
TEST(test_a_loop_longer_than_the_capture_shows_by_stamps)
{
    for (int to_sender = 0; to_sender < 2; to_sender++)
        for (int rests = 0; rests < 2; rests++) {
            CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
            struct analysis_round_trip_figures x;
            analysis_flows_keep_explanations(f);
            for (uint32_t k = 0; k < 300; k++) {
                const uint32_t now = 10000 + k, then = now - 2000, echo = rests ? 5000 : then;
                const uint32_t acked = to_sender ? 2001 + k : k;
                feed(f, k * MS, stamped(A_TO_B, 1 + (2000 + k) * SEGMENT, SEGMENT, 1, now, to_sender ? echo : now));
                feed(f, k * MS + 10 * US, stamped(B_TO_A, 1, 0, 1 + acked * SEGMENT, now, to_sender ? now : then));
            }
            assert_true(analysis_flows_explain(f, 0, &x));
            const enum analysis_loop loop = to_sender ? ANALYSIS_LOOP_SENDER : ANALYSIS_LOOP_RECEIVER;
            assert_true(to_sender && rests ? isnan(x.stamped_least_s[loop]) : fabs(x.stamped_least_s[loop] - 2) < 4e-3);
            assert_true(isnan(x.loop_least_s[ANALYSIS_LOOP_SENDER])); /* of none for certain */
        }
}

/* Data whose echoes never change pass, and no ACK: nothing shows how long a round trip takes, and 0 is no answer. */
TEST(test_a_round_trip_that_does_not_show_is_unknown)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    struct analysis_round_trip_figures x;
    analysis_flows_keep_explanations(f);
    for (uint32_t k = 0; k < 300; k++) {
        feed(f, k * MS, stamped(A_TO_B, 1 + k * SEGMENT, SEGMENT, 1, 100 + k, 7));
        feed(f, k * MS + 10 * US, stamped(B_TO_A, 1, 0, 1 + (k + 1) * SEGMENT, 200 + k, 100 + k));
    }
    assert_true(analysis_flows_explain(f, 0, &x));
    assert_true(x.tick_s > 0 && isnan(x.floor_s) && isnan(x.ack_wait_s));
}

/* Data are answered after 1 ms for a second, and then after 5: so long they take in either, with stamps or without. */
TEST(test_what_data_are_held_for_is_that_of_a_time)
{
    for (int stamps = 0; stamps < 2; stamps++) {
        CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
        analysis_flows_keep_explanations(f);
        for (uint32_t k = 0; k < 200; k++) {
            uint32_t ms = 10 * k, later = ms + (k < 100 ? 1 : 5);
            struct capture_segment data[2], ack = stamped(B_TO_A, 1, 0, 1 + (2 * k + 2) * SEGMENT, later, ms);
            for (uint32_t i = 0; i < 2; i++) {
                data[i] = stamped(A_TO_B, 1 + (2 * k + i) * SEGMENT, SEGMENT, 1, ms, ms);
                data[i].has_timestamps = stamps;
                feed(f, ms * MS, data[i]);
            }
            ack.has_timestamps = stamps;
            feed(f, later * MS, ack);
        }
        double least_s;
        assert_true(fabs(analysis_flows_hold_s(f, 0, 0, 0.9, &least_s) - 1e-3) < 1e-9);
        assert_true(fabs(analysis_flows_hold_s(f, 0, 1.1, 2, &least_s) - 5e-3) < 1e-9 && fabs(least_s - 5e-3) < 1e-9);
        assert_true(analysis_flows_hold_s(f, 0, 0, 2, &least_s) > 2e-3 && fabs(least_s - 1e-3) < 1e-9);
        assert_true(isnan(analysis_flows_hold_s(f, 0, 3, 4, &least_s)) && isnan(least_s));
    }
}

/* RFC 7323, section 5.4: a timestamp clock starts anywhere, and its 32 bits wrap. */
TEST(test_where_a_clock_starts_changes_nothing)
{
    static const uint32_t clock[] = {0, UINT32_MAX - 150, INT32_MAX - 150, (1u << 30) - 75};
    struct analysis_round_trip_figures x[4];
    for (size_t i = 0; i < 4; i++) {
        struct analysis_flows *f = flow_in_bursts(10, clock[i], false);
        assert_true(analysis_flows_explain(f, 0, &x[i]));
        analysis_flows_free(f);
        for (int leg = 0; leg < ANALYSIS_LEGS; leg++)
            assert_true(x[0].wait_s[leg] < 1e-3 && fabs(x[i].wait_s[leg] - x[0].wait_s[leg]) < 1e-9);
        assert_all(fabs(x[i].floor_s - x[0].floor_s) < 1e-9, fabs(x[i].tick_s - 1e-3) < 1e-12);
    }
}

/* How long data wait for their ACK is taken from ACKs alone: one that data carry waited for those. 3 ms then, not the
 * mean of that and 1 ms; and a duplicate acknowledges nothing. */
TEST(test_acks_that_data_carry_are_none)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    feed(f, 0, syn(A_TO_B, 0));
    feed(f, 1 * MS, syn_ack(B_TO_A, 0, 1));
    feed(f, 2 * MS, segment(A_TO_B, 1, SEGMENT, 1));
    feed(f, 3 * MS, segment(B_TO_A, 1, 500, 1 + SEGMENT));
    feed(f, 4 * MS, segment(A_TO_B, 1 + SEGMENT, SEGMENT, 501));
    feed(f, 7 * MS, segment(B_TO_A, 501, 0, 1 + 2 * SEGMENT));
    feed(f, 9 * MS, segment(B_TO_A, 501, 0, 1 + 2 * SEGMENT));
    struct analysis_round_trip_figures x;
    assert_true(analysis_flows_explain(f, 0, &x));
    assert_true(fabs(x.hold_s - 3e-3) < 1e-9);
}

/* A server, where the capture is made, has questions of three segments, acknowledges each segment at once, and answers with twenty
 * segments that leave its host 1 ms apart, though they were written together: 10 ms of wait on average, as data. Each says again
 * what was acknowledged, which waited nowhere; and what a client asks 50 ms after an answer no ACK let go. */
TEST(test_data_that_say_it_again_wait_as_data_alone)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    int64_t t = 0;
    uint32_t asked = 1, answered = 1, echo = 0;
    for (int i = 0; i < 100; i++, t += 100 * MS) {
        uint32_t now = (uint32_t)(t / MS);
        for (int k = 0; k < 3; k++, asked += SEGMENT) {
            feed(f, t + k * 100 * US, stamped(A_TO_B, asked, SEGMENT, answered, now, echo));
            feed(f, t + k * 100 * US + 10 * US, stamped(B_TO_A, answered, 0, asked + SEGMENT, now, now));
        }
        for (int k = 0; k < 20; k++, answered += SEGMENT)
            feed(f, t + k * MS + MS / 2, stamped(B_TO_A, answered, SEGMENT, asked, now, now));
        for (uint32_t k = 0; k < 10; k++)
            feed(f, t + (23 + 2 * k) * MS, stamped(A_TO_B, asked, 0, answered - (9 - k) * 2 * SEGMENT, now + 23 + 2 * k, now));
        echo = now;
    }
    for (size_t i = 0; i < 2; i++) {
        struct analysis_round_trip_figures x;
        assert_true(analysis_flows_explain(f, i, &x));
        assert_true(x.wait_s[ANALYSIS_LEG_ACK_OUT] + x.wait_s[ANALYSIS_LEG_ACK_IN] < 1e-3 || i == 1);
        assert_true(i == 0 || fabs(x.wait_s[ANALYSIS_LEG_DATA_OUT] - 9.5e-3) < 1e-3);
    }
}

/* Data that a server sends before it has what it was asked leave its host after 1 ms, all ACKs after 5: these wait for 4,
 * less half a tick of 1 ms. */
TEST(test_data_that_are_no_acks_may_be_the_ones_that_met_an_empty_queue)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    feed(f, 0, stamped(A_TO_B, 1, SEGMENT, 1, 0, 0));
    for (uint32_t k = 0; k < 3; k++)
        feed(f, (2 + k) * MS, stamped(B_TO_A, 1 + k * SEGMENT, SEGMENT, 1, 1 + k, 0));
    for (uint32_t k = 0; k < 200; k++) {
        feed(f, (10 + 10 * k) * MS, stamped(A_TO_B, 1 + (k + 1) * SEGMENT, SEGMENT, 1 + 3 * SEGMENT, 10 + 10 * k, 3 + 10 * k));
        feed(f, (15 + 10 * k) * MS, stamped(B_TO_A, 1 + 3 * SEGMENT, 0, 1 + (k + 2) * SEGMENT, 10 + 10 * k, 10 + 10 * k));
    }
    struct analysis_round_trip_figures x;
    assert_true(analysis_flows_explain(f, 0, &x));
    assert_true(fabs(x.wait_s[ANALYSIS_LEG_ACK_OUT] - 3.5e-3) < 1e-6);
}

/* The other end is 50 ms from the tap, the sender 20 us. It writes a segment at a time, in turn 20 ms after all was
 * acknowledged, which is less than half a round trip, and 40 ms after that: 20 pauses of 40 ms less 20 us. */
TEST(test_pauses_of_the_application)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    feed(f, 0, syn(A_TO_B, 0));
    feed(f, 50 * MS, syn_ack(B_TO_A, 0, 1));
    feed(f, 50 * MS + 20 * US, segment(A_TO_B, 1, 0, 1));
    int64_t at_ns = 60 * MS;
    for (uint32_t i = 0; i <= 40; i++) {
        feed(f, at_ns, segment(A_TO_B, 1 + i * SEGMENT, SEGMENT, 1));
        feed(f, at_ns + 50 * MS, segment(B_TO_A, 1, 0, 1 + (i + 1) * SEGMENT));
        at_ns += (i % 2 ? 90 : 70) * MS;
    }
    size_t n;
    MEMORY_LOCAL struct analysis_pause *pauses = analysis_flows_pauses(f, 0, &n);
    assert_int_equal(n, 20);
    for (size_t i = 0; i < n; i++) {
        assert_ints({pauses[i].after_bytes, (2 * i + 2) * SEGMENT}, {pauses[i].pause_ns, 40 * MS - 20 * US});
    }
}

/* Both waits of each slot of the phase whose both are known. */
TEST(test_a_mean_wait_is_that_of_the_phase)
{
    const struct analysis_wait waits[] = {{.width_s = 0.5, .slots = 1, .start_s = 1, .data_s = 1, .ack_s = 9}, {.width_s = 0.5, .slots = 1, .start_s = 1.5, .data_s = 2, .ack_s = 3},
                                          {.width_s = 0.5, .slots = 1, .start_s = 2, .data_s = NAN, .ack_s = 3}, {.width_s = 0.5, .slots = 1, .start_s = 2.5, .data_s = 4, .ack_s = -1},
                                          {.width_s = 0.5, .slots = 1, .start_s = 3, .data_s = 7, .ack_s = 7}};
    assert_all_near(1e-12, {analysis_round_trip_wait_s(waits, 5, 1.5, 3), (5 + 3) / 2.0},
                    {analysis_round_trip_wait_s(waits, 5, 0, 9), (10 + 5 + 3 + 14) / 4.0},
                    {analysis_round_trip_wait_s(waits, 1, 1, 1.1), 10}, {analysis_round_trip_width_s(waits, 5), 0.5});
    assert_true(isnan(analysis_round_trip_wait_s(waits, 5, 2, 2.5)) && isnan(analysis_round_trip_wait_s(waits, 5, 4, 9)));
}
