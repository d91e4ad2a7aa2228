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

const struct native_congestion native_linuxreno = {.grow = native_linuxreno_grow, .lost = native_congestion_half};
