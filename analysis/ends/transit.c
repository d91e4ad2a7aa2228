/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/ends/transit.h"

#include "base/estimate.h"

#include <math.h>
#include <stdlib.h>

#define STRETCHES ANALYSIS_TRANSIT_STRETCHES
#define FIRST_WIDTH_NS INT64_C(1000000)
#define LEAST_STRETCHES 8
#define DRIFT_MOST 500e-6
#define DRIFT_SCATTERS 4

static void stretch_note(struct analysis_stretch *s, const struct analysis_extreme *low,
                         const struct analysis_extreme *high)
{
    s->low = !s->any || low->value < s->low.value ? *low : s->low;
    s->high = !s->any || high->value > s->high.value ? *high : s->high;
    s->any = true;
}

/* Every two neighbours become one; the upper half is free again. */
static void fold(struct analysis_transit *t)
{
    struct analysis_stretch folded[STRETCHES] = {0};
    for (int i = 0; i < STRETCHES; i++)
        if (t->stretch[i].any)
            stretch_note(&folded[i / 2], &t->stretch[i].low, &t->stretch[i].high);
    for (int i = 0; i < STRETCHES; i++)
        t->stretch[i] = folded[i];
    t->width_ns *= 2;
}

void analysis_transit_add(struct analysis_transit *t, int64_t time_ns, double difference_ns)
{
    if (t->n++ == 0) {
        t->start_ns = time_ns;
        t->width_ns = FIRST_WIDTH_NS;
    }
    int64_t since_ns = time_ns > t->start_ns ? time_ns - t->start_ns : 0;
    while (since_ns / t->width_ns >= STRETCHES)
        fold(t);
    struct analysis_extreme sample = {difference_ns, (double)time_ns};
    stretch_note(&t->stretch[since_ns / t->width_ns], &sample, &sample);
    t->sum += difference_ns;
    t->sum_time += (double)time_ns;
}

static const struct analysis_extreme *extreme(const struct analysis_stretch *s, int packets)
{
    return packets > 0 ? &s->low : &s->high;
}

double analysis_transit_base_ns(const struct analysis_transit *t, int packets, double drift)
{
    double least = NAN;
    for (int i = 0; i < STRETCHES; i++) {
        const struct analysis_extreme *x = extreme(&t->stretch[i], packets);
        if (t->stretch[i].any)
            least = fmin(least, packets * (x->value - drift * x->time)); /* fmin() passes over NAN */
    }
    return packets * least;
}

double analysis_transit_wait_s(const struct analysis_transit *t, int packets, double drift)
{
    if (t->n == 0)
        return NAN;
    double mean = (t->sum - drift * t->sum_time) / (double)t->n;
    return fmax(0, packets * (mean - analysis_transit_base_ns(t, packets, drift))) * 1e-9;
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, estimate_ascending);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

bool analysis_transit_trend(const struct analysis_transit *t, int packets, struct analysis_trend *trend)
{
    struct analysis_extreme at[STRETCHES];
    double slope[STRETCHES * (STRETCHES - 1) / 2], rest[STRETCHES];
    size_t n = 0, pairs = 0;
    for (int i = 0; i < STRETCHES; i++)
        if (t->stretch[i].any)
            at[n++] = *extreme(&t->stretch[i], packets);
    if (n < LEAST_STRETCHES)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (at[i].time > at[k].time)
                slope[pairs++] = (at[i].value - at[k].value) / (at[i].time - at[k].time);
    if (pairs == 0)
        return false;
    *trend = (struct analysis_trend){.slope = median(slope, pairs), .span_ns = at[n - 1].time - at[0].time};
    for (size_t i = 0; i < n; i++)
        rest[i] = at[i].value - trend->slope * at[i].time;
    double middle = median(rest, n);
    for (size_t i = 0; i < n; i++)
        rest[i] = fabs(rest[i] - middle);
    trend->scatter_ns = median(rest, n);
    return true;
}

bool analysis_transit_drift(const struct analysis_trend *there, const struct analysis_trend *back, double *drift)
{
    const struct analysis_trend *straight = there->scatter_ns <= back->scatter_ns ? there : back;
    const struct analysis_trend *other = straight == there ? back : there;
    double ratio = other->slope / straight->slope; /* NAN or infinite without a slope: no drift */
    *drift = straight->slope;
    return ratio >= 0.5 && ratio <= 2 && fabs(*drift) <= DRIFT_MOST &&
           fabs(*drift) * straight->span_ns > DRIFT_SCATTERS * straight->scatter_ns;
}
