/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/ends/transit.h - one-way transits between two clocks that were never set alike, and may drift apart.
 *
 * A sample is the difference of two clocks' readings of one packet: offset + drift * time + transit, or - transit where
 * the packet goes the other way. Offsets cancel in
 *     wait = mean - minimum                   (or maximum - mean)
 * The drift shows as a trend of the minima of equal stretches of time (Paxson 1998: de-trending by the minima of
 * segments), their slope being the median of the slopes between every two (Theil 1950, Sen 1968). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ANALYSIS_TRANSIT_STRETCHES 64

struct analysis_extreme {
    double value, time; /* ns */
};

struct analysis_stretch {
    bool any;
    struct analysis_extreme low, high;
};

struct analysis_transit { /* zeroed: empty */
    int64_t n;
    double sum, sum_time; /* ns */
    int64_t start_ns, width_ns; /* of a stretch: doubles when time outgrows them */
    struct analysis_stretch stretch[ANALYSIS_TRANSIT_STRETCHES];
};

void analysis_transit_add(struct analysis_transit *t, int64_t time_ns, double difference_ns);

/* `packets`: +1 when the differences grow with the transit, -1 when they shrink. `drift`: seconds a second.
 * The extreme difference without queues, ns, as at time 0, and the mean wait above it, s. NAN without samples. */
double analysis_transit_base_ns(const struct analysis_transit *t, int packets, double drift);
double analysis_transit_wait_s(const struct analysis_transit *t, int packets, double drift);

struct analysis_trend {
    double slope;           /* seconds a second */
    double scatter_ns, span_ns; /* median distance of the extremes from the line; time they cover */
};

/* False with fewer than eight stretches. */
bool analysis_transit_trend(const struct analysis_transit *t, int packets, struct analysis_trend *trend);

/* The drift that the transits of both ways show, of the way nearer to a line: slopes that agree within a factor of two
 * - a queue's trend has no reason to show with the other sign on the way back - below 500 ppm (what NTP may steer a
 * clock by), and worth four times the scatter. False when they show none. */
bool analysis_transit_drift(const struct analysis_trend *there, const struct analysis_trend *back, double *drift);
