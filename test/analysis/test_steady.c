/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/steady.h"

#include "test/cm.h"

TEST(test_truncation_cuts_the_warm_up)
{
    double x[40];
    for (int i = 0; i < 40; i++)
        x[i] = i < 7 ? 100.0 - 10 * i : (i % 2 ? 1 : -1);
    /* Behind sample 7 the series is flat noise: cutting more only makes the tail shorter. 40 samples make
     * 20 batches of two, and that of samples 6 and 7 still holds the end of the warm-up. */
    assert_int_equal(analysis_steady_start(x, 40), 8);
}

/* Bursts (20 in one sample of four, nothing else) hide a ramp over the first quarter from sample-wise MSER:
 * their squares, 75 a sample, outweigh it. In batches of eight they cancel. */
TEST(test_bursts_do_not_hide_a_slow_start)
{
    double x[256];
    for (int i = 0; i < 256; i++) {
        double level = i < 64 ? i / 64.0 : 1;
        x[i] = i % 4 ? 0 : 20 * level;
    }
    assert_in_range(analysis_steady_start(x, 256), 40, 72);
}

TEST(test_a_flat_series_is_not_cut)
{
    double x[20];
    for (int i = 0; i < 20; i++)
        x[i] = 5;
    assert_int_equal(analysis_steady_start(x, 20), 0);
}

TEST(test_at_most_half_is_cut)
{
    double x[20];
    for (int i = 0; i < 20; i++)
        x[i] = i < 16 ? i * i : 256;
    assert_int_equal(analysis_steady_start(x, 20), 10);
}

TEST(test_short_series_are_left_alone)
{
    const double x[] = {100, 1, 1};
    assert_int_equal(analysis_steady_start(x, 3), 0);
}
