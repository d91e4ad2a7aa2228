/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/bins.h"

#include "test/cm.h"

#define MS INT64_C(1000000)

static void note(struct analysis_bins *b, int64_t time_ns, int64_t bytes)
{
    struct analysis_bin *bin = analysis_bins_at(b, time_ns);
    assert_non_null(bin);
    bin->bytes += bytes;
}

static int64_t total(const struct analysis_bins *b)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < b->n; i++)
        bytes += b->bin[i].bytes;
    return bytes;
}

TEST(test_bins_are_a_millisecond_at_first)
{
    MEMORY_ENDS(analysis_bins_fini) struct analysis_bins b;
    analysis_bins_init(&b, 5 * MS + 1);
    note(&b, 5 * MS + 1, 10);
    note(&b, 6 * MS - 1, 20);
    note(&b, 7 * MS, 40);
    assert_int_equal(analysis_bins_width_ns(&b), MS);
    assert_int_equal(analysis_bins_get(&b, 0).bytes, 30);
    assert_int_equal(analysis_bins_get(&b, 1).bytes, 0);
    assert_int_equal(analysis_bins_get(&b, 2).bytes, 40);
    assert_true(fabs(analysis_bins_rate_bps(&b, 0, 2) - 30 * 8 / 2e-3) < 1e-6);
    assert_true(analysis_bins_rate_bps(&b, 1, 1) == 0);
    assert_int_equal(analysis_bins_start_ns(&b, 2), 7 * MS);
}

TEST(test_doubling_keeps_every_byte_in_its_time)
{
    MEMORY_ENDS(analysis_bins_fini) struct analysis_bins b;
    analysis_bins_init(&b, 3 * MS); /* an odd start: the first bin merges with nothing */
    for (int ms = 3; ms < 1003; ms++)
        note(&b, ms * MS, ms);
    /* 1000 ms from ms 3 on: widths 1, 2, 4 hold 256, 512 and 1024 ms */
    assert_int_equal(analysis_bins_width_ns(&b), 4 * MS);
    assert_int_equal(analysis_bins_start_ns(&b, 0), 0);
    assert_int_equal(analysis_bins_get(&b, 0).bytes, 3);
    assert_int_equal(analysis_bins_get(&b, 1).bytes, 4 + 5 + 6 + 7);
    assert_int_equal(analysis_bins_get(&b, 250).bytes, 1000 + 1001 + 1002);
    assert_int_equal(total(&b), (3 + 1002) * 1000 / 2);
}

TEST(test_memory_is_bounded_however_long_it_lasts)
{
    MEMORY_ENDS(analysis_bins_fini) struct analysis_bins b;
    analysis_bins_init(&b, 0);
    note(&b, 0, 1);
    note(&b, INT64_C(3600) * 1000 * MS, 1);
    assert_true(b.n <= ANALYSIS_BINS_MAX && b.capacity <= ANALYSIS_BINS_MAX);
    assert_int_equal(total(&b), 2);
}

TEST(test_a_clock_that_steps_back_counts_in_the_first_bin)
{
    MEMORY_ENDS(analysis_bins_fini) struct analysis_bins b;
    analysis_bins_init(&b, 100 * MS);
    note(&b, 100 * MS, 1);
    note(&b, 90 * MS, 2);
    assert_int_equal(analysis_bins_get(&b, 0).bytes, 3);
}

TEST(test_range_holds_only_whole_bins)
{
    MEMORY_ENDS(analysis_bins_fini) struct analysis_bins b;
    analysis_bins_init(&b, 10 * MS);
    note(&b, 10 * MS, 1);
    size_t begin, end;
    analysis_bins_range(&b, 10 * MS + 1, 15 * MS - 1, &begin, &end);
    assert_int_equal(begin, 1); /* ms 11 */
    assert_int_equal(end, 4);   /* up to ms 14, exclusive */
    analysis_bins_range(&b, 0, 5 * MS, &begin, &end);
    assert_int_equal(begin, end);
}

/* 100 kB seen ten times in the first ms, 200 kB once in the third: by time 100 100 200, mean 400/3, not 1200/11. */
TEST(test_window_is_averaged_over_time_not_over_samples)
{
    MEMORY_ENDS(analysis_bins_fini) struct analysis_bins b;
    analysis_bins_init(&b, 0);
    *analysis_bins_at(&b, 0) = (struct analysis_bin){.window_sum = 1000e3, .window_samples = 10};
    *analysis_bins_at(&b, 2 * MS) = (struct analysis_bin){.window_sum = 200e3, .window_samples = 1};
    assert_true(fabs(analysis_bins_window(&b, 0, 3) - 400e3 / 3) < 1e-6);
    assert_true(isnan(analysis_bins_window(&b, 1, 2)));
}

/* A phase may end with another flow's packet of ages later: 2^62 bins of 1 ms, of which two are noted. A loop over them has
 * no end. The window stays at 200 kB; both bins' 3 bytes together are next to no rate. */
TEST(test_bins_beyond_the_last_one_cost_no_time)
{
    MEMORY_ENDS(analysis_bins_fini) struct analysis_bins b;
    size_t end = (size_t)1 << 62;
    analysis_bins_init(&b, 0);
    *analysis_bins_at(&b, 0) = (struct analysis_bin){.bytes = 1, .retransmitted = 4, .loss_events = 2};
    *analysis_bins_at(&b, MS) = (struct analysis_bin){.bytes = 2, .window_sum = 200e3, .window_samples = 1};
    struct analysis_bin sum = analysis_bins_sum(&b, 0, end);
    assert_ints({sum.bytes, 3}, {sum.retransmitted, 4}, {sum.loss_events, 2});
    assert_true(fabs(analysis_bins_window(&b, 0, end) - 200e3) < 1e-6);
    assert_true(analysis_bins_rate_bps(&b, 0, end) < 1e-9);
}
