/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two FIFOs in one buffer, of which the one with pure ACKs is served first. */
#include "emu/queues/discipline.h"
#include "emu/ring.h"

struct ack_first {
    struct emu_ring acks, rest;
};

static void ack_first_fini(void *state, const struct emu_frame_ops *ops)
{
    struct ack_first *a = state;
    emu_ring_fini(&a->acks, ops);
    emu_ring_fini(&a->rest, ops);
}

static void ack_first_push(void *state, const struct emu_frame *frame, uint32_t flow UNUSED, int64_t now_ps)
{
    struct ack_first *a = state;
    emu_ring_push(frame->pure_ack ? &a->acks : &a->rest, frame, now_ps);
}

static enum emu_discipline_next ack_first_pop(void *state, int64_t now_ps UNUSED, struct emu_frame *frame)
{
    struct ack_first *a = state;
    return emu_ring_pop(&a->acks, frame) || emu_ring_pop(&a->rest, frame) ? EMU_DISCIPLINE_FRAME
                                                                           : EMU_DISCIPLINE_EMPTY;
}

const struct emu_discipline_ops emu_discipline_ack_first = {
    .acks = EMU_DISCIPLINE_ACKS_LEAD,
    .state_bytes = sizeof(struct ack_first),
    .fini = ack_first_fini,
    .push = ack_first_push,
    .pop = ack_first_pop,
};
