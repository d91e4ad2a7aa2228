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

struct estimate estimate_mean(const double *samples, size_t n)
{
    struct estimate e = {.value = NAN, .std_error = NAN, .ci95 = NAN, .batches = n};
    if (n == 0)
        return e;
    /* Welford's update: stable for means far from zero. */
    double mean = 0, m2 = 0;
    for (size_t i = 0; i < n; i++) {
        double delta = samples[i] - mean;
        mean += delta / (double)(i + 1);
        m2 += delta * (samples[i] - mean);
    }
    e.value = mean;
    if (n > 1) {
        e.std_error = sqrt(m2 / (double)(n - 1) / (double)n);
        e.ci95 = estimate_t975(n - 1) * e.std_error;
    }
    return e;
}

struct estimate estimate_batch_means(const double *samples, size_t n, size_t batches)
{
    if (batches == 0 || n <= batches)
        return estimate_mean(samples, n);
    size_t length = n / batches, skip = n % batches;
    double mean = 0, m2 = 0, all = 0;
    for (size_t i = 0; i < skip; i++)
        all += samples[i];
    for (size_t b = 0; b < batches; b++) {
        double sum = 0;
        for (size_t i = 0; i < length; i++)
            sum += samples[skip + b * length + i];
        all += sum;
        double batch = sum / (double)length, delta = batch - mean;
        mean += delta / (double)(b + 1);
        m2 += delta * (batch - mean);
    }
    struct estimate e = {.value = all / (double)n, .std_error = NAN, .ci95 = NAN, .batches = batches};
    if (batches > 1) {
        e.std_error = sqrt(m2 / (double)(batches - 1) / (double)batches);
        e.ci95 = estimate_t975(batches - 1) * e.std_error;
    }
    return e;
}
