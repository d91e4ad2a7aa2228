/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/estimate.h - a mean with its error, and the batch-means interval behind it. */
#ifndef BASE_ESTIMATE_H
#define BASE_ESTIMATE_H

#include <stddef.h>

#define ESTIMATE_BATCHES 20 /* default number of batches: Schmeiser 1982 finds 10 to 30 enough */

struct estimate {
    double value;     /* mean; unit is the samples' */
    double std_error; /* standard error of the mean; NAN with fewer than 2 batches */
    double ci95;      /* half-width of the 95 % interval: t(0.975, batches - 1) * std_error; NAN likewise */
    size_t batches;
};

/* Upper p = 0.975 quantile of Student's t with `df` >= 1 degrees of freedom. Within 1e-5 of the
 * true quantile for df <= 40 (tabulated), within 2e-5 beyond (Cornish-Fisher, Abramowitz and
 * Stegun 26.7.5). NAN for df = 0. */
double estimate_t975(size_t df);

/* Mean and interval of n samples taken as independent. */
struct estimate estimate_mean(const double *samples, size_t n);

/* Batch means: n consecutive equal-length samples of a correlated series are grouped into at
 * most `batches` batches of equal length (the first n % batches samples are left out of the
 * interval, not of the mean), and the interval is that of the batches' means. With fewer
 * samples than batches every sample is its own batch. Source: Law and Kelton, Simulation
 * Modeling and Analysis, section 9.5.3. */
struct estimate estimate_batch_means(const double *samples, size_t n, size_t batches);

#endif
