/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/port.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#define GAP_BYTES 12 /* inter-frame gap: keeps the transmitter busy after the last bit of a frame */

void emu_port_init(struct emu_port *p, const char *name, const struct emu_clock *clock,
                   const struct emu_frame_ops *ops, const struct emu_queue_config *queue)
{
    *p = (struct emu_port){.clock = *clock, .ops = ops};
    snprintf(p->name, sizeof p->name, "%s", name);
    emu_queue_init(&p->queue, queue);
}

void emu_port_fini(struct emu_port *p)
{
    emu_queue_fini(&p->queue, p->ops);
    emu_frame_ring_fini(&p->wire, p->ops);
}

int64_t emu_port_wire_ps(const struct emu_link_config *link, int64_t bytes)
{
    return (bytes * INT64_C(8000000000000) + link->rate_bps / 2) / link->rate_bps;
}

void emu_port_connect(struct emu_port *a, struct emu_port *b, const struct emu_link_config *link)
{
    a->link = b->link = *link;
    a->far = b;
    b->far = a;
}

static void port_tap(const struct emu_port *p, enum emu_tap_event event, const struct emu_frame *frame)
{
    if (p->tap.saw)
        p->tap.saw(p->tap.user, event, emu_clock_now(&p->clock), frame, &p->queue);
}

/* The oldest frame on p's wire has fully arrived at the far port. */
static void port_arrive(void *arg)
{
    struct emu_port *p = arg;
    struct emu_frame frame;
    bool any = emu_frame_ring_pop(&p->wire, &frame);
    assert(any);
    (void)any;
    p->stats.delivered++;
    port_tap(p->far, EMU_TAP_IN, &frame);
    p->far->receive(p->far->owner, p->far->index, &frame);
}

static void port_transmit_next(void *arg)
{
    struct emu_port *p = arg;
    struct emu_frame frame;
    p->busy = emu_queue_pop(&p->queue, &frame);
    if (!p->busy)
        return;
    int64_t wire_bytes = emu_frame_wire_bytes(&frame);
    p->stats.sent++;
    p->stats.sent_bytes += emu_frame_buffer_bytes(&frame);
    p->stats.sent_wire_bytes += wire_bytes;
    port_tap(p, EMU_TAP_OUT, &frame);
    emu_frame_ring_push(&p->wire, &frame);
    int64_t last_bit_ps = emu_port_wire_ps(&p->link, wire_bytes - GAP_BYTES);
    emu_clock_schedule(&p->clock, last_bit_ps + p->link.delay_ps, port_arrive, p);
    emu_clock_schedule(&p->clock, emu_port_wire_ps(&p->link, wire_bytes), port_transmit_next, p);
}

void emu_port_send(struct emu_port *p, const struct emu_frame *frame)
{
    if (!emu_queue_push(&p->queue, frame)) {
        port_tap(p, EMU_TAP_DROP, frame);
        p->ops->release(frame->packet);
        return;
    }
    if (!p->busy)
        port_transmit_next(p);
}

bool emu_port_audit(const struct emu_port *p, struct error *err)
{
    const struct emu_queue_stats *q = &p->queue.stats;
    if (q->enqueued == q->dequeued + p->queue.depth_packets &&
        q->enqueued_bytes == q->dequeued_bytes + p->queue.depth_bytes && q->dequeued == p->stats.sent &&
        p->stats.sent == p->stats.delivered + (int64_t)p->wire.count)
        return true;
    return error_set(err, ERROR_SYSTEM,
                     "port %s does not conserve frames: enqueued %" PRId64 ", dequeued %" PRId64 ", queued %" PRId64
                     ", sent %" PRId64 ", delivered %" PRId64 ", on the wire %zu; please report this",
                     p->name, q->enqueued, q->dequeued, p->queue.depth_packets, p->stats.sent, p->stats.delivered,
                     p->wire.count);
}
