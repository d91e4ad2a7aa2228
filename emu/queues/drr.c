/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deficit round robin over classes (Shreedhar and Varghese 1996), as Linux's sch_drr with a class of its own each, or
 * sch_ets without strict bands: classes with frames take turns, and in its turn a class sends what its quanta so far
 * have left it. Quanta are a full frame's unless given, and their ratio is that of the rates. Over flows instead of
 * classes: fair. A full buffer loses the newest frame of the class with most bytes, unless that is the newcomer's. */
#include "emu/queues/queue.h"
#include "emu/ring.h"

#define QUANTUM 1514 /* of a full frame, as a host counts it */

struct drr_class {
    struct emu_ring ring;
    int64_t bytes; /* in the buffer */
    int64_t deficit, quantum; /* as a host counts bytes */
};

struct drr {
    struct drr_class classes[EMU_FRAME_CLASSES];
    int turn[EMU_FRAME_CLASSES]; /* classes with frames, the one whose turn it is first */
    int n;
    unsigned stopped; /* classes, by bit: they keep their turn and their deficit */
};

static void drr_begin(void *state, const struct emu_queue_config *config)
{
    struct drr *d = state;
    for (int i = 0; i < EMU_FRAME_CLASSES; i++)
        d->classes[i].quantum = i < config->parameters.n_quanta ? config->parameters.quanta_bytes[i] : QUANTUM;
}

static void drr_fini(void *state, const struct emu_frame_ops *ops)
{
    struct drr *d = state;
    for (int i = 0; i < EMU_FRAME_CLASSES; i++)
        emu_ring_fini(&d->classes[i].ring, ops);
}

static void drr_push(void *state, const struct emu_frame *frame, uint32_t flow UNUSED, int64_t now_ps)
{
    struct drr *d = state;
    struct drr_class *c = &d->classes[frame->traffic_class];
    if (c->ring.count == 0) {
        d->turn[d->n++] = frame->traffic_class;
        c->deficit = c->quantum;
    }
    emu_ring_push(&c->ring, frame, now_ps);
    c->bytes += emu_frame_buffer_bytes(frame);
}

/* Takes the i-th of the turn out of it, and returns it. */
static int drr_leave(struct drr *d, int i)
{
    int class = d->turn[i];
    d->n--;
    for (; i < d->n; i++)
        d->turn[i] = d->turn[i + 1];
    return class;
}

/* The first in the turn goes to its end. */
static void drr_next(struct drr *d)
{
    int class = drr_leave(d, 0);
    d->turn[d->n++] = class;
}

static enum emu_discipline_next drr_pop(void *state, int64_t now_ps UNUSED, struct emu_frame *frame)
{
    struct drr *d = state;
    for (int stopped = 0; stopped < d->n;) {
        if (d->stopped >> d->turn[0] & 1) {
            drr_next(d);
            stopped++; /* in a row: when that is all of them, nobody may send */
            continue;
        }
        stopped = 0;
        struct drr_class *c = &d->classes[d->turn[0]];
        int64_t bytes = emu_frame_host_bytes(&emu_ring_peek(&c->ring)->frame);
        if (bytes > c->deficit) {
            c->deficit += c->quantum;
            drr_next(d);
            continue;
        }
        emu_ring_pop(&c->ring, frame);
        c->deficit -= bytes;
        c->bytes -= emu_frame_buffer_bytes(frame);
        if (c->ring.count == 0)
            drr_leave(d, 0);
        return EMU_DISCIPLINE_FRAME;
    }
    return EMU_DISCIPLINE_EMPTY;
}

static void drr_stop(void *state, unsigned classes)
{
    struct drr *d = state;
    d->stopped = classes;
}

static void drr_class_level(const void *state, int class, int64_t *bytes, int64_t *packets)
{
    const struct drr *d = state;
    *bytes = d->classes[class].bytes;
    *packets = (int64_t)d->classes[class].ring.count;
}

/* The place in the turn of the class with most bytes; -1 without any. */
static int drr_fattest(const struct drr *d)
{
    int fattest = d->n - 1;
    for (int i = 0; i < d->n; i++)
        if (d->classes[d->turn[i]].bytes > d->classes[d->turn[fattest]].bytes)
            fattest = i;
    return fattest;
}

static int64_t drr_evictable_bytes(const void *state, const struct emu_frame *frame)
{
    const struct drr *d = state;
    int i = drr_fattest(d);
    if (i < 0 || d->turn[i] == frame->traffic_class)
        return 0;
    return emu_frame_buffer_bytes(&emu_ring_last(&d->classes[d->turn[i]].ring)->frame);
}

static void drr_evict(void *state, struct emu_frame *frame)
{
    struct drr *d = state;
    int i = drr_fattest(d);
    struct drr_class *c = &d->classes[d->turn[i]];
    emu_ring_take_last(&c->ring, frame);
    c->bytes -= emu_frame_buffer_bytes(frame);
    if (c->ring.count == 0)
        drr_leave(d, i);
}

const struct emu_discipline_ops emu_discipline_drr = {
    .by_class = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .has = EMU_DISCIPLINE_HAS_QUANTA,
    .state_bytes = sizeof(struct drr),
    .begin = drr_begin,
    .fini = drr_fini,
    .push = drr_push,
    .pop = drr_pop,
    .stop = drr_stop,
    .class_level = drr_class_level,
    .evictable_bytes = drr_evictable_bytes,
    .evict = drr_evict,
};
