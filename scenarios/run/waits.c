/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/waits.h"

#include "base/units.h"

#include <math.h>

/* A path does not change once it is known. */
static bool kind_know(struct waits_kind *k, const struct emu_network *n,
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

static inline void kind_add(struct waits_kind *k, const struct emu_frame *frame, int64_t now_ps)
{
    /* the one end of a flow asks whether the other has any yet, perhaps in another thread (emu/network/windows.h) */
    __atomic_store_n(&k->frames, k->frames + 1, __ATOMIC_RELAXED);
    k->wait_sum_ps += (double)(now_ps - frame->sent_ps - k->known_ps);
}

static __attribute__((noinline)) void kind_add_unknown(struct waits_kind *k, const struct emu_network *n,
                                                       const struct emu_frame *frame, int64_t now_ps)
{
    if (kind_know(k, n, frame))
        kind_add(k, frame, now_ps);
}

static inline void kind_meet(struct waits_kind *k, const struct emu_network *n, const struct emu_frame *frame,
                             int64_t now_ps)
{
    if (k->known_bytes == frame->payload_bytes)
        kind_add(k, frame, now_ps);
    else
        kind_add_unknown(k, n, frame, now_ps);
}

static __attribute__((noinline)) void waits_add_ack(struct waits_flow *f, const struct emu_network *n,
                                                    const struct emu_frame *frame, int64_t now_ps)
{
    static const struct compression_config xi = {.floor = COMPRESSION_FLOOR_NS * UNITS_PS_PER_NS};
    if (__atomic_load_n(&f->data.frames, __ATOMIC_RELAXED) == 0)
        return;
    kind_meet(&f->ack, n, frame, now_ps);
    compression_add(&f->xi, &xi, frame->sent_ps, now_ps);
}

void waits_add(struct waits_flow *flows, uint32_t id, const struct emu_network *n, const struct emu_frame *frame,
               int64_t now_ps)
{
    struct waits_flow *f = &flows[id / 2];
    bool from_sink = id & 1;
    if (!from_sink && !frame->pure_ack)
        kind_meet(&f->data, n, frame, now_ps);
    else if (from_sink && frame->pure_ack)
        waits_add_ack(f, n, frame, now_ps);
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
