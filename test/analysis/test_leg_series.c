/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/leg_series.h"
#include "base/random.h"
#include "test/cm.h"

#include <math.h>
#include <stdlib.h>

#define MS INT64_C(1000000)

static void test_mean_takes_the_tick_off(void **state)
{
    (void)state;
    struct analysis_leg_series *s = analysis_leg_series_new(5 * MS);
    analysis_leg_series_add(s, 5 * MS, 2, 100e6, 3);
    analysis_leg_series_add(s, 5 * MS + 10, 2, 300e6, 5);
    assert_true(fabs(analysis_leg_series_mean_ns(s, 0, 2, 1e6) - 196e6) < 1e-3); /* (400 - 8) / 2 ms */
    assert_true(fabs(analysis_leg_series_mean_ns(s, 0, 2, 4e6) - 184e6) < 1e-3);
    assert_true(isnan(analysis_leg_series_mean_ns(s, 0, 1, 1e6)));
    assert_true(fabs(analysis_leg_series_start_s(s, 0) - 0.005) < 1e-12);
    assert_true(fabs(analysis_leg_series_width_s(s) - 1e-6) < 1e-15);
    free(s);
}

/* However often neighbours merge, every sample is in the slot of its time, and none is lost. */
static void test_slots_merge_without_loss(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 3);
    for (int round = 0; round < 50; round++) {
        int64_t first = (int64_t)random_below(&r, 1000), at = first;
        struct analysis_leg_series *s = analysis_leg_series_new(first * MS);
        double sum = 0, seen = 0;
        uint32_t n = 0;
        for (int i = 0; i < 3000; i++) {
            at += (int64_t)random_below(&r, (uint64_t)1 << round % 12);
            analysis_leg_series_add(s, at * MS, (int)random_below(&r, 4), (double)at, 0);
            sum += (double)at;
        }
        assert_true(s->n <= ANALYSIS_LEG_SERIES_SLOTS);
        for (size_t i = 0; i < s->n; i++) {
            double from_ms = analysis_leg_series_start_s(s, i) * 1e3,
            to_ms = from_ms + analysis_leg_series_width_s(s) * 1e3;
            for (int leg = 0; leg < 4; leg++) {
                const struct analysis_leg_series_cell *c = &s->cell[i][leg];
                n += c->n;
                seen += c->time_sum_ns;
                double mean = analysis_leg_series_mean_ns(s, i, leg, 1);
                assert_true(c->n == 0 || (mean > from_ms - 1e-6 && mean < to_ms));
            }
        }
        assert_int_equal(n, 3000);
        assert_true(fabs(seen - sum) <= 1e-9 * sum);
        free(s);
    }
}

static void test_earlier_than_the_first_counts_there(void **state)
{
    (void)state;
    struct analysis_leg_series *s = analysis_leg_series_new(100 * MS);
    analysis_leg_series_add(s, 0, 0, 1, 0);
    assert_int_equal(s->n, 1);
    assert_int_equal(s->cell[0][0].n, 1);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_takes_the_tick_off),
        cmocka_unit_test(test_slots_merge_without_loss),
        cmocka_unit_test(test_earlier_than_the_first_counts_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
