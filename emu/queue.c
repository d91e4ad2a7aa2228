/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/queue.h"

#include <stdio.h>
#include <stdlib.h>

struct emu_queue_config emu_queue_config_default(void)
{
    return (struct emu_queue_config){EMU_DISCIPLINE_FIFO, EMU_QUEUE_UNLIMITED, EMU_QUEUE_UNLIMITED};
}

void emu_frame_ring_push(struct emu_frame_ring *r, const struct emu_frame *frame, int64_t time_ps)
{
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 16;
        struct emu_frame_slot *slots = malloc(capacity * sizeof *slots);
        if (!slots) {
            fputs("contraflow: out of memory for queued frames\n", stderr);
            abort();
        }
        for (size_t i = 0; i < r->count; i++)
            slots[i] = r->slots[(r->head + i) & (r->capacity - 1)];
        free(r->slots);
        *r = (struct emu_frame_ring){slots, capacity, 0, r->count};
    }
    r->slots[(r->head + r->count) & (r->capacity - 1)] = (struct emu_frame_slot){*frame, time_ps};
    r->count++;
}

bool emu_frame_ring_pop(struct emu_frame_ring *r, struct emu_frame *frame)
{
    if (r->count == 0)
        return false;
    *frame = r->slots[r->head].frame;
    r->head = (r->head + 1) & (r->capacity - 1);
    r->count--;
    return true;
}

void emu_frame_ring_fini(struct emu_frame_ring *r, const struct emu_frame_ops *ops)
{
    struct emu_frame frame;
    while (emu_frame_ring_pop(r, &frame))
        emu_frame_release(ops, frame.packet);
    free(r->slots);
    *r = (struct emu_frame_ring){0};
}

void emu_queue_init(struct emu_queue *q, const struct emu_queue_config *config)
{
    *q = (struct emu_queue){.config = *config};
}

void emu_queue_fini(struct emu_queue *q, const struct emu_frame_ops *ops)
{
    emu_frame_ring_fini(&q->rings[0], ops);
    emu_frame_ring_fini(&q->rings[1], ops);
}

bool emu_queue_push(struct emu_queue *q, const struct emu_frame *frame)
{
    if (!emu_queue_admit(q, frame))
        return false;
    bool first = q->config.discipline == EMU_DISCIPLINE_ACK_FIRST && frame->pure_ack;
    emu_frame_ring_push(&q->rings[first], frame, 0);
    return true;
}

bool emu_queue_pop(struct emu_queue *q, struct emu_frame *frame)
{
    if (!emu_frame_ring_pop(&q->rings[1], frame) && !emu_frame_ring_pop(&q->rings[0], frame))
        return false;
    emu_queue_leave(q, frame);
    return true;
}
