/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/estimate.h"
#include "base/random.h"
#include "test/cm.h"

#include <math.h>

static void test_t_quantiles_match_the_tables(void **state)
{
    (void)state;
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
static void test_mean_of_eight_numbers(void **state)
{
    (void)state;
    const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct estimate e = estimate_mean(x, 8);
    assert_float_equal(e.value, 5, 1e-12);
    assert_float_equal(e.std_error, 0.755929, 1e-6);
    assert_float_equal(e.ci95, 1.787487, 1e-5);
}

/* The same eight, one after another, and a large number on top of each: s = sqrt(32/7) = 2.138090 all the same. */
static void test_running_mean_needs_no_samples(void **state)
{
    (void)state;
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
    assert_int_equal(e.batches, 8);
}

static void test_one_sample_has_no_interval(void **state)
{
    (void)state;
    const double x[] = {3};
    struct estimate e = estimate_mean(x, 1);
    assert_float_equal(e.value, 3, 0);
    assert_true(isnan(e.ci95));
    assert_true(isnan(estimate_mean(x, 0).value));
}

/* Batches 1 2 3 4: mean 2.5, squares about it 5, squares of steps 3: 1 - 3 / 10 = 0.7. */
static void test_von_neumann_of_four_batches(void **state)
{
    (void)state;
    const double x[] = {9, 0.5, 1.5, 2, 2, 3.5, 2.5, 4, 4}; /* nine samples: the first belongs to no batch */
    assert_float_equal(estimate_correlation(&(struct estimate_series){.samples = x, .n = 9}, 4), 0.7, 1e-12);
    /* up and down: steps 1 1 1 about a mean of 0.5: 1 - 3 / (2 * 1) = -0.5 */
    const double y[] = {0, 1, 0, 1};
    assert_float_equal(estimate_correlation(&(struct estimate_series){.samples = y, .n = 4}, 4), -0.5, 1e-12);
}

/* Four rising batches have six rising pairs: (6 - 1) / sqrt(4 * 3 * 13 / 18) = 5 / 2.943920; a fall counts as much. */
static void test_trend_of_four_batches(void **state)
{
    (void)state;
    const double up[] = {1, 2, 3, 9}, down[] = {9, 3, 2, 1}, both[] = {1, 9, 9, 1};
    assert_float_equal(estimate_trend(&(struct estimate_series){.samples = up, .n = 4}, 4), 1.698416, 1e-6);
    assert_float_equal(estimate_trend(&(struct estimate_series){.samples = down, .n = 4}, 4), 1.698416, 1e-6);
    assert_float_equal(estimate_trend(&(struct estimate_series){.samples = both, .n = 4}, 4), 0, 0);
}

/* A count of segments that is one more in every third sample has means that differ by at most one step a batch. */
static void test_rounding_is_no_correlation(void **state)
{
    (void)state;
    double x[400];
    for (int i = 0; i < 400; i++)
        x[i] = 100 + (i % 3 == 0);
    struct estimate_series s = {.samples = x, .n = 400, .step = 1};
    assert_float_equal(estimate_correlation(&s, 10), 0, 0);
    assert_float_equal(estimate_trend(&s, 10), 0, 0);
    struct estimate e = estimate_steady(&s, NULL);
    assert_float_equal(e.value, 100.335, 1e-9); /* 134 of 400 */
    assert_int_equal(e.batches, 20);
    assert_true(e.ci95 < 0.05 && e.ci95 >= 1.0 / 400);
}

static void test_equal_samples_are_known_to_a_step(void **state)
{
    (void)state;
    double x[80];
    for (int i = 0; i < 80; i++)
        x[i] = 7;
    struct estimate e = estimate_steady(&(struct estimate_series){.samples = x, .n = 80, .step = 4}, NULL);
    assert_float_equal(e.value, 7, 0);
    assert_float_equal(e.ci95, 0.05, 1e-12);
}

static double normal(struct random *r)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += (double)(random_next(r) >> 11) * 0x1p-53;
    return sum;
}

/* n steady samples of x' = phi x + noise, which has mean 0. */
static void correlated(struct random *r, double phi, double *x, int n)
{
    double v = normal(r) / sqrt(1 - phi * phi);
    for (int i = 0; i < n; i++)
        x[i] = v = phi * v + normal(r);
}

static void test_short_series_have_a_mean_and_no_interval(void **state)
{
    (void)state;
    double x[40];
    struct random r;
    random_init(&r, 5);
    correlated(&r, 0, x, 40);
    struct estimate e = estimate_steady(&(struct estimate_series){.samples = x, .n = 39}, NULL);
    assert_float_equal(e.value, estimate_mean(x, 39).value, 1e-12);
    assert_true(isnan(e.std_error) && isnan(e.ci95));
    assert_int_equal(e.batches, 0);
    e = estimate_steady(&(struct estimate_series){.samples = x, .n = 40}, NULL);
    assert_true(e.batches >= 10 && e.ci95 > 0);
    assert_true(isnan(estimate_steady(&(struct estimate_series){0}, NULL).value));
}

/* A batch holds three cycles or more, so 29 are too few for ten batches, and 36 allow twelve. */
static void test_cycles_limit_the_batches_of_a_group(void **state)
{
    (void)state;
    static double x[400];
    struct random r;
    random_init(&r, 1);
    correlated(&r, 0, x, 400);
    struct estimate_series s = {.samples = x, .n = 400}, other = s, few = s;
    struct estimate_group group = {0};
    estimate_group_add(&group, &s);
    assert_int_equal(estimate_steady(&s, &group).batches, 20);
    other.cycles = 36;
    estimate_group_add(&group, &other);
    assert_int_equal(estimate_steady(&s, &group).batches, 12);
    few.n = 30; /* too short to have a say */
    few.cycles = 1;
    estimate_group_add(&group, &few);
    assert_int_equal(estimate_steady(&s, &group).batches, 12);
    other.cycles = 29;
    estimate_group_add(&group, &other);
    assert_true(isnan(estimate_steady(&s, &group).ci95));
    assert_false(estimate_group_steady(&group));
}

/* A rise of one standard deviation over the whole series, too slow for the correlation to show. */
static void test_one_that_drifts_silences_its_group(void **state)
{
    (void)state;
    static double x[400], rising[400];
    struct random r;
    random_init(&r, 1);
    correlated(&r, 0, x, 400);
    for (int i = 0; i < 400; i++)
        rising[i] = x[i] + i / 400.0;
    struct estimate_series s = {.samples = x, .n = 400}, drift = {.samples = rising, .n = 400};
    struct estimate_group group = {0};
    assert_true(estimate_steady(&s, NULL).ci95 > 0);
    assert_true(isnan(estimate_steady(&drift, NULL).ci95));
    estimate_group_add(&group, &s);
    assert_true(estimate_group_steady(&group));
    estimate_group_add(&group, &drift);
    assert_false(estimate_group_steady(&group));
    assert_true(isnan(estimate_steady(&s, &group).ci95));
}

/* How many of `runs` series have an interval, and how many of these hold the true mean, 0. */
static void count_covered(double phi, int n, int runs, int *known, int *covered)
{
    static double x[4000];
    struct random r;
    random_init(&r, 3);
    *known = *covered = 0;
    for (int run = 0; run < runs; run++) {
        correlated(&r, phi, x, n);
        struct estimate e = estimate_steady(&(struct estimate_series){.samples = x, .n = (size_t)n}, NULL);
        *known += isfinite(e.ci95);
        *covered += fabs(e.value) <= e.ci95;
    }
}

/* x' = phi x + noise is correlated over (1 + phi) / (1 - phi) samples: 4000 hold 4000, 1333, 211 and 20 such times. Where
 * there are enough, nine of ten series or more have an interval, and 92 to 98 % of the intervals hold the mean. Where
 * there are few, most series have none, and wrong ones are rare among all of them. 1000 series know a share of 95 % to
 * 0.7 %. */
static void test_intervals_cover_correlated_means_or_are_silent(void **state)
{
    (void)state;
    int known, covered, runs = 1000;
    const double phi[] = {0, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        count_covered(phi[i], 4000, runs, &known, &covered);
        assert_true(known >= 0.85 * runs);
        assert_true(covered >= 0.92 * known && covered <= 0.98 * known);
    }
    count_covered(0.99, 4000, runs, &known, &covered);
    assert_true(known <= 0.6 * runs && known - covered <= 0.08 * runs);
    count_covered(0.999, 400, runs, &known, &covered); /* a fifth of a correlation time */
    assert_true(known <= 0.02 * runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t_quantiles_match_the_tables),
        cmocka_unit_test(test_mean_of_eight_numbers),
        cmocka_unit_test(test_running_mean_needs_no_samples),
        cmocka_unit_test(test_one_sample_has_no_interval),
        cmocka_unit_test(test_von_neumann_of_four_batches),
        cmocka_unit_test(test_trend_of_four_batches),
        cmocka_unit_test(test_rounding_is_no_correlation),
        cmocka_unit_test(test_equal_samples_are_known_to_a_step),
        cmocka_unit_test(test_short_series_have_a_mean_and_no_interval),
        cmocka_unit_test(test_cycles_limit_the_batches_of_a_group),
        cmocka_unit_test(test_one_that_drifts_silences_its_group),
        cmocka_unit_test(test_intervals_cover_correlated_means_or_are_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
