/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/estimate.h"

#include <math.h>

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

struct estimate estimate_batch_means(const double *samples, size_t n, size_t batches)
{
    if (batches == 0 || n <= batches)
        return estimate_mean(samples, n);
    size_t length = n / batches, skip = n % batches;
    struct estimate_running means = {0};
    double all = 0;
    for (size_t i = 0; i < skip; i++)
        all += samples[i];
    for (size_t b = 0; b < batches; b++) {
        double sum = 0;
        for (size_t i = 0; i < length; i++)
            sum += samples[skip + b * length + i];
        all += sum;
        estimate_add(&means, sum / (double)length);
    }
    struct estimate e = estimate_of(&means);
    e.value = all / (double)n;
    return e;
}
