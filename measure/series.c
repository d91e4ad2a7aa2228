/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/series.h"

#include "base/memory.h"
#include "measure/figures.h"

#define MOST 100000 /* bins; a day of seconds */

/* From its first sample to its last. */
static bool series_span(const struct measure_phase *p, double *from_s, double *to_s)
{
    *from_s = INFINITY;
    *to_s = -INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        const struct measure_samples *s = measure_end_sender(&p->end[i]);
        if (s->n == 0)
            continue;
        *from_s = fmin(*from_s, s->sample[0].at_s);
        *to_s = fmax(*to_s, s->sample[s->n - 1].at_s);
    }
    return *from_s < *to_s;
}

double measure_series_zero_s(const struct measure_test *t)
{
    double zero_s = INFINITY;
    for (size_t p = 0; p < t->n; p++)
        for (size_t i = 0; i < t->phase[p].n; i++)
            if (t->phase[p].end[i].near.n)
                zero_s = fmin(zero_s, t->phase[p].end[i].near.sample[0].at_s);
    return zero_s;
}

static void series_rates(struct measure_series *s, const struct measure_phase *p)
{
    double from_s, to_s;
    if (!series_span(p, &from_s, &to_s))
        return;
    for (size_t b = 0; b < s->n; b++) {
        double begin_s = s->zero_s + s->width_s * (double)b, end_s = begin_s + s->width_s;
        if (begin_s < from_s || end_s > to_s)
            continue;
        s->rate_bps[0][b] = s->rate_bps[1][b] = 0;
        for (size_t i = 0; i < p->n; i++) {
            const struct measure_samples *sender = measure_end_sender(&p->end[i]);
            s->rate_bps[p->end[i].incoming][b] +=
                8 * (measure_figures_bytes(sender, end_s) - measure_figures_bytes(sender, begin_s)) / s->width_s;
        }
    }
}

static void series_waits(struct measure_series *s, const struct measure_test *t, const struct measure_phase *p,
                         size_t *count)
{
    for (size_t h = 0; h < t->hosts; h++)
        for (size_t i = 0; i < p->n_echoes[h]; i++) {
            const struct measure_echo *e = &p->echo[h][i];
            double at = (e->at_s - s->zero_s) / s->width_s;
            if (!(at >= 0 && at < (double)s->n))
                continue;
            size_t b = (size_t)at;
            double n = (double)++count[b], wait_s[] = {e->there_s - t->there_s[h], e->back_s - t->back_s[h]};
            for (int way = 0; way < MEASURE_SERIES_WAYS; way++) {
                double mean_s = n > 1 ? s->wait_s[way][b] : 0;
                s->wait_s[way][b] = mean_s + (wait_s[way] - mean_s) / n;
            }
            double before_s = n > 1 ? s->round_s[b] : 0;
            s->round_s[b] = before_s + (e->there_s + e->back_s - before_s) / n; /* clocks' difference is in both */
        }
}

void measure_series_of(const struct measure_test *t, double width_s, struct measure_series *s)
{
    double last_s = -INFINITY, from_s, to_s;
    *s = (struct measure_series){.zero_s = measure_series_zero_s(t), .width_s = width_s};
    for (size_t p = 0; p < t->n; p++)
        if (series_span(&t->phase[p], &from_s, &to_s))
            last_s = fmax(last_s, to_s);
    double bins = ceil((last_s - s->zero_s) / width_s);
    s->n = bins > 0 && bins < MOST ? (size_t)bins : 0;
    for (int way = 0; way < MEASURE_SERIES_WAYS; way++) {
        s->rate_bps[way] = memory_zeroed(s->n, sizeof **s->rate_bps, "a test over time");
        s->wait_s[way] = memory_zeroed(s->n, sizeof **s->wait_s, "a test over time");
        for (size_t b = 0; b < s->n; b++)
            s->rate_bps[way][b] = s->wait_s[way][b] = NAN;
    }
    s->round_s = memory_zeroed(s->n, sizeof *s->round_s, "a test over time");
    for (size_t b = 0; b < s->n; b++)
        s->round_s[b] = NAN;
    MEMORY_LOCAL size_t *count = memory_zeroed(s->n, sizeof *count, "a test over time");
    for (size_t p = 0; p < t->n; p++) {
        series_rates(s, &t->phase[p]);
        series_waits(s, t, &t->phase[p], count);
    }
}

void measure_series_fini(struct measure_series *s)
{
    for (int way = 0; way < MEASURE_SERIES_WAYS; way++)
        MEMORY_FREE(s->rate_bps[way], s->wait_s[way]);
    free(s->round_s);
    *s = (struct measure_series){0};
}
