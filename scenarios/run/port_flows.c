/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/port_flows.h"

#include "base/units.h"

#define SLOTS (4 * PORT_FLOWS)

void port_flows_fini(struct port_flows *f)
{
    for (size_t i = 0; i < sizeof f->flow / sizeof *f->flow; i++)
        MEMORY_FREE(f->flow[i].data.waits, f->flow[i].ack.waits);
    free(f->all.waits);
}

uint32_t port_flows_hash(const struct capture_segment *s)
{
    uint64_t h = hash_mix(s->tag, (uint64_t)s->src_port << 16 | s->dst_port);
    return (uint32_t)capture_address_hash(h, &s->src, &s->dst);
}

static size_t flows_index(struct port_flows *f, const struct capture_segment *s)
{
    const struct hash_key secret = hash_secret();
    struct hash_keyed h = hash_begin(&secret);
    hash_add(&h, (uint64_t)s->tag << 32 | (uint32_t)s->src_port << 16 | s->dst_port);
    capture_address_hash_add(&h, &s->src, &s->dst);
    size_t i = hash_end(&h) & (SLOTS - 1);
    for (; f->slot[i]; i = (i + 1) & (SLOTS - 1)) {
        const struct port_flow *flow = &f->flow[f->slot[i] - 1];
        if (flow->src_port == s->src_port && flow->dst_port == s->dst_port && flow->tag == s->tag &&
            capture_address_same(&flow->src, &s->src) && capture_address_same(&flow->dst, &s->dst))
            return f->slot[i] - 1u;
    }
    if (f->n == PORT_FLOWS)
        return PORT_FLOWS_REST;
    struct port_flow *flow = &f->flow[f->n++];
    flow->src = s->src;
    flow->dst = s->dst;
    flow->src_port = s->src_port;
    flow->dst_port = s->dst_port;
    flow->tag = s->tag;
    f->slot[i] = (uint16_t)f->n;
    return f->n - 1;
}

static void flows_learn(struct port_flows *f, size_t i, uint16_t mss)
{
    if (i != PORT_FLOWS_REST && (f->flow[i].mss == 0 || mss < f->flow[i].mss))
        f->flow[i].mss = mss;
}

size_t port_flows_find(struct port_flows *f, const struct capture_segment *s)
{
    size_t i = flows_index(f, s);
    if ((s->flags & CAPTURE_TCP_SYN) && s->has_mss && s->mss > 0) {
        struct capture_segment back = *s;
        back.src = s->dst;
        back.dst = s->src;
        back.src_port = s->dst_port;
        back.dst_port = s->src_port;
        flows_learn(f, i, s->mss);
        flows_learn(f, flows_index(f, &back), s->mss);
    }
    return i;
}

void port_flows_waited(struct port_flows_count *c, int64_t wait_ps)
{
    if (!c->waits)
        c->waits = memory_zeroed(1, sizeof *c->waits, "waiting times");
    c->wait_sum_ps += (double)wait_ps;
    pace_errors_add(c->waits, wait_ps);
}

double port_flows_mean_wait_s(const struct port_flows_count *c)
{
    return c->waits ? c->wait_sum_ps / (double)c->waits->n / (double)UNITS_PS_PER_S : NAN;
}

double port_flows_p99_wait_s(const struct port_flows_count *c)
{
    return c->waits ? (double)pace_errors_quantile(c->waits, 0.99) / (double)UNITS_PS_PER_S : NAN;
}

double port_flows_max_wait_s(const struct port_flows_count *c)
{
    return c->waits ? (double)c->waits->max_ns / (double)UNITS_PS_PER_S : NAN;
}
