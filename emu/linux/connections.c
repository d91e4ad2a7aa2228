/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/connections.h"

#include "base/order.h"

#include <search.h>

struct direction {
    uint64_t key;
    int64_t flow;           /* -1: no data yet */
    uint32_t first;         /* sequence number of the first byte */
    uint32_t sent, arrived; /* after the highest byte that was sent; that is in order at the other end */
    uint32_t end;           /* after the last byte, once there is one */
    bool begun, ended, reset;
};

static ORDER_OF(direction_compare, struct direction, ORDER(key))

static uint64_t direction_key(int source, int sink, uint32_t from_port, uint32_t to_port)
{
    return (uint64_t)source << 48 | (uint64_t)sink << 32 | (uint64_t)from_port << 16 | to_port;
}

static struct direction *direction_find(const struct linux_connections *c, uint64_t key)
{
    const struct direction wanted = {.key = key};
    void *found = tfind(&wanted, &c->tree, direction_compare);
    return found ? *(struct direction **)found : NULL;
}

static struct direction *direction_get(struct linux_connections *c, uint64_t key)
{
    struct direction *d = direction_find(c, key);
    if (d)
        return d;
    d = memory_zeroed(1, sizeof *d, "a connection");
    *d = (struct direction){.key = key, .flow = -1};
    if (!tsearch(d, &c->tree, direction_compare))
        memory_end("a connection");
    return d;
}

/* The other end has everything in order up to a sequence number. */
static void direction_reach(struct linux_connections *c, struct direction *d, uint32_t to, int64_t now_ps)
{
    if (d->ended && (int32_t)(to - d->end) > 0)
        to = d->end; /* a FIN has a number, too */
    int32_t more = (int32_t)(to - d->arrived);
    if (d->flow < 0)
        return;
    struct linux_connections_flow *f = &c->flows[d->flow];
    if (more > 0) {
        d->arrived = to;
        f->stats.delivered_bytes += more;
        f->stats.last_delivery_ps = now_ps;
    }
    f->arrived = d->arrived == d->sent;
    f->stats.done = (d->ended && d->arrived == d->end) || (d->reset && f->arrived);
}

/* Nothing comes any more in this direction. */
static void direction_reset(struct linux_connections *c, struct direction *d, int64_t now_ps)
{
    if (!d || !d->begun)
        return;
    d->reset = true;
    direction_reach(c, d, d->arrived, now_ps);
}

static void direction_begin(struct direction *d, uint32_t first)
{
    *d = (struct direction){.key = d->key, .flow = -1, .first = first, .sent = first, .arrived = first, .begun = true};
}

/* A SYN, sent for the first time, begins anew: ports may come again. The first of them has no ACK. */
static void direction_syn(struct direction *d, struct direction *back, const struct linux_packet *p)
{
    if (d->begun && d->first == p->sequence + 1)
        return;
    direction_begin(d, p->sequence + 1);
    if (back && !p->acknowledges)
        *back = (struct direction){.key = back->key, .flow = -1};
}

static void direction_data(struct linux_connections *c, struct direction *d, const struct linux_packet *p, int64_t now_ps)
{
    struct emu_flow_stats *stats = &c->flows[d->flow].stats;
    const uint32_t before = d->sent;
    if (stats->first_data_ps < 0)
        stats->first_data_ps = now_ps;
    linux_packet_count(p, &d->sent, stats);
    if (d->sent != before)
        c->flows[d->flow].arrived = false;
}

void linux_connections_sent(struct linux_connections *c, struct linux_packet *p, int source, int sink, int64_t now_ps,
                            void (*found)(void *user, const struct emu_flow_found *flow), void *user)
{
    p->flow = EMU_FRAME_NO_FLOW;
    if (!p->tcp)
        return;
    struct direction *d = direction_get(c, direction_key(source, sink, p->from_port, p->to_port));
    struct direction *back = direction_find(c, direction_key(sink, source, p->to_port, p->from_port));
    if (p->syn)
        direction_syn(d, back, p);
    if (p->data_bytes > 0 && d->flow < 0) {
        if (!d->begun)
            direction_begin(d, p->sequence);
        c->flows = memory_grown(c->flows, c->n_flows, &c->capacity, 16, sizeof *c->flows, "flows");
        c->flows[c->n_flows] = (struct linux_connections_flow){
            .stats = {.first_data_ps = -1, .last_delivery_ps = -1, .connected = true}};
        d->flow = (int64_t)c->n_flows++;
        found(user, &(struct emu_flow_found){source, sink, p->from_port, p->to_port});
    }
    if (p->data_bytes > 0)
        direction_data(c, d, p, now_ps);
    if (p->fin) {
        d->ended = true;
        d->end = p->sequence + p->data_bytes;
    }
    if (p->acknowledges && back && back->begun)
        direction_reach(c, back, p->acknowledgement, now_ps);
    if (p->rst) {
        direction_reset(c, d, now_ps);
        direction_reset(c, back, now_ps);
    }
    if (p->data_bytes > 0 || (p->fin && d->flow >= 0))
        p->flow = 2 * (uint32_t)d->flow;
    else if (back && back->flow >= 0)
        p->flow = 2 * (uint32_t)back->flow + 1;
}

void linux_connections_arrived(struct linux_connections *c, const struct linux_packet *p, int source, int sink,
                               int64_t now_ps)
{
    struct direction *d =
        p->data_bytes > 0 ? direction_find(c, direction_key(source, sink, p->from_port, p->to_port)) : NULL;
    if (d && d->begun && (int32_t)(d->arrived - p->sequence) >= 0)
        direction_reach(c, d, p->sequence + p->data_bytes, now_ps);
}

struct emu_flow_stats linux_connections_stats(const struct linux_connections *c, int flow, bool over)
{
    struct emu_flow_stats stats = c->flows[flow].stats;
    stats.done = stats.done || (over && c->flows[flow].arrived);
    return stats;
}

void linux_connections_fini(struct linux_connections *c)
{
    while (c->tree) {
        MEMORY_LOCAL struct direction *d = *(struct direction **)c->tree;
        tdelete(d, &c->tree, direction_compare);
    }
    free(c->flows);
    *c = (struct linux_connections){0};
}
