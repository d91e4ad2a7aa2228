/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/waits.h - how long the frames of each TCP flow of a run waited, as data and as ACKs: exact, from when the
 * sender's stack handed a frame over to when the receiver's stack got it, less what that takes through empty queues.
 *
 * ACKs: pure ones that the flow's sink sends once data have reached it. Their compression: base/compression.h, from the
 * times they left the sink's stack to when they came. */
#pragma once

#include "base/compression.h"
#include "base/units.h"
#include "emu/network/network.h"

struct waits_kind {
    int64_t frames;
    double wait_sum_ps;
    int64_t transit_ps;    /* through empty queues, of the largest frame there was */
    uint16_t known_bytes;  /* payload of the frame transit was last worked out for, and that; 0: none yet */
    int64_t known_ps;
};

struct waits_flow {
    struct waits_kind data, ack;
    struct compression xi;
};

/* A frame arrives at the host that it is for; `id`: emu_frame_flow(). */
void waits_add(struct waits_flow *flows, uint32_t id, const struct emu_network *n, const struct emu_frame *frame,
               int64_t now_ps);

static inline void waits_kind_add(struct waits_kind *k, const struct emu_frame *frame, int64_t now_ps)
{
    /* the one end of a flow asks whether the other has any yet, perhaps in another thread (emu/network/windows.h) */
    __atomic_store_n(&k->frames, k->frames + 1, __ATOMIC_RELAXED);
    k->wait_sum_ps += (double)(now_ps - frame->sent_ps - k->known_ps);
}

static inline void waits_ack_add(struct waits_flow *f, const struct emu_frame *frame, int64_t now_ps)
{
    static const struct compression_config xi = {.floor = COMPRESSION_FLOOR_NS * UNITS_PS_PER_NS};
    compression_add(&f->xi, &xi, frame->sent_ps, now_ps);
}

/* The same of data that the flow's source has sent, or of an ACK of its sink. False where it has another size than the
 * one before, as the first has: nothing has been done. */
static inline bool waits_add_known(struct waits_flow *f, const struct emu_frame *frame, int64_t now_ps)
{
    struct waits_kind *k = frame->pure_ack ? &f->ack : &f->data;
    if (k->known_bytes != frame->payload_bytes)
        return false;
    waits_kind_add(k, frame, now_ps);
    if (frame->pure_ack)
        waits_ack_add(f, frame, now_ps);
    return true;
}

/* Mean in seconds, of what arrived after *before was copied; NAN when nothing did. `before` NULL: of everything. */
double waits_mean_s(const struct waits_kind *k, const struct waits_kind *before);

/* Round trip of a full data frame and its ACK through empty queues, in seconds; NAN until both have arrived. */
double waits_floor_s(const struct waits_flow *f);
