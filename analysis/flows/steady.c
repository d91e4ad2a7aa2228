/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/steady.h"

#include <math.h>

#define BATCHES 32 /* enough to place a cut, few enough that noise within a batch does not hide a drift */

size_t analysis_steady_start(const double *samples, size_t n)
{
    if (n < 4)
        return 0;
    size_t length = (n + BATCHES - 1) / BATCHES, batches = n / length, skip = n - batches * length;
    /* From the end: mean and sum of squared deviations of the tail grow by one batch a step (Welford). */
    double mean = 0, m2 = 0, best = INFINITY;
    size_t start = 0;
    for (size_t b = batches; b-- > 0;) {
        size_t at = b ? skip + b * length : 0; /* the first batch takes what is left over */
        size_t end = skip + (b + 1) * length;
        double batch = 0;
        for (size_t i = at; i < end; i++)
            batch += samples[i] / (double)(end - at);
        double count = (double)(batches - b), delta = batch - mean;
        mean += delta / count;
        m2 += delta * (batch - mean);
        if (at <= n / 2 && m2 / (count * count) <= best) {
            best = m2 / (count * count);
            start = at;
        }
    }
    return start;
}
