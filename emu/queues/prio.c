/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strict priority, as Linux's sch_prio with a band a class: a frame leaves when no class of a lower number has any. A
 * full buffer loses the newest frame of the last class that waits, if that is after the newcomer's. */
#include "emu/queues/discipline.h"
#include "emu/ring.h"

struct prio {
    struct emu_ring classes[EMU_FRAME_CLASSES];
    int64_t bytes[EMU_FRAME_CLASSES];
    unsigned stopped; /* classes, by bit */
};

static void prio_fini(void *state, const struct emu_frame_ops *ops)
{
    struct prio *p = state;
    for (int i = 0; i < EMU_FRAME_CLASSES; i++)
        emu_ring_fini(&p->classes[i], ops);
}

static void prio_push(void *state, const struct emu_frame *frame, uint32_t flow UNUSED, int64_t now_ps)
{
    struct prio *p = state;
    emu_ring_push(&p->classes[frame->traffic_class], frame, now_ps);
    p->bytes[frame->traffic_class] += emu_frame_buffer_bytes(frame);
}

static enum emu_discipline_next prio_pop(void *state, int64_t now_ps UNUSED, struct emu_frame *frame)
{
    struct prio *p = state;
    for (int i = 0; i < EMU_FRAME_CLASSES; i++)
        if (!(p->stopped >> i & 1) && emu_ring_pop(&p->classes[i], frame)) {
            p->bytes[i] -= emu_frame_buffer_bytes(frame);
            return EMU_DISCIPLINE_FRAME;
        }
    return EMU_DISCIPLINE_EMPTY;
}

static void prio_stop(void *state, unsigned classes)
{
    struct prio *p = state;
    p->stopped = classes;
}

static void prio_class_level(const void *state, int class, int64_t *bytes, int64_t *packets)
{
    const struct prio *p = state;
    *bytes = p->bytes[class];
    *packets = (int64_t)p->classes[class].count;
}

/* The last class that waits; 0 if none does. */
static int prio_last(const struct prio *p)
{
    int i = EMU_FRAME_CLASSES - 1;
    while (i > 0 && p->classes[i].count == 0)
        i--;
    return i;
}

static int64_t prio_evictable_bytes(const void *state, const struct emu_frame *frame)
{
    const struct prio *p = state;
    int i = prio_last(p);
    return i > frame->traffic_class ? emu_frame_buffer_bytes(&emu_ring_last(&p->classes[i])->frame) : 0;
}

static void prio_evict(void *state, struct emu_frame *frame)
{
    struct prio *p = state;
    int last = prio_last(p);
    emu_ring_take_last(&p->classes[last], frame);
    p->bytes[last] -= emu_frame_buffer_bytes(frame);
}

const struct emu_discipline_ops emu_discipline_prio = {
    .by_class = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .state_bytes = sizeof(struct prio),
    .fini = prio_fini,
    .push = prio_push,
    .pop = prio_pop,
    .stop = prio_stop,
    .class_level = prio_class_level,
    .evictable_bytes = prio_evictable_bytes,
    .evict = prio_evict,
};
