/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/latency.h - round trips while nothing else is on the way, and while data go both ways: what people feel. */
#pragma once

#include <stddef.h>

/* Quantiles by the nearest rank: of n values in order that is the ceil(q n)-th, the least that a share q of them
 * does not exceed. Where no value is beyond it (n (1 - q) < 1) it would be the greatest one, whatever q is, and says
 * nothing of the share: 95 % take 20 values, 99 % take 100. NAN with fewer, and without any. */
struct judge_latency_times {
    size_t n;
    double median_s, p95_s, p99_s;
};

struct judge_latency { /* zeroed: unknown */
    struct judge_latency_times idle, loaded;
};

/* Sorts them. */
void judge_latency_times_of(double *round_s, size_t n, struct judge_latency_times *t);

/* The same of values that come several times: n of them, each so often. */
struct judge_latency_count {
    double round_s;
    size_t times;
};
void judge_latency_counts_of(struct judge_latency_count *count, size_t n, struct judge_latency_times *t);

/* The same of floors, one a flow, which are the least of many round trips each: their median alone says something, and of
 * one flow, too. */
void judge_latency_floors_of(double *floor_s, size_t n, struct judge_latency_times *t);

/* How much longer the median is under load, in words, by the limits of Waveform's bufferbloat test, whose grades are A+,
 * A, B, C, D and F: below 5 ms "none", 30 "little", 60 "some", 200 "much", 400 "severe", and "extreme". NULL unknown. */
const char *judge_latency_grade(const struct judge_latency *l);

/* "round trip: idle 40.2 ms (95 %: 41.0, 99 %: 43.1), loaded 212 ms (95 %: 240, 99 %: 251), bufferbloat: much" */
#define JUDGE_LATENCY_TEXT 192
void judge_latency_say(const struct judge_latency *l, char text[static JUDGE_LATENCY_TEXT]);
