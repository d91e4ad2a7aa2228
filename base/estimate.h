/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/estimate.h - a mean with its error; of a correlated series by batch means, or without an error where the series
 * is too short to know it. */
#ifndef BASE_ESTIMATE_H
#define BASE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* Batches of an interval. Fewer than ten make it wide and its own width uncertain; more than twenty gain little
 * (Schmeiser 1982), and longer batches are less correlated. */
#define ESTIMATE_BATCHES_LEAST 10
#define ESTIMATE_BATCHES_MOST 20
#define ESTIMATE_BATCH_CYCLES 3 /* least cycles of a batch, where there are any */

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

/* A series over time: consecutive samples, each of the same length of time. */
struct estimate_series {
    const double *samples; /* borrowed */
    size_t n;
    double step;   /* what a sample's rounding may change: the value of one segment; 0: none */
    size_t cycles; /* ups and downs of the process meanwhile, such as windows halved by a loss; 0: none */
};

/* Correlation of the means of consecutive batches by von Neumann's ratio (1941),
 * 1 - sum (y_i - y_i-1)^2 / (2 sum (y_i - mean)^2): for k independent batches about normal with a standard deviation of
 * sqrt((k - 2) / (k^2 - 1)). 0 where they differ by no more than two steps among their samples, for this is rounding.
 * n >= batches >= 3. */
double estimate_correlation(const struct estimate_series *s, size_t batches);

/* Kendall's sum over all pairs of batches, +1 for a rise and -1 for a fall (Mann 1945), without its sign and over its
 * standard deviation sqrt(k (k - 1) (2 k + 5) / 18): large for a slow rise in the midst of noise, which the
 * correlation does not see. 0 as above. */
double estimate_trend(const struct estimate_series *s, size_t batches);

/* Series that act on each other, such as flows through one link; starts as zeros. None of them is steady while one of
 * them drifts, or while the one with fewest cycles has not been through enough. A series too short for an interval has
 * no say. */
struct estimate_group {
    size_t series;
    double least_p; /* of no drift in one of them; the level of this test holds for all of them together (Bonferroni) */
    bool lasting;   /* one remembers too long what it was */
    size_t cycles;  /* fewest of those that have any */
};

void estimate_group_add(struct estimate_group *g, const struct estimate_series *s);
bool estimate_group_steady(const struct estimate_group *g);

/* Mean and interval by batch means (Law and Kelton, Simulation Modeling and Analysis, section 9.5.3). The length of
 * batches is chosen by a test of correlation, as in Law and Carson 1979 and in LBATCH (Fishman and Yarberry 1997): from
 * 40 batches to 20 to 10, the first number at which neither these batches nor longer ones are correlated at the level
 * of 5 %; the interval takes batches twice as long, but at least 10, and is widened for the correlation that is left
 * between them. `group`: NULL for the series alone; a batch holds at least ESTIMATE_BATCH_CYCLES cycles of each in it.
 * std_error and ci95 are NAN where even the longest batches
 * are too short, where the group drifts, or where there are fewer than 40 samples; `batches` is then 0. */
struct estimate estimate_steady(const struct estimate_series *s, const struct estimate_group *group);

#endif
