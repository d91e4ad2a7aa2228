/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/estimate.h"

#include <math.h>

#define CORRELATED 0.05 /* level of the test that chooses the length of batches */
#define DRIFTS 0.03     /* level of either test that silences a group, over all of its series */
#define FINEST ((size_t)2 * ESTIMATE_BATCHES_MOST)
#define LASTING 0.5     /* correlation of forty batches: doubling their length halves it about, so ten keep 0.1 */

double estimate_t975(size_t df)
{
    /* Student's t, two-sided 95 %; any statistics table. */
    static const double table[] = {
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
        2.200985,  2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
        2.079614,  2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
        2.039513,  2.036933, 2.034515, 2.032245, 2.030108, 2.028094, 2.026192, 2.024394, 2.022691, 2.021075,
    };
    if (df == 0)
        return NAN;
    if (df <= sizeof table / sizeof *table)
        return table[df - 1];
    double z = 1.959963985, z3 = z * z * z, z5 = z3 * z * z, n = (double)df;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

/* Welford's update: stable for means far from zero. */
void estimate_add(struct estimate_running *r, double sample)
{
    double delta = sample - r->mean;
    r->mean += delta / (double)++r->n;
    r->m2 += delta * (sample - r->mean);
}

double estimate_deviation(const struct estimate_running *r)
{
    return r->n > 1 ? sqrt(r->m2 / (double)(r->n - 1)) : NAN;
}

struct estimate estimate_of(const struct estimate_running *r)
{
    struct estimate e = {.value = r->n > 0 ? r->mean : NAN, .std_error = NAN, .ci95 = NAN, .batches = r->n};
    if (r->n > 1) {
        e.std_error = sqrt(r->m2 / (double)(r->n - 1) / (double)r->n);
        e.ci95 = estimate_t975(r->n - 1) * e.std_error;
    }
    return e;
}

struct estimate estimate_mean(const double *samples, size_t n)
{
    struct estimate_running r = {0};
    for (size_t i = 0; i < n; i++)
        estimate_add(&r, samples[i]);
    return estimate_of(&r);
}

/* Mean of batch b of k; the first n % k samples belong to none. */
static double estimate_batch(const struct estimate_series *s, size_t k, size_t b)
{
    size_t length = s->n / k, from = s->n % k + b * length;
    double sum = 0;
    for (size_t i = from; i < from + length; i++)
        sum += s->samples[i];
    return sum / (double)length;
}

/* Whether the means of batches differ by more than rounding. */
static bool estimate_varies(const struct estimate_series *s, size_t batches)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t b = 0; b < batches; b++) {
        least = fmin(least, estimate_batch(s, batches, b));
        most = fmax(most, estimate_batch(s, batches, b));
    }
    return most - least > 2 * s->step / (double)(s->n / batches);
}

double estimate_correlation(const struct estimate_series *s, size_t batches)
{
    struct estimate_running means = {0};
    double last = 0, steps = 0;
    if (!estimate_varies(s, batches))
        return 0;
    for (size_t b = 0; b < batches; b++) {
        double mean = estimate_batch(s, batches, b);
        steps += b > 0 ? (mean - last) * (mean - last) : 0;
        last = mean;
        estimate_add(&means, mean);
    }
    return 1 - steps / (2 * means.m2);
}

/* The chance of so large a value, or a larger one, in a standard normal distribution. */
static double estimate_tail(double z)
{
    return erfc(z / sqrt(2)) / 2;
}

/* The chance of so large a correlation among independent batches. */
static double estimate_correlation_p(const struct estimate_series *s, size_t batches)
{
    double k = (double)batches;
    return estimate_tail(estimate_correlation(s, batches) / sqrt((k - 2) / (k * k - 1)));
}

double estimate_trend(const struct estimate_series *s, size_t batches)
{
    double sum = 0, k = (double)batches;
    if (!estimate_varies(s, batches))
        return 0;
    for (size_t b = 1; b < batches; b++) {
        double mean = estimate_batch(s, batches, b);
        for (size_t before = 0; before < b; before++) {
            double earlier = estimate_batch(s, batches, before);
            sum += (mean > earlier) - (mean < earlier);
        }
    }
    return fmax(fabs(sum) - 1, 0) / sqrt(k * (k - 1) * (2 * k + 5) / 18);
}

void estimate_group_add(struct estimate_group *g, const struct estimate_series *s)
{
    if (s->n < FINEST)
        return;
    double correlated = estimate_correlation_p(s, ESTIMATE_BATCHES_LEAST);
    double rises = 2 * estimate_tail(estimate_trend(s, ESTIMATE_BATCHES_MOST)), p = fmin(correlated, rises);
    g->lasting = g->lasting || estimate_correlation(s, FINEST) > LASTING;
    g->least_p = g->series++ > 0 ? fmin(g->least_p, p) : p;
    if (s->cycles > 0 && (g->cycles == 0 || s->cycles < g->cycles))
        g->cycles = s->cycles;
}

bool estimate_group_steady(const struct estimate_group *g)
{
    return !g->lasting && g->least_p * (double)g->series >= DRIFTS &&
           (g->cycles == 0 || g->cycles >= ESTIMATE_BATCH_CYCLES * ESTIMATE_BATCHES_LEAST);
}

/* How many batches the interval is made of; 0: the series is too short for one. */
static size_t estimate_batches(const struct estimate_series *s, const struct estimate_group *g)
{
    size_t passed = 0;
    if (s->n < FINEST || !estimate_group_steady(g))
        return 0;
    for (size_t k = ESTIMATE_BATCHES_LEAST; k <= FINEST; k *= 2) {
        if (estimate_correlation_p(s, k) < CORRELATED)
            break;
        passed = k;
    }
    size_t batches = passed > 2 * ESTIMATE_BATCHES_LEAST ? passed / 2 : passed ? ESTIMATE_BATCHES_LEAST : 0;
    size_t most = g->cycles > 0 ? g->cycles / ESTIMATE_BATCH_CYCLES : batches;
    return batches < most ? batches : most;
}

/* Summed by parts, which keeps rounding small. */
static double estimate_series_mean(const struct estimate_series *s)
{
    double sum = 0;
    if (s->n <= ESTIMATE_BATCHES_MOST)
        return estimate_mean(s->samples, s->n).value;
    size_t length = s->n / ESTIMATE_BATCHES_MOST, from = s->n % ESTIMATE_BATCHES_MOST;
    for (size_t i = 0; i < from; i++)
        sum += s->samples[i];
    for (; from < s->n; from += length) {
        double part = 0;
        for (size_t i = from; i < from + length; i++)
            part += s->samples[i];
        sum += part;
    }
    return sum / (double)s->n;
}

struct estimate estimate_steady(const struct estimate_series *s, const struct estimate_group *group)
{
    struct estimate_group alone = {0};
    if (!group)
        estimate_group_add(&alone, s);
    size_t batches = estimate_batches(s, group ? group : &alone);
    struct estimate_running means = {0};
    for (size_t b = 0; b < batches; b++)
        estimate_add(&means, estimate_batch(s, batches, b));
    struct estimate e = estimate_of(&means);
    if (batches > 0) { /* correlation that is left makes the mean vary more (Tafazzoli and Wilson 2011, Skart) */
        double left = fmax(0, estimate_correlation(s, FINEST)) * (double)batches / (double)FINEST;
        e.std_error *= sqrt((1 + left) / (1 - left));
        e.ci95 *= sqrt((1 + left) / (1 - left));
    }
    e.value = estimate_series_mean(s);
    if (batches > 0) /* a segment more or less at the ends */
        e.ci95 = fmax(e.ci95, s->step / (double)s->n);
    return e;
}
