/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/datagrams.h"

#include "base/memory.h"

#include <stdlib.h>

#define PLACES 2048 /* four times as many as flows; a power of two */

struct analysis_datagrams {
    struct analysis_datagrams_flow flow[ANALYSIS_DATAGRAMS_FLOWS];
    size_t n;
    uint16_t place[PLACES]; /* 1 + index, where the hash of its ends leads or next to that; 0: none */
};

struct analysis_datagrams *analysis_datagrams_new(void)
{
    return memory_zeroed(1, sizeof(struct analysis_datagrams), "flows of UDP");
}

void analysis_datagrams_free(struct analysis_datagrams *d)
{
    free(d);
}

static bool datagrams_same(const struct analysis_datagrams_flow *f, const struct capture_segment *s)
{
    return f->src_port == s->src_port && f->dst_port == s->dst_port && f->tag == s->tag &&
           capture_address_same(&f->src, &s->src) && capture_address_same(&f->dst, &s->dst);
}

static size_t datagrams_place(const struct analysis_datagrams *d, const struct capture_segment *s)
{
    uint64_t h = hash_mix(s->tag, (uint64_t)s->src_port << 16 | s->dst_port);
    size_t at = (size_t)(capture_address_hash(h, &s->src, &s->dst) >> 32) & (PLACES - 1);
    while (d->place[at] && !datagrams_same(&d->flow[d->place[at] - 1], s))
        at = (at + 1) & (PLACES - 1);
    return at;
}

/* NULL: beyond the first. */
static struct analysis_datagrams_flow *datagrams_flow(struct analysis_datagrams *d, const struct capture_segment *s,
                                                      int64_t time_ns)
{
    uint16_t *place = &d->place[datagrams_place(d, s)];
    if (*place)
        return &d->flow[*place - 1];
    if (d->n == ANALYSIS_DATAGRAMS_FLOWS)
        return NULL;
    d->flow[d->n] = (struct analysis_datagrams_flow){.src = s->src, .dst = s->dst, .src_port = s->src_port,
                                                     .dst_port = s->dst_port, .tag = s->tag, .first_ns = time_ns,
                                                     .last_ns = time_ns};
    *place = (uint16_t)++d->n;
    return &d->flow[d->n - 1];
}

/* The other direction of a connection is QUIC, too. */
static void datagrams_quic(struct analysis_datagrams *d, struct analysis_datagrams_flow *f, const struct capture_segment *s)
{
    struct capture_segment back = *s;
    back.src = s->dst;
    back.dst = s->src;
    back.src_port = s->dst_port;
    back.dst_port = s->src_port;
    uint16_t place = d->place[datagrams_place(d, &back)];
    f->quic = f->quic || s->datagram == CAPTURE_DATAGRAM_QUIC || (f->packets == 0 && place && d->flow[place - 1].quic);
    if (f->quic && place)
        d->flow[place - 1].quic = true;
}

void analysis_datagrams_add(struct analysis_datagrams *d, const struct capture_segment *s, uint32_t bytes, int64_t time_ns)
{
    struct analysis_datagrams_flow *f = datagrams_flow(d, s, time_ns);
    if (!f)
        return;
    if (s->datagram == CAPTURE_DATAGRAM_QUIC || f->packets == 0)
        datagrams_quic(d, f, s);
    double mean_ns = f->packets > 1 ? (double)(f->last_ns - f->first_ns) / (double)(f->packets - 1) : 0;
    f->runs += f->packets == 0 || (double)(time_ns - f->last_ns) > mean_ns;
    f->last_ns = time_ns > f->last_ns ? time_ns : f->last_ns;
    f->bytes += bytes;
    f->packets++;
}

const struct analysis_datagrams_flow *analysis_datagrams_all(const struct analysis_datagrams *d, size_t *n)
{
    *n = d ? d->n : 0;
    return d ? d->flow : NULL;
}
