/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/ends/transit.h"

#include "test/cm.h"

#define MS INT64_C(1000000)

/* 1000 samples 10 ms apart: offset 7 ms, transit 1 ms and every fourth 3 ms more, drift of the second clock. */
static struct analysis_transit transits(int packets, double drift)
{
    struct analysis_transit t = {0};
    for (int i = 0; i < 1000; i++)
        analysis_transit_add(&t, 10 * i * MS,
                             (double)(7 * MS) + drift * (double)(10 * i * MS) + packets * (i % 4 ? 1e6 : 4e6));
    return t;
}

TEST(test_a_wait_is_the_mean_less_the_least_either_way)
{
    for (int packets = -1; packets <= 1; packets += 2) {
        struct analysis_transit t = transits(packets, 0);
        assert_near(analysis_transit_wait_s(&t, packets, 0), 0.75e-3, 1e-12);
        assert_near(analysis_transit_base_ns(&t, packets, 0), 7e6 + packets * 1e6, 1e-3);
    }
    struct analysis_transit none = {0};
    assert_true(isnan(analysis_transit_wait_s(&none, 1, 0)));
    assert_true(isnan(analysis_transit_base_ns(&none, 1, 0)));
}

TEST(test_a_trend_follows_the_extremes_not_the_waits)
{
    struct analysis_trend trend;
    for (int packets = -1; packets <= 1; packets += 2) {
        struct analysis_transit t = transits(packets, 80e-6);
        assert_true(analysis_transit_trend(&t, packets, &trend));
        assert_near(trend.slope, 80e-6, 1e-9);
        assert_near(trend.scatter_ns, 0, 1);
        assert_near(analysis_transit_wait_s(&t, packets, trend.slope), 0.75e-3, 1e-7);
    }
    struct analysis_transit few = {0};
    analysis_transit_add(&few, 0, 1);
    analysis_transit_add(&few, 1000 * MS, 2);
    assert_false(analysis_transit_trend(&few, 1, &trend));
}

TEST(test_stretches_widen_until_all_of_the_time_fits)
{
    struct analysis_transit t = transits(1, 0);
    assert_int_equal(t.width_ns, 256 * MS); /* 1 ms, doubled eight times: 64 of 128 ms are less than 9.99 s */
    for (int i = 0; i < ANALYSIS_TRANSIT_STRETCHES; i++) {
        assert_int_equal(t.stretch[i].any, i <= 9990 / 256);
        if (t.stretch[i].any)
            assert_true(t.stretch[i].low.time >= i * 256e6 && t.stretch[i].high.time < (i + 1) * 256e6);
    }
}

TEST(test_times_that_step_back_count_with_the_first)
{
    struct analysis_transit t = {0};
    analysis_transit_add(&t, 100 * MS, 5);
    analysis_transit_add(&t, 50 * MS, 3);
    assert_near(analysis_transit_base_ns(&t, 1, 0), 3, 0);
    assert_near(analysis_transit_wait_s(&t, 1, 0), 1e-9, 1e-15);
}

TEST(test_a_drift_shows_both_ways_alike)
{
    const struct analysis_trend drift = {.slope = 50e-6, .scatter_ns = 20e3, .span_ns = 10e9}; /* 500 us in all */
    struct analysis_trend back = {.slope = 60e-6, .scatter_ns = 300e3, .span_ns = 10e9};
    double found;
    assert_true(analysis_transit_drift(&drift, &back, &found));
    assert_near(found, 50e-6, 0); /* of the straighter one */
    assert_true(analysis_transit_drift(&back, &drift, &found));
    assert_near(found, 50e-6, 0);
    static const struct analysis_trend against[] = {
        {.slope = -50e-6, .scatter_ns = 20e3, .span_ns = 10e9}, /* queues that trade places */
        {.slope = 0, .scatter_ns = 0, .span_ns = 10e9},         /* a queue on the other way */
        {.slope = 120e-6, .scatter_ns = 30e3, .span_ns = 10e9}, /* not alike */
    };
    for (int i = 0; i < 3; i++)
        assert_false(analysis_transit_drift(&drift, &against[i], &found));
    const struct analysis_trend noise = {.slope = 5e-6, .scatter_ns = 20e3, .span_ns = 10e9}; /* 50 us: noise */
    assert_false(analysis_transit_drift(&noise, &noise, &found));
    const struct analysis_trend steep = {.slope = 600e-6, .scatter_ns = 20e3, .span_ns = 10e9};
    assert_false(analysis_transit_drift(&steep, &steep, &found));
}
