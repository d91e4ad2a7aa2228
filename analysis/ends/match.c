/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/ends/match.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 1024
#define NOBODY UINT32_MAX

struct entry {
    struct analysis_waiting packet;
    uint32_t next; /* of the same bucket, or the next free one */
    uint32_t older, newer; /* of the same file, as they came */
};

struct analysis_match {
    struct entry *entry;
    uint32_t *bucket; /* as many as entries */
    uint32_t room, used, free; /* a power of two; entries ever touched; head of those given back */
    uint32_t oldest[2], newest[2]; /* of each file */
    struct hash_key secret;
};

uint64_t analysis_match_identity(const struct capture_segment *s)
{
    uint64_t h = hash_mix(hash_mix(0, (uint64_t)s->src_port << 16 | s->dst_port), (uint64_t)s->seq << 32 | s->ack);
    h = capture_address_hash(h, &s->src, &s->dst);
    uint64_t flags = s->flags & (CAPTURE_TCP_SYN | CAPTURE_TCP_FIN | CAPTURE_TCP_RST);
    h = hash_mix(h, (uint64_t)s->ip_id << 32 | (uint64_t)s->window << 16 | flags << 8 | (s->payload_bytes > 0));
    if (s->has_timestamps)
        h = hash_mix(h, (uint64_t)s->tsval << 32 | s->tsecr);
    for (int i = 0; i < s->n_sack; i++)
        h = hash_mix(h, (uint64_t)s->sack[i].start << 32 | s->sack[i].end);
    return hash_mix(h, 0);
}

/* The one on top sinks to where it belongs. */
static void sample_sink(struct analysis_sample *sample)
{
    struct analysis_sampled *p = sample->packet, top = p[0];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < sample->n) {
        child += child + 1 < sample->n && p[child + 1].identity > p[child].identity;
        if (p[child].identity <= top.identity)
            break;
        p[at] = p[child];
        at = child;
    }
    p[at] = top;
}

void analysis_sample_add(struct analysis_sample *sample, uint64_t identity, int64_t time_ns)
{
    struct analysis_sampled *p = sample->packet;
    if (sample->n == ANALYSIS_SAMPLE) {
        if (identity >= p[0].identity)
            return;
        p[0] = (struct analysis_sampled){identity, time_ns};
        sample_sink(sample);
        return;
    }
    size_t at = sample->n++;
    for (; at > 0 && p[(at - 1) / 2].identity < identity; at = (at - 1) / 2)
        p[at] = p[(at - 1) / 2];
    p[at] = (struct analysis_sampled){identity, time_ns};
}

static int by_identity(const void *a, const void *b)
{
    const struct analysis_sampled *x = a, *y = b;
    if (x->identity != y->identity)
        return x->identity < y->identity ? -1 : 1;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

bool analysis_sample_offset(struct analysis_sample *a, struct analysis_sample *b, int64_t *offset_ns)
{
    int64_t apart[ANALYSIS_SAMPLE];
    size_t n = 0;
    qsort(a->packet, a->n, sizeof *a->packet, by_identity);
    qsort(b->packet, b->n, sizeof *b->packet, by_identity);
    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        uint64_t x = a->packet[i].identity, y = b->packet[k].identity;
        if (x == y)
            apart[n++] = b->packet[k].time_ns - a->packet[i].time_ns;
        i += x <= y;
        k += y <= x;
    }
    if (n == 0)
        return false;
    qsort(apart, n, sizeof *apart, by_value);
    *offset_ns = apart[n / 2];
    return true;
}

/* Identities are chosen by who made the packets. */
static uint32_t *match_bucket(struct analysis_match *m, uint64_t identity)
{
    struct hash_keyed h = hash_begin(&m->secret);
    hash_add(&h, identity);
    return &m->bucket[hash_end(&h) & (m->room - 1)];
}

static void match_grow(struct analysis_match *m)
{
    uint32_t room = m->room ? 2 * m->room : FIRST_ROOM;
    m->entry = memory_resized(m->entry, room, sizeof *m->entry, "packets in flight");
    m->bucket = memory_resized(m->bucket, room, sizeof *m->bucket, "packets in flight");
    m->room = room;
    for (uint32_t i = 0; i < room; i++)
        m->bucket[i] = NOBODY;
    for (uint32_t i = 0; i < m->used; i++) { /* full: all are taken */
        uint32_t *head = match_bucket(m, m->entry[i].packet.identity);
        m->entry[i].next = *head;
        *head = i;
    }
}

struct analysis_match *analysis_match_new(void)
{
    struct analysis_match *m = memory_zeroed(1, sizeof *m, "packets in flight");
    m->secret = hash_secret();
    m->free = NOBODY;
    for (int i = 0; i < 2; i++)
        m->oldest[i] = m->newest[i] = NOBODY;
    match_grow(m);
    return m;
}

void analysis_match_free(struct analysis_match *m)
{
    if (!m)
        return;
    MEMORY_FREE(m->entry, m->bucket, m);
}

/* The link that leads to a packet of this identity, or to nobody. */
static uint32_t *match_find(struct analysis_match *m, uint64_t identity)
{
    uint32_t *link = match_bucket(m, identity);
    while (*link != NOBODY && m->entry[*link].packet.identity != identity)
        link = &m->entry[*link].next;
    return link;
}

static void match_take(struct analysis_match *m, uint32_t *link)
{
    uint32_t i = *link;
    struct entry *e = &m->entry[i];
    *(e->older == NOBODY ? &m->oldest[e->packet.file] : &m->entry[e->older].newer) = e->newer;
    *(e->newer == NOBODY ? &m->newest[e->packet.file] : &m->entry[e->newer].older) = e->older;
    *link = e->next;
    e->next = m->free;
    m->free = i;
}

enum analysis_met analysis_match_add(struct analysis_match *m, const struct analysis_waiting *packet,
                                     int64_t *other_ns)
{
    uint32_t *link = match_find(m, packet->identity);
    if (*link != NOBODY) {
        const struct analysis_waiting *found = &m->entry[*link].packet;
        if (found->file == packet->file)
            return ANALYSIS_MET_COPY;
        *other_ns = found->time_ns;
        match_take(m, link);
        return ANALYSIS_MET_OTHER;
    }
    uint32_t i = m->free;
    if (i != NOBODY) {
        m->free = m->entry[i].next;
    } else {
        if (m->used == m->room) {
            match_grow(m);
            link = match_find(m, packet->identity);
        }
        i = m->used++;
    }
    uint32_t *newest = &m->newest[packet->file];
    m->entry[i] = (struct entry){.packet = *packet, .next = NOBODY, .older = *newest, .newer = NOBODY};
    *(*newest == NOBODY ? &m->oldest[packet->file] : &m->entry[*newest].newer) = i;
    *newest = i;
    *link = i;
    return ANALYSIS_MET_NONE;
}

void analysis_match_expire(struct analysis_match *m, int file, int64_t before_ns, analysis_match_lost *lost,
                           void *user)
{
    uint32_t i;
    while ((i = m->oldest[file]) != NOBODY && m->entry[i].packet.time_ns < before_ns) {
        struct analysis_waiting packet = m->entry[i].packet;
        lost(user, &packet);
        match_take(m, match_find(m, packet.identity));
    }
}

size_t analysis_match_room(const struct analysis_match *m)
{
    return m->room;
}
