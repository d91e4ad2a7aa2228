/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linux's Reno: the window grows by acknowledged bytes, so delayed ACKs cost nothing, and by several segments where one ACK
 * tells of several windows, as after a recovery. */
#include "emu/native/congestion.h"

void native_linuxreno_grow(void *state, struct native_window *w, const struct native_ack *ack)
{
    (void)state;
    uint64_t acked = native_congestion_slow_start(w, ack->acked), window = w->cwnd;
    if (acked == 0)
        return;
    if (w->remainder >= window) { /* of a larger one than now (tcp_cong_avoid_ai()) */
        w->remainder = 0;
        w->cwnd += ack->segment;
    }
    w->remainder += acked;
    if (w->remainder >= window) {
        w->cwnd += w->remainder / window * ack->segment;
        w->remainder %= window;
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
