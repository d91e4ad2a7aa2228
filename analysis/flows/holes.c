/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/holes.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_MAX (ANALYSIS_HOLES_MAX + ANALYSIS_HOLES_MAX / 4) /* full of holes, an eighth of it is still free */

void analysis_holes_fini(struct analysis_holes *h)
{
    free(h->room);
    *h = (struct analysis_holes){0};
}

/* Moves the shorter side: recovery fills the lowest holes first, of a thousand maybe. */
static void remove_at(struct analysis_holes *h, uint32_t at)
{
    h->n--;
    if (at <= h->n / 2) {
        memmove(h->hole + 1, h->hole, at * sizeof *h->hole);
        h->hole++;
    } else {
        memmove(&h->hole[at], &h->hole[at + 1], (h->n - at) * sizeof *h->hole);
    }
}

/* Room for one more behind the last hole. Moving them all down is worth it while it frees an eighth or more. */
static void make_room(struct analysis_holes *h)
{
    uint32_t gap = h->room ? (uint32_t)(h->hole - h->room) : 0;
    if (gap + h->n < h->capacity)
        return;
    if (gap > h->capacity / 8) {
        memmove(h->room, h->hole, h->n * sizeof *h->hole);
        h->hole = h->room;
        return;
    }
    uint32_t capacity = h->capacity ? 2 * h->capacity : 4;
    if (capacity > CAPACITY_MAX)
        capacity = CAPACITY_MAX;
    h->room = memory_resized(h->room, capacity, sizeof *h->room, "the gaps of a flow");
    h->hole = h->room + gap;
    h->capacity = capacity;
}

/* Index of the first hole that ends beyond `start`. */
static uint32_t find(const struct analysis_holes *h, int64_t start)
{
    uint32_t low = 0, high = h->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (h->hole[middle].end <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void analysis_holes_open(struct analysis_holes *h, const struct analysis_hole *hole)
{
    if (h->n == ANALYSIS_HOLES_MAX) {
        h->given_up_bytes += h->hole[0].end - h->hole[0].start;
        remove_at(h, 0);
    }
    make_room(h);
    uint32_t at = find(h, hole->start);
    memmove(&h->hole[at + 1], &h->hole[at], (h->n - at) * sizeof *h->hole);
    h->hole[at] = *hole;
    h->n++;
}

int64_t analysis_holes_fill(struct analysis_holes *h, int64_t start, int64_t end, struct analysis_hole *first)
{
    int64_t filled = 0;
    uint32_t at = find(h, start);
    while (at < h->n && h->hole[at].start < end) {
        struct analysis_hole *hole = &h->hole[at];
        if (filled == 0)
            *first = *hole;
        int64_t from = hole->start > start ? hole->start : start;
        int64_t to = hole->end < end ? hole->end : end;
        filled += to - from;
        if (from > hole->start && to < hole->end) { /* split: the lower part stays, the upper part is new */
            struct analysis_hole upper = *hole;
            upper.start = to;
            hole->end = from;
            analysis_holes_open(h, &upper);
            return filled;
        }
        if (from == hole->start && to == hole->end) {
            remove_at(h, at);
            continue;
        }
        if (from == hole->start)
            hole->start = to;
        else
            hole->end = from;
        at++;
    }
    return filled;
}

bool analysis_holes_any(const struct analysis_holes *h, int64_t start, int64_t end)
{
    uint32_t at = find(h, start);
    return at < h->n && h->hole[at].start < end;
}

int64_t analysis_holes_bytes(const struct analysis_holes *h)
{
    int64_t bytes = h->given_up_bytes;
    for (uint32_t i = 0; i < h->n; i++)
        bytes += h->hole[i].end - h->hole[i].start;
    return bytes;
}
