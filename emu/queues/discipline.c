/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/queues/discipline.h"

#include "emu/ring.h"

#define OPS(NAME, name, text, meaning) &emu_discipline_##name,
#define TEXT(NAME, name, text, meaning) text,

const struct emu_discipline_ops *const emu_disciplines[] = {EMU_DISCIPLINES(OPS)};
const char *const emu_discipline_names[] = {EMU_DISCIPLINES(TEXT) NULL};
const char *const emu_discipline_ecn_names[] = {"usual", "true", "false", NULL};

void emu_discipline_ring_fini(void *state, const struct emu_frame_ops *ops)
{
    emu_ring_fini(state, ops);
}

void emu_discipline_ring_push(void *state, const struct emu_frame *frame, uint32_t flow UNUSED, int64_t now_ps)
{
    emu_ring_push(state, frame, now_ps);
}

enum emu_discipline_next emu_discipline_ring_pop(void *state, int64_t now_ps UNUSED, struct emu_frame *frame)
{
    return emu_ring_pop(state, frame) ? EMU_DISCIPLINE_FRAME : EMU_DISCIPLINE_EMPTY;
}
