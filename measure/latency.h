/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/latency.h - round trips of words on control connections: while nothing else is on the way, and while data go
 * both ways. Pure. */
#ifndef MEASURE_LATENCY_H
#define MEASURE_LATENCY_H

#include "measure/test.h"

/* Quantiles by the nearest rank: of n values in order that is the ceil(q n)-th, the least that a share q of them
 * does not exceed. Where no value is beyond it (n (1 - q) < 1) it would be the greatest one, whatever q is, and says
 * nothing of the share: 95 % take 20 words, 99 % take 100. NAN with fewer, and without any. */
struct measure_latency_times {
    size_t words;
    double median_s, p95_s, p99_s;
};

struct measure_latency {
    struct measure_latency_times idle, loaded; /* loaded: what is judged of phases with both directions at once */
};

/* Sorts them. */
void measure_latency_times_of(double *round_s, size_t n, struct measure_latency_times *t);

void measure_latency_of(const struct measure_test *t, struct measure_latency *l);

/* "round trip: idle 40.2 ms (95 %: 41.0, 99 %: 43.1), loaded 212 ms (95 %: 240, 99 %: 251)" */
#define MEASURE_LATENCY_TEXT 160
void measure_latency_say(const struct measure_latency *l, char text[static MEASURE_LATENCY_TEXT]);

#endif
