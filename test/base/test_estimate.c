/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/estimate.h"
#include "base/random.h"
#include "test/cm.h"

TEST(test_below_counts_those_that_are_less)
{
    static const double sorted[] = {-INFINITY, 1, 2, 2, 2, 5};
    assert_ints({estimate_below(sorted, 6, -INFINITY), 0}, {estimate_below(sorted, 6, 0), 1}, {estimate_below(sorted, 6, 2), 2},
                {estimate_below(sorted, 6, 3), 5}, {estimate_below(sorted, 6, INFINITY), 6}, {estimate_below(sorted, 0, 3), 0},
                {estimate_below(sorted, 6, NAN), 0});
}

TEST(test_t_quantiles_match_the_tables)
{
    assert_float_equal(estimate_t975(1), 12.7062, 1e-4);
    assert_float_equal(estimate_t975(9), 2.26216, 1e-5);
    assert_float_equal(estimate_t975(19), 2.09302, 1e-5);
    assert_float_equal(estimate_t975(60), 2.00030, 2e-5);
    assert_float_equal(estimate_t975(120), 1.97993, 2e-5);
    assert_float_equal(estimate_t975(1000000), 1.95996, 1e-5);
    assert_true(isnan(estimate_t975(0)));
}

/* 2 4 4 4 5 5 7 9: mean 5, sum of squares about it 32, s^2 = 32/7, standard error
 * sqrt(32/7/8) = 0.755929, interval 2.364624 * 0.755929 = 1.787487. */
TEST(test_mean_of_eight_numbers)
{
    const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct estimate e = estimate_mean(x, 8);
    assert_float_equal(e.value, 5, 1e-12);
    assert_float_equal(e.std_error, 0.755929, 1e-6);
    assert_float_equal(e.ci95, 1.787487, 1e-5);
}

/* The same eight, one after another, and a large number on top of each: s = sqrt(32/7) = 2.138090 all the same. */
TEST(test_running_mean_needs_no_samples)
{
    const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct estimate_running r = {0};
    assert_true(isnan(estimate_of(&r).value));
    for (int i = 0; i < 8; i++) {
        assert_int_equal(isnan(estimate_deviation(&r)), i < 2);
        estimate_add(&r, 1e9 + x[i]);
    }
    struct estimate e = estimate_of(&r);
    assert_true(fabs(e.value - (1e9 + 5)) < 1e-6);
    assert_float_equal(estimate_deviation(&r), 2.138090, 1e-6);
    assert_float_equal(e.ci95, 1.787487, 1e-5);
    assert_int_equal(r.n, 8);
}

TEST(test_one_sample_has_no_interval)
{
    const double x[] = {3};
    struct estimate e = estimate_mean(x, 1);
    assert_float_equal(e.value, 3, 0);
    assert_true(isnan(e.ci95));
    assert_true(isnan(estimate_mean(x, 0).value));
}

/* A count of segments that is one more in every third sample has means that differ by at most one step a batch. */
TEST(test_rounding_is_no_correlation)
{
    double x[400];
    for (int i = 0; i < 400; i++)
        x[i] = 100 + (i % 3 == 0);
    struct estimate_series s = {.samples = x, .n = 400, .step = 1};
    struct estimate e = estimate_steady(&s);
    assert_float_equal(e.value, 100.335, 1e-9); /* 134 of 400 */
    assert_true(e.ci95 < 0.05 && e.ci95 >= 1.0 / 400);
    for (int i = 0; i < 400; i++) /* one step more in each part of twenty samples, as soon as half of them are over */
        x[i] = 100 + (i >= 200 && i % 20 == 0);
    assert_true(estimate_steady(&s).ci95 > 0);
    s.step = 0.1;
    assert_true(isnan(estimate_steady(&s).ci95));
}

TEST(test_equal_samples_are_known_to_a_step)
{
    double x[80];
    for (int i = 0; i < 80; i++)
        x[i] = 7;
    struct estimate e = estimate_steady(&(struct estimate_series){.samples = x, .n = 80, .step = 4});
    assert_float_equal(e.value, 7, 0);
    assert_float_equal(e.ci95, 0.05, 1e-12);
}

static double normal(struct random *r)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += random_share(r);
    return sum;
}

/* n steady samples of x' = phi x + noise, which has mean 0. */
static void correlated(struct random *r, double phi, double *x, int n)
{
    double v = normal(r) / sqrt(1 - phi * phi);
    for (int i = 0; i < n; i++)
        x[i] = v = phi * v + normal(r);
}

TEST(test_short_series_have_a_mean_and_no_interval)
{
    double x[40];
    struct random r = random_of(5);
    correlated(&r, 0, x, 40);
    struct estimate e = estimate_steady(&(struct estimate_series){.samples = x, .n = 39});
    assert_float_equal(e.value, estimate_mean(x, 39).value, 1e-12);
    assert_true(isnan(e.std_error) && isnan(e.ci95));
    e = estimate_steady(&(struct estimate_series){.samples = x, .n = 40});
    assert_true(e.std_error > 0 && e.ci95 > e.std_error);
    assert_true(isnan(estimate_steady(&(struct estimate_series){0}).value));
}

/* 29 losses of CUBIC are worth five samples: 29 * 0.3 / 1.7 = 5.1. */
TEST(test_few_cycles_leave_no_interval)
{
    static double x[400];
    struct random r = random_of(1);
    correlated(&r, 0, x, 400);
    struct estimate_series s = {.samples = x, .n = 400};
    assert_true(estimate_steady(&s).ci95 > 0);
    s.cycles = 29;
    assert_true(estimate_steady(&s).ci95 > 0);
    s.cycles = 28;
    assert_true(isnan(estimate_steady(&s).ci95) && isfinite(estimate_steady(&s).value));
}

/* A rise of two standard deviations over the whole series. */
TEST(test_a_drift_leaves_no_interval)
{
    static double x[400];
    struct random r = random_of(1);
    correlated(&r, 0, x, 400);
    struct estimate_series s = {.samples = x, .n = 400};
    assert_true(estimate_steady(&s).ci95 > 0);
    for (int i = 0; i < 400; i++)
        x[i] += i / 200.0;
    assert_true(isnan(estimate_steady(&s).ci95));
}

/* A rise amidst waves as high, such as those of bursts against the samples: only the order of the parts shows it. */
TEST(test_a_drift_amidst_waves_leaves_no_interval)
{
    static double x[400];
    for (int i = 0; i < 400; i++)
        x[i] = 10 * sin(2 * 3.14159265 * 5.3 * i / 400) + 0.06 * i;
    struct estimate_series s = {.samples = x, .n = 400};
    assert_true(estimate_drift_p(&s) < 0.01);
    assert_true(isnan(estimate_steady(&s).ci95));
    for (int i = 0; i < 400; i++)
        x[i] -= 0.06 * i;
    assert_true(estimate_drift_p(&s) > 0.1);
    s.step = 1e3; /* all of it is rounding, then */
    assert_float_equal(estimate_drift_p(&s), 1, 0);
}

/* n samples of a window that grows by 1 a step and keeps a share of itself with chance p: its mean m is that of
 * (m + 1) (1 - p (1 - keep)). Returns how often it fell. */
static size_t sawtooth(struct random *r, double keep, double p, double *x, size_t n)
{
    double v = 1 / (p * (1 - keep)) - 1;
    size_t falls = 0;
    for (size_t i = 0; i < 2 * n; i++) { /* n of them to forget where it began */
        bool falling = random_share(r) < p;
        v = (v + 1) * (falling ? keep : 1);
        falls += falling && i >= n;
        x[i % n] = v;
    }
    return falls;
}

struct tally {
    int known, covered;
};

static void tally_add(struct tally *t, struct estimate e, double mean)
{
    t->known += isfinite(e.ci95);
    t->covered += fabs(e.value - mean) <= e.ci95;
}

/* x' = phi x + noise is worth n (1 - phi) / (1 + phi) independent samples. */
static struct tally tally_correlated(double phi, size_t n, int runs)
{
    static double x[4000];
    struct random r = random_of(3);
    struct tally t = {0};
    for (int run = 0; run < runs; run++) {
        correlated(&r, phi, x, (int)n);
        tally_add(&t, estimate_steady(&(struct estimate_series){.samples = x, .n = n}), 0);
    }
    return t;
}

/* 4000 samples are worth 4000, 1333, 211, 40 and 20 here: eight of ten series or more have an interval, and 92 to 98 %
 * of the intervals hold the mean. 1000 series know a share of 95 % to 0.7 %. */
TEST(test_intervals_cover_correlated_means)
{
    const double phi[] = {0, 0.5, 0.9, 0.98, 0.99};
    for (int i = 0; i < 5; i++) {
        struct tally t = tally_correlated(phi[i], 4000, 1000);
        assert_all(t.known >= 900, t.covered >= 0.92 * t.known && t.covered <= 0.98 * t.known);
    }
}

/* Worth 4 samples, 1 and a fifth of one: most series have no interval, and wrong ones stay rarer among all of them than
 * a 95 % interval may be wrong. */
TEST(test_series_worth_few_samples_are_silent)
{
    struct tally t = tally_correlated(0.998, 4000, 1000);
    assert_true(t.known <= 350 && t.known - t.covered <= 50);
    t = tally_correlated(0.9995, 4000, 1000);
    assert_true(t.known <= 90 && t.known - t.covered <= 50);
    t = tally_correlated(0.999, 400, 1000);
    assert_true(t.known <= 60 && t.known - t.covered <= 50);
}

/* Windows as of NewReno and of CUBIC, through 200, 100 and 10 losses about. */
TEST(test_intervals_cover_the_means_of_sawtooths)
{
    static double x[400];
    const double keep[] = {0.5, 0.7}, losses[] = {200, 100, 10};
    struct random r = random_of(4);
    for (int i = 0; i < 6; i++) {
        double p = losses[i % 3] / 400, falls = p * (1 - keep[i / 3]);
        struct tally t = {0};
        for (int run = 0; run < 1000; run++) {
            struct estimate_series s = {.samples = x, .n = 400};
            s.cycles = sawtooth(&r, keep[i / 3], p, x, s.n);
            tally_add(&t, estimate_steady(&s), (1 - falls) / falls);
        }
        if (losses[i % 3] > 10) {
            assert_all(t.known >= 800, t.covered >= 0.92 * t.known && t.covered <= 0.98 * t.known);
        } else {
            assert_int_equal(t.known, 0);
        }
    }
}

/* Five samples of a hundred without anything, and parts of those before and after: 6 of the 2 that a cycle takes. */
TEST(test_standing_still_is_told_in_cycles)
{
    double x[100];
    for (int i = 0; i < 100; i++)
        x[i] = i == 20 || (i >= 40 && i < 45) ? 0 : 7;
    struct estimate_series s = {.samples = x, .n = 100, .cycles = 50};
    assert_true(fabs(estimate_stall(&s) - 3) < 1e-12);
    x[42] = 7; /* two each */
    assert_true(fabs(estimate_stall(&s) - 1.5) < 1e-12);
    s.cycles = 0;
    assert_true(estimate_stall(&s) == 0);
}

/* Bursts of 10 at times that move against the samples' edges: half of a burst is before each second edge. Samples take
 * turns, and the slow cosines see nothing. */
TEST(test_bursts_that_the_ends_cut_are_not_known)
{
    static double x[150];
    struct random r = random_of(7);
    struct tally t = {0};
    int narrow = 0;
    for (int run = 0; run < 400; run++) {
        double often = 22.5 + 0.004 * (random_share(&r) - 0.5);
        double at = random_share(&r);
        for (int i = 0; i < 150; i++)
            x[i] = 10 * (floor(at + often * (i + 1)) - floor(at + often * i));
        struct estimate e = estimate_steady(&(struct estimate_series){.samples = x, .n = 150, .step = 1});
        tally_add(&t, e, 10 * often);
        narrow += e.ci95 < 20.0 / 150; /* a burst at either end */
    }
    assert_in_range(t.known, 390, 400);
    assert_in_range(narrow, 200, 400);
    assert_true(t.covered >= 0.92 * t.known);
}

/* 9, 9, 13, 9, ...: the sum less that of a straight line is 0, -1, -2 and 1 by turns, at 129 places: squares 192, sum -64,
 * sum along (i - 64) 64. 192 - 64^2 / 129 - 64^2 / (128 * 129 * 130 / 12) = 160.225 are left, and t975(127)
 * sqrt(2 * 160.225 / 127) / 128 = 1.9788 * 1.5885 / 128 = 0.02456. */
TEST(test_what_the_ends_may_cut_off)
{
    double x[128];
    for (int i = 0; i < 128; i++)
        x[i] = i % 4 == 2 ? 13 : 9;
    struct estimate e = estimate_steady(&(struct estimate_series){.samples = x, .n = 128});
    assert_float_equal(e.value, 10, 1e-12);
    assert_float_equal(e.ci95, 0.02456, 1e-5);
}

/* Quarters 1, 2, 3, 4: s = sqrt(5 / 3) = 1.291, and t975(3) sqrt(3) s / 2 = 3.1824 * 1.7321 * 0.6455 = 3.558: beyond
 * what the series has been. */
TEST(test_a_drift_has_a_rough_interval)
{
    double x[40];
    for (int i = 0; i < 40; i++)
        x[i] = 1 + i / 10;
    struct estimate_series s = {.samples = x, .n = 40, .cycles = 1};
    struct estimate e = estimate_rough(&s);
    assert_true(isnan(estimate_steady(&s).ci95));
    assert_true(fabs(e.value - 2.5) < 1e-12 && fabs(e.ci95 - 3.558) < 0.001);
    s.n = 39;
    assert_true(isnan(estimate_rough(&s).ci95) && fabs(estimate_rough(&s).value - 96.0 / 39) < 1e-12);
}

/* Series whose memory is a quarter as long as they are, worth 2 independent samples, which have no other interval. */
TEST(test_rough_intervals_cover_long_memories)
{
    static double x[400];
    struct random r = random_of(11);
    struct tally t = {0};
    for (int run = 0; run < 2000; run++) {
        correlated(&r, exp(-1.0 / 100), x, 400);
        tally_add(&t, estimate_rough(&(struct estimate_series){.samples = x, .n = 400}), 0);
    }
    assert_int_equal(t.known, 2000);
    assert_true(t.covered >= 0.93 * t.known);
}

/* y = 3 + 2 x has the slope 2 without an error. With y = 0, 2, 1 at x = 0, 1, 2 the slope is sum (x - 1) (y - 1) / 2 =
 * (1 + 0 + 0) / 2 = 0.5; what is left, 1.5 of a sum of squares 2 less 0.5 * 1, makes the error sqrt(1.5 / 1 / 2). */
TEST(test_slope_of_a_line)
{
    struct estimate_line line = {0}, bent = {0};
    for (int i = 0; i < 20; i++)
        estimate_line_add(&line, i, 3 + 2 * i);
    assert_true(fabs(estimate_slope(&line).value - 2) < 1e-12 && estimate_slope(&line).std_error < 1e-6);
    for (int i = 0; i < 3; i++)
        estimate_line_add(&bent, i, (const double[]){0, 2, 1}[i]);
    assert_true(fabs(estimate_slope(&bent).value - 0.5) < 1e-12);
    assert_true(fabs(estimate_slope(&bent).std_error - sqrt(0.75)) < 1e-12);
    assert_true(isnan(estimate_slope(&(struct estimate_line){0}).value));
}
