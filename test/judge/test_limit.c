/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/limit.h"
#include "judge/marks.h"
#include "test/cm.h"
#include "test/judge/any.h"

#define FULL 1448.0

/* 8 Mb/s and 100 ms are 100 kB in flight, of a window of 400 kB; pairs of segments, as ACKs let them go. It never loses
 * and was never faster: nothing tells what holds it. */
static struct judge_flow plain(void)
{
    return (struct judge_flow){
        .lossless = true, .rate_bps = 8e6, .floor_s = 0.06, .data_wait_s = 0.03, .ack_wait_s = 0.01,
        .most_bps = INFINITY, .window_bps = INFINITY, .cycle_s = NAN, .cycle_wait_s = NAN, .clocked = NAN,
        .sender = {.full_bytes = FULL, .flight_bytes = 100e3, .most_bytes = 110e3, .offered_bytes = 400e3,
                   .offered_most_bytes = 400e3, .tight_share = 0.5, .fullness = 0.9, .fastest_bps = 8e6,
                   .free_bps = NAN}};
}

static double marked(const struct judge_flow *f, enum judge_mark mark)
{
    double m[JUDGE_MARKS];
    judge_marks_of(f, m);
    return m[mark];
}

static bool is(double value, double expected)
{
    return fabs(value - expected) < 1e-9;
}

TEST(test_what_the_source_knows_is_taken)
{
    for (int cause = 1; cause < JUDGE_CAUSES; cause++) {
        struct judge_flow f = plain();
        bool other = cause == JUDGE_CAUSE_APPLICATION || cause == JUDGE_CAUSE_RECEIVER;
        f.known = (enum judge_cause)cause;
        /* Marks of the contrary: at its edge and losing, or evenly spaced, idle and before a closed window. */
        f.sender.flight_bytes = other ? 400e3 : 30e3;
        f.loss_events = other ? 9 : 0;
        f.sender.tight_share = other ? 0.5 : 0;
        f.sender.idle = other ? 0 : 0.5;
        f.sender.closed_share = other ? 0 : 0.5;
        assert_true(judge_limit_else(&f) == (other ? 1 : 0));
        assert_int_equal(judge_limit_of(&f), cause);
    }
}

TEST(test_pulses_tell_what_no_mark_does)
{
    struct judge_flow f = plain();
    f.paced_odds = 6;
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_APPLICATION);
    assert_true(judge_limit_else(&f) > 0.95);
    f.paced_odds = -6;
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_WINDOW);
    assert_true(judge_limit_else(&f) < 0.05);
}

TEST(test_without_any_mark_nothing_is_sure)
{
    struct judge_flow f = plain();
    double otherwise = judge_limit_else(&f);
    assert_true(otherwise > 0.05 && otherwise < 0.95);
}

/* (in flight + two segments) / offered: from 0.85, no edge, to 1; of the most that ever was, from 0.93. */
TEST(test_a_sender_at_the_edge_of_its_window_is_held_by_it)
{
    struct judge_flow f = plain();
    f.sender.flight_bytes = 400e3 - 2 * FULL;
    f.sender.most_bytes = 400e3 - 2 * FULL;
    assert_true(is(marked(&f, JUDGE_MARK_EDGE), 1) && is(marked(&f, JUDGE_MARK_REACHED), 1));
    assert_true(judge_limit_else(&f) < 0.1);
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_WINDOW);
    f.sender.flight_bytes = 0.925 * 400e3 - 2 * FULL; /* in the middle */
    f.sender.most_bytes = 0.965 * 400e3 - 2 * FULL;   /* of 0.93 and 1 */
    assert_true(is(marked(&f, JUDGE_MARK_EDGE), 0.5) && is(marked(&f, JUDGE_MARK_REACHED), 0.5));
    f.sender.flight_bytes = 0.85 * 400e3 - 2 * FULL;
    f.sender.most_bytes = 0.93 * 400e3 - 2 * FULL;
    assert_true(is(marked(&f, JUDGE_MARK_EDGE), 0) && is(marked(&f, JUDGE_MARK_REACHED), 0));
}

/* Nobody's congestion window is below half of what it was, nor below three quarters on average, unless he loses: who once had
 * a window in flight, and mostly has less, has no more to send. */
TEST(test_a_window_that_was_reached_now_and_then_holds_nobody)
{
    struct judge_flow f = plain();
    f.sender.most_bytes = 400e3;
    f.sender.peak_bytes = 320e3;
    for (int k = 0; k <= 2; k++) {
        f.sender.flight_bytes = (160 + 40 * k) * 1e3;
        assert_true(is(marked(&f, JUDGE_MARK_REACHED), k / 2.0));
    }
    f.sender.flight_bytes = 160e3;
    f.loss_events = 1;
    assert_true(is(marked(&f, JUDGE_MARK_REACHED), 1));
    f.loss_events = 0;
    f.sender.peak_bytes = NAN;
    assert_true(is(marked(&f, JUDGE_MARK_REACHED), 1));
}

/* Where stamps do not show what is in flight, 8 Mb/s for 100 ms are 100 kB, by Little's law. */
TEST(test_what_is_in_flight_follows_from_its_round_trip)
{
    struct judge_flow f = plain();
    f.sender.flight_bytes = f.sender.most_bytes = NAN;
    f.sender.offered_bytes = (100e3 + 2 * FULL) / 0.9825;
    const double edge = (0.9825 - 0.85) / 0.15;
    assert_true(is(marked(&f, JUDGE_MARK_BLIND), 1) && is(marked(&f, JUDGE_MARK_EDGE), edge));
    assert_true(is(marked(&f, JUDGE_MARK_REACHED), 0.75)); /* (0.9825 - 0.93) / 0.07 */
    f.sender.flight_bytes = 0; /* likewise */
    assert_true(is(marked(&f, JUDGE_MARK_BLIND), 1) && is(marked(&f, JUDGE_MARK_EDGE), edge));
    f.coarse = true; /* waits of a tick tell nothing */
    assert_true(is(marked(&f, JUDGE_MARK_BLIND), 1) && is(marked(&f, JUDGE_MARK_EDGE), 0));
    f.coarse = false;
    f.ack_wait_s = NAN;
    assert_true(is(marked(&f, JUDGE_MARK_EDGE), 0) && is(marked(&f, JUDGE_MARK_REACHED), 0));
    f = plain();
    assert_true(is(marked(&f, JUDGE_MARK_BLIND), 0));
}

/* Of a window of two segments, or little more, nothing that is in flight shows at all: it is at no edge. */
TEST(test_what_does_not_show_is_at_no_edge)
{
    struct judge_flow f = plain();
    f.sender.flight_bytes = f.sender.most_bytes = 0;
    f.floor_s = NAN;
    f.sender.offered_bytes = 2 * FULL;
    for (int guessed = 0; guessed < 2; guessed++) {
        f.sender.offered_guessed = guessed;
        assert_true(is(marked(&f, JUDGE_MARK_EDGE), 0) && is(marked(&f, JUDGE_MARK_REACHED), 0) && is(marked(&f, JUDGE_MARK_GUESSED_EDGE), 0) &&
                    is(marked(&f, JUDGE_MARK_LITTLE), 0));
    }
}

/* A window whose scale is a guess is the least that has room: to be at its edge is another mark. */
TEST(test_a_guessed_window_has_marks_of_its_own)
{
    struct judge_flow f = plain();
    assert_true(is(marked(&f, JUDGE_MARK_GUESSED_EDGE), 0));
    f.sender.flight_bytes = 0.9825 * 400e3 - 2 * FULL;
    f.sender.most_bytes = 0.9 * 400e3 - 2 * FULL;
    f.sender.offered_guessed = true;
    assert_true(is(marked(&f, JUDGE_MARK_EDGE), 0) && is(marked(&f, JUDGE_MARK_REACHED), 0));
    /* The mean is the most here: (0.9825 - 0.93) / 0.07. */
    assert_true(is(marked(&f, JUDGE_MARK_GUESSED_EDGE), 0.75));
    f.sender.offered_bytes = NAN; /* none shows */
    assert_true(is(marked(&f, JUDGE_MARK_GUESSED_EDGE), 0));
}

/* No segment is closer to the one before than the mean: an application's clock. At the edge of a window ACKs that come
 * so may space them. */
TEST(test_even_spacing_far_from_the_edge_is_an_applications)
{
    struct judge_flow f = plain();
    f.sender.tight_share = 0;
    assert_true(is(marked(&f, JUDGE_MARK_EVEN), 1));
    assert_true(judge_limit_else(&f) > 0.8);
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_APPLICATION);
    f.sender.tight_share = 0.05; /* half of a tenth */
    assert_true(is(marked(&f, JUDGE_MARK_EVEN), 0.5));
    f.sender.tight_share = 0.1;
    assert_true(is(marked(&f, JUDGE_MARK_EVEN), 0));
    f.sender.tight_share = NAN;
    assert_true(is(marked(&f, JUDGE_MARK_EVEN), 0));
    f.sender.tight_share = 0;
    f.sender.flight_bytes = 400e3 - 2 * FULL;
    assert_true(is(marked(&f, JUDGE_MARK_EVEN), 0));
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_WINDOW);
}

/* Ten segments in flight all the time, of a window of 64 kB, leave two by two: a pace, or a send buffer? Nothing tells.
 * One that had round trips of 40 ms in place of 100, and was so much faster then, its ACKs let go. */
TEST(test_a_pace_that_never_changed_may_be_the_applications)
{
    struct judge_flow f = plain();
    f.rate_bps = 10 * FULL * 8 / 0.1;
    f.sender = (struct judge_sender){.full_bytes = FULL, .flight_bytes = 9 * FULL, .most_bytes = 10 * FULL,
                                     .offered_bytes = 64e3, .offered_most_bytes = 64e3, .tight_share = 0.5,
                                     .fullness = 0.98, .fastest_bps = f.rate_bps, .free_bps = NAN};
    double never = judge_limit_else(&f);
    assert_true(never > 0.05 && never < 0.95);
    f.sender.fastest_bps = f.rate_bps * 100 / 40;
    double once = judge_limit_else(&f), mark = marked(&f, JUDGE_MARK_FASTER);
    assert_true(once < never - 0.01 && mark > 0);
    f.sender.fastest_bps = f.rate_bps * 5; /* the more the faster */
    assert_true(judge_limit_else(&f) <= once && marked(&f, JUDGE_MARK_FASTER) >= mark);
    f.sender.fastest_bps = f.rate_bps * 8;
    assert_true(is(marked(&f, JUDGE_MARK_FASTER), 1));
    f.sender.fastest_bps = f.rate_bps;
    assert_true(is(marked(&f, JUDGE_MARK_FASTER), 0));
}

/* Four segments in flight where a hundred are offered, though nothing was lost: no window ever was so small. */
TEST(test_little_in_flight_is_an_applications)
{
    struct judge_flow f = plain();
    f.rate_bps = 120 * FULL * 8;
    f.sender = (struct judge_sender){.full_bytes = FULL, .flight_bytes = 4 * FULL, .most_bytes = 4 * FULL,
                                     .offered_bytes = 100 * FULL, .offered_most_bytes = 100 * FULL, .tight_share = 0.5,
                                     .fullness = 0.9, .fastest_bps = f.rate_bps, .free_bps = NAN};
    assert_true(is(marked(&f, JUDGE_MARK_LITTLE), 1) && judge_limit_else(&f) > 0.7);
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_APPLICATION); /* nothing shows that it could be faster */
    f.sender.free_bps = f.rate_bps;
    assert_true(judge_limit_else(&f) > 0.8);
    f.sender.most_bytes = 8 * FULL; /* of the ten that a sender begins with (RFC 6928) */
    assert_true(is(marked(&f, JUDGE_MARK_LITTLE), 0));
    f.sender.most_bytes = 4 * FULL;
    f.sender.offered_bytes = 8 * FULL; /* half of what is offered */
    assert_true(is(marked(&f, JUDGE_MARK_LITTLE), 0));
}

/* No faster while nothing waits, or by less than a fifth: ACKs do not hold it. */
TEST(test_how_fast_a_sender_is_while_nothing_waits_tells)
{
    struct judge_flow f = plain();
    double before = judge_limit_else(&f);
    assert_true(is(marked(&f, JUDGE_MARK_NO_FASTER), 0));
    f.sender.free_bps = 1.2 * f.rate_bps;
    assert_true(is(marked(&f, JUDGE_MARK_NO_FASTER), 0));
    f.sender.free_bps = 1.1 * f.rate_bps; /* halfway to 1 */
    assert_true(is(marked(&f, JUDGE_MARK_NO_FASTER), 0.5));
    f.sender.free_bps = f.rate_bps;
    assert_true(is(marked(&f, JUDGE_MARK_NO_FASTER), 1) && judge_limit_else(&f) > before);
}

/* Short segments and silence, each by itself, where the window has room. */
TEST(test_an_application_that_runs_out_of_data_shows)
{
    struct judge_flow none = plain();
    double before = judge_limit_else(&none);
    struct judge_flow f = plain();
    f.sender.short_share = 0.025; /* half of a twentieth; a window's edge cuts segments, too */
    assert_true(is(marked(&f, JUDGE_MARK_SHORTS), 0.5));
    f.sender.short_share = 0.05;
    assert_true(is(marked(&f, JUDGE_MARK_SHORTS), 1) && judge_limit_else(&f) > before + 0.05);
    f.sender.most_bytes = 400e3;
    assert_true(is(marked(&f, JUDGE_MARK_SHORTS), 0));
    f = plain();
    f.sender.idle = 0.0625; /* half of an eighth */
    assert_true(is(marked(&f, JUDGE_MARK_IDLE), 0.5));
    f.sender.idle = 0.125;
    assert_true(is(marked(&f, JUDGE_MARK_IDLE), 1) && judge_limit_else(&f) > 0.8);
    f.sender.idle = -0.01;
    assert_true(is(marked(&f, JUDGE_MARK_IDLE), 0));
    f = plain();
    f.sender.jitter = 0.125;
    assert_true(is(marked(&f, JUDGE_MARK_JITTER), 0.5));
    f.loss_events = 4;
    assert_true(is(marked(&f, JUDGE_MARK_JITTER), 0));
}

/* A segment a round trip (RFC 5681, section 3.1); 0.5 is in the middle of 0.2 and 0.8. What its interval hides does not
 * count. */
TEST(test_a_congestion_window_that_grows_is_one)
{
    struct judge_flow f = plain();
    double before = judge_limit_else(&f);
    f.sender.grows = 1;
    f.sender.grows_ci95 = 0.3;
    assert_true(is(marked(&f, JUDGE_MARK_GROWS), 1));
    assert_true(judge_limit_else(&f) < before - 0.05 && judge_limit_else(&f) < 0.3);
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_WINDOW);
    f.sender.grows = 0.35; /* half a tenth of a segment more than its error */
    assert_true(is(marked(&f, JUDGE_MARK_GROWS), 0.5));
    f.sender.grows_ci95 = 0.5;
    assert_true(is(marked(&f, JUDGE_MARK_GROWS), 0));
    f.sender.grows = NAN;
    assert_true(is(marked(&f, JUDGE_MARK_GROWS), 0));
}

/* One loss may be chance, four are none. */
TEST(test_losses_are_named_and_a_policers_are_its_own)
{
    struct judge_flow f = plain();
    f.lossless = false;
    f.sender.flight_bytes = 0.95 * 400e3 - 2 * FULL;
    f.loss_events = 1;
    assert_true(is(marked(&f, JUDGE_MARK_LOSSES), 0.25));
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_WINDOW);
    f.loss_events = 2;
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_LOSSES);
    f.loss_events = 8;
    f.sender.flight_bytes = 100e3; /* far from the edge */
    assert_true(is(marked(&f, JUDGE_MARK_LOSSES), 1));
    assert_true(judge_limit_else(&f) < 0.2);
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_LOSSES);
    f.policed = true;
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_POLICING);
    f.loss_events = 1; /* which it may have had of others */
    f.sender.flight_bytes = 0.95 * 400e3 - 2 * FULL;
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_WINDOW);
}

/* Of ACKs that offer less than two segments one in twenty is too many. A window that comes and goes by a twenty-fifth
 * is a reader's if it is mostly below the largest, and if no lost segment holds up what is behind it. */
TEST(test_a_slow_reader_bounds_its_sender)
{
    struct judge_flow f = plain();
    f.sender.closed_share = 0.06;
    assert_true(judge_limit_else(&f) == 1);
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_RECEIVER);
    f.sender.closed_share = 0.04;
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_RECEIVER);
    f.sender.offered_swing = 0.05;
    f.sender.offered_bytes = 0.84 * 400e3;
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_RECEIVER);
    f.loss_events = 2;
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_LOSSES);
    f.loss_events = 1;
    f.sender.offered_bytes = 0.86 * 400e3;
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_RECEIVER);
    f.sender.offered_bytes = 0.84 * 400e3;
    f.sender.offered_swing = 0.03;
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_RECEIVER);
    f.sender.closed_share = 0.5;
    f.sender.offered_guessed = true; /* its scale may be any: how small it is nobody knows */
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_RECEIVER);
    assert_true(judge_limit_else(&f) < 1);
    f.sender.offered_swing = 0.05; /* but that it comes and goes shows */
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_RECEIVER);
}

/* 65 kB in flight, whatever the round trip, which goes from 60 to 110 ms: neither a window of 350 kB bounds that nor a
 * pace. */
static struct judge_flow buffered(void)
{
    struct judge_flow f = plain();
    f.sender.flight_bytes = 65536;
    f.sender.fullness = 0.998;
    f.sender.jitter = 0.001;
    f.sender.most_bytes = 72776;
    f.sender.offered_bytes = f.sender.offered_most_bytes = 350e3;
    f.sender.fastest_bps = f.sender.free_bps = f.rate_bps / 0.6;
    f.sender.range = 0.5;
    return f;
}

TEST(test_a_send_buffer_keeps_what_is_in_flight_the_same)
{
    struct judge_flow f = buffered();
    assert_true(judge_limit_else(&f) < 0.95);
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_SEND_BUFFER);
    f.sender.offered_bytes = f.sender.offered_most_bytes = 87e3; /* which bounds it: (72776 + 2896) / 87e3 is 0.87 */
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_WINDOW);
    for (int more = 0; more < 2; more++) { /* from 0.85 on */
        f.sender.offered_bytes = f.sender.offered_most_bytes = (72776 + 2 * FULL) / 0.85 + (more ? 1 : -1);
        assert_int_equal(judge_limit_of(&f), more ? JUDGE_CAUSE_SEND_BUFFER : JUDGE_CAUSE_WINDOW);
    }
    f = buffered();
    f.sender.fullness = 0.96;
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_SEND_BUFFER);
    f = buffered();
    f.lossless = false;
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_SEND_BUFFER);
    f = buffered();
    f.sender.flight_bytes = f.sender.fullness = f.sender.jitter = NAN;
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_SEND_BUFFER);
    f = buffered();
    f.sender.offered_guessed = true;
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_SEND_BUFFER);
    f = buffered();
    f.sender.grows = 1; /* a congestion window that will be larger */
    f.sender.grows_ci95 = 0.1;
    assert_int_equal(judge_limit_of(&f), JUDGE_CAUSE_WINDOW);
    f = buffered();
    f.sender.range = 0.05; /* a round trip that stays the same: an application that paces looks alike */
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_SEND_BUFFER);
    f.sender.range = NAN;
    assert_int_not_equal(judge_limit_of(&f), JUDGE_CAUSE_SEND_BUFFER);
}

/* At the edge of a window, where ACKs set the pace, some marks tell nothing. */
TEST(test_at_the_edge_some_marks_tell_nothing)
{
    struct judge_flow f = plain();
    f.sender.tight_share = 0;
    f.sender.fastest_bps = 9 * f.rate_bps;
    static const enum judge_mark marks[] = {JUDGE_MARK_EVEN, JUDGE_MARK_FASTER};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        f.sender.flight_bytes = 100e3;
        assert_true(is(marked(&f, marks[i]), 1));
        f.sender.flight_bytes = 0.925 * 400e3 - 2 * FULL; /* halfway to it */
        assert_true(is(marked(&f, marks[i]), 0.5));
        f.sender.flight_bytes = 400e3;
        assert_true(is(marked(&f, marks[i]), 0));
    }
    assert_true(is(marked(&f, JUDGE_MARK_GUESSED_EDGE), 0)); /* it is known */
}

TEST(test_every_mark_has_its_words)
{
    for (int i = 0; i < JUDGE_MARKS; i++)
        assert_true(judge_noise_marks[i].what && isfinite(judge_noise_marks[i].weight));
}

/* One in eight is not seen. */
static double seen(struct random *r, double most)
{
    return random_below(r, 8) ? any(r, most) : (double)NAN;
}

static struct judge_flow drawn(struct random *r)
{
    struct judge_flow f = plain();
    f.rate_bps = 1e5 + any(r, 1e9);
    f.floor_s = seen(r, 0.1);
    f.data_wait_s = seen(r, 0.1);
    f.ack_wait_s = seen(r, 0.1);
    f.loss_events = (int64_t)random_below(r, 8);
    f.lossless = f.loss_events == 0 && random_below(r, 2);
    f.coarse = random_below(r, 4) == 0;
    f.policed = random_below(r, 4) == 0;
    f.sender = (struct judge_sender){
        .full_bytes = FULL, .flight_bytes = seen(r, 1e6), .most_bytes = seen(r, 1e6), .peak_bytes = seen(r, 1e6), .offered_bytes = seen(r, 1e6),
        .offered_most_bytes = seen(r, 1e6), .offered_guessed = random_below(r, 4) == 0, .offered_swing = seen(r, 0.1),
        .closed_share = seen(r, 0.1), .short_share = seen(r, 0.1), .tight_share = seen(r, 1),
        .idle = seen(r, 0.3) - 0.05, .jitter = seen(r, 0.5), .fullness = seen(r, 1), .grows = seen(r, 2) - 1,
        .grows_ci95 = seen(r, 1), .fastest_bps = seen(r, 2e9), .free_bps = seen(r, 2e9), .range = seen(r, 0.4)};
    return f;
}

TEST(test_whatever_is_seen_marks_are_shares_and_limits_agree_with_them)
{
    struct random r = random_of(1);
    for (int k = 0; k < 20000; k += cm_every()) {
        double m[JUDGE_MARKS];
        struct judge_flow f = drawn(&r), before;
        memcpy(&before, &f, sizeof f);
        judge_marks_of(&f, m);
        for (int i = 0; i < JUDGE_MARKS; i++)
            assert_true(m[i] >= 0 && m[i] <= 1);
        double otherwise = judge_limit_else(&f);
        enum judge_cause limit = judge_limit_of(&f);
        assert_true(otherwise >= 0 && otherwise <= 1);
        assert_true((limit == JUDGE_CAUSE_APPLICATION || limit == JUDGE_CAUSE_RECEIVER) == (otherwise > 0.5));
        assert_true(limit != JUDGE_CAUSE_LOSSES || !f.policed);
        assert_memory_equal(&f, &before, sizeof f);
    }
}

/* Whatever else is seen, an application is no more likely nearer to the edge, with more losses, or growing, and no less
 * with silence. */
TEST(test_marks_weigh_one_way)
{
    struct random r = random_of(2);
    for (int k = 0; k < 20000; k += cm_every()) {
        struct judge_flow f = drawn(&r), g = f;
        f.sender.closed_share = g.sender.closed_share = f.sender.offered_swing = g.sender.offered_swing = 0;
        f.sender.offered_guessed = g.sender.offered_guessed = false;
        switch (k % 4) {
        case 0:
            f.sender.offered_bytes = g.sender.offered_bytes = 1e6;
            f.sender.fastest_bps = g.sender.fastest_bps = NAN; /* which counts far from the edge alone */
            f.sender.flight_bytes = f.sender.most_bytes = 20e3 + any(&r, 1e6);
            g.sender.flight_bytes = g.sender.most_bytes = f.sender.flight_bytes + any(&r, 1e6);
            break;
        case 1:
            g.loss_events += (int64_t)random_below(&r, 5);
            break;
        case 2:
            f.sender.grows = 0;
            f.sender.grows_ci95 = g.sender.grows_ci95 = 0.1;
            g.sender.grows = any(&r, 2);
            break;
        default:
            g.sender.idle = any(&r, 0.1);
            f.sender.idle = g.sender.idle + any(&r, 0.1);
        }
        assert_true(judge_limit_else(&g) <= judge_limit_else(&f) + 1e-12);
    }
}
