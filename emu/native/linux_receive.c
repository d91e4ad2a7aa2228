/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Linux's receiver acknowledges and when (tcp_input.c), and the window that it advertises (tcp_output.c). */
#include "emu/native/endpoint.h"

#define PS_PER_US INT64_C(1000000)
#define FIRST_WINDOW 65535
#define TIME_STAMPS 12 /* bytes of a header */
#define SEGMENT_MEMORY 2176  /* bytes, of a frame with a segment of 1448 or less: it is cut from a page, if that has room */
#define SEGMENT 1448
#define PAGE_BYTES 4096
#define BESIDE_PAYLOAD 452   /* headers 66, room before them 66, skb_shared_info 320 */
#define SKB_BYTES 256
#define MOST_QUICK_ACKS 16
#define GROWS_FROM 128    /* bytes of a segment that lets the window grow */
#define MOST_COMPRESSED 44 /* ACKs (tcp_comp_sack_nr) */
#define MOST_COMPRESSED_PS (1000 * PS_PER_US)  /* tcp_comp_sack_delay_ns */
#define COMPRESSED_SLACK_PS (100 * PS_PER_US)  /* tcp_comp_sack_slack_ns */
#define DUPLICATES 3      /* that are told of at once (TCP_FASTRETRANS_THRESH) */

/* What a frame takes of the window, half of its memory. A jumbo frame has a power of two of it (__netdev_alloc_skb()). */
static uint64_t receive_memory(const struct native_endpoint *e)
{
    uint64_t bytes = (uint64_t)e->config.segment_bytes + BESIDE_PAYLOAD, room = PAGE_BYTES;
    if (e->config.segment_bytes <= SEGMENT)
        return SEGMENT_MEMORY / 2;
    while (bytes > PAGE_BYTES && room < bytes)
        room *= 2;
    return ((bytes > PAGE_BYTES ? room : bytes) + SKB_BYTES) / 2;
}

/* What is free now of the buffer (tcp_space()). */
static uint64_t receive_space(const struct native_endpoint *e)
{
    uint64_t buffer = (uint64_t)e->config.receive_buffer_bytes;
    uint64_t held = e->rx.reassembly.held.bytes, taken = e->rx.unread + (e->rx.own.fresh ? e->rx.own.memory : 0);
    if (held > 0)
        taken += held * e->rx.own.memory / (uint64_t)e->config.segment_bytes;
    return buffer > taken ? buffer - taken : 0;
}

/* The window of the handshake, whole segments; who opens it does not know yet that they have time stamps
 * (tcp_select_initial_window()). */
static uint64_t receive_first(const struct native_endpoint *e)
{
    uint64_t window = (uint64_t)e->config.receive_buffer_bytes;
    uint64_t segment = (uint64_t)e->config.segment_bytes + (e->id & 1 ? 0 : TIME_STAMPS);
    if (window > segment)
        window -= window % segment;
    return window < FIRST_WINDOW ? window : FIRST_WINDOW;
}

/* The largest window: one segment of the buffer is kept (tcp_init_buffer_space()). */
static uint64_t receive_most(const struct native_endpoint *e)
{
    uint64_t buffer = (uint64_t)e->config.receive_buffer_bytes, segment = (uint64_t)e->config.segment_bytes;
    return buffer <= 2 * segment ? buffer : buffer - segment > 2 * segment ? buffer - segment : 2 * segment;
}

/* Where the field has no scale: whole segments, the same as before if one more does not fit. */
static uint64_t receive_whole(const struct native_endpoint *e, uint64_t window)
{
    uint64_t segment = (uint64_t)e->config.segment_bytes, before = e->rx.window_sent;
    return before + segment <= window || before > window ? window / segment * segment : before;
}

/* Where half of the buffer is taken: nothing, once it is nearly full. */
static uint64_t receive_scarce(const struct native_endpoint *e, uint64_t window)
{
    window = window >> e->window_scale << e->window_scale;
    return window < (uint64_t)e->config.receive_buffer_bytes / 16 || window < (uint64_t)e->config.segment_bytes ? 0 : window;
}

uint64_t native_linux_window(const struct native_endpoint *e)
{
    const struct native_receiver *rx = &e->rx;
    uint32_t scale = e->window_scale;
    if (e->state != NATIVE_ESTABLISHED)
        return (receive_first(e) + (UINT64_C(1) << scale) - 1) >> scale << scale;
    uint64_t space = receive_space(e), window = space < rx->own.limit ? space : rx->own.limit;
    if (scale == 0)
        window = receive_whole(e, window);
    if (space < (uint64_t)e->config.receive_buffer_bytes / 2)
        window = receive_scarce(e, window);
    uint64_t edge = rx->acked + rx->window_sent; /* it is never taken back */
    if (edge > rx->nxt && edge - rx->nxt > window)
        window = edge - rx->nxt;
    window = (window + (UINT64_C(1) << scale) - 1) >> scale << scale;
    uint64_t most = UINT64_C(65535) << scale;
    return window < most ? window : most;
}

static void receive_compressed(void *arg)
{
    struct native_endpoint *e = arg;
    if (e->rx.own.compressed > 0)
        native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0);
}

void native_linux_init_receiver(struct native_endpoint *e)
{
    struct native_linux_receiver *own = &e->rx.own;
    own->memory = (uint32_t)receive_memory(e);
    own->most = receive_most(e);
    own->limit = receive_first(e) < own->most ? receive_first(e) : own->most;
    native_timer_init(&own->timer, e->env->scheduler, receive_compressed, e);
}

int native_linux_acknowledges(struct native_endpoint *e, uint64_t (*blocks)[2])
{
    struct native_linux_receiver *own = &e->rx.own;
    own->compressed = 0;
    native_timer_cancel(&own->timer);
    if (own->twice_from == own->twice_to)
        return 0;
    blocks[0][0] = own->twice_from;
    blocks[0][1] = own->twice_to;
    own->twice_from = own->twice_to;
    return 1;
}

static void receive_quickly(struct native_endpoint *e)
{
    uint64_t windows = e->rx.window_sent / (2 * (uint64_t)e->config.segment_bytes);
    uint32_t quick = windows < 2 ? 2 : windows > MOST_QUICK_ACKS ? MOST_QUICK_ACKS : (uint32_t)windows;
    if (quick > e->rx.quick_acks)
        e->rx.quick_acks = quick;
}

/* tcp_grow_window(): what the frame itself takes is not free. Growth is told at once. */
static void receive_grow(struct native_endpoint *e, uint32_t bytes)
{
    struct native_linux_receiver *own = &e->rx.own;
    uint64_t space = receive_space(e), more = 2 * (uint64_t)e->config.segment_bytes;
    space = space < own->most ? space : own->most;
    if (bytes < GROWS_FROM || space <= own->limit)
        return;
    own->limit += space - own->limit < more ? space - own->limit : more;
    e->rx.quick_acks |= 1;
}

/* The third and later ACKs of a hole wait for more (__tcp_ack_snd_check()). */
static void receive_compress(struct native_endpoint *e)
{
    struct native_linux_receiver *own = &e->rx.own;
    if (own->told != e->rx.nxt) {
        own->told = e->rx.nxt;
        own->duplicates = 0;
    }
    if (own->compressed >= MOST_COMPRESSED || own->duplicates < DUPLICATES) {
        own->duplicates += own->duplicates < DUPLICATES;
        e->rx.ack_now = true;
        return;
    }
    own->compressed++;
    if (own->timer.armed)
        return;
    int64_t delay_ps = e->tx.rtt.srtt_8us * PS_PER_US / (8 * 20);
    if (delay_ps > MOST_COMPRESSED_PS)
        delay_ps = MOST_COMPRESSED_PS;
    native_timer_set(&own->timer, native_scheduler_now(e->env->scheduler) + delay_ps + COMPRESSED_SLACK_PS);
}

/* Whether what has come in order is to be acknowledged now, as far as no hole, no end of the stream decides. */
static inline void receive_judge(struct native_endpoint *e, uint32_t payload, bool pushed, bool read)
{
    struct native_receiver *rx = &e->rx;
    uint64_t most = e->config.delayed_ack > 1 ? (uint64_t)e->config.segment_bytes : 0;
    rx->unacked++;
    rx->ack_now = rx->ack_now || rx->quick_acks > 0 || rx->nxt - rx->acked > most;
    if (read && !rx->ack_now && (payload < e->config.segment_bytes || pushed)) {
        rx->ack_now = true; /* the application has read all there is (tcp_cleanup_rbuf()) */
        rx->own.fresh = false;
    }
}

bool native_linux_receives_plainly(const struct native_endpoint *e)
{
    const struct native_linux_receiver *own = &e->rx.own;
    return e->tx.own.probe_end == 0 &&
           native_scheduler_now(e->env->scheduler) - own->came_ps <= e->tx.rtt.min_rto_us * PS_PER_US; /* RTO, or less */
}

void native_linux_received(struct native_endpoint *e, uint32_t payload)
{
    struct native_linux_receiver *own = &e->rx.own;
    own->came_ps = native_scheduler_now(e->env->scheduler);
    own->fresh = true;
    if (own->limit < own->most)
        receive_grow(e, payload);
    receive_judge(e, payload, false, true);
    if (e->tx.peer_window > e->tx.own.most_window) /* as native_linux_push() notes it */
        e->tx.own.most_window = e->tx.peer_window;
}

void native_linux_accept(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_receiver *rx = &e->rx;
    bool fin = s->flags & NATIVE_FIN;
    uint64_t from = native_offset(s->seq, rx->nxt), to = from + s->payload_bytes + fin, before = rx->nxt;
    int64_t now_ps = native_scheduler_now(e->env->scheduler);
    if (fin)
        rx->finish = to - 1;
    if (to <= rx->nxt) {
        e->stats.duplicate_segments += to > from;
        rx->own.twice_from = from;
        rx->own.twice_to = to;
        receive_quickly(e);
        rx->ack_now = true;
        return;
    }
    if (rx->own.came_ps > 0 && now_ps - rx->own.came_ps > native_rtt_rto_ps(&e->tx.rtt))
        receive_quickly(e); /* the sender may have begun anew */
    rx->own.came_ps = now_ps;
    rx->own.fresh = true;
    bool hole = rx->reassembly.held.n > 0, filled = false;
    if (from > rx->nxt) {
        if (to - rx->nxt > native_linux_window(e)) {
            rx->ack_now = true;
            return;
        }
        uint64_t held = rx->reassembly.held.bytes;
        native_reassembly_insert(&rx->reassembly, from, to);
        if (rx->reassembly.held.bytes == held) {
            e->stats.duplicate_segments++;
            rx->own.twice_from = from;
            rx->own.twice_to = to;
        }
        receive_grow(e, s->payload_bytes);
    } else {
        rx->nxt = hole ? native_reassembly_advance(&rx->reassembly, to) : to;
        filled = hole && rx->reassembly.held.n == 0;
        receive_grow(e, s->payload_bytes);
    }
    uint64_t bytes = rx->nxt - before;
    bool finished = rx->nxt > rx->finish;
    rx->ack_now = rx->ack_now || filled || finished;
    receive_judge(e, s->payload_bytes, s->flags & NATIVE_PUSH, bytes > 0);
    if (!rx->ack_now && rx->reassembly.held.n > 0)
        receive_compress(e);
    if (!rx->ack_now && rx->reassembly.held.n > 0)
        rx->unacked = 0; /* the delayed ACK's timer is not for these */
    native_endpoint_deliver(e, finished ? bytes - 1 : bytes);
    if (finished)
        native_endpoint_close(e);
}
