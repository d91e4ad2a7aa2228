/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/ring.h"

#include "base/memory.h"

void emu_ring_push(struct emu_ring *r, const struct emu_frame *frame, int64_t time_ps)
{
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 16;
        struct emu_ring_slot *slots = memory_zeroed(capacity, sizeof *slots, "queued frames");
        for (size_t i = 0; i < r->count; i++)
            slots[i] = r->slots[(r->head + i) & (r->capacity - 1)];
        free(r->slots);
        *r = (struct emu_ring){slots, capacity, 0, r->count};
    }
    r->slots[(r->head + r->count) & (r->capacity - 1)] = (struct emu_ring_slot){*frame, time_ps};
    r->count++;
}

bool emu_ring_pop(struct emu_ring *r, struct emu_frame *frame)
{
    if (r->count == 0)
        return false;
    *frame = r->slots[r->head].frame;
    r->head = (r->head + 1) & (r->capacity - 1);
    r->count--;
    return true;
}

bool emu_ring_take_last(struct emu_ring *r, struct emu_frame *frame)
{
    if (r->count == 0)
        return false;
    *frame = emu_ring_last(r)->frame;
    r->count--;
    return true;
}

void emu_ring_fini(struct emu_ring *r, const struct emu_frame_ops *ops)
{
    struct emu_frame frame;
    while (emu_ring_pop(r, &frame))
        emu_frame_release(ops, frame.packet);
    free(r->slots);
    *r = (struct emu_ring){0};
}
