/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linux's Reno: the window grows by acknowledged bytes, so delayed ACKs cost nothing. */
#include "emu/native/congestion.h"

void native_linuxreno_grow(void *state, struct native_window *w, const struct native_ack *ack)
{
    (void)state;
    uint64_t acked = ack->acked;
    if (w->cwnd < w->ssthresh) {
        uint64_t grow = w->ssthresh - w->cwnd < acked ? w->ssthresh - w->cwnd : acked;
        w->cwnd += grow;
        acked -= grow;
    }
    w->remainder += acked;
    if (w->remainder >= w->cwnd) { /* a segment for each window acknowledged */
        w->remainder -= w->cwnd;
        w->cwnd += ack->segment;
    }
}

/* tcp_reno_ssthresh(): half of the window, not of what is out. That holds, when one recovery follows another, what the
 * receiver keeps behind the next hole, and half of it would be no less than the window. */
static uint64_t linuxreno_lost(void *state, const struct native_window *w, uint64_t segment, uint64_t flight,
                               bool timeout)
{
    (void)state, (void)flight, (void)timeout;
    uint64_t half = w->cwnd / segment / 2 * segment;
    return half > 2 * segment ? half : 2 * segment;
}

const struct native_congestion native_linuxreno = {.grow = native_linuxreno_grow, .lost = linuxreno_lost,
                                                  .from_linux = true};
