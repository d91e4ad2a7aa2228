/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/bounds.h"

#include "base/random.h"
#include "test/cm.h"

TEST(test_the_least_bound_of_what_has_not_run_counts)
{
    MEMORY_ENDS(linux_bounds_fini) struct linux_bounds b = {0};
    assert_true(linux_bounds_least(&b, 0) == INT64_MAX);
    linux_bounds_add(&b, 10, 10); /* at a host */
    linux_bounds_add(&b, 5, 40);  /* within the network */
    linux_bounds_add(&b, 20, 30);
    assert_int_equal(linux_bounds_least(&b, 0), 10);
    assert_int_equal(linux_bounds_least(&b, 9), 10);
    assert_int_equal(linux_bounds_least(&b, 10), 30); /* the first two have run */
    assert_true(linux_bounds_least(&b, 20) == INT64_MAX);
}

/* Against a list that is looked through. */
TEST(test_random_events_have_the_bound_that_a_list_has)
{
    enum { N = 400 };
    MEMORY_ENDS(linux_bounds_fini) struct linux_bounds b = {0};
    int64_t time_ps[N], bound_ps[N], now_ps = 0;
    struct random r = random_of(7);
    for (int n = 0; n < N; n++) {
        time_ps[n] = now_ps + (int64_t)random_below(&r, 1000);
        bound_ps[n] = time_ps[n] + (int64_t)random_below(&r, 500);
        linux_bounds_add(&b, time_ps[n], bound_ps[n]);
        now_ps += (int64_t)random_below(&r, 20);
        int64_t least_ps = INT64_MAX;
        for (int i = 0; i <= n; i++)
            if (time_ps[i] > now_ps && bound_ps[i] < least_ps)
                least_ps = bound_ps[i];
        assert_true(linux_bounds_least(&b, now_ps) == least_ps);
    }
}
