/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of 1250 bytes take 100 us at 100 Mb/s. */
#include "analysis/flows/spacing.h"

#include "base/octave.h"
#include "base/random.h"
#include "test/cm.h"

#define FRAME 1250
#define FRAME_NS INT64_C(100000)
#define RUNS 50

static void add(struct analysis_spacing *w, uint32_t bytes, int64_t time_ns)
{
    analysis_spacing_add(w, &bytes, &time_ns, 1, 1);
}

/* Runs of `n` frames, `apart` frames' time from the last of one to the first of the next. */
static struct analysis_spacing_figures spacing_of(int n, int apart)
{
    struct analysis_spacing w = {.frames = 0};
    struct analysis_spacing_figures x;
    int64_t t = 7;
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < n; i++, t += FRAME_NS)
            add(&w, FRAME, t);
        t += (apart - 1) * FRAME_NS;
    }
    analysis_spacing_get(&w, &x);
    return x;
}

static bool near(double value, double wanted, double share)
{
    return fabs(value - wanted) <= share * fabs(wanted);
}

TEST(test_a_full_line_is_one_run)
{
    struct analysis_spacing_figures x = spacing_of(20, 1);
    assert_true(near(x.line_bps, 100e6, 1e-6) && near(x.mean_bps, 100e6, 1e-6));
    assert_true(near(x.frame_s, 100e-6, 1e-6));
    assert_true(x.line_share > 0.999 && x.silent == 0);
    assert_true(near(x.run_s, 100e-6 * 20 * RUNS / 2, 0.01)); /* half of it, on average */
}

/* 20 frames are 19 distances of a frame's time; then 21 frames' time pass until the next. */
TEST(test_a_line_that_is_stopped_rests_between_runs)
{
    struct analysis_spacing_figures x = spacing_of(20, 21);
    assert_true(near(x.line_bps, 100e6, 1e-6));
    assert_true(near(x.mean_bps, 50e6, 0.02));
    assert_true(near(x.silent, 21.0 / 40, 0.02));
    assert_true(near(x.line_share, 19.0 / 20, 0.01)); /* the first of a run comes after a silence */
    assert_true(near(x.run_s, 100e-6 * 19 / 2, 0.02));
}

/* Two for each ACK, as the clock of ACKs lets them go, are no stop: four mean distances are. */
TEST(test_pairs_at_an_even_pace_are_no_silence)
{
    struct analysis_spacing_figures x = spacing_of(2, 5);
    assert_true(x.silent == 0);
    assert_true(near(x.line_share, 0.5, 0.02));
    assert_true(near(x.fastest_bps, 100e6, 0.2)); /* to a quarter of an octave */
    assert_true(near(x.mean_bps, 100e6 / 3, 0.02));
    assert_true(near(x.run_s, 50e-6, 0.02)); /* nothing, or one frame's time */
}

/* An ACK of 90 bytes between full frames, stamped as they end: the larger one's bytes do not break the run. */
TEST(test_small_frames_do_not_break_a_run)
{
    struct analysis_spacing w = {.frames = 0};
    struct analysis_spacing_figures x;
    int64_t t = 0;
    for (int i = 0; i < 1000; i++) {
        add(&w, FRAME, t += FRAME_NS);
        add(&w, 90, t += 7200);
    }
    analysis_spacing_get(&w, &x);
    assert_true(near(x.line_bps, 100e6, 1e-6));
    assert_true(x.line_share > 0.999 && x.silent == 0);
    assert_true(near(x.run_s, 1000 * 107.2e-6 / 2, 0.01));
}

#define BLOCK 256
#define BLOCKS 2048

/* Runs of 1 to 1000 frames with an ACK among five, rests of 2 to 100 frames' time between them; one of 10 s, in a block that
 * is spared. */
static void long_capture(uint32_t *bytes, int64_t *time_ns)
{
    int64_t t = 0;
    struct random r = random_of(5);
    for (size_t i = 0, left = 0; i < BLOCK * BLOCKS; i++, left--) {
        bytes[i] = random_below(&r, 5) == 0 ? 90 : FRAME;
        t += FRAME_NS * bytes[i] / FRAME;
        if (left == 0) {
            left = 1 + random_below(&r, 1000);
            t += (int64_t)(2 + random_below(&r, 99)) * FRAME_NS;
        }
        t += i == BLOCK * BLOCKS / 2 + 3 * BLOCK / 2 ? INT64_C(10000000000) : 0;
        time_ns[i] = t;
    }
}

/* One block of four counts for all from the 256th on, as of a long capture: runs are longer than blocks. */
TEST(test_some_blocks_of_a_long_capture_stand_for_all)
{
    static uint32_t bytes[BLOCK * BLOCKS];
    static int64_t time_ns[BLOCK * BLOCKS];
    struct analysis_spacing all = {.frames = 0}, some = {.frames = 0};
    struct analysis_spacing_figures x, y;
    long_capture(bytes, time_ns);
    for (size_t i = 0; i < BLOCKS; i++) {
        const unsigned weight = i < BLOCK ? 1 : i % 4 ? 0 : 4;
        analysis_spacing_add(&all, bytes + i * BLOCK, time_ns + i * BLOCK, BLOCK, 1);
        analysis_spacing_add(&some, bytes + i * BLOCK, time_ns + i * BLOCK, BLOCK, weight);
    }
    analysis_spacing_get(&all, &x);
    analysis_spacing_get(&some, &y);
    assert_true(near(y.line_bps, x.line_bps, 1e-3) && near(y.line_share, x.line_share, 1e-3));
    assert_true(near(y.fastest_bps, x.fastest_bps, 1e-9) && near(y.run_s, x.run_s, 1e-9));
    assert_true(near(y.silent, x.silent, 0.005) && x.silent > 0.1);
    assert_true(near(y.mean_bps, x.mean_bps, 0.005) && near(y.frame_s, x.frame_s, 0.005));
}

TEST(test_nothing_is_known_of_one_frame)
{
    struct analysis_spacing w = {.frames = 0};
    struct analysis_spacing_figures x;
    add(&w, FRAME, 5);
    analysis_spacing_get(&w, &x);
    assert_true(isnan(x.line_bps) && isnan(x.fastest_bps));
    assert_false(x.silent > 0 || x.line_share > 0);
}

/* Clocks that stand still or step back. */
TEST(test_any_clock_will_do)
{
    struct analysis_spacing w = {.frames = 0};
    struct analysis_spacing_figures x;
    const int64_t at[] = {0, INT64_MAX / 8, 0, 0, 5, 3, INT64_MAX / 8, 0};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        add(&w, i % 2 ? 90 : 65535, at[i]);
    analysis_spacing_get(&w, &x);
    assert_true(isfinite(x.line_bps) && isfinite(x.mean_bps) && isfinite(x.run_s));
}

/* As log2() has it, which is the definition; at the steps themselves and beside them, too. */
TEST(test_steps_are_those_of_the_logarithm)
{
    struct random r = random_of(1);
    for (int i = 0; i < 1000000; i++) {
        const int per_octave = 1 << random_below(&r, 5);
        double x = exp2((double)random_below(&r, 1u << 20) / (1 << 15)), steps = log2(x) * per_octave;
        x = i % 4 == 0 ? exp2(round(steps) / per_octave) : x;
        x = i % 8 == 0 ? nextafter(x, i % 16 ? INFINITY : 0) : x;
        x = x < 1 ? 1 : x;
        assert_int_equal(octave_steps(x, per_octave), (int)floor(log2(x) * per_octave));
        double seconds = 1 / (1 + (double)random_below(&r, 1000000)), bytes = x * seconds * 1e3 / 8;
        double rate = bytes * 8 / seconds / 1e3;
        assert_int_equal(octave_steps_rate(bytes * 8e-3 / seconds, bytes, seconds, 1e3, per_octave),
                         rate > 1 ? (int)floor(log2(rate) * per_octave) : 0);
    }
}

/* A full link of 100 Mb/s, a third of whose frames are small, as its end sees them: by their last bit, or by their first, or
 * all of a millisecond together, 300 ns apart. */
static double batch_of(bool begins, int64_t batch_ns)
{
    struct random r = random_of(11);
    struct analysis_spacing w = {.frames = 0};
    int64_t at = 7, last_ns = 0;
    for (int i = 0; i < 3000; i++) {
        const uint32_t bytes = random_below(&r, 3) == 0 ? FRAME / 10 : FRAME;
        const int64_t takes = FRAME_NS * bytes / FRAME, shown = begins ? at : at + takes;
        const int64_t due = batch_ns > 0 ? (shown / batch_ns + 1) * batch_ns : shown;
        last_ns = due > last_ns ? due : batch_ns > 0 ? last_ns + 300 : due;
        add(&w, bytes, last_ns);
        at += takes;
    }
    return analysis_spacing_batch_s(&w);
}

TEST(test_batches_do_not_know_sizes)
{
    assert_true(batch_of(false, 0) == 0 && batch_of(true, 0) == 0);
    assert_true(near(batch_of(false, 1000000), 1e-3, 0.5));
    assert_true(near(batch_of(true, 1000000), 1e-3, 0.5));
}

/* Large frames at a pace of 100 Mb/s, and small ones after some, when they come: u of the time between two later, so that rates
 * are 1 / u and 1 / (1 - u) times the pace, of which 1 / 2^0.5 - 1 / 2^1.75 = 0.41 lie between; by steps of rates from 66 on, not 66.44, 0.44. A full link has none. */
TEST(test_small_frames_fall_anywhere_into_a_pace)
{
    struct random r = random_of(12);
    for (int paced = 0; paced < 2; paced++) {
        struct analysis_spacing w = {.frames = 0};
        int64_t at = 7;
        for (int i = 0; i < 6000; i++) {
            const bool small = random_below(&r, 3) == 0;
            add(&w, FRAME, at);
            if (small)
                add(&w, FRAME / 20, at + (paced ? 1 + (int64_t)random_below(&r, FRAME_NS - 1) : FRAME_NS / 20));
            at += FRAME_NS + (small && !paced ? FRAME_NS / 20 : 0);
            if (i == 30)
                assert_true(isnan(analysis_spacing_between(&w, 1e8)));
        }
        assert_true(paced ? near(analysis_spacing_between(&w, 1e8), 0.44, 0.05) : analysis_spacing_between(&w, 1e8) == 0);
    }
}

/* Of frames of one size nobody knows. */
TEST(test_of_one_size_no_batches_show)
{
    struct analysis_spacing w = {.frames = 0};
    for (int i = 0; i < 1000; i++)
        add(&w, FRAME, 7 + i / 10 * 10 * FRAME_NS + i % 10 * 300);
    assert_true(analysis_spacing_batch_s(&w) == 0);
}
