/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/bins.h - what a flow did over time, in at most ANALYSIS_BINS_MAX equal bins.
 *
 * Bins lie on a grid of 2^shift ms from a common origin (the first frame of the capture), so
 * that those of different flows line up. When time outgrows the array, neighbours merge and the
 * width doubles: memory does not depend on the length of the capture. */
#pragma once

#include "base/estimate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANALYSIS_BINS_MAX 256
#define ANALYSIS_BINS_UNIT_NS INT64_C(1000000)

struct analysis_bin {
    int64_t bytes;            /* new payload: advance of the highest sequence number */
    double window_sum;        /* bytes in flight, summed over samples */
    uint32_t window_samples;
    uint32_t retransmitted;   /* segments */
    uint32_t loss_events;     /* retransmissions beyond the recovery point of the one before */
};

/* What a flow does once it is steady, when it had so many data packets of such segments; with an interval of its rate, or
 * without. */
struct analysis_bins_steady {
    uint32_t data_packets, segment_bytes, loss_events;
    bool interval;
    double start_s, end_s;
    struct estimate goodput_bps;
};

struct analysis_bins {
    struct analysis_bin *bin; /* owned */
    uint32_t n, capacity;
    int64_t first;            /* bin[0] covers [first, first + 1) << shift, in ms since the origin */
    unsigned shift;
    struct analysis_bins_steady steady; /* of the flow, as it was last asked for */
};

/* time_ns is since the origin and >= 0; the earliest that may be noted. */
void analysis_bins_init(struct analysis_bins *b, int64_t time_ns);
void analysis_bins_fini(struct analysis_bins *b);

/* The bin of a time; earlier ones than the first count there (clocks step back). Valid until the next call. */
struct analysis_bin *analysis_bins_at(struct analysis_bins *b, int64_t time_ns);

int64_t analysis_bins_width_ns(const struct analysis_bins *b);

/* Index range [*begin, *end) of the bins that lie wholly inside [from_ns, to_ns). Bins behind the
 * last one noted are empty but count: *end may exceed n. */
void analysis_bins_range(const struct analysis_bins *b, int64_t from_ns, int64_t to_ns, size_t *begin, size_t *end);

/* Bin `i`, zeros beyond the last one noted. */
struct analysis_bin analysis_bins_get(const struct analysis_bins *b, size_t i);

/* What bins [begin, end) have together. In this and in all below, those beyond the last one noted cost no time: to a
 * range's end another flow may have added centuries. */
struct analysis_bin analysis_bins_sum(const struct analysis_bins *b, size_t begin, size_t end);

/* Bandwidth over bins [begin, end), bit/s; 0 over none. */
double analysis_bins_rate_bps(const struct analysis_bins *b, size_t begin, size_t end);

/* Bandwidth of bins [begin, end), bit/s, into series; at most ANALYSIS_BINS_MAX of them. Returns how many. */
size_t analysis_bins_series(const struct analysis_bins *b, size_t begin, size_t end, double *series);

/* Bytes in flight, averaged over the time of bins [begin, end): a bin without a sample keeps the value before
 * it. Averaging samples instead would weigh short round trips, which bring more of them. NAN without any. */
double analysis_bins_window(const struct analysis_bins *b, size_t begin, size_t end);

/* Start of bin i, ns since the origin. */
int64_t analysis_bins_start_ns(const struct analysis_bins *b, size_t i);
