/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared buffer: the output queues are in one pool. A port may have a limit of its own, or a dynamic threshold: alpha
 * times what is left of the pool (Choudhury and Hahne 1998). */
#include "emu/network/switch.h"

/* FIFO ports count what left only when asked, so s->pool_bytes is what the pool held at most, as emu_port_at_most() is of one. That is enough to let a
 * frame in; it is brought up to date before one is refused. */
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
    const struct emu_level *pool = &s->config.pool, depth = emu_port_at_most(p);
    if (bytes > pool->bytes - s->pool_bytes || s->pool_packets >= pool->packets)
        return false;
    return s->config.alpha <= 0 ||
           (shared_below(s->config.alpha, depth.bytes, bytes, pool->bytes, s->pool_bytes) &&
            shared_below(s->config.alpha, depth.packets, 1, pool->packets, s->pool_packets));
}

static bool shared_admit(struct emu_switch *s, int out, const struct emu_frame *frame)
{
    const struct emu_port *p = &s->ports[out];
    int64_t bytes = emu_frame_buffer_bytes(frame);
    if (!shared_fits(s, p, bytes)) {
        shared_settle(s);
        if (!shared_fits(s, p, bytes))
            return false;
    }
    s->pool_bytes += bytes; /* also of one the port's own limit drops: put right before anything is refused */
    s->pool_packets++;
    return true;
}

static bool shared_audit(struct emu_switch *s, struct error *err)
{
    const struct emu_level *pool = &s->config.pool;
    shared_settle(s);
    return (s->pool_bytes <= pool->bytes && s->pool_packets <= pool->packets) ||
           error_set(err, ERROR_SYSTEM, "switch port %s: a pool of %" PRId64 " bytes holds %" PRId64
                     "; please report this", s->ports[0].name, pool->bytes, s->pool_bytes);
}

const struct emu_architecture_ops emu_architecture_shared = {
    .place = EMU_ARCHITECTURE_IN_POOL,
    .admit = shared_admit,
    .audit = shared_audit,
};
