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

/* 1 | 1 3 | 5 7: two batches of two leave the first sample out of the interval: batch means 2
 * and 6, mean of all five 3.4, standard error sqrt(8 / 2) = 2. */
static void test_batches_skip_the_remainder_in_the_interval_only(void **state)
{
    (void)state;
    const double x[] = {1, 1, 3, 5, 7};
    struct estimate e = estimate_batch_means(x, 5, 2);
    assert_float_equal(e.value, 3.4, 1e-12);
    assert_float_equal(e.std_error, 2, 1e-12);
    assert_int_equal(e.batches, 2);
}

/* An AR(1) series x' = 0.9 x + noise is correlated: the interval of its samples taken as
 * independent covers the true mean 0 far too seldom; that of batch means does about 95 times in 100. */
static void test_batch_means_cover_a_correlated_mean(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 3);
    int covered = 0, naive = 0, runs = 400;
    static double x[4000];
    for (int run = 0; run < runs; run++) {
        double v = 0;
        for (int i = -200; i < 4000; i++) {
            double noise = 0;
            for (int k = 0; k < 12; k++)
                noise += (double)(random_next(&r) >> 11) * 0x1p-53;
            v = 0.9 * v + noise - 6;
            if (i >= 0)
                x[i] = v;
        }
        struct estimate e = estimate_batch_means(x, 4000, ESTIMATE_BATCHES), n = estimate_mean(x, 4000);
        covered += fabs(e.value) <= e.ci95;
        naive += fabs(n.value) <= n.ci95;
    }
    assert_in_range(covered, 0.90 * runs, 0.99 * runs);
    assert_true(naive < 0.60 * runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t_quantiles_match_the_tables),
        cmocka_unit_test(test_mean_of_eight_numbers),
        cmocka_unit_test(test_running_mean_needs_no_samples),
        cmocka_unit_test(test_one_sample_has_no_interval),
        cmocka_unit_test(test_batches_skip_the_remainder_in_the_interval_only),
        cmocka_unit_test(test_batch_means_cover_a_correlated_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
