/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/inflight.h - bytes in flight at the sender, from a tap anywhere on the path.
 *
 * With TCP timestamps: an ACK passes the tap with number A and timestamp T. The first data
 * segment that echoes T left the sender just after that ACK had arrived there, so at that moment
 *   in flight = end of the segment - A
 * wherever between the hosts the tap is (queues of the sender's own host included). Data that
 * echo a later timestamp say nothing about A. Nor do data that echo the first stamp of all: they may
 * have left before that ACK came, if the handshake had the same. The clock of most stacks ticks in ms: what an ACK
 * of the same tick released later is counted in, up to one tick's worth of data. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ANALYSIS_INFLIGHT_PROBES 4

struct analysis_inflight { /* zeroed: nothing armed */
    struct {
        uint32_t ack;   /* relative, its low 32 bits: less is in flight */
        uint32_t tsval;
    } probe[ANALYSIS_INFLIGHT_PROBES]; /* a ring, oldest at `oldest` */
    uint8_t oldest, n;
    bool has_last;
    uint32_t last_tsval; /* newest timestamp an ACK carried */
};

/* Does an ACK begin a probe, do data end one? Most do neither: who asks first need not call the two below. */
static inline bool analysis_inflight_begins(const struct analysis_inflight *f, uint32_t tsval)
{
    return !f->has_last || (int32_t)(tsval - f->last_tsval) > 0;
}

static inline bool analysis_inflight_ends(const struct analysis_inflight *f, uint32_t tsecr)
{
    return f->n > 0 && (int32_t)(tsecr - f->probe[f->oldest].tsval) >= 0;
}

/* An ACK of the flow's receiver passes. */
void analysis_inflight_ack(struct analysis_inflight *f, int64_t ack, uint32_t tsval);

/* A segment with new data up to `end` passes. True, and *bytes, when it ends a probe. */
bool analysis_inflight_data(struct analysis_inflight *f, int64_t end, uint32_t tsecr, int64_t *bytes);
