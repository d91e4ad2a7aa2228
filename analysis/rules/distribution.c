/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/distribution.h"

#include <math.h>
#include <stdlib.h>

/* Nearest rank: the smallest time that a share of them does not exceed. */
static double distribution_percentile(const double *sorted, size_t n, double share)
{
    size_t rank = (size_t)ceil(share * (double)n);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static void distribution_bin(const double *sorted, size_t n, struct analysis_distribution *d)
{
    static const double steps[] = {1, 2, 5, 10};
    double span = sorted[n - 1] - sorted[0], least = span / (ANALYSIS_DISTRIBUTION_BINS - 1);
    double power = span > 0 ? pow(10, floor(log10(least))) : sorted[0] > 0 ? sorted[0] : 1;
    d->bin_s = power;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && d->bin_s < least; i++)
        d->bin_s = steps[i] * power;
    d->bin0_s = floor(sorted[0] / d->bin_s) * d->bin_s;
    for (size_t i = 0; i < n; i++) {
        size_t bin = (size_t)fmax(0, floor((sorted[i] - d->bin0_s) / d->bin_s));
        bin = bin < ANALYSIS_DISTRIBUTION_BINS ? bin : ANALYSIS_DISTRIBUTION_BINS - 1;
        d->count[bin]++;
        d->bins = bin + 1;
    }
}

static void distribution_cluster(const double *sorted, size_t n, double separation_s, struct analysis_distribution *d)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        bool apart = i == 0 || sorted[i] - sorted[i - 1] > separation_s;
        if (apart && d->n_clusters < ANALYSIS_DISTRIBUTION_CLUSTERS) {
            d->cluster[d->n_clusters++] = (struct analysis_cluster){.min_s = sorted[i]};
            sum = 0;
        }
        struct analysis_cluster *c = &d->cluster[d->n_clusters - 1];
        sum += sorted[i];
        c->n++;
        c->mean_s = sum / (double)c->n;
        c->max_s = sorted[i];
    }
    size_t last = d->n_clusters - 1;
    d->outlier_share = 1 - (double)d->cluster[0].n / (double)n;
    d->spacing_s = last > 0 ? d->cluster[1].min_s - d->cluster[0].min_s : NAN;
}

bool analysis_distribution_make(double *times_s, size_t n, double separation_s, struct analysis_distribution *d,
                                struct error *err)
{
    *d = (struct analysis_distribution){.n = n};
    if (n == 0)
        return error_set(err, ERROR_INPUT, "no completion time");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(times_s[i]) || times_s[i] < 0)
            return error_set(err, ERROR_INPUT, "completion time %zu: %g s is not a time", i, times_s[i]);
    if (!(separation_s > 0))
        return error_set(err, ERROR_INPUT, "clusters %g s apart: give a time above 0", separation_s);
    d->mean_s = estimate_mean(times_s, n);
    qsort(times_s, n, sizeof *times_s, estimate_ascending);
    d->min_s = times_s[0];
    d->p5_s = distribution_percentile(times_s, n, 0.05);
    d->p25_s = distribution_percentile(times_s, n, 0.25);
    d->p50_s = distribution_percentile(times_s, n, 0.50);
    d->p75_s = distribution_percentile(times_s, n, 0.75);
    d->p95_s = distribution_percentile(times_s, n, 0.95);
    d->p99_s = distribution_percentile(times_s, n, 0.99);
    d->max_s = times_s[n - 1];
    distribution_bin(times_s, n, d);
    distribution_cluster(times_s, n, separation_s, d);
    return true;
}
