/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/samples.h"

#include "base/memory.h"

#define PURPOSE "the flows of a run"
#define LONGEST 10 /* bytes of 64 bits at seven a byte */
#define MORE 0x80  /* bit of a byte that is not the last */

void samples_init(struct samples *s, size_t flows)
{
    *s = (struct samples){.last = memory_zeroed(flows, sizeof *s->last, PURPOSE)};
}

void samples_fini(struct samples *s)
{
    MEMORY_FREE(s->end, s->packed, s->last);
    *s = (struct samples){.n = 0};
}

static void samples_pack(struct samples *s, uint64_t value)
{
    if (s->packed_room - s->used < LONGEST)
        s->packed = memory_grown(s->packed, s->packed_room, &s->packed_room, 4096, 1, PURPOSE);
    for (; value >= MORE; value >>= 7)
        s->packed[s->used++] = (uint8_t)(value | MORE);
    s->packed[s->used++] = (uint8_t)value;
}

static uint64_t samples_unpack(const struct samples *s, size_t *at)
{
    uint64_t value = 0;
    int shift = 0;
    for (; s->packed[*at] & MORE; shift += 7)
        value |= (uint64_t)(s->packed[(*at)++] & ~MORE) << shift;
    return value | (uint64_t)s->packed[(*at)++] << shift;
}

static void samples_pack_still(struct samples *s)
{
    if (s->still == 0)
        return;
    samples_pack(s, 0);
    samples_pack(s, s->still);
    s->still = 0;
}

void samples_add(struct samples *s, int64_t value)
{
    int64_t grown = value - s->last[s->flows];
    s->last[s->flows++] = value;
    if (grown == 0) {
        s->still++;
        return;
    }
    samples_pack_still(s);
    samples_pack(s, (uint64_t)grown << 1 ^ (uint64_t)(grown >> 63));
}

void samples_end(struct samples *s)
{
    samples_pack_still(s);
    s->flows = 0;
    s->end = memory_grown(s->end, s->n, &s->end_room, 64, sizeof *s->end, PURPOSE);
    s->end[s->n++] = s->used;
}

void samples_reader_init(struct samples_reader *r, const struct samples *s)
{
    *r = (struct samples_reader){s, memory_zeroed(s->n, sizeof *r->place, PURPOSE)};
    for (size_t i = 1; i < s->n; i++)
        r->place[i].at = s->end[i - 1];
}

void samples_reader_fini(struct samples_reader *r)
{
    free(r->place);
    r->place = NULL;
}

static int64_t samples_growth(const struct samples *s, struct samples_place *p, size_t end)
{
    if (p->still == 0 && p->at < end) {
        uint64_t packed = samples_unpack(s, &p->at);
        if (packed > 0)
            return (int64_t)(packed >> 1) ^ -(int64_t)(packed & 1);
        p->still = samples_unpack(s, &p->at);
    }
    p->still -= p->still > 0;
    return 0;
}

void samples_read(struct samples_reader *r, double *values)
{
    const struct samples *s = r->samples;
    int64_t value = 0;
    for (size_t i = 0; i < s->n; i++)
        values[i] = (double)(value += samples_growth(s, &r->place[i], s->end[i]));
}
