/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/bounds.h"

#include "base/memory.h"

#define CHILDREN 4

void linux_bounds_add(struct linux_bounds *b, int64_t time_ps, int64_t bound_ps)
{
    b->heap = memory_grown(b->heap, b->n, &b->capacity, 64, sizeof *b->heap, "events");
    size_t i = b->n++;
    for (; i > 0 && bound_ps < b->heap[(i - 1) / CHILDREN].bound_ps; i = (i - 1) / CHILDREN)
        b->heap[i] = b->heap[(i - 1) / CHILDREN];
    b->heap[i] = (struct linux_bound){bound_ps, time_ps};
}

static void bounds_pop(struct linux_bounds *b)
{
    struct linux_bound last = b->heap[--b->n];
    size_t i = 0;
    for (size_t first = 1; first < b->n; first = CHILDREN * i + 1) {
        size_t best = first, end = first + CHILDREN < b->n ? first + CHILDREN : b->n;
        for (size_t child = first + 1; child < end; child++)
            if (b->heap[child].bound_ps < b->heap[best].bound_ps)
                best = child;
        if (b->heap[best].bound_ps >= last.bound_ps)
            break;
        b->heap[i] = b->heap[best];
        i = best;
    }
    b->heap[i] = last;
}

int64_t linux_bounds_least(struct linux_bounds *b, int64_t now_ps)
{
    while (b->n > 0 && b->heap[0].time_ps <= now_ps)
        bounds_pop(b);
    return b->n > 0 ? b->heap[0].bound_ps : INT64_MAX;
}

void linux_bounds_fini(struct linux_bounds *b)
{
    free(b->heap);
    *b = (struct linux_bounds){0};
}
