/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/leg_series.h"
#include "base/random.h"
#include "test/cm.h"

#define MS INT64_C(1000000)

CM_OWNER(analysis_leg_series, analysis_leg_series_free)

TEST(test_mean_takes_the_tick_off)
{
    CM_OWNED(analysis_leg_series_free) struct analysis_leg_series *s = analysis_leg_series_new(5 * MS);
    analysis_leg_series_add(s, 5 * MS, 2, 100 * MS, 3);
    analysis_leg_series_add(s, 5 * MS + 10, 2, 300 * MS, 5);
    assert_true(fabs(analysis_leg_series_mean_ns(&s->slot[0].cell[2], 1e6) - 196e6) < 1e-3); /* (400 - 8) / 2 ms */
    assert_true(fabs(analysis_leg_series_mean_ns(&s->slot[0].cell[2], 4e6) - 184e6) < 1e-3);
    assert_true(isnan(analysis_leg_series_mean_ns(&s->slot[0].cell[1], 1e6)));
    assert_true(fabs(analysis_leg_series_start_s(s, 0) - 0.005) < 1e-12);
    assert_true(fabs(analysis_leg_series_width_s(s) - 1e-6) < 1e-15);
}

/* However often neighbours merge, every sample is in the slot of its time, and none is lost. */
TEST(test_slots_merge_without_loss)
{
    struct random r = random_of(3);
    for (int round = 0; round < 50; round++) {
        int64_t first = (int64_t)random_below(&r, 1000), at = first;
        CM_OWNED(analysis_leg_series_free) struct analysis_leg_series *s = analysis_leg_series_new(first * MS);
        double sum = 0, seen = 0;
        uint32_t n = 0;
        for (int i = 0; i < 3000; i++) {
            at += (int64_t)random_below(&r, (uint64_t)1 << round % 12);
            analysis_leg_series_add(s, at * MS, (int)random_below(&r, 4), at, 0);
            sum += (double)at;
        }
        assert_true(analysis_leg_series_slots(s) <= ANALYSIS_LEG_SERIES_SLOTS);
        for (size_t i = 0; i < s->n; i++) {
            double from_ms = analysis_leg_series_start_s(s, s->slot[i].at) * 1e3,
            to_ms = from_ms + analysis_leg_series_width_s(s) * 1e3;
            for (int leg = 0; leg < 4; leg++) {
                const struct analysis_leg_series_cell *c = &s->slot[i].cell[leg];
                n += c->n;
                seen += c->time_sum_ns;
                double mean = analysis_leg_series_mean_ns(c, 1);
                assert_true(c->n == 0 || (mean > from_ms - 1e-6 && mean < to_ms));
                if (leg >= ANALYSIS_LEG_SERIES_LEAST || c->n == 0)
                    continue;
                /* the least of what the slot has: no more than the mean, and of the slot; of what falls it is the latest */
                const double least = analysis_leg_series_least_ns(s, &s->slot[i], leg, (int)random_below(&r, 4));
                assert_true(leg == 1 || (least > from_ms - 1e-6 && least <= mean + 1e-6));
                assert_true(leg == 0 || (-least < to_ms && -least >= mean - 1e-6));
            }
        }
        assert_int_equal(n, 3000);
        assert_true(fabs(seen - sum) <= 1e-9 * sum);
    }
}

/* Of stamps and times in any order, in some slots: by each tick the least is that of all samples. */
TEST(test_the_least_is_of_all_samples)
{
    struct random r = random_of(5);
    for (int round = 0; round < 50; round++) {
        CM_OWNED(analysis_leg_series_free) struct analysis_leg_series *s = analysis_leg_series_new(0);
        double least[4][ANALYSIS_LEG_SERIES_LEAST][ANALYSIS_LEG_SERIES_TICKS];
        int64_t seen[4][ANALYSIS_LEG_SERIES_LEAST] = {{0}};
        for (int i = 0; i < 200; i++) {
            const int leg = (int)random_below(&r, 2), sign = leg == 0 ? 1 : -1;
            const int64_t slot = (int64_t)random_below(&r, 4), t_ns = (int64_t)random_below(&r, 1000000);
            const int64_t ticks = (int64_t)random_below(&r, 3), before = seen[slot][leg]++;
            analysis_leg_series_add(s, 1000 * slot + 5, leg, t_ns, ticks);
            for (int k = 0; k < ANALYSIS_LEG_SERIES_TICKS; k++) {
                const double own = sign * (double)(t_ns - ticks * analysis_leg_series_tick_ns[k]);
                double *mine = &least[slot][leg][k];
                *mine = before == 0 || own < *mine ? own : *mine;
                assert_true(fabs(analysis_leg_series_least_ns(s, s->now, leg, k) - *mine) < 1e-9);
            }
        }
    }
}

/* Only slots with samples are there, in order of time whichever comes first. */
TEST(test_slots_without_samples_take_nothing)
{
    CM_OWNED(analysis_leg_series_free) struct analysis_leg_series *s = analysis_leg_series_new(0);
    static const int64_t at_us[] = {0, 400, 7, 400, 500};
    for (size_t i = 0; i < 5; i++)
        analysis_leg_series_add(s, at_us[i] * 1000, 2, 1, 0);
    assert_ints({s->n, 4}, {analysis_leg_series_slots(s), 501}, {s->slot[0].at, 0}, {s->slot[1].at, 7}, {s->slot[2].at, 400},
                {s->slot[2].cell[2].n, 2}, {s->slot[3].at, 500});
}

TEST(test_earlier_than_the_first_counts_there)
{
    CM_OWNED(analysis_leg_series_free) struct analysis_leg_series *s = analysis_leg_series_new(100 * MS);
    analysis_leg_series_add(s, 0, 0, 1, 0);
    assert_ints({s->n, 1}, {s->slot[0].cell[0].n, 1});
}
