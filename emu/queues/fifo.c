/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First in, first out. A port whose queue is FIFO puts frames on its line at once; frames wait here only where PAUSE
 * or a crossbar decides when they leave. */
#include "emu/queues/discipline.h"
#include "emu/ring.h"

const struct emu_discipline_ops emu_discipline_fifo = {
    .in_order = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .state_bytes = sizeof(struct emu_ring),
    .fini = emu_discipline_ring_fini,
    .push = emu_discipline_ring_push,
    .pop = emu_discipline_ring_pop,
};
