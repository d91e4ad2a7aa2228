/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCP Westwood+ (Mascolo, Casetti, Gerla, Sanadidi and Wang 2001; Grieco and Mascolo 2004), with the filter of Linux's
 * tcp_westwood.c: Reno, but after a loss the window is what the path carried without a queue.
 *
 *   b_k = bytes delivered / time, over a round trip or 50 ms, whichever is longer
 *   b'_k = 7/8 b'_(k-1) + 1/8 b_k,  BWE_k = 7/8 BWE_(k-1) + 1/8 b'_k,  both b_1 at first
 *   ssthresh = BWE RTT_min, two segments at least */
#include "emu/native/congestion.h"

#include <assert.h>

#define US_PER_S 1000000
#define LEAST_SPAN_US 50000 /* Linux's TCP_WESTWOOD_RTT_MIN: shorter samples on a LAN are too small */

struct westwood {
    uint64_t bandwidth, once_filtered; /* BWE and b', bytes/s; 0: none yet */
    uint64_t bytes, since_us;          /* of the sample that is being taken */
    uint64_t rtt_us, min_rtt_us;       /* the latest; 0: none yet, or forgotten after a timeout */
    bool begun;
};

static_assert(sizeof(struct westwood) <= NATIVE_CONGESTION_WORDS * sizeof(uint64_t), "its state has room");

static void westwood_delivered(void *state, uint64_t delivered, const struct native_ack *ack)
{
    struct westwood *w = state;
    if (!w->begun)
        w->since_us = ack->now_us;
    w->begun = true;
    if (ack->rtt_us > 0) {
        w->rtt_us = ack->rtt_us;
        if (w->min_rtt_us == 0 || ack->rtt_us < w->min_rtt_us)
            w->min_rtt_us = ack->rtt_us;
    }
    w->bytes += delivered;
    uint64_t span_us = ack->now_us - w->since_us;
    if (w->rtt_us > 0 && span_us > w->rtt_us && span_us > LEAST_SPAN_US) {
        uint64_t sample = w->bytes * US_PER_S / span_us;
        bool first = w->bandwidth == 0 && w->once_filtered == 0;
        w->once_filtered = first ? sample : (7 * w->once_filtered + sample) / 8;
        w->bandwidth = first ? sample : (7 * w->bandwidth + w->once_filtered) / 8;
        w->bytes = 0;
        w->since_us = ack->now_us;
    }
}

static uint64_t westwood_lost(void *state, const struct native_window *window, uint64_t segment, uint64_t flight,
                              bool timeout)
{
    struct westwood *w = state;
    uint64_t ssthresh = w->bandwidth * w->min_rtt_us / US_PER_S;
    if (w->bandwidth == 0 || w->min_rtt_us == 0)
        return native_congestion_half(state, window, segment, flight, timeout); /* nothing is known yet */
    if (timeout)
        w->min_rtt_us = 0; /* the path may be another */
    else if (ssthresh > window->cwnd)
        ssthresh = window->cwnd;
    return ssthresh > 2 * segment ? ssthresh : 2 * segment;
}

const struct native_congestion native_westwood = {
    .grow = native_congestion_grow,
    .lost = westwood_lost,
    .delivered = westwood_delivered,
};
