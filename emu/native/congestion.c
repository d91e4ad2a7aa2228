/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/congestion.h"

#define OPS_0(name) NULL,
#define OPS_1(name) &native_##name,
#define OPS(NAME, name, native, ns3_type, linux_name, until_loss, meaning) OPS_##native(name)
const struct native_congestion *const native_congestions[] = {EMU_CONGESTIONS(OPS)};

uint64_t native_congestion_half(void *state, const struct native_window *w, uint64_t segment, uint64_t flight,
                                bool timeout)
{
    (void)state, (void)w, (void)timeout;
    return flight / 2 > 2 * segment ? flight / 2 : 2 * segment;
}

uint64_t native_congestion_slow_start(struct native_window *w, uint64_t acked)
{
    if (w->cwnd >= w->ssthresh)
        return acked;
    uint64_t grow = w->ssthresh - w->cwnd < acked ? w->ssthresh - w->cwnd : acked;
    w->cwnd += grow;
    return acked - grow;
}

void native_congestion_grow(void *state, struct native_window *w, const struct native_ack *ack)
{
    (void)state;
    w->remainder += native_congestion_slow_start(w, ack->acked);
    if (w->remainder >= w->cwnd) { /* a segment for each window acknowledged */
        w->remainder -= w->cwnd;
        w->cwnd += ack->segment;
    }
}
