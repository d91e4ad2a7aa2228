/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/fair.h"

#include <stdio.h>
#include <stdlib.h>

#define QUANTUM 1518 /* buffer bytes of a full frame */

struct fair_bucket {
    struct emu_frame_ring ring;
    int64_t bytes, deficit;
    int next;    /* in the turn; -1: last */
    bool active; /* in the turn */
};

struct emu_fair {
    struct fair_bucket buckets[EMU_FAIR_BUCKETS];
    int first, last; /* of the turn; -1: nobody */
};

struct emu_fair *emu_fair_new(void)
{
    struct emu_fair *f = calloc(1, sizeof *f);
    if (!f) {
        fputs("contraflow: out of memory for a fair queue\n", stderr);
        abort();
    }
    f->first = f->last = -1;
    return f;
}

void emu_fair_free(struct emu_fair *f, const struct emu_frame_ops *ops)
{
    for (int i = 0; f && i < EMU_FAIR_BUCKETS; i++)
        emu_frame_ring_fini(&f->buckets[i].ring, ops);
    free(f);
}

static void fair_append(struct emu_fair *f, int i)
{
    f->buckets[i].next = -1;
    if (f->last >= 0)
        f->buckets[f->last].next = i;
    else
        f->first = i;
    f->last = i;
}

static void fair_remove_first(struct emu_fair *f)
{
    f->first = f->buckets[f->first].next;
    if (f->first < 0)
        f->last = -1;
}

void emu_fair_push(struct emu_fair *f, const struct emu_frame *frame, uint32_t flow)
{
    int i = (int)(flow * UINT32_C(2654435761) >> 22); /* Fibonacci hashing to 10 bits */
    struct fair_bucket *b = &f->buckets[i];
    emu_frame_ring_push(&b->ring, frame, 0);
    b->bytes += emu_frame_buffer_bytes(frame);
    if (b->active)
        return;
    b->active = true;
    b->deficit = QUANTUM;
    fair_append(f, i);
}

bool emu_fair_pop(struct emu_fair *f, struct emu_frame *frame)
{
    while (f->first >= 0) {
        int i = f->first;
        struct fair_bucket *b = &f->buckets[i];
        if (b->ring.count == 0) { /* served empty, or evicted: out of the turn */
            b->active = false;
            fair_remove_first(f);
            continue;
        }
        int64_t bytes = emu_frame_buffer_bytes(&emu_frame_ring_peek(&b->ring)->frame);
        if (bytes > b->deficit) {
            b->deficit += QUANTUM;
            fair_remove_first(f);
            fair_append(f, i);
            continue;
        }
        emu_frame_ring_pop(&b->ring, frame);
        b->deficit -= bytes;
        b->bytes -= bytes;
        return true;
    }
    return false;
}

static int fair_fattest(const struct emu_fair *f)
{
    int fattest = -1;
    for (int i = f->first; i >= 0; i = f->buckets[i].next)
        if (f->buckets[i].ring.count > 0 && (fattest < 0 || f->buckets[i].bytes > f->buckets[fattest].bytes))
            fattest = i;
    return fattest;
}

int64_t emu_fair_evictable_bytes(const struct emu_fair *f)
{
    int i = fair_fattest(f);
    return i < 0 ? 0 : emu_frame_buffer_bytes(&emu_frame_ring_peek(&f->buckets[i].ring)->frame);
}

void emu_fair_evict(struct emu_fair *f, struct emu_frame *frame)
{
    struct fair_bucket *b = &f->buckets[fair_fattest(f)];
    emu_frame_ring_pop(&b->ring, frame);
    b->bytes -= emu_frame_buffer_bytes(frame);
}
