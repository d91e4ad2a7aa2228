/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DCTCP (Alizadeh et al. 2010, RFC 8257), as Linux 6.1 has it (tcp_dctcp.c): alpha is the share of bytes that were
 * marked, averaged over windows with a gain of 1/16; a marked window costs alpha / 2 of it, a loss a half. */
#include "emu/native/congestion.h"

#include <assert.h>

#define ALPHA_ONE 1024 /* alpha is counted in these; it begins there (dctcp_alpha_on_init) */
#define GAIN_SHIFT 4   /* 1/16 (dctcp_shift_g; RFC 8257, section 4.2) */

struct dctcp {
    uint64_t alpha;
    uint64_t end; /* of the window that is being counted */
    uint64_t delivered, marked; /* bytes, of that window */
};

static_assert(sizeof(struct dctcp) <= NATIVE_CONGESTION_WORDS * sizeof(uint64_t), "its state has room");

static void dctcp_init(void *state, const struct emu_tcp_config *config)
{
    struct dctcp *d = state;
    (void)config;
    d->alpha = ALPHA_ONE;
}

/* dctcp_update_alpha(); an alpha below the gain is gone. */
static void dctcp_delivered(void *state, uint64_t delivered, const struct native_ack *ack)
{
    struct dctcp *d = state;
    if (ack->una >= d->end) {
        d->alpha -= d->alpha >> GAIN_SHIFT > 0 ? d->alpha >> GAIN_SHIFT : d->alpha;
        d->alpha += d->delivered > 0 ? d->marked * (ALPHA_ONE >> GAIN_SHIFT) / d->delivered : 0;
        d->alpha = d->alpha < ALPHA_ONE ? d->alpha : ALPHA_ONE;
        d->end = ack->nxt;
        d->delivered = d->marked = 0;
    }
    d->delivered += delivered;
    d->marked += ack->ece ? delivered : 0;
}

static uint64_t dctcp_marked(void *state, const struct native_window *w, uint64_t segment)
{
    const struct dctcp *d = state;
    uint64_t cwnd = w->cwnd / segment, ssthresh = cwnd - cwnd * d->alpha / (2 * ALPHA_ONE);
    return segment * (ssthresh > 2 ? ssthresh : 2);
}

/* dctcp_react_to_loss() */
static uint64_t dctcp_lost(void *state, const struct native_window *w, uint64_t segment, uint64_t flight, bool timeout)
{
    (void)state, (void)flight, (void)timeout;
    uint64_t half = w->cwnd / segment / 2;
    return segment * (half > 2 ? half : 2);
}

const struct native_congestion native_dctcp = {
    .init = dctcp_init,
    .grow = native_linuxreno_grow,
    .lost = dctcp_lost,
    .marked = dctcp_marked,
    .delivered = dctcp_delivered,
    .from_linux = true,
};
