/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/queues/kernel_queue.h"

#include "base/memory.h"

#include <assert.h>

static const struct emu_kernel_ops *kernel_ops;
static void *kernel_engine;

struct kernel_queue {
    struct emu_kernel_ask ask;
    struct emu_frame *frames; /* owned; by number */
    uint32_t *unused;         /* owned; numbers */
    size_t capacity, capacity_unused, n_unused;
    uint32_t numbers, popped; /* given out so far; to be transmitted after what was lost */
    uint32_t told;            /* of ask.lost */
    bool asked;               /* for it */
};

void emu_kernel_offer(const struct emu_kernel_ops *ops, void *engine)
{
    kernel_ops = ops;
    kernel_engine = engine;
}

static void kernel_open(void *state, const char *discipline)
{
    struct kernel_queue *k = state;
    assert(kernel_ops); /* scenarios are refused where there is none */
    k->ask.queue = kernel_ops->open(kernel_engine, discipline);
}

static struct emu_frame kernel_take(struct kernel_queue *k, uint32_t number)
{
    struct emu_frame frame = k->frames[number];
    k->frames[number].packet = NULL;
    k->unused = memory_grown(k->unused, k->n_unused, &k->capacity_unused, 64, sizeof *k->unused, "queued frames");
    k->unused[k->n_unused++] = number;
    return frame;
}

static void kernel_fini(void *state, const struct emu_frame_ops *ops)
{
    struct kernel_queue *k = state;
    for (uint32_t i = 1; i <= k->numbers; i++)
        if (k->frames[i].packet)
            emu_frame_release(ops, k->frames[i].packet);
    free(k->frames);
    free(k->unused);
}

static void kernel_push(void *state, const struct emu_frame *frame, uint32_t flow UNUSED, int64_t now_ps UNUSED)
{
    struct kernel_queue *k = state;
    uint32_t number = k->n_unused > 0 ? k->unused[--k->n_unused] : ++k->numbers;
    k->frames = memory_grown(k->frames, number, &k->capacity, 64, sizeof *k->frames, "queued frames");
    k->frames[number] = *frame;
    k->ask.number = number;
    k->ask.frames = k->frames;
    k->told = 0;
    kernel_ops->push(kernel_engine, &k->ask);
}

static bool kernel_lost(void *state, struct emu_frame *frame)
{
    struct kernel_queue *k = state;
    if (k->told == EMU_KERNEL_LOST) {
        k->told = 0;
        kernel_ops->lost(kernel_engine, &k->ask);
    }
    if (k->told == k->ask.n_lost)
        return false;
    *frame = kernel_take(k, k->ask.lost[k->told++]);
    return true;
}

static enum emu_discipline_next kernel_pop(void *state, int64_t now_ps UNUSED, struct emu_frame *frame)
{
    struct kernel_queue *k = state;
    if (!k->asked && k->n_unused == k->numbers)
        return EMU_DISCIPLINE_EMPTY;
    if (!k->asked) {
        k->told = 0;
        kernel_ops->pop(kernel_engine, &k->ask);
        k->popped = k->ask.number;
        k->asked = true;
    }
    if (kernel_lost(k, frame))
        return EMU_DISCIPLINE_DROP;
    k->asked = false;
    if (k->popped == 0)
        return EMU_DISCIPLINE_EMPTY;
    *frame = kernel_take(k, k->popped);
    return EMU_DISCIPLINE_FRAME;
}

static int64_t kernel_ready_ps(const void *state, int64_t now_ps UNUSED)
{
    const struct kernel_queue *k = state;
    return k->ask.ready_ps;
}

const struct emu_discipline_ops emu_kernel_discipline = {
    .drops_early = true,
    .acks = EMU_DISCIPLINE_ACKS_WAIT,
    .state_bytes = sizeof(struct kernel_queue),
    .open = kernel_open,
    .fini = kernel_fini,
    .push = kernel_push,
    .lost = kernel_lost,
    .pop = kernel_pop,
    .ready_ps = kernel_ready_ps,
};
