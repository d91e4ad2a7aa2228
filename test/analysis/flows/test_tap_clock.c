/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/tap_clock.h"

#include "base/random.h"
#include "test/cm.h"

#include <math.h>

#define MS INT64_C(1000000)

/* Two frames a millisecond for `ms` of them, one from the host and one that it answers, which wait for up to `wait` ns each on
 * their way; stamps of a millisecond. The tap's clock is ahead by ahead(t). */
static struct analysis_tap_clock clocked(uint64_t seed, int ms, uint64_t wait, double pace, int64_t step_ns, int64_t step_at_ms)
{
    struct random r = random_of(seed);
    struct analysis_tap_clock c = {.begun = false};
    for (int64_t i = 0; i < ms; i++) {
        const int64_t host_ns = i * MS + (int64_t)random_below(&r, (uint64_t)MS);
        const int64_t tap_ns = host_ns + llround(pace * (double)host_ns) + (i >= step_at_ms ? step_ns : 0);
        const int64_t sent_ns = host_ns - (int64_t)random_below(&r, wait), got_ns = host_ns + (int64_t)random_below(&r, wait);
        analysis_tap_clock_note(&c, (int)MS, tap_ns, true, tap_ns - (sent_ns - (sent_ns % MS + MS) % MS));
        analysis_tap_clock_note(&c, (int)MS, tap_ns, false, tap_ns - got_ns / MS * MS - MS);
    }
    return c;
}

TEST(test_clocks_of_one_pace_show_none_whatever_waits)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        const struct analysis_tap_clock c = clocked(seed, 4000, UINT64_C(1) << (10 + seed % 16), 0, 0, 0);
        const struct analysis_tap_clock_fit fit = analysis_tap_clock_fit(&c);
        assert_true(fit.pace == 0 && fit.off_ns == 0);
    }
}

/* Over 10 s frames of the least delay, hundreds in a slot, tell a pace to some microseconds of the ends. */
TEST(test_a_pace_is_told_where_it_shows)
{
    static const double pace[] = {20e-6, -20e-6, 100e-6, -100e-6, 500e-6, -500e-6, 900e-6};
    for (size_t i = 0; i < sizeof pace / sizeof *pace; i++) {
        const struct analysis_tap_clock c = clocked(i, 10000, 50000, pace[i], 0, 0);
        const struct analysis_tap_clock_fit fit = analysis_tap_clock_fit(&c);
        assert_true(fit.off_ns == 0);
        assert_true(fabs(fit.pace - pace[i]) < 12e-6);
        /* The least of a leg is what it was without that pace: nothing, but for the width of a slot. */
        assert_true(fabs(analysis_tap_clock_least_ns(&c, true, fit.pace, 0)) < 300e3);
    }
}

/* A leg's least comes back, once its pace is taken out. */
TEST(test_what_waits_is_counted_from_the_pace)
{
    const struct analysis_tap_clock still = clocked(1, 10000, 50000, 0, 0, 0), fast = clocked(1, 10000, 50000, 300e-6, 0, 0);
    for (int sent = 0; sent < 2; sent++) {
        const double least_ns = analysis_tap_clock_least_ns(&still, sent, 0, 0);
        assert_true(fabs(analysis_tap_clock_least_ns(&fast, sent, 300e-6, 0) - least_ns) < 100e3);
        assert_true(fabs(analysis_tap_clock_least_ns(&fast, sent, 0, 0) - least_ns) > (sent ? -1 : 2e6));
    }
}

TEST(test_a_clock_that_is_set_fits_no_pace)
{
    static const int64_t step_ns[] = {10 * MS, -10 * MS, 100 * MS, 2000 * MS, -2000 * MS, 3600000 * MS};
    for (size_t i = 0; i < sizeof step_ns / sizeof *step_ns; i++)
        for (int64_t at = 1000; at <= 3000; at += 1000) {
            const struct analysis_tap_clock c = clocked(i, 4000, 50000, 0, step_ns[i], at);
            /* What a pace explains of it, 1000 ppm of four seconds, and a line through two stretches, half of it. */
            assert_true(analysis_tap_clock_fit(&c).off_ns > 0.25 * fabs((double)step_ns[i]));
        }
}

TEST(test_a_stray_sample_is_no_clock_that_was_set)
{
    struct analysis_tap_clock c = clocked(3, 4000, 50000, 0, 0, 0);
    analysis_tap_clock_note(&c, (int)MS, 1500 * MS, false, 30 * MS);
    assert_true(analysis_tap_clock_fit(&c).off_ns == 0);
}

/* Stamps of the tap that are late by up to 2 ms, as of batches of frames: the bounds contradict each other everywhere. */
TEST(test_a_coarse_tap_is_no_clock_that_was_set)
{
    struct random r = random_of(9);
    struct analysis_tap_clock c = {.begun = false};
    for (int64_t i = 0; i < 20000; i++) {
        const int64_t host_ns = i * MS / 5, tap_ns = (host_ns / (2 * MS) + 1) * 2 * MS, v_ns = host_ns / MS * MS;
        analysis_tap_clock_note(&c, (int)MS, tap_ns, !random_below(&r, 2), tap_ns - v_ns - (i % 2 ? 0 : MS));
    }
    assert_true(analysis_tap_clock_fit(&c).off_ns == 0);
}

/* From 7 ms on, so that slots of 16 ms begin at multiples of that: one frame has passed 5 ms sooner than the others. */
TEST(test_bounds_stay_where_they_were)
{
    for (int64_t soon = 10; soon < 500; soon += 7) {
        struct analysis_tap_clock c = {.begun = false};
        for (int64_t t = 7; t < 512; t++) {
            analysis_tap_clock_note(&c, (int)MS, t * MS, true, t == soon ? -5 * MS : 0);
            analysis_tap_clock_note(&c, (int)MS, t * MS, false, -3 * MS);
        }
        const double at_ns = ((double)(soon / 16) + 0.5) * 16e6, pace = 1e-3;
        assert_true(fabs(analysis_tap_clock_least_ns(&c, true, pace, 0) - (-5e6 - pace * at_ns)) < 1);
        assert_true(analysis_tap_clock_least_ns(&c, false, 0, 0) == 2e6); /* 3 ms, less the tick that a stamp may be old */
    }
}

TEST(test_without_both_ways_nothing_is_known)
{
    struct analysis_tap_clock c = {.begun = false};
    assert_true(analysis_tap_clock_fit(&c).pace == 0 && analysis_tap_clock_fit(&c).off_ns == 0);
    for (int64_t i = 0; i < 100; i++)
        analysis_tap_clock_note(&c, (int)MS, i * MS, true, i * MS);
    assert_true(analysis_tap_clock_fit(&c).pace == 0 && analysis_tap_clock_fit(&c).off_ns == 0);
    assert_true(isinf(analysis_tap_clock_least_ns(&c, false, 0, 0)));
}
