/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NewReno: the window grows by ACKs (RFC 5681, section 3.1, as ns-3's does), so delayed ACKs halve its pace. */
#include "emu/native/congestion.h"

static void newreno_grow(void *state, struct native_window *w, const struct native_ack *ack)
{
    (void)state;
    if (w->cwnd < w->ssthresh) {
        w->cwnd += ack->acked < ack->segment ? ack->acked : ack->segment;
        return;
    }
    uint64_t share = ack->segment * ack->segment / w->cwnd;
    w->cwnd += share > 1 ? share : 1;
}

const struct native_congestion native_newreno = {.grow = newreno_grow, .lost = native_congestion_half};
