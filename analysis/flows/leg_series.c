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

void analysis_leg_series_free(struct analysis_leg_series *s)
{
    if (s)
        free(s->slot);
    free(s);
}

static double series_latest_ns(const struct analysis_leg_series *s, int leg, int tick)
{
    const struct analysis_leg_series_latest *l = &s->latest[leg];
    return analysis_leg_series_sign(leg) * (double)(l->t_ns - l->ticks * analysis_leg_series_tick_ns[tick]);
}

/* How many slots come before that time: no more than there are, and few come after it that are not beside each other. */
static size_t series_before(const struct analysis_leg_series *s, uint32_t at)
{
    size_t i = s->n < at + 1 ? s->n : at + 1;
    while (i > 0 && s->slot[i - 1].at >= at)
        i--;
    return i;
}

void analysis_leg_series_settle(struct analysis_leg_series *s, int leg)
{
    if (!s->latest[leg].any)
        return;
    struct analysis_leg_series_slot *slot = &s->slot[series_before(s, s->latest[leg].at)];
    for (int t = 0; t < ANALYSIS_LEG_SERIES_TICKS; t++) {
        const double own_ns = series_latest_ns(s, leg, t), before_ns = slot->least_ns[leg][t];
        slot->least_ns[leg][t] = slot->has_least[leg] && before_ns < own_ns ? before_ns : own_ns;
    }
    slot->has_least[leg] = true;
    s->latest[leg].any = false;
}

double analysis_leg_series_least_ns(const struct analysis_leg_series *s, const struct analysis_leg_series_slot *slot, int leg,
                                    int tick)
{
    const double before_ns = slot->has_least[leg] ? slot->least_ns[leg][tick] : INFINITY;
    return s->latest[leg].any && s->latest[leg].at == slot->at ? fmin(before_ns, series_latest_ns(s, leg, tick)) : before_ns;
}

static void series_merge(struct analysis_leg_series_slot *to, const struct analysis_leg_series_slot *from)
{
    for (int leg = 0; leg < ANALYSIS_LEG_SERIES_LEGS; leg++) {
        to->cell[leg].time_sum_ns += from->cell[leg].time_sum_ns;
        to->cell[leg].ticks_sum += from->cell[leg].ticks_sum;
        to->cell[leg].n += from->cell[leg].n;
    }
    for (int leg = 0; leg < ANALYSIS_LEG_SERIES_LEAST; leg++) {
        for (int t = 0; from->has_least[leg] && t < ANALYSIS_LEG_SERIES_TICKS; t++)
            to->least_ns[leg][t] = to->has_least[leg] ? fmin(to->least_ns[leg][t], from->least_ns[leg][t])
                                                      : from->least_ns[leg][t];
        to->has_least[leg] = to->has_least[leg] || from->has_least[leg];
    }
}

/* Neighbours merge. */
static void series_double(struct analysis_leg_series *s)
{
    const uint32_t odd = (uint32_t)(s->first & 1);
    size_t n = 0;
    for (int leg = 0; leg < ANALYSIS_LEG_SERIES_LEAST; leg++)
        analysis_leg_series_settle(s, leg);
    for (size_t i = 0; i < s->n; i++) {
        struct analysis_leg_series_slot *from = &s->slot[i];
        from->at = (from->at + odd) >> 1;
        if (n > 0 && s->slot[n - 1].at == from->at)
            series_merge(&s->slot[n - 1], from);
        else
            s->slot[n++] = *from;
    }
    s->first >>= 1;
    s->shift++;
    s->n = n;
}

void analysis_leg_series_go(struct analysis_leg_series *s, int64_t time_ns)
{
    int64_t slot;
    while ((slot = (time_ns / UNIT_NS >> s->shift) - s->first) >= ANALYSIS_LEG_SERIES_SLOTS)
        series_double(s);
    const uint32_t at = slot < 0 ? 0 : (uint32_t)slot;
    const size_t i = series_before(s, at);
    if (i == s->n || s->slot[i].at != at) {
        s->slot = memory_grown(s->slot, s->n, &s->room, 16, sizeof *s->slot, "the waits of a flow");
        memmove(&s->slot[i + 1], &s->slot[i], (s->n++ - i) * sizeof *s->slot);
        s->slot[i] = (struct analysis_leg_series_slot){.at = at};
    }
    s->now = &s->slot[i];
    s->from_ns = (s->first + at) * (UNIT_NS << s->shift);
    s->until_ns = s->from_ns + (UNIT_NS << s->shift);
}

double analysis_leg_series_width_s(const struct analysis_leg_series *s)
{
    return (double)(UNIT_NS << s->shift) * 1e-9;
}

size_t analysis_leg_series_slots(const struct analysis_leg_series *s)
{
    return s->n > 0 ? s->slot[s->n - 1].at + 1 : 0;
}

double analysis_leg_series_start_s(const struct analysis_leg_series *s, size_t at)
{
    return ((double)s->first + (double)at) * analysis_leg_series_width_s(s);
}

double analysis_leg_series_mean_ns(const struct analysis_leg_series_cell *c, double tick_ns)
{
    return c->n > 0 ? (c->time_sum_ns - c->ticks_sum * tick_ns) / c->n : NAN;
}
