/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/latency.h"

#include "base/estimate.h"
#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* From 1 on; 0: there is none. */
static size_t latency_rank(size_t n, size_t percent)
{
    /* ceil(q n) in whole numbers: 0.95 n may be rounded beyond its rank */
    return n > 0 && (100 - percent) * n >= 100 ? (percent * n + 99) / 100 : 0;
}

static double latency_quantile_s(const double *sorted, size_t n, size_t percent)
{
    size_t rank = latency_rank(n, percent);
    return rank > 0 ? sorted[rank - 1] : (double)NAN;
}

void judge_latency_times_of(double *round_s, size_t n, struct judge_latency_times *t)
{
    if (n > 0)
        qsort(round_s, n, sizeof *round_s, estimate_ascending);
    *t = (struct judge_latency_times){n, latency_quantile_s(round_s, n, 50), latency_quantile_s(round_s, n, 95),
                                        latency_quantile_s(round_s, n, 99)};
}

static double latency_counted_s(const struct judge_latency_count *sorted, size_t all, size_t percent)
{
    size_t rank = latency_rank(all, percent);
    if (rank == 0)
        return NAN;
    for (; rank > sorted->times; sorted++)
        rank -= sorted->times;
    return sorted->round_s;
}

void judge_latency_counts_of(struct judge_latency_count *count, size_t n, struct judge_latency_times *t)
{
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += count[i].times;
    if (n > 0)
        qsort(count, n, sizeof *count, estimate_ascending);
    *t = (struct judge_latency_times){all, latency_counted_s(count, all, 50), latency_counted_s(count, all, 95),
                                        latency_counted_s(count, all, 99)};
}

void judge_latency_floors_of(double *floor_s, size_t n, struct judge_latency_times *t)
{
    judge_latency_times_of(floor_s, n, t);
    *t = (struct judge_latency_times){n, n == 1 ? floor_s[0] : t->median_s, NAN, NAN};
}

const char *judge_latency_grade(const struct judge_latency *l)
{
    static const struct {
        double more_s;
        const char *word;
    } grades[] = {{0.005, "none"}, {0.03, "little"}, {0.06, "some"}, {0.2, "much"}, {0.4, "severe"}};
    double more_s = l->loaded.median_s - l->idle.median_s;
    if (l->idle.n == 0 || l->loaded.n == 0 || !isfinite(more_s))
        return NULL;
    for (size_t i = 0; i < sizeof grades / sizeof *grades; i++)
        if (more_s < grades[i].more_s)
            return grades[i].word;
    return "extreme";
}

static void latency_add_ms(char *text, const char *before, double s)
{
    text_add(text, JUDGE_LATENCY_TEXT, "%s%s", before, UNITS_FIGURE(1e3 * s, 3));
}

static void latency_add(char *text, const char *name, const struct judge_latency_times *t)
{
    text_add(text, JUDGE_LATENCY_TEXT, "%s ", name);
    if (!isfinite(t->median_s)) {
        text_add(text, JUDGE_LATENCY_TEXT, "unknown");
        return;
    }
    latency_add_ms(text, "", t->median_s);
    text_add(text, JUDGE_LATENCY_TEXT, " ms");
    if (isfinite(t->p95_s))
        latency_add_ms(text, " (95 %: ", t->p95_s);
    if (isfinite(t->p99_s))
        latency_add_ms(text, ", 99 %: ", t->p99_s);
    if (isfinite(t->p95_s))
        text_add(text, JUDGE_LATENCY_TEXT, ")");
}

void judge_latency_say(const struct judge_latency *l, char text[static JUDGE_LATENCY_TEXT])
{
    snprintf(text, JUDGE_LATENCY_TEXT, "round trip: ");
    latency_add(text, "idle", &l->idle);
    text_add(text, JUDGE_LATENCY_TEXT, ", ");
    latency_add(text, "loaded", &l->loaded);
    if (judge_latency_grade(l))
        text_add(text, JUDGE_LATENCY_TEXT, ", bufferbloat: %s", judge_latency_grade(l));
}
