/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/estimate.h - a mean with its error; of a correlated series, or without an error where the series is too short to
 * know it. */
#pragma once

#include "base/std.h"

/* Fewer independent samples do not show how much they vary. */
#define ESTIMATE_EFFECTIVE_LEAST 5

/* Loss events of a flow that amount to so many. A window keeps a share b of itself over a loss, so windows of one
 * loss and the next are correlated by b, and (1 + b) / (1 - b) of them make an independent one (Bartlett 1946): 3 for
 * b = 0.5 of NewReno, 5.7 for b = 0.7 of CUBIC, which remembers longest. */
#define ESTIMATE_CYCLES_LEAST 29

/* Such a chance of a drift is too small for none; of n series that act on each other, an n-th part of it. */
#define ESTIMATE_DRIFT_P 0.01

struct estimate {
    double value;     /* mean; unit is the samples' */
    double std_error; /* standard error of the mean; NAN when unknown, as with fewer than 2 samples */
    double ci95;      /* half-width of the 95 % interval; NAN when unknown */
};

/* Upper p = 0.975 quantile of Student's t with `df` >= 1 degrees of freedom. Within 1e-5 of the
 * true quantile for df <= 40 (tabulated), within 2e-5 beyond (Cornish-Fisher, Abramowitz and
 * Stegun 26.7.5). NAN for df = 0. */
double estimate_t975(size_t df);

/* For qsort(): numbers, the least first; or structs that begin with one. None is NAN. */
int estimate_ascending(const void *a, const void *b);

/* How many of n numbers in that order are less than a value; of NAN 0. */
size_t estimate_below(const double *sorted, size_t n, double value);

/* Mean and interval of n samples taken as independent. */
struct estimate estimate_mean(const double *samples, size_t n);

/* The same for samples that come one after another and need not be kept (Welford 1962). Starts as zeros. */
struct estimate_running {
    size_t n;
    double mean, m2; /* m2: sum of squared distances from the mean */
};

void estimate_add(struct estimate_running *r, double sample);
struct estimate estimate_of(const struct estimate_running *r);

/* A straight line through points that need not be kept: least squares. Starts as zeros. */
struct estimate_line {
    size_t n;
    double x, y, xx, xy, yy; /* means, then sums of squared distances from them and of products */
};

static inline void estimate_line_add(struct estimate_line *l, double x, double y)
{
    double dx = x - l->x, dy = y - l->y;
    l->n++;
    l->x += dx / (double)l->n;
    l->y += dy / (double)l->n;
    l->xx += dx * (x - l->x);
    l->yy += dy * (y - l->y);
    l->xy += dx * (y - l->y);
}

/* The slope, with its error as if samples were independent; value NAN with fewer than 2 of different x. */
struct estimate estimate_slope(const struct estimate_line *l);

/* Standard deviation of the samples, sqrt(m2 / (n - 1)); NAN with fewer than 2. */
double estimate_deviation(const struct estimate_running *r);

/* A series over time: consecutive samples, each of the same length of time. */
struct estimate_series {
    const double *samples; /* borrowed */
    size_t n;
    double step;   /* what a sample's rounding may change: the value of one segment; 0: none */
    size_t cycles; /* ups and downs of the process meanwhile, such as windows cut by a loss, or of a slower one that
                    * acts on it; 0: none */
};

/* The chance that a series without a drift rises or falls so steadily: from Kendall's sum over all pairs of twenty
 * parts, +1 for a rise and -1 for a fall (Mann 1945). It shows a slow rise amidst waves, such as those of bursts
 * against the samples, which hide it from the cosines below. 1 where the parts differ by rounding, or are too short. */
double estimate_drift_p(const struct estimate_series *s);

/* The longest time in which nothing passes, in mean cycles; 0: none. */
double estimate_stall(const struct estimate_series *s);

/* A flow that stands still for so long has lost a window and waits for its timer. Where all data go one way through one
 * queue, the phase of windows decides whose segments it drops (Floyd and Jacobson 1991, Traffic phase effects in
 * packet-switched gateways), and for how long: a flow may be shut out next that never was before. */
#define ESTIMATE_STALL_MOST 3

/* Mean and interval of a series that is correlated in time, from its lowest frequencies: the cosine sums
 *   y_j = sqrt(2 / n) sum x_t cos(pi j (t + 1/2) / n),   j = 1 to 16,
 * are about normal and independent, with the variance S(j) of the spectrum, and the mean has S(0) / n. Of a process
 * that forgets within a time tau
 *   S(j) = S(0) / (1 + (j / c)^2),   c = n / (pi tau),
 * so that the series is worth n / (2 tau) = pi c / 2 independent samples. Were c known, the mean would be distributed
 * as Student's t with 16 degrees of freedom about the true one. It is not, so the interval is that of a mixture: each c
 * has the weight that the y_j give it, with S(0) integrated out (Mueller and Watson 2016, Measuring uncertainty about
 * long-run predictions). A series that may well be worth fewer than ESTIMATE_EFFECTIVE_LEAST samples, that drifts, that
 * has been through some cycles but fewer than ESTIMATE_CYCLES_LEAST, or that ends before 40 samples has no interval:
 * std_error and ci95 are NAN. */
struct estimate estimate_steady(const struct estimate_series *s);

/* Its value. */
double estimate_series_mean(const struct estimate_series *s);

#define ESTIMATE_SAMPLES_LEAST 40 /* of a series with any interval */

/* What is left to say of a series for which the above has no interval: its four quarters as samples. Their mean has
 * Student's t with 3 degrees of freedom; a quarter and the next may have half in common, which multiplies the variance
 * of the mean by up to (1 + 1/2) / (1 - 1/2) = 3:
 *   ci95 = t975(3) sqrt(3) s / sqrt(4) = 2.76 s,   s the standard deviation of the quarters.
 * A series that rises by d a quarter has s = 1.29 d: the interval then is 3.6 d, beyond anything in the series, whose
 * ends are 2 d away. NAN with fewer samples than the above. */
struct estimate estimate_rough(const struct estimate_series *s);
