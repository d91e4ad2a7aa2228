/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/gro.h"

#include "base/memory.h"

#define POLL_FRAMES 64 /* NAPI_POLL_WEIGHT */
#define MOST_OPEN 8    /* MAX_GRO_SKBS; a driver that computes no hash has one list of them */
#define MOST_BYTES 65536 /* of a packet with its headers it has fewer (gro_max_size), */
#define HEADERS 52     /* IPv4 20, TCP 20, time stamps 12 */

/* Data that may yet grow, the oldest first, and what TCP gets. */
struct gro_poll {
    struct native_segment *open[MOST_OPEN];
    uint32_t bytes[MOST_OPEN]; /* of the first segment of each, which none after it exceeds */
    size_t n_open, n_out;
    struct native_segment **out; /* borrowed: what is merged needs no more room than what came */
};

static void gro_complete(struct gro_poll *p, size_t i)
{
    p->out[p->n_out++] = p->open[i];
    p->n_open--;
    for (; i < p->n_open; i++) {
        p->open[i] = p->open[i + 1];
        p->bytes[i] = p->bytes[i + 1];
    }
}

static bool gro_ends(const struct native_segment *s)
{
    return s->payload_bytes == 0 || s->flags & (NATIVE_PUSH | NATIVE_FIN | NATIVE_SYN);
}

static bool gro_continues(const struct native_segment *s, const struct native_segment *before, uint32_t bytes)
{
    const uint8_t ignored = NATIVE_PUSH | NATIVE_FIN;
    return s->payload_bytes > 0 && s->payload_bytes <= bytes && s->n_sack == 0 && s->seq == before->seq + before->payload_bytes &&
           s->ack == before->ack && s->window == before->window && s->ecn == before->ecn &&
           ((s->flags ^ before->flags) & ~ignored) == 0 && !(s->flags & NATIVE_CWR) && s->ts / 1000 == before->ts / 1000 &&
           s->ts_echo / 1000 == before->ts_echo / 1000 && HEADERS + before->payload_bytes + s->payload_bytes < MOST_BYTES;
}

/* dev_gro_receive() */
static void gro_receive(struct gro_poll *p, struct native_segment *s, struct native_pool *plain)
{
    size_t i = 0;
    while (i < p->n_open && p->open[i]->end != s->end)
        i++;
    if (i < p->n_open && gro_continues(s, p->open[i], p->bytes[i])) {
        bool ends = gro_ends(s) || s->payload_bytes < p->bytes[i];
        p->open[i]->payload_bytes = (uint16_t)(p->open[i]->payload_bytes + s->payload_bytes);
        p->open[i]->flags |= s->flags;
        native_pool_give(plain, s);
        if (ends)
            gro_complete(p, i);
        return;
    }
    if (i < p->n_open)
        gro_complete(p, i);
    if (gro_ends(s) || s->n_sack > 0) {
        p->out[p->n_out++] = s;
        return;
    }
    if (p->n_open == MOST_OPEN)
        gro_complete(p, 0);
    p->bytes[p->n_open] = s->payload_bytes;
    p->open[p->n_open++] = s;
}

size_t native_gro_merge(struct native_segment **came, size_t n, struct native_pool *plain)
{
    struct gro_poll p = {.out = came};
    for (size_t i = 0; i < n; i++) {
        gro_receive(&p, came[i], plain);
        while (p.n_open > 0 && (i + 1 == n || (i + 1) % POLL_FRAMES == 0))
            gro_complete(&p, 0);
    }
    return p.n_out;
}

static void gro_interrupt(void *arg)
{
    struct native_gro *g = arg;
    g->deliver(g->user, g);
}

void native_gro_add(struct native_gro *g, struct native_scheduler *s, struct native_segment *segment)
{
    g->came = memory_grown(g->came, g->n, &g->capacity, 64, sizeof *g->came, "frames of an interrupt");
    g->came[g->n++] = segment;
    if (g->n == 1)
        native_scheduler_at(s, s->now_ps + g->within_ps, gro_interrupt, g);
}
