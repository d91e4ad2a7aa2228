/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/straight.h - how the segments of a bulk flow leave, in line: they are plain, of a direct endpoint with a port. */
#ifndef EMU_NATIVE_STRAIGHT_H
#define EMU_NATIVE_STRAIGHT_H

#include "emu/native/endpoint.h"
#include "emu/native/headers.h"
#include "emu/network/port.h"

#define NATIVE_PS_PER_US INT64_C(1000000)

/* native_linux_window(): mostly its widest, where there is room for that and none of a wider one is taken back. */
static inline uint32_t native_straight_linux_window(const struct native_endpoint *e)
{
    const struct native_receiver *rx = &e->rx;
    bool has_room = rx->own.queued + rx->own.kept <= rx->own.spare;
    bool takes_back = (int64_t)(rx->acked + rx->window_sent - rx->nxt) > (int64_t)rx->own.most;
    return (uint32_t)(rx->own.widest > 0 && has_room && !takes_back ? rx->own.widest : native_linux_window(e));
}

/* Room after rx.nxt, in whole units of the window field (RFC 7323, section 2). */
static inline __attribute__((always_inline)) uint32_t native_straight_window(const struct native_endpoint *e)
{
    if (e->tx.from_linux)
        return native_straight_linux_window(e);
    uint64_t buffer = (uint64_t)e->config.receive_buffer_bytes;
    uint64_t room = buffer > e->rx.unread ? buffer - e->rx.unread : 0;
    return (uint32_t)(room >> e->window_scale << e->window_scale);
}

/* What an ACK tells is told, in a segment of either kind. */
static inline void native_straight_acknowledges(struct native_endpoint *e, uint32_t window)
{
    struct native_receiver *rx = &e->rx;
    rx->unacked = 0;
    rx->ack_now = false;
    rx->acked = rx->nxt;
    rx->window_sent = window;
    if (!e->tx.from_linux) {
        native_timer_cancel(&rx->delayed_ack);
        return;
    }
    native_linux_acknowledges(&rx->own);
    if (rx->quick_acks > 0)
        native_linux_acknowledges_quickly(e);
}

static inline __attribute__((always_inline)) void native_straight_fill(struct native_endpoint *e, struct native_segment *s,
                                                                       uint8_t flags, uint64_t from, uint32_t bytes,
                                                                       uint16_t window, uint32_t ts)
{
    s->seq = (uint32_t)from;
    s->ack = (uint32_t)e->rx.nxt;
    s->ts = ts;
    s->ts_echo = e->rx.ts_recent;
    s->end = e->id;
    s->window = window;
    s->payload_bytes = (uint16_t)bytes;
    s->ip_id = e->next_ip_id++;
    s->flags = flags;
    s->n_sack = 0;
    s->ecn = NATIVE_ECN_NOT;
    s->cut = e->tx.cuts;
}

/* e->frame is that of the latest plain segment, which mostly had as much payload. */
static inline __attribute__((always_inline)) void native_straight_holds(struct native_endpoint *e, uint32_t bytes)
{
    uint16_t payload = (uint16_t)native_headers_ip_bytes(false, 0, bytes);
    if (__builtin_expect(e->frame.payload_bytes != payload, 0)) {
        e->frame.payload_bytes = payload;
        e->frame.pure_ack = bytes == 0;
    }
}

/* A segment of a direct endpoint with a port, to which e->frame belongs. */
static inline __attribute__((always_inline)) void native_straight_send(struct native_endpoint *e, struct native_segment *s,
                                                                       uint8_t flags, uint64_t from, uint32_t bytes,
                                                                       uint16_t window, int64_t now_ps, uint32_t ts)
{
    native_straight_fill(e, s, flags, from, bytes, window, ts);
    native_straight_holds(e, bytes);
    emu_port_send_like(e->nic, &e->frame, s, now_ps);
}

/* What nothing has come to since it was told is the same. */
static inline uint32_t native_straight_tell(struct native_endpoint *e)
{
    if (e->way == NATIVE_SENDING && e->rx.told)
        return e->rx.window_sent;
    uint32_t window = native_straight_window(e);
    native_straight_acknowledges(e, window);
    e->rx.told = e->way == NATIVE_SENDING && (e->rx.quick_acks == 0 || !e->tx.from_linux);
    return window;
}

/* Data back to back in n segments that are full but the last, which has these flags. With small queues one segment: what
 * leaves may call for more. ts: the time now, in us. */
static inline __attribute__((always_inline)) void native_straight_send_stretch(struct native_endpoint *e, uint64_t from,
                                                                               uint64_t bytes, uint64_t n, uint8_t last_flags,
                                                                               int64_t now_ps, uint32_t ts)
{
    uint64_t segment = (uint64_t)e->config.segment_bytes;
    uint16_t field = (uint16_t)(native_straight_tell(e) >> e->window_scale);
    uint64_t full = bytes == n * segment ? n : n - 1;
    struct emu_port_stretch out;
    if (e->config.small_queue_bytes > 0) { /* it is alone */
        native_straight_holds(e, (uint32_t)bytes);
        e->tx.queued_bytes += native_endpoint_queued(e, (uint32_t)bytes, e->tx.cuts, emu_frame_buffer_bytes(&e->frame));
    }
    native_straight_holds(e, (uint32_t)segment);
    if (full > 0 && emu_port_open(e->nic, &e->frame, full, now_ps, &out)) {
        struct native_pool *pool = e->env->plain;
        struct native_segment *s = native_pool_take(pool);
        uint16_t ip_id = e->next_ip_id;
        native_straight_fill(e, s, NATIVE_ACK, from, (uint32_t)segment, field, ts);
        emu_port_put(e->nic, &out, &e->frame, s, now_ps);
        for (uint64_t i = 1; i < full; i++) { /* each like the one before */
            const struct native_segment *before = s;
            s = native_pool_take(pool);
            *s = *before;
            s->seq = (uint32_t)(from += segment);
            s->ip_id = ++ip_id;
            emu_port_put(e->nic, &out, &e->frame, s, now_ps);
        }
        e->next_ip_id = (uint16_t)(ip_id + 1);
        emu_port_close(e->nic, full);
        if (full == n) {
            s->flags = last_flags;
            return;
        }
        from += segment;
        bytes -= full * segment;
    }
    native_endpoint_send_singly(e, from, bytes, last_flags, field, now_ps, ts);
}

#endif
