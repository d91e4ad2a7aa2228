/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/series.h - a test over time: what went each way, and what words on control connections waited. Pure. */
#pragma once

#include "measure/test.h"

enum { MEASURE_SERIES_OUT, MEASURE_SERIES_IN, MEASURE_SERIES_WAYS };

/* Bins of one width, from the first sample of the test on. NAN: nothing is known there. */
struct measure_series {
    double zero_s;  /* the first bin's beginning, in the test's time */
    double width_s;
    size_t n;
    double *rate_bps[MEASURE_SERIES_WAYS]; /* owned; delivered; 0 where a phase has nothing that way */
    double *wait_s[MEASURE_SERIES_WAYS];   /* owned; beyond the least of the test; the mean of a bin's words */
    double *round_s;                       /* owned; there and back; likewise */
};

/* The least time of any sample; INFINITY without one. */
double measure_series_zero_s(const struct measure_test *t);

void measure_series_of(const struct measure_test *t, double width_s, struct measure_series *s);
void measure_series_fini(struct measure_series *s);
