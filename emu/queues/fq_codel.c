/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FQ-CoDel (Hoeiland-Joergensen, McKenney, Taht, Gettys and Dumazet, RFC 8290), as Linux's sch_fq_codel has it.
 *
 * Flows hash into buckets, each a queue with a CoDel of its own. A bucket that becomes active goes to the end of the new
 * ones, which are served before the old; it has a quantum of bytes to its credit, may send while the credit is above 0,
 * and then gets another quantum at the end of the old ones. A new bucket that runs empty goes there, too, so that it
 * cannot stay new; an old one leaves (section 4.2). A full buffer loses half of what the bucket with most bytes has,
 * its oldest, at most 64 frames (section 4.1, and Linux's batches). By default it marks (ECN), and the quantum is a full
 * frame. */
#include "emu/queues/codel.h"
#include "emu/ring.h"

#define BUCKETS EMU_DISCIPLINE_BUCKETS
#define QUANTUM 1514 /* of a full frame, as a host counts it */
#define BATCH 64     /* frames, as Linux's drop_batch */
#define NOBODY 0     /* buckets are numbered from 1, so that zeros are an empty list */

enum { NEW, OLD, LISTS };

struct fq_codel_bucket {
    struct emu_ring ring;
    struct emu_codel control;
    int64_t bytes;   /* in the buffer */
    int64_t deficit; /* as a host counts bytes */
    int next;    /* in its list; NOBODY: it is the last */
    bool active; /* in a list */
};

struct fq_codel {
    struct fq_codel_bucket buckets[BUCKETS + 1];
    struct {
        int first, last;
    } lists[LISTS];
    struct emu_codel_rule rule;
    int64_t quantum;
    int fattest;           /* which loses a batch, */
    int64_t batch, excess; /* of so many frames and bytes yet */
};

static void fq_codel_begin(void *state, const struct emu_queue_config *config)
{
    struct fq_codel *f = state;
    f->rule = emu_codel_rule(config, true);
    f->quantum = config->parameters.quantum_bytes > 0 ? config->parameters.quantum_bytes : QUANTUM;
}

static void fq_codel_fini(void *state, const struct emu_frame_ops *ops)
{
    struct fq_codel *f = state;
    for (int i = 1; i <= BUCKETS; i++)
        emu_ring_fini(&f->buckets[i].ring, ops);
}

static void fq_codel_append(struct fq_codel *f, int list, int i)
{
    f->buckets[i].next = NOBODY;
    if (f->lists[list].last != NOBODY)
        f->buckets[f->lists[list].last].next = i;
    else
        f->lists[list].first = i;
    f->lists[list].last = i;
}

static void fq_codel_remove_first(struct fq_codel *f, int list)
{
    f->lists[list].first = f->buckets[f->lists[list].first].next;
    if (f->lists[list].first == NOBODY)
        f->lists[list].last = NOBODY;
}

static void fq_codel_push(void *state, const struct emu_frame *frame, uint32_t flow, int64_t now_ps)
{
    struct fq_codel *f = state;
    int i = 1 + emu_discipline_bucket(flow);
    struct fq_codel_bucket *b = &f->buckets[i];
    emu_codel_see(&f->rule, frame);
    emu_ring_push(&b->ring, frame, now_ps);
    b->bytes += emu_frame_buffer_bytes(frame);
    if (b->active)
        return;
    b->active = true;
    b->deficit = f->quantum;
    fq_codel_append(f, NEW, i);
}

/* The oldest frame of a bucket, or what CoDel says instead. */
static enum emu_discipline_next fq_codel_take(struct fq_codel *f, struct fq_codel_bucket *b, int64_t now_ps,
                                              struct emu_frame *frame)
{
    if (b->ring.count == 0)
        return emu_codel_next(&b->control, &f->rule, NULL, 0, 0, now_ps);
    int64_t sojourn_ps = now_ps - emu_ring_peek(&b->ring)->time_ps;
    emu_ring_pop(&b->ring, frame);
    b->bytes -= emu_frame_buffer_bytes(frame);
    return emu_codel_next(&b->control, &f->rule, frame, sojourn_ps, b->bytes, now_ps);
}

static enum emu_discipline_next fq_codel_pop(void *state, int64_t now_ps, struct emu_frame *frame)
{
    struct fq_codel *f = state;
    for (;;) {
        int list = f->lists[NEW].first != NOBODY ? NEW : OLD, i = f->lists[list].first;
        if (i == NOBODY)
            return EMU_DISCIPLINE_EMPTY;
        struct fq_codel_bucket *b = &f->buckets[i];
        if (b->deficit <= 0) {
            b->deficit += f->quantum;
            fq_codel_remove_first(f, list);
            fq_codel_append(f, OLD, i);
            continue;
        }
        enum emu_discipline_next next = fq_codel_take(f, b, now_ps, frame);
        if (next == EMU_DISCIPLINE_FRAME)
            b->deficit -= emu_frame_host_bytes(frame);
        if (next != EMU_DISCIPLINE_EMPTY)
            return next;
        fq_codel_remove_first(f, list);
        if (list == NEW && f->lists[OLD].first != NOBODY)
            fq_codel_append(f, OLD, i);
        else
            b->active = false;
    }
}

static int fq_codel_fattest(const struct fq_codel *f)
{
    int fattest = NOBODY;
    for (int list = 0; list < LISTS; list++)
        for (int i = f->lists[list].first; i != NOBODY; i = f->buckets[i].next)
            if (f->buckets[i].ring.count > 0 && (fattest == NOBODY || f->buckets[i].bytes > f->buckets[fattest].bytes))
                fattest = i;
    return fattest;
}

static int64_t fq_codel_evictable_bytes(const void *state, const struct emu_frame *frame UNUSED)
{
    const struct fq_codel *f = state;
    int i = fq_codel_fattest(f);
    return i == NOBODY ? 0 : emu_frame_buffer_bytes(&emu_ring_peek(&f->buckets[i].ring)->frame);
}

/* The next of a batch; CoDel's signal grows with it. */
static bool fq_codel_lost(void *state, struct emu_frame *frame)
{
    struct fq_codel *f = state;
    struct fq_codel_bucket *b = &f->buckets[f->fattest];
    if (f->batch <= 0 || f->excess <= 0 || !emu_ring_pop(&b->ring, frame)) {
        f->batch = 0;
        return false;
    }
    int64_t bytes = emu_frame_buffer_bytes(frame);
    b->bytes -= bytes;
    b->control.count++;
    f->batch--;
    f->excess -= bytes;
    return true;
}

static void fq_codel_evict(void *state, struct emu_frame *frame)
{
    struct fq_codel *f = state;
    f->fattest = fq_codel_fattest(f);
    f->batch = BATCH;
    f->excess = f->buckets[f->fattest].bytes / 2;
    fq_codel_lost(f, frame);
}

const struct emu_discipline_ops emu_discipline_fq_codel = {
    .by_flow = true,
    .drops_early = true,
    .acks = EMU_DISCIPLINE_ACKS_TAKE_TURNS,
    .has = EMU_DISCIPLINE_HAS_TARGET | EMU_DISCIPLINE_HAS_QUANTUM | EMU_DISCIPLINE_HAS_ECN,
    .state_bytes = sizeof(struct fq_codel),
    .begin = fq_codel_begin,
    .fini = fq_codel_fini,
    .push = fq_codel_push,
    .lost = fq_codel_lost,
    .pop = fq_codel_pop,
    .evictable_bytes = fq_codel_evictable_bytes,
    .evict = fq_codel_evict,
};
