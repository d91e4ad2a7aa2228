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

/* The same for samples that come one after another and need not be kept (Welford 1962). Starts as zeros. */
struct estimate_running {
    size_t n;
    double mean, m2; /* m2: sum of squared distances from the mean */
};

void estimate_add(struct estimate_running *r, double sample);
struct estimate estimate_of(const struct estimate_running *r);

/* Standard deviation of the samples, sqrt(m2 / (n - 1)); NAN with fewer than 2. */
double estimate_deviation(const struct estimate_running *r);

/* Batch means: n consecutive equal-length samples of a correlated series are grouped into at
 * most `batches` batches of equal length (the first n % batches samples are left out of the
 * interval, not of the mean), and the interval is that of the batches' means. With fewer
 * samples than batches every sample is its own batch. Source: Law and Kelton, Simulation
 * Modeling and Analysis, section 9.5.3. */
struct estimate estimate_batch_means(const double *samples, size_t n, size_t batches);

#endif
