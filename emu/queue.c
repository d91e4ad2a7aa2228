/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/queue.h"

#include "emu/fair.h"

#include <stdio.h>
#include <stdlib.h>

const char *const emu_discipline_names[] = {
    [EMU_DISCIPLINE_FIFO] = "fifo",
    [EMU_DISCIPLINE_ACK_FIRST] = "ack-first",
    [EMU_DISCIPLINE_FAIR] = "fair",
    NULL,
};

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
    emu_fair_free(q->fair, ops);
    q->fair = NULL;
}

/* The fattest flow's oldest frame makes room where it is large enough; it counts as never let in. */
static bool queue_push_fair(struct emu_queue *q, const struct emu_frame *frame, uint32_t flow, struct emu_frame *victim)
{
    if (!q->fair)
        q->fair = emu_fair_new();
    int64_t bytes = emu_frame_buffer_bytes(frame), freed = emu_fair_evictable_bytes(q->fair);
    bool fits = bytes <= q->config.limit_bytes - q->depth_bytes && q->depth_packets < q->config.limit_packets;
    if (!fits && freed > 0 && bytes <= q->config.limit_bytes - q->depth_bytes + freed) {
        emu_fair_evict(q->fair, victim);
        q->depth_bytes -= freed;
        q->depth_packets--;
        q->stats.enqueued--;
        q->stats.enqueued_bytes -= freed;
        q->stats.dropped++;
        q->stats.dropped_bytes += freed;
    } else {
        *victim = *frame;
    }
    if (!emu_queue_admit(q, frame)) /* counts it as dropped */
        return false;
    emu_fair_push(q->fair, frame, flow);
    return fits;
}

bool emu_queue_push(struct emu_queue *q, const struct emu_frame *frame, uint32_t flow, struct emu_frame *victim)
{
    if (q->config.discipline == EMU_DISCIPLINE_FAIR)
        return queue_push_fair(q, frame, flow, victim);
    if (!emu_queue_admit(q, frame)) {
        *victim = *frame;
        return false;
    }
    bool first = q->config.discipline == EMU_DISCIPLINE_ACK_FIRST && frame->pure_ack;
    emu_frame_ring_push(&q->rings[first], frame, 0);
    return true;
}

bool emu_queue_pop(struct emu_queue *q, struct emu_frame *frame)
{
    bool any = q->fair ? emu_fair_pop(q->fair, frame)
                       : emu_frame_ring_pop(&q->rings[1], frame) || emu_frame_ring_pop(&q->rings[0], frame);
    if (!any)
        return false;
    emu_queue_leave(q, frame);
    return true;
}
