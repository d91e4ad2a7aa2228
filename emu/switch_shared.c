/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared buffer: the output queues are in one pool. */
#include "emu/pause.h"
#include "emu/switch.h"

/* FIFO ports say what left only when asked, so s->pool_bytes is what the pool held at most: enough to let a frame in,
 * and brought up to date before one is refused. */
static void shared_settle(struct emu_switch *s)
{
    s->pool_bytes = s->pool_packets = 0;
    for (int i = 0; i < s->n_ports; i++) {
        emu_port_settle(&s->ports[i]);
        s->pool_bytes += s->ports[i].queue.depth_bytes;
        s->pool_packets += s->ports[i].queue.depth_packets;
    }
}

/* alpha * free as a bound; unlimited stays unlimited. */
static bool shared_below(double alpha, int64_t depth, int64_t more, int64_t limit, int64_t used)
{
    return limit == EMU_QUEUE_UNLIMITED || (double)(depth + more) <= alpha * (double)(limit - used);
}

static bool shared_fits(const struct emu_switch *s, const struct emu_port *p, int64_t bytes)
{
    const struct emu_level *pool = &s->config.pool;
    if (bytes > pool->bytes - s->pool_bytes || s->pool_packets >= pool->packets)
        return false;
    return s->config.alpha <= 0 ||
           (shared_below(s->config.alpha, p->queue.depth_bytes, bytes, pool->bytes, s->pool_bytes) &&
            shared_below(s->config.alpha, p->queue.depth_packets, 1, pool->packets, s->pool_packets));
}

void emu_switch_shared_accept(struct emu_switch *s, int in, int out, const struct emu_frame *frame)
{
    struct emu_port *p = &s->ports[out];
    int64_t bytes = emu_frame_buffer_bytes(frame);
    if (!shared_fits(s, p, bytes)) {
        shared_settle(s);
        if (!shared_fits(s, p, bytes)) {
            emu_port_refuse(p, frame);
            return;
        }
    }
    s->pool_bytes += bytes; /* also of one the port's own limit drops: put right before anything is refused */
    s->pool_packets++;
    emu_port_send(p, frame);
    if (s->pause)
        emu_pause_entered(s->pause, in, out);
}
