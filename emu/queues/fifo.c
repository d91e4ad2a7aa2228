/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First in, first out. A port whose queue is FIFO puts frames on its line at once; frames wait here only where PAUSE
 * or a crossbar decides when they leave. */
#include "emu/queues/discipline.h"
#include "emu/ring.h"

static void fifo_fini(void *state, const struct emu_frame_ops *ops)
{
    emu_ring_fini(state, ops);
}

static void fifo_push(void *state, const struct emu_frame *frame, uint32_t flow, int64_t now_ps)
{
    (void)flow;
    emu_ring_push(state, frame, now_ps);
}

static enum emu_discipline_next fifo_pop(void *state, int64_t now_ps, struct emu_frame *frame)
{
    (void)now_ps;
    return emu_ring_pop(state, frame) ? EMU_DISCIPLINE_FRAME : EMU_DISCIPLINE_EMPTY;
}

const struct emu_discipline_ops emu_discipline_fifo = {
    .in_order = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .state_bytes = sizeof(struct emu_ring),
    .fini = fifo_fini,
    .push = fifo_push,
    .pop = fifo_pop,
};
