/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/pace.h"

#define NS_PER_S UINT64_C(1000000000)

/* ns after the start that a recorded time falls on; not before the first frame's. */
static int64_t pace_scale(const struct pace *p, int64_t time_ns)
{
    int64_t since;
    if (__builtin_sub_overflow(time_ns, p->first_ns, &since))
        since = INT64_MAX;
    /* A long double holds every nanosecond of int64_t where it has 64 bits, of 104 days where it has 53. */
    long double scaled = p->speed == 1 ? (long double)since : (long double)since / (long double)p->speed;
    return scaled < (long double)PACE_LATEST_NS ? (int64_t)(scaled + 0.5L) : PACE_LATEST_NS;
}

int64_t pace_next(struct pace *p, int64_t time_ns, uint32_t wire_bytes)
{
    if (!p->started) {
        p->started = true;
        p->first_ns = p->latest_ns = time_ns;
    }
    if (p->rate_bps > 0) {
        p->due_ns = p->next_ns;
        /* When the wire is free after a frame sent as soon as it was: exact, the part of a nanosecond is carried on. */
        uint64_t bytes = wire_bytes < PACE_LEAST_BYTES ? PACE_LEAST_BYTES : wire_bytes;
        uint64_t numerator = (bytes + PACE_WIRE_BYTES) * 8 * NS_PER_S + (uint64_t)p->rest, rate = (uint64_t)p->rate_bps;
        int64_t duration = (int64_t)(numerator / rate);
        p->rest = (int64_t)(numerator % rate);
        p->next_ns = duration < PACE_LATEST_NS - p->next_ns ? p->next_ns + duration : PACE_LATEST_NS;
        return p->due_ns;
    }
    if (time_ns < p->latest_ns) {
        p->back++;
        return p->due_ns;
    }
    p->latest_ns = time_ns;
    return p->due_ns = pace_scale(p, time_ns);
}

/* Below 64 ns a bin each; above, the 32 steps of the octave [2^k, 2^(k+1)). */
static int pace_bin(uint64_t value)
{
    if (value < 64)
        return (int)value;
    int shift = 58 - __builtin_clzll(value);
    return 64 + (shift - 1) * 32 + (int)(value >> shift) - 32;
}

static int64_t pace_bin_last(int bin)
{
    if (bin < 64)
        return bin;
    int shift = (bin - 64) / 32 + 1;
    uint64_t first = (uint64_t)(32 + (bin - 64) % 32) << shift;
    return (int64_t)(first + (UINT64_C(1) << shift) - 1);
}

void pace_errors_add(struct pace_errors *e, int64_t error_ns)
{
    int64_t size = error_ns < 0 ? (error_ns == INT64_MIN ? INT64_MAX : -error_ns) : error_ns;
    e->n++;
    e->max_ns = size > e->max_ns ? size : e->max_ns;
    e->bin[pace_bin((uint64_t)size)]++;
}

int64_t pace_errors_quantile(const struct pace_errors *e, double share)
{
    int64_t below = 0;
    for (int i = 0; i < PACE_BINS; i++) {
        below += e->bin[i];
        if (below > 0 && (double)below >= share * (double)e->n) {
            int64_t last = pace_bin_last(i);
            return last < e->max_ns ? last : e->max_ns;
        }
    }
    return 0;
}
