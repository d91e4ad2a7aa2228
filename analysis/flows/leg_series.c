/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/leg_series.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_NS INT64_C(1000)

struct analysis_leg_series *analysis_leg_series_new(int64_t time_ns)
{
    struct analysis_leg_series *s = memory_zeroed(1, sizeof *s, "the waits of a flow");
    s->first = time_ns / UNIT_NS;
    return s;
}

static double series_latest_ns(const struct analysis_leg_series *s, int leg, int tick)
{
    const struct analysis_leg_series_latest *l = &s->latest[leg];
    return analysis_leg_series_sign(leg) * (double)(l->t_ns - l->ticks * analysis_leg_series_tick_ns[tick]);
}

void analysis_leg_series_settle(struct analysis_leg_series *s, int leg)
{
    const size_t at = s->latest[leg].slot;
    for (int t = 0; s->latest[leg].any && t < ANALYSIS_LEG_SERIES_TICKS; t++) {
        const double own_ns = series_latest_ns(s, leg, t), before_ns = s->least_ns[at][leg][t];
        s->least_ns[at][leg][t] = s->has_least[at][leg] && before_ns < own_ns ? before_ns : own_ns;
    }
    s->has_least[at][leg] = s->has_least[at][leg] || s->latest[leg].any;
    s->latest[leg].any = false;
}

double analysis_leg_series_least_ns(const struct analysis_leg_series *s, size_t slot, int leg, int tick)
{
    const double before_ns = s->has_least[slot][leg] ? s->least_ns[slot][leg][tick] : INFINITY;
    return s->latest[leg].any && s->latest[leg].slot == slot ? fmin(before_ns, series_latest_ns(s, leg, tick)) : before_ns;
}

/* Neighbours merge: slot i takes what is in the two that lie in it. */
static void series_double(struct analysis_leg_series *s)
{
    size_t odd = (size_t)(s->first & 1), n = s->n > 0 ? (s->n + odd + 1) / 2 : 0;
    for (int leg = 0; leg < ANALYSIS_LEG_SERIES_LEAST; leg++)
        analysis_leg_series_settle(s, leg);
    for (size_t i = 0; i < n; i++) {
        struct analysis_leg_series_cell sum[ANALYSIS_LEG_SERIES_LEGS] = {{0}};
        double least_ns[ANALYSIS_LEG_SERIES_LEAST][ANALYSIS_LEG_SERIES_TICKS];
        for (size_t k = 2 * i; k < 2 * i + 2; k++) {
            if (k < odd || k - odd >= s->n)
                continue;
            for (int leg = 0; leg < ANALYSIS_LEG_SERIES_LEGS; leg++) {
                const struct analysis_leg_series_cell *c = &s->cell[k - odd][leg];
                for (int t = 0; leg < ANALYSIS_LEG_SERIES_LEAST && c->n > 0 && t < ANALYSIS_LEG_SERIES_TICKS; t++) {
                    double own_ns = s->least_ns[k - odd][leg][t];
                    least_ns[leg][t] = sum[leg].n > 0 ? fmin(least_ns[leg][t], own_ns) : own_ns;
                }
                sum[leg].time_sum_ns += c->time_sum_ns;
                sum[leg].ticks_sum += c->ticks_sum;
                sum[leg].n += c->n;
            }
        }
        memcpy(s->cell[i], sum, sizeof sum);
        for (int leg = 0; leg < ANALYSIS_LEG_SERIES_LEAST; leg++) {
            s->has_least[i][leg] = sum[leg].n > 0;
            if (sum[leg].n > 0)
                memcpy(s->least_ns[i][leg], least_ns[leg], sizeof least_ns[leg]);
        }
    }
    memset(s->cell[n], 0, (s->n - n) * sizeof s->cell[0]);
    memset(s->has_least[n], 0, (s->n - n) * sizeof s->has_least[0]);
    s->first >>= 1;
    s->shift++;
    s->n = n;
}

void analysis_leg_series_go(struct analysis_leg_series *s, int64_t time_ns)
{
    int64_t slot;
    while ((slot = (time_ns / UNIT_NS >> s->shift) - s->first) >= ANALYSIS_LEG_SERIES_SLOTS)
        series_double(s);
    slot = slot < 0 ? 0 : slot;
    if ((size_t)slot >= s->n)
        s->n = (size_t)slot + 1;
    s->at = (size_t)slot;
    s->from_ns = (s->first + slot) * (UNIT_NS << s->shift);
    s->until_ns = s->from_ns + (UNIT_NS << s->shift);
}

double analysis_leg_series_width_s(const struct analysis_leg_series *s)
{
    return (double)(UNIT_NS << s->shift) * 1e-9;
}

double analysis_leg_series_start_s(const struct analysis_leg_series *s, size_t slot)
{
    return ((double)s->first + (double)slot) * analysis_leg_series_width_s(s);
}

double analysis_leg_series_mean_ns(const struct analysis_leg_series *s, size_t slot, int leg, double tick_ns)
{
    const struct analysis_leg_series_cell *c = &s->cell[slot][leg];
    return c->n > 0 ? (c->time_sum_ns - c->ticks_sum * tick_ns) / c->n : NAN;
}
