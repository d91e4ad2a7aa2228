/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/ring.h - frames in the order they came, each with a time; grows as it must. */
#pragma once

#include "emu/frame.h"

struct emu_ring_slot {
    struct emu_frame frame;
    int64_t time_ps; /* what it means is the holder's business */
};

struct emu_ring {
    struct emu_ring_slot *slots; /* owned; capacity a power of two, grows by doubling */
    size_t capacity, head, count;
};

/* Memory that runs out ends the process: a queue that loses frames silently would be worse. */
void emu_ring_push(struct emu_ring *r, const struct emu_frame *frame, int64_t time_ps);

/* The oldest; the ring is not empty. */
static inline const struct emu_ring_slot *emu_ring_peek(const struct emu_ring *r)
{
    return &r->slots[r->head];
}

/* The newest; likewise. */
static inline const struct emu_ring_slot *emu_ring_last(const struct emu_ring *r)
{
    return &r->slots[(r->head + r->count - 1) & (r->capacity - 1)];
}

/* Returns false when the ring is empty. The caller owns the frame. */
bool emu_ring_pop(struct emu_ring *r, struct emu_frame *frame);

/* The same of the newest. */
bool emu_ring_take_last(struct emu_ring *r, struct emu_frame *frame);

/* Releases what is still there with `ops` (may be NULL when empty). */
void emu_ring_fini(struct emu_ring *r, const struct emu_frame_ops *ops);
