/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts that pay for packets with processor time, and the wire format of Go-Back-N. */
#include "emu/network/gbn_internal.h"

#include "base/memory.h"
#include "emu/headers.h"

#include <assert.h>

#define NUMBER_BITS 20
#define NUMBER_MASK ((1U << NUMBER_BITS) - 1)
#define CONTROL_BYTES EMU_GBN_HEADER_BYTES

static_assert(EMU_GBN_SEQUENCE_BITS <= NUMBER_BITS && EMU_GBN_FLOWS <= 1 << NUMBER_BITS, "a handle has 63 bits");

struct emu_frame gbn_frame(const struct emu_gbn *g, int from, int to, const struct gbn_packet *p)
{
    uint64_t content = (uint64_t)p->kind << 3 * NUMBER_BITS | (uint64_t)(uint32_t)p->flow << 2 * NUMBER_BITS |
                       (uint64_t)p->seq << NUMBER_BITS | p->ack;
    bool control = p->kind == GBN_PACK || p->kind == GBN_NACK;
    return (struct emu_frame){
        .packet = emu_frame_tag(content),
        .dst = (uint32_t)to,
        .src = (uint32_t)from,
        .payload_bytes = (uint16_t)(control ? CONTROL_BYTES : EMU_GBN_HEADER_BYTES + g->config.packet_bytes),
        .ethertype = EMU_GBN_ETHERTYPE,
        .pure_ack = control,
    };
}

static struct gbn_packet gbn_packet(const struct emu_frame *frame)
{
    uint64_t content = emu_frame_tag_content(frame->packet);
    return (struct gbn_packet){
        .kind = (enum gbn_kind)(content >> 3 * NUMBER_BITS & 3),
        .flow = (int)(content >> 2 * NUMBER_BITS & NUMBER_MASK),
        .seq = (uint32_t)(content >> NUMBER_BITS & NUMBER_MASK),
        .ack = (uint32_t)(content & NUMBER_MASK),
    };
}

size_t emu_gbn_bytes(const struct emu_frame *frame, uint8_t *out, size_t limit)
{
    struct gbn_packet p = gbn_packet(frame);
    uint64_t fields = (uint64_t)p.kind << 62 | (uint64_t)(uint32_t)p.flow << 40 | (uint64_t)p.seq << 20 | p.ack;
    uint8_t head[EMU_FRAME_HEADER_BYTES + EMU_GBN_HEADER_BYTES];
    uint8_t *at = emu_headers_put_ethernet(head, frame->src, frame->dst, frame->ethertype);
    emu_headers_put(at, fields, EMU_GBN_HEADER_BYTES);
    return emu_headers_put_out(head, sizeof head, EMU_FRAME_HEADER_BYTES + (size_t)frame->payload_bytes, out, limit);
}

static int64_t host_preempt_after(struct gbn_host *h, int64_t now_ps)
{
    int64_t every_ps = h->g->config.preempt_every_ps;
    return every_ps > 0 ? now_ps + (int64_t)(-log(1 - random_share(&h->random)) * (double)every_ps) : INT64_MAX;
}

static void host_gap_over(void *arg);

/* The NIC starts the next packet of its ring. */
static void host_start(struct gbn_host *h)
{
    struct emu_gbn *g = h->g;
    struct emu_frame frame;
    if (h->gap || !emu_ring_pop(&h->ring, &frame))
        return;
    int64_t rate_bps = g->carrier.rate_bps(g->carrier.user, h->index, (int)frame.dst);
    int64_t wire_ps = (emu_frame_wire_bytes(&frame) * INT64_C(8000000000000) + rate_bps / 2) / rate_bps;
    int64_t gap_ps = frame.pure_ack ? 0 : g->config.send_gap_ps;
    h->gap = true;
    emu_clock_schedule(&g->clock, gap_ps > wire_ps ? gap_ps : wire_ps, host_gap_over, h);
    g->carrier.transmit(g->carrier.user, h->index, &frame);
}

static void host_gap_over(void *arg)
{
    struct gbn_host *h = arg;
    h->gap = false;
    host_start(h);
    gbn_host_work(h);
}

static void host_submit(struct gbn_host *h, const struct emu_frame *frame)
{
    emu_ring_push(&h->ring, frame, 0);
    host_start(h);
}

static void host_handle(struct emu_gbn *g, const struct emu_frame *frame)
{
    struct gbn_packet p = gbn_packet(frame);
    struct gbn_flow *f = g->flows[p.flow];
    if (p.kind == GBN_PACK)
        gbn_flow_pack(f, p.seq);
    else if (p.kind == GBN_NACK)
        gbn_flow_nack(f, p.seq);
    else
        gbn_flow_data(f, p.seq);
    if (p.kind == GBN_DATA_PACK)
        gbn_flow_pack(g->flows[f->back], p.ack);
}

/* The processor has done what it was at. */
static void host_done(void *arg)
{
    struct gbn_host *h = arg;
    struct emu_gbn *g = h->g;
    struct emu_frame frame;
    if (h->receiving) {
        emu_ring_pop(&h->received, &frame);
        host_handle(g, &frame);
    } else if (h->sending < 0) {
        emu_ring_pop(&h->control, &frame);
        host_submit(h, &frame);
    } else {
        struct gbn_flow *f = g->flows[h->sending];
        /* What was to be repeated may have been acknowledged meanwhile: the time is spent all the same. */
        if (!h->repeating || f->n_due > 0) {
            struct gbn_packet p = gbn_flow_submit(f, h->repeating);
            frame = gbn_frame(g, f->from, f->to, &p);
            host_submit(h, &frame);
        }
    }
    h->working = false;
    gbn_host_work(h);
}

/* The next of its flows with something to repeat. */
static int host_due(struct gbn_host *h)
{
    for (int i = 0; i < h->n_flows; i++) {
        int at = (h->turn + i) % h->n_flows;
        if (h->g->flows[h->flows[at]]->n_due > 0) {
            h->turn = (at + 1) % h->n_flows;
            return h->flows[at];
        }
    }
    return -1;
}

void gbn_host_work(struct gbn_host *h)
{
    struct emu_gbn *g = h->g;
    if (h->working)
        return;
    h->receiving = h->received.count > 0;
    int64_t cost_ps = g->config.receive_overhead_ps + g->config.user_overhead_ps;
    if (!h->receiving) {
        cost_ps = g->config.send_overhead_ps;
        h->sending = -1;
        h->repeating = false;
        if ((int64_t)h->ring.count >= g->config.ring_packets)
            return;
        if (h->control.count == 0) {
            h->repeating = h->n_due > 0;
            h->sending = h->repeating ? host_due(h) : g->program.next(g->program.user, h->index);
            if (h->sending < 0)
                return;
        }
    }
    h->working = true;
    int64_t now_ps = emu_clock_now(&g->clock);
    /* time_ps * (1 -+ jitter). */
    double jitter = h->g->config.jitter;
    cost_ps = jitter > 0 ? (int64_t)((double)cost_ps * (1 + jitter * (2 * random_share(&h->random) - 1))) : cost_ps;
    if (now_ps >= h->preempt_ps) {
        cost_ps += g->config.preempt_ps;
        h->preempt_ps = host_preempt_after(h, now_ps);
    }
    emu_clock_schedule(&g->clock, cost_ps, host_done, h);
}

struct emu_gbn *emu_gbn_new(const struct emu_gbn_config *config, int hosts, const struct emu_clock *clock,
                            const struct emu_gbn_carrier *carrier, const struct emu_gbn_program *program)
{
    struct emu_gbn *g = memory_zeroed(1, sizeof *g, "hosts");
    *g = (struct emu_gbn){.config = *config, .clock = *clock, .carrier = *carrier, .program = *program,
                          .hosts = memory_zeroed((size_t)hosts, sizeof *g->hosts, "hosts"), .n_hosts = hosts};
    for (int i = 0; i < hosts; i++) {
        g->hosts[i].g = g;
        g->hosts[i].index = i;
        g->hosts[i].random = random_of(config->seed + (uint64_t)i);
        g->hosts[i].preempt_ps = host_preempt_after(&g->hosts[i], 0);
    }
    return g;
}

void emu_gbn_free(struct emu_gbn *g)
{
    for (int i = 0; g && i < g->n_hosts; i++) {
        emu_ring_fini(&g->hosts[i].received, NULL);
        emu_ring_fini(&g->hosts[i].control, NULL);
        emu_ring_fini(&g->hosts[i].ring, NULL);
        free(g->hosts[i].flows);
    }
    for (int i = 0; g && i < g->n_flows; i++) {
        gbn_flow_fini(g->flows[i]);
        free(g->flows[i]);
    }
    if (g)
        MEMORY_FREE(g->hosts, g->flows);
    free(g);
}

int emu_gbn_add_flow(struct emu_gbn *g, int from, int to)
{
    struct gbn_host *h = &g->hosts[from];
    int index = g->n_flows++;
    struct gbn_flow *f = memory_zeroed(1, sizeof *f, "hosts");
    assert(g->n_flows <= EMU_GBN_FLOWS); /* callers check */
    g->flows = memory_resized(g->flows, (size_t)g->n_flows, sizeof(struct gbn_flow *), "flows");
    g->flows[index] = f;
    h->flows = memory_resized(h->flows, (size_t)h->n_flows + 1, sizeof *h->flows, "flows");
    h->flows[h->n_flows++] = index;
    gbn_flow_init(f, g, index, from, to);
    struct gbn_host *peer = &g->hosts[to];
    for (int i = 0; i < peer->n_flows; i++) {
        struct gbn_flow *back = g->flows[peer->flows[i]];
        if (back->to == from && back->back < 0 && f->back < 0) {
            f->back = back->index;
            back->back = index;
        }
    }
    return index;
}

void emu_gbn_write(struct emu_gbn *g, int flow, int64_t packets)
{
    g->flows[flow]->written = packets == EMU_QUEUE_UNLIMITED ? packets : g->flows[flow]->written + packets;
}

bool emu_gbn_ready(const struct emu_gbn *g, int flow)
{
    const struct gbn_flow *f = g->flows[flow];
    return !f->stalled && f->next < f->written && f->next - f->base < g->config.window_packets;
}

void emu_gbn_wake(struct emu_gbn *g, int host)
{
    gbn_host_work(&g->hosts[host]);
}

void emu_gbn_deliver(struct emu_gbn *g, int host, const struct emu_frame *frame)
{
    if (frame->dst != (uint32_t)host || frame->ethertype != EMU_GBN_ETHERTYPE)
        return; /* flooded, or no packet of ours; the handle needs no release */
    emu_ring_push(&g->hosts[host].received, frame, 0);
    gbn_host_work(&g->hosts[host]);
}

struct emu_gbn_stats emu_gbn_flow_stats(const struct emu_gbn *g, int flow)
{
    return g->flows[flow]->stats;
}
