/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/waits.h"

/* A path does not change once it is known. */
static __attribute__((noinline)) bool kind_know(struct waits_kind *k, const struct emu_network *n,
                                                const struct emu_frame *frame)
{
    int64_t transit_ps = emu_network_transit_ps(n, (int)frame->src, frame);
    if (transit_ps < 0)
        return false;
    k->known_bytes = frame->payload_bytes;
    k->known_ps = transit_ps;
    if (transit_ps > k->transit_ps)
        k->transit_ps = transit_ps;
    return true;
}

void waits_add(struct waits_flow *flows, uint32_t id, const struct emu_network *n, const struct emu_frame *frame,
               int64_t now_ps)
{
    struct waits_flow *f = &flows[id / 2];
    bool ack = frame->pure_ack;
    struct waits_kind *k = ack ? &f->ack : &f->data;
    if (ack != (id & 1) || (ack && __atomic_load_n(&f->data.frames, __ATOMIC_RELAXED) == 0))
        return;
    if (k->known_bytes == frame->payload_bytes || kind_know(k, n, frame))
        waits_kind_add(k, frame, now_ps);
    if (ack)
        waits_ack_add(f, frame, now_ps);
}

double waits_mean_s(const struct waits_kind *k, const struct waits_kind *before)
{
    int64_t frames = k->frames - (before ? before->frames : 0);
    double sum_ps = k->wait_sum_ps - (before ? before->wait_sum_ps : 0);
    return frames > 0 ? sum_ps / (double)frames / (double)UNITS_PS_PER_S : NAN;
}

double waits_floor_s(const struct waits_flow *f)
{
    return f->data.frames > 0 && f->ack.frames > 0
               ? (double)(f->data.transit_ps + f->ack.transit_ps) / (double)UNITS_PS_PER_S
               : NAN;
}
