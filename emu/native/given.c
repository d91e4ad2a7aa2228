/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A window that somebody else sets, by emu_engine_set_window(): losses do not shrink it. Before it is set, and after a
 * timeout, it grows as in slow start. */
#include "emu/native/congestion.h"

static void given_grow(void *state, struct native_window *w, const struct native_ack *ack)
{
    (void)state;
    if (w->cwnd < w->ssthresh)
        w->cwnd = w->ssthresh - w->cwnd < ack->acked ? w->ssthresh : w->cwnd + ack->acked;
}

static uint64_t given_lost(void *state, const struct native_window *w, uint64_t segment, uint64_t flight, bool timeout)
{
    (void)state, (void)segment, (void)timeout;
    return w->ssthresh < flight ? w->ssthresh : flight > segment ? flight : segment;
}

const struct native_congestion native_given = {.grow = given_grow, .lost = given_lost};
