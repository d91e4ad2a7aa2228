/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/distribution.h"

#include "base/random.h"
#include "test/cm.h"

TEST(test_percentiles_are_the_nearest_rank)
{
    double times[100];
    struct analysis_distribution d;
    for (int i = 0; i < 100; i++)
        times[i] = (double)(100 - i) / 1000; /* 1 to 100 ms, backwards */
    assert_true(analysis_distribution_make(times, 100, 1, &d, &err));
    assert_all(d.min_s == 0.001 && d.max_s == 0.1,
               d.p5_s == 0.005 && d.p25_s == 0.025 && d.p50_s == 0.05 && d.p75_s == 0.075,
               d.p95_s == 0.095 && d.p99_s == 0.099, fabs(d.mean_s.value - 0.0505) < 1e-12);
    assert_int_equal(d.n_clusters, 1);
    assert_true(d.outlier_share == 0 && isnan(d.spacing_s));
}

/* Vaughan's picture: most around 15 ms, some one timer of 200 ms later, few two. */
TEST(test_clusters_lie_a_timer_apart)
{
    double times[100];
    struct analysis_distribution d;
    for (int i = 0; i < 100; i++)
        times[i] = 0.015 + 0.00001 * i + (i % 10 == 0 ? 0.2 : 0) + (i == 50 ? 0.2 : 0);
    assert_true(analysis_distribution_make(times, 100, 0.1, &d, &err));
    assert_ints({d.n_clusters, 3}, {d.cluster[0].n, 90}, {d.cluster[1].n, 9}, {d.cluster[2].n, 1});
    assert_all(fabs(d.outlier_share - 0.1) < 1e-12, fabs(d.spacing_s - 0.2) < 0.001,
               fabs(d.cluster[1].min_s - 0.215) < 1e-9 && fabs(d.cluster[1].max_s - 0.2159) < 1e-9);
}

/* Whatever the times: every one is in a bin and in a cluster, bins cover them all, percentiles rise. */
TEST(test_random_times_are_all_counted)
{
    struct random r = random_of(9);
    for (int trial = 0; trial < 300; trial++) {
        double times[257];
        size_t n = 1 + random_below(&r, 257), binned = 0, clustered = 0;
        double scale = pow(10, (double)random_below(&r, 9) - 6);
        struct analysis_distribution d;
        for (size_t i = 0; i < n; i++)
            times[i] = scale * (double)random_below(&r, 1 + (uint64_t)trial * 7);
        assert_true(analysis_distribution_make(times, n, scale * 3, &d, &err));
        for (size_t i = 0; i < d.bins; i++)
            binned += d.count[i];
        for (size_t i = 0; i < d.n_clusters; i++)
            clustered += d.cluster[i].n;
        assert_ints({binned, n}, {clustered, n});
        assert_true(d.bin0_s <= d.min_s && d.bin0_s + (double)d.bins * d.bin_s >= d.max_s * (1 - 1e-12));
        assert_true(d.min_s <= d.p5_s && d.p5_s <= d.p50_s && d.p50_s <= d.p99_s && d.p99_s <= d.max_s);
    }
}

TEST(test_what_is_no_time_is_refused)
{
    struct analysis_distribution d;
    double bad[] = {0.1, NAN}, negative[] = {-1};
    assert_false(analysis_distribution_make(bad, 0, 1, &d, &err));
    assert_false(analysis_distribution_make(bad, 2, 1, &d, &err));
    assert_false(analysis_distribution_make(negative, 1, 1, &d, &err));
    assert_false(analysis_distribution_make(bad, 1, 0, &d, &err));
    assert_int_equal(err.code, ERROR_INPUT);
}
