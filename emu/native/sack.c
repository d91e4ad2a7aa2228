/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/sack.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define STRETCHES 3    /* RFC 6675: DupThresh */
#define LOST_SEGMENTS 2 /* DupThresh - 1 */

/* The first interval that ends at `offset` or later. */
static int intervals_find(const struct native_intervals *l, uint64_t offset)
{
    int low = 0, high = l->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (l->at[middle].to < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t native_intervals_add(struct native_intervals *l, uint64_t from, uint64_t to)
{
    int first = intervals_find(l, from), last = first; /* [first, last) touch or overlap */
    uint64_t known = 0;
    struct native_interval grown = {from, to};
    for (; last < l->n && l->at[last].from <= to; last++) {
        known += l->at[last].to - l->at[last].from;
        grown.from = l->at[last].from < grown.from ? l->at[last].from : grown.from;
        grown.to = l->at[last].to > grown.to ? l->at[last].to : grown.to;
    }
    uint64_t news = grown.to - grown.from - known;
    if (first == last) {
        l->at = memory_grown(l->at, (size_t)l->n, &l->capacity, 8, sizeof *l->at, "out-of-order data");
        memmove(l->at + first + 1, l->at + first, (size_t)(l->n - first) * sizeof *l->at);
        l->n++;
    } else {
        memmove(l->at + first + 1, l->at + last, (size_t)(l->n - last) * sizeof *l->at);
        l->n -= last - first - 1;
    }
    l->at[first] = grown;
    l->bytes += news;
    return news;
}

void native_intervals_cut(struct native_intervals *l, uint64_t to)
{
    int gone = 0;
    while (gone < l->n && l->at[gone].to <= to) {
        l->bytes -= l->at[gone].to - l->at[gone].from;
        gone++;
    }
    if (gone > 0) {
        l->n -= gone;
        memmove(l->at, l->at + gone, (size_t)l->n * sizeof *l->at);
    }
    if (l->n > 0 && l->at[0].from < to) {
        l->bytes -= to - l->at[0].from;
        l->at[0].from = to;
    }
}

uint64_t native_intervals_within(const struct native_intervals *l, uint64_t from, uint64_t to)
{
    uint64_t bytes = 0;
    for (int i = intervals_find(l, from); i < l->n && l->at[i].from < to; i++) {
        uint64_t a = l->at[i].from > from ? l->at[i].from : from, b = l->at[i].to < to ? l->at[i].to : to;
        bytes += b > a ? b - a : 0;
    }
    return bytes;
}

void native_intervals_fini(struct native_intervals *l)
{
    free(l->at);
    *l = (struct native_intervals){0};
}

void native_reassembly_insert(struct native_reassembly *r, uint64_t from, uint64_t to)
{
    native_intervals_add(&r->held, from, to);
    memmove(r->recent + 1, r->recent, (NATIVE_RECENT - 1) * sizeof *r->recent);
    r->recent[0] = from;
    r->n_recent += r->n_recent < NATIVE_RECENT;
}

uint64_t native_reassembly_advance(struct native_reassembly *r, uint64_t to)
{
    int i = intervals_find(&r->held, to);
    if (i < r->held.n && r->held.at[i].from <= to)
        to = r->held.at[i].to;
    native_intervals_cut(&r->held, to);
    return to;
}

int native_reassembly_blocks(const struct native_reassembly *r, uint64_t (*blocks)[2], int most)
{
    int n = 0;
    /* The latest changes first, then any others from the top: up to `most` different ones. */
    for (int k = 0; k < r->n_recent + r->held.n && n < most; k++) {
        int i = k < r->n_recent ? intervals_find(&r->held, r->recent[k] + 1) : r->held.n - 1 - (k - r->n_recent);
        if (i >= r->held.n || (k < r->n_recent && r->held.at[i].from > r->recent[k]))
            continue; /* has been delivered since */
        bool told = false;
        for (int j = 0; j < n; j++)
            told = told || blocks[j][0] == r->held.at[i].from;
        if (told)
            continue;
        blocks[n][0] = r->held.at[i].from;
        blocks[n][1] = r->held.at[i].to;
        n++;
    }
    return n;
}

uint64_t native_scoreboard_lost_end(const struct native_intervals *sacked, uint64_t una, uint32_t segment_bytes)
{
    uint64_t above = 0;
    for (int i = sacked->n - 1; i >= 0; i--) {
        above += sacked->at[i].to - sacked->at[i].from;
        if (sacked->n - i >= STRETCHES || above > LOST_SEGMENTS * (uint64_t)segment_bytes)
            return sacked->at[i].from > una ? sacked->at[i].from : una;
    }
    return una;
}

bool native_scoreboard_hole(const struct native_intervals *sacked, uint64_t from, uint64_t limit, uint64_t *start,
                            uint64_t *end)
{
    int i = intervals_find(sacked, from);
    while (i < sacked->n && sacked->at[i].from <= from) {
        from = sacked->at[i].to > from ? sacked->at[i].to : from;
        i++;
    }
    if (from >= limit)
        return false;
    *start = from;
    *end = i < sacked->n && sacked->at[i].from < limit ? sacked->at[i].from : limit;
    return true;
}
