/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/latency.h"

#include "base/estimate.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double latency_quantile_s(const double *sorted, size_t n, size_t percent)
{
    size_t rank = (percent * n + 99) / 100; /* ceil(q n) in whole numbers: 0.95 n may be rounded beyond its rank */
    return n > 0 && (100 - percent) * n >= 100 ? sorted[rank - 1] : (double)NAN;
}

void measure_latency_times_of(double *round_s, size_t n, struct measure_latency_times *t)
{
    if (n > 0)
        qsort(round_s, n, sizeof *round_s, estimate_ascending);
    *t = (struct measure_latency_times){n, latency_quantile_s(round_s, n, 50), latency_quantile_s(round_s, n, 95),
                                        latency_quantile_s(round_s, n, 99)};
}

void measure_latency_of(const struct measure_test *t, struct measure_latency *l)
{
    double *idle_s = memory_zeroed(t->idle.n + 1, sizeof *idle_s, "round trips"), *round_s = NULL;
    size_t n = 0, room = 0;
    for (size_t i = 0; i < t->idle.n; i++)
        idle_s[i] = t->idle.round_s[i];
    measure_latency_times_of(idle_s, t->idle.n, &l->idle);
    free(idle_s);
    for (size_t i = 0; i < t->n; i++) {
        const struct measure_phase *p = &t->phase[i];
        for (size_t h = 0; p->kind == MEASURE_BOTH && h < t->hosts; h++)
            for (size_t k = 0; k < p->n_echoes[h]; k++)
                if (p->echo[h][k].at_s >= p->from_s && p->echo[h][k].at_s < p->to_s) {
                    round_s = memory_grown(round_s, n, &room, 64, sizeof *round_s, "round trips");
                    round_s[n++] = p->echo[h][k].there_s + p->echo[h][k].back_s;
                }
    }
    measure_latency_times_of(round_s, n, &l->loaded);
    free(round_s);
}

static void latency_add(char *text, const char *name, const struct measure_latency_times *t)
{
    text_add(text, MEASURE_LATENCY_TEXT, "%s ", name);
    if (!isfinite(t->median_s)) {
        text_add(text, MEASURE_LATENCY_TEXT, "unknown");
        return;
    }
    text_add(text, MEASURE_LATENCY_TEXT, "%.3g ms", 1e3 * t->median_s);
    if (isfinite(t->p95_s))
        text_add(text, MEASURE_LATENCY_TEXT, " (95 %%: %.3g", 1e3 * t->p95_s);
    if (isfinite(t->p99_s))
        text_add(text, MEASURE_LATENCY_TEXT, ", 99 %%: %.3g", 1e3 * t->p99_s);
    if (isfinite(t->p95_s))
        text_add(text, MEASURE_LATENCY_TEXT, ")");
}

void measure_latency_say(const struct measure_latency *l, char text[static MEASURE_LATENCY_TEXT])
{
    snprintf(text, MEASURE_LATENCY_TEXT, "round trip: ");
    latency_add(text, "idle", &l->idle);
    text_add(text, MEASURE_LATENCY_TEXT, ", ");
    latency_add(text, "loaded", &l->loaded);
}
