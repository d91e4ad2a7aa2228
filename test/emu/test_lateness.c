/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/lateness.h"

#include "base/random.h"
#include "test/cm.h"

#define US INT64_C(1000000)

TEST(test_nothing_is_late_without_frames)
{
    struct emu_lateness l = {.bound_ps = US};
    assert_true(emu_lateness_share(&l) == 0);
    assert_int_equal(emu_lateness_quantile_ps(&l, 0.5), 0);
    assert_int_equal(emu_lateness_quantile_ps(&l, 1), 0);
}

/* The bound itself is not late; what is early, by a clock that steps back, is not either. */
TEST(test_frames_later_than_the_bound_are_late)
{
    struct emu_lateness l = {.bound_ps = 100 * US};
    for (int i = 0; i < 97; i++)
        emu_lateness_add(&l, 0, i * US);
    emu_lateness_add(&l, 0, -5);
    emu_lateness_add(&l, 0, 100 * US);
    assert_int_equal(l.late, 0);
    emu_lateness_add(&l, 0, 100 * US + 1);
    assert_ints({l.frames, 100}, {l.late, 1}, {l.most_ps, 100 * US + 1});
    assert_true(emu_lateness_share(&l) == 0.01);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Against the sorted list: never below it, at most an eighth and a nanosecond above it, from picoseconds to hours. */
TEST(test_quantiles_are_those_of_the_list)
{
    enum { N = 5000 };
    static int64_t list[N];
    struct emu_lateness l = {.bound_ps = 0};
    struct random r = random_of(3);
    for (int i = 0; i < N; i++) {
        int bits = 1 + (int)random_below(&r, 54);
        list[i] = (int64_t)random_below(&r, UINT64_C(1) << bits);
        emu_lateness_add(&l, 0, list[i]);
    }
    qsort(list, N, sizeof *list, compare);
    for (int percent = 0; percent <= 100; percent++) {
        int rank = percent == 0 ? 0 : N * percent / 100 - 1;
        int64_t found = emu_lateness_quantile_ps(&l, percent / 100.0), truth = list[rank];
        assert_all(found >= truth, found <= truth + truth / 8 + 1000);
    }
    assert_int_equal(emu_lateness_quantile_ps(&l, 1), list[N - 1]);
}

/* Each moment once: two frames that are late at the same time, one that comes within the bound, one after a gap. */
TEST(test_time_with_a_frame_overdue_is_counted_once)
{
    struct emu_lateness l = {.bound_ps = 100 * US};
    emu_lateness_add(&l, 1000 * US, 400 * US); /* since 600 */
    assert_int_equal(l.overdue_ps, 400 * US);
    emu_lateness_add(&l, 1000 * US, 200 * US);
    emu_lateness_add(&l, 1050 * US, 150 * US); /* since 900 */
    assert_int_equal(l.overdue_ps, 450 * US);
    emu_lateness_add(&l, 1200 * US, 100 * US); /* in time */
    assert_int_equal(l.overdue_ps, 450 * US);
    emu_lateness_add(&l, 3000 * US, 101 * US);
    assert_ints({l.overdue_ps, 551 * US}, {l.late, 4});
}

/* The ends of int64_t have bins. */
TEST(test_the_latest_there_can_be_is_counted)
{
    struct emu_lateness l = {.bound_ps = US};
    emu_lateness_add(&l, 0, INT64_MAX / 2);
    assert_int_equal(l.late, 1);
    assert_int_equal(emu_lateness_quantile_ps(&l, 0.5), INT64_MAX / 2);
}
