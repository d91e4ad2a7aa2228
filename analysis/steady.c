/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/steady.h"

#include <math.h>

size_t analysis_steady_start(const double *samples, size_t n)
{
    if (n < 4)
        return 0;
    /* From the end: mean and sum of squared deviations of the tail grow by one sample a step (Welford). */
    double mean = 0, m2 = 0, best = INFINITY;
    size_t start = 0;
    for (size_t i = n; i-- > 0;) {
        double count = (double)(n - i), delta = samples[i] - mean;
        mean += delta / count;
        m2 += delta * (samples[i] - mean);
        if (i <= n / 2 && m2 / (count * count) <= best) {
            best = m2 / (count * count);
            start = i;
        }
    }
    return start;
}

struct estimate analysis_steady_mean(const double *samples, size_t n, size_t start)
{
    return estimate_batch_means(samples + start, n - start, ESTIMATE_BATCHES);
}
