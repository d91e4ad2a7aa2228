/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/rules/distribution.h - completion times as they are spread, not only their mean.
 *
 * Vaughan, Grove and Coddington 2003: means hide that some operations wait for a retransmission timer. Times fall into
 * clusters where two neighbours in order are further apart than `separation`; the first cluster went without a
 * timeout, the others lie about one timer apart. */
#pragma once

#include "base/error.h"
#include "base/estimate.h"

#include <stdbool.h>
#include <stddef.h>

#define ANALYSIS_DISTRIBUTION_BINS 40
#define ANALYSIS_DISTRIBUTION_CLUSTERS 16

struct analysis_cluster {
    size_t n;
    double min_s, mean_s, max_s;
};

struct analysis_distribution {
    size_t n;
    struct estimate mean_s; /* its interval takes times as independent */
    double min_s, p5_s, p25_s, p50_s, p75_s, p95_s, p99_s, max_s; /* percentiles: nearest rank */
    double bin_s;           /* width; bin i holds times of [i, i + 1) * bin_s from bin0_s on */
    double bin0_s;
    size_t bins;
    size_t count[ANALYSIS_DISTRIBUTION_BINS];
    size_t n_clusters;      /* at most the number there is room for: the last one holds the rest */
    struct analysis_cluster cluster[ANALYSIS_DISTRIBUTION_CLUSTERS];
    double outlier_share;   /* of times beyond the first cluster */
    double spacing_s;       /* between the smallest times of the first two clusters; NAN with one */
};

/* Sorts times_s. separation_s > 0. Bins are 1, 2 or 5 times a power of ten wide. ERROR_INPUT when n is 0 or a time is
 * negative or not finite. */
bool analysis_distribution_make(double *times_s, size_t n, double separation_s, struct analysis_distribution *d,
                                struct error *err);
