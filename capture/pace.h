/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/pace.h - when each frame of a replay is due, and how well that was kept.
 *
 * Every time follows from the first frame's, never from the last sending: rounding and lateness do not add up. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PACE_LATEST_NS (INT64_MAX / 4) /* 73 years after the start: later frames are due then */
#define PACE_WIRE_BYTES 24             /* FCS 4, preamble 8, gap 12 */
#define PACE_LEAST_BYTES 60            /* what a frame takes on the wire at least, without FCS */

struct pace {
    double speed;     /* > 0 */
    int64_t rate_bps; /* 0: recorded times */
    bool started;
    int64_t first_ns, latest_ns; /* recorded times: of the first frame, the latest so far */
    int64_t due_ns;              /* of the last frame, after the start */
    int64_t next_ns, rest;       /* with a rate: when the wire is free, and the numerator (over rate_bps) of the
                                  * nanosecond that is left */
    int64_t back;                /* frames recorded before an earlier one */
};

/* When the next frame is due, ns after the start: never before its predecessor. wire_bytes: at most 2^30. */
int64_t pace_next(struct pace *p, int64_t time_ns, uint32_t wire_bytes);

/* Distances by size in log-linear bins, 32 to an octave: constant memory, precise to 3.2 %. */
#define PACE_BINS (64 + 57 * 32)

struct pace_errors {
    int64_t n, max_ns;
    int64_t bin[PACE_BINS];
};

void pace_errors_add(struct pace_errors *e, int64_t error_ns); /* its size counts, not its sign */

/* What a share of them (0 to 1) do not exceed, rounded up to the end of a bin, but not beyond the largest; 0 when
 * there are none. */
int64_t pace_errors_quantile(const struct pace_errors *e, double share);
