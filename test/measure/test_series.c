/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/series.h"
#include "test/cm.h"

/* From 100 to 102 s 1 MB/s go out, from 103 to 104 s 2 MB/s come in; words out wait 10 and 30 ms at 100.2 and 100.3 s,
 * with clocks that differ by 5 s. */
static struct measure_sample out[3] = {{.at_s = 100, .delivered_bytes = 500}, {.at_s = 101, .delivered_bytes = 1000500},
                                       {.at_s = 102, .delivered_bytes = 2000500}};
static struct measure_sample in_far[2] = {{.at_s = 103}, {.at_s = 104, .delivered_bytes = 2000000}};
static struct measure_sample in_near[2] = {{.at_s = 103}, {.at_s = 104, .bytes = 1}};
static struct measure_echo echoes[2] = {{100.2, 5.010, -5}, {100.3, 5.030, -5}};

TEST(test_both_ways_over_time)
{
    MEMORY_ENDS(measure_series_fini) struct measure_series s;
    struct measure_test t = {.in = 1, .out = 1, .hosts = 1, .n = 2, .there_s = {5}, .back_s = {-5}};
    t.phase[0] = (struct measure_phase){.kind = MEASURE_OUT, .n = 1};
    t.phase[0].end[0] = (struct measure_end){.near = {out, 3, 0}};
    t.phase[0].echo[0] = echoes;
    t.phase[0].n_echoes[0] = 2;
    t.phase[1] = (struct measure_phase){.kind = MEASURE_IN, .n = 1};
    t.phase[1].end[0] = (struct measure_end){.incoming = true, .near = {in_near, 2, 0}, .far = {in_far, 2, 0}};
    measure_series_of(&t, 0.5, &s);
    assert_true(fabs(s.zero_s - 100) <= 0);
    assert_int_equal(s.n, 8);
    for (size_t b = 0; b < 8; b++) {
        bool between = b == 4 || b == 5; /* phases: nobody knows */
        assert_int_equal(isnan(s.rate_bps[MEASURE_SERIES_OUT][b]), between);
        assert_int_equal(isnan(s.rate_bps[MEASURE_SERIES_IN][b]), between);
        if (between)
            continue;
        assert_true(fabs(s.rate_bps[MEASURE_SERIES_OUT][b] - (b < 4 ? 8e6 : 0)) <= 1e-3);
        assert_true(fabs(s.rate_bps[MEASURE_SERIES_IN][b] - (b < 4 ? 0 : 16e6)) <= 1e-3);
    }
    assert_all(fabs(s.wait_s[MEASURE_SERIES_OUT][0] - 0.02) <= 1e-9, fabs(s.wait_s[MEASURE_SERIES_IN][0] - 0) <= 1e-9,
               isnan(s.wait_s[MEASURE_SERIES_OUT][1]));
    assert_true(fabs(s.round_s[0] - 0.02) <= 1e-9); /* the clocks' difference is in both ways */
    assert_true(isnan(s.round_s[1]));
}

TEST(test_of_nothing_there_is_no_series)
{
    MEMORY_ENDS(measure_series_fini) struct measure_series s;
    measure_series_of(&(struct measure_test){.n = 1}, 0.1, &s);
    assert_int_equal(s.n, 0);
}
