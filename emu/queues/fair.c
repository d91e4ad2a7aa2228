/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deficit round robin over flows (Shreedhar and Varghese 1996), as Linux's fq and fq_codel serve theirs, without a
 * delay target.
 *
 * Flows hash into buckets; each bucket with frames gets a quantum of a full frame a turn. A full buffer loses the
 * oldest frame of the bucket with most bytes, whoever's frame comes. */
#include "emu/queues/discipline.h"
#include "emu/ring.h"

#define BUCKETS EMU_DISCIPLINE_BUCKETS
#define FAIR_QUANTUM 1518 /* buffer bytes of a full frame */
#define NOBODY 0     /* buckets are numbered from 1, so that zeros are an empty turn */

struct fair_bucket {
    struct emu_ring ring;
    int64_t bytes, deficit;
    int next;    /* in the turn; NOBODY: it is the last */
    bool active; /* in the turn */
};

struct fair {
    struct fair_bucket buckets[BUCKETS + 1];
    int first, last; /* of the turn */
};

static void fair_fini(void *state, const struct emu_frame_ops *ops)
{
    struct fair *f = state;
    for (int i = 1; i <= BUCKETS; i++)
        emu_ring_fini(&f->buckets[i].ring, ops);
}

static void fair_append(struct fair *f, int i)
{
    f->buckets[i].next = NOBODY;
    if (f->last != NOBODY)
        f->buckets[f->last].next = i;
    else
        f->first = i;
    f->last = i;
}

static void fair_remove_first(struct fair *f)
{
    f->first = f->buckets[f->first].next;
    if (f->first == NOBODY)
        f->last = NOBODY;
}

static void fair_push(void *state, const struct emu_frame *frame, uint32_t flow, int64_t now_ps)
{
    struct fair *f = state;
    int i = 1 + emu_discipline_bucket(flow);
    struct fair_bucket *b = &f->buckets[i];
    emu_ring_push(&b->ring, frame, now_ps);
    b->bytes += emu_frame_buffer_bytes(frame);
    if (b->active)
        return;
    b->active = true;
    b->deficit = FAIR_QUANTUM;
    fair_append(f, i);
}

static enum emu_discipline_next fair_pop(void *state, int64_t now_ps UNUSED, struct emu_frame *frame)
{
    struct fair *f = state;
    while (f->first != NOBODY) {
        int i = f->first;
        struct fair_bucket *b = &f->buckets[i];
        if (b->ring.count == 0) { /* served empty, or evicted: out of the turn */
            b->active = false;
            fair_remove_first(f);
            continue;
        }
        int64_t bytes = emu_frame_buffer_bytes(&emu_ring_peek(&b->ring)->frame);
        if (bytes > b->deficit) {
            b->deficit += FAIR_QUANTUM;
            fair_remove_first(f);
            fair_append(f, i);
            continue;
        }
        emu_ring_pop(&b->ring, frame);
        b->deficit -= bytes;
        b->bytes -= bytes;
        return EMU_DISCIPLINE_FRAME;
    }
    return EMU_DISCIPLINE_EMPTY;
}

static int fair_fattest(const struct fair *f)
{
    int fattest = NOBODY;
    for (int i = f->first; i != NOBODY; i = f->buckets[i].next)
        if (f->buckets[i].ring.count > 0 && (fattest == NOBODY || f->buckets[i].bytes > f->buckets[fattest].bytes))
            fattest = i;
    return fattest;
}

static int64_t fair_evictable_bytes(const void *state, const struct emu_frame *frame UNUSED)
{
    const struct fair *f = state;
    int i = fair_fattest(f);
    return i == NOBODY ? 0 : emu_frame_buffer_bytes(&emu_ring_peek(&f->buckets[i].ring)->frame);
}

static void fair_evict(void *state, struct emu_frame *frame)
{
    struct fair *f = state;
    struct fair_bucket *b = &f->buckets[fair_fattest(f)];
    emu_ring_pop(&b->ring, frame);
    b->bytes -= emu_frame_buffer_bytes(frame);
}

const struct emu_discipline_ops emu_discipline_fair = {
    .by_flow = true,
    .acks = EMU_DISCIPLINE_ACKS_TAKE_TURNS,
    .state_bytes = sizeof(struct fair),
    .fini = fair_fini,
    .push = fair_push,
    .pop = fair_pop,
    .evictable_bytes = fair_evictable_bytes,
    .evict = fair_evict,
};
