/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/endpoint.h"

#include "emu/native/headers.h"

#include <stdlib.h>

#define ECN_QUICK_ACKS 2 /* after a mark (Linux, tcp_enter_quickack_mode()) */
#define QUICK_ACKS 16 /* at most, when a connection begins (Linux, tcp_incr_quickack) */
#define PS_PER_US INT64_C(1000000)
#define FIRST_RTO_PS (INT64_C(1000000) * PS_PER_US) /* before any round trip was seen (RFC 6298, section 2) */

static int64_t endpoint_now(const struct native_endpoint *e)
{
    return native_scheduler_now(e->env->scheduler);
}

static uint32_t window_scale(int64_t buffer_bytes)
{
    uint32_t scale = 0;
    while (scale < 14 && buffer_bytes >> scale > 65535)
        scale++;
    return scale;
}

static __attribute__((noinline)) void endpoint_ack_quickly(struct native_endpoint *e)
{
    native_endpoint_send_ack(e);
    if (e->rx.quick_acks > 0 && --e->rx.quick_acks == 0)
        e->rx.own.ato = e->rx.own.least_ato; /* so that data which come after these are not the first (tcp_dec_quickack_mode()) */
}

static inline void endpoint_ack(struct native_endpoint *e)
{
    if (e->rx.quick_acks > 0)
        endpoint_ack_quickly(e);
    else
        native_endpoint_send_ack(e);
}

static void endpoint_delayed_ack(void *arg)
{
    struct native_endpoint *e = arg;
    if (e->tx.from_linux ? native_linux_delayed_ack(e) : e->rx.unacked > 0)
        endpoint_ack(e);
}

/* An ACK waits already. */
static inline bool endpoint_delays(const struct native_endpoint *e)
{
    return e->tx.from_linux ? e->rx.own.delaying : e->rx.delayed_ack.armed;
}

static void endpoint_delay_ack(struct native_endpoint *e)
{
    if (e->tx.from_linux)
        native_linux_delay_ack(e);
    else
        native_timer_set(&e->rx.delayed_ack, endpoint_now(e) + e->config.delayed_ack_timeout_ps);
}

static void endpoint_syn_ack(struct native_endpoint *e)
{
    native_endpoint_send(e, NATIVE_SYN | NATIVE_ACK | native_ecn_syn_flags(&e->ecn, true), 0, 0);
}

static void endpoint_set_handshake(struct native_endpoint *e, int64_t rto_ps)
{
    const int64_t tick_ps = NATIVE_RTT_JIFFY_US * PS_PER_US;
    if (e->tx.from_linux)
        native_timer_set_in_wheel(&e->tx.retransmit, tick_ps, rto_ps / tick_ps);
    else
        native_timer_set(&e->tx.retransmit, endpoint_now(e) + rto_ps);
}

void native_endpoint_handshake_timeout(struct native_endpoint *e)
{
    native_rtt_backoff(&e->tx.rtt);
    endpoint_set_handshake(e, native_rtt_rto_ps(&e->tx.rtt));
    if (e->state == NATIVE_SYN_SENT)
        native_endpoint_send(e, NATIVE_SYN, 0, 0); /* ECN is not asked for again (RFC 3168, section 6.1.1.1) */
    else
        endpoint_syn_ack(e);
}

void native_endpoint_init(struct native_endpoint *e, const struct native_endpoint_env *env,
                          const struct emu_tcp_config *config, uint32_t id, uint32_t station, uint32_t peer_station)
{
    *e = (struct native_endpoint){
        .env = env,
        .config = *config,
        .id = id,
        .station = station,
        .peer_station = peer_station,
        .window_scale = window_scale(config->receive_buffer_bytes),
        .ecn.dctcp = config->congestion == EMU_CONGESTION_DCTCP,
        .rx.delivered_ps = -1,
        .stats.first_data_ps = -1,
    };
    e->ecn.wanted = config->ecn || e->ecn.dctcp;
    uint64_t segment = (uint64_t)config->segment_bytes;
    e->tx.finish = e->rx.finish = NATIVE_OPEN_STREAM;
    e->tx.window.cwnd = (uint64_t)config->initial_window_segments * segment;
    e->tx.window.ssthresh = UINT64_MAX;
    uint64_t half_window = (uint64_t)config->receive_buffer_bytes / (2 * segment);
    e->rx.quick_acks = half_window < 2 ? 2 : half_window > QUICK_ACKS ? QUICK_ACKS : (uint32_t)half_window;
    native_rtt_init(&e->tx.rtt, config->min_rto_ps, config->max_rto_ps);
    native_sender_init(e);
    native_timer_init(&e->rx.delayed_ack, env->scheduler, endpoint_delayed_ack, e);
    if (config->quic)
        native_quic_init(e);
}

void native_endpoint_move(struct native_endpoint *e, const struct native_endpoint_env *env)
{
    struct native_timer *timers[] = {&e->rx.delayed_ack, &e->rx.own.timer, &e->tx.retransmit, &e->tx.persist};
    e->env = env;
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
        if (timers[i]->scheduler) /* what is pending stays where it is */
            timers[i]->scheduler = env->scheduler;
}

void native_endpoint_fini(struct native_endpoint *e)
{
    native_intervals_fini(&e->tx.scoreboard);
    native_linux_fini(&e->tx.own);
    free(e->rx.own.held);
    native_intervals_fini(&e->rx.reassembly.held);
    if (e->quic)
        native_quic_fini(e);
}

static void endpoint_open(struct native_endpoint *e, enum native_state state)
{
    e->state = state;
    endpoint_set_handshake(e, FIRST_RTO_PS);
    if (state == NATIVE_SYN_SENT)
        native_endpoint_send(e, NATIVE_SYN | native_ecn_syn_flags(&e->ecn, false), 0, 0);
    else
        endpoint_syn_ack(e);
}

void native_endpoint_connect(struct native_endpoint *e)
{
    if (e->quic)
        native_quic_connect(e);
    else
        endpoint_open(e, NATIVE_SYN_SENT);
}

void native_endpoint_listen(struct native_endpoint *e)
{
    e->state = NATIVE_LISTEN;
}

static void endpoint_established(struct native_endpoint *e)
{
    native_timer_cancel(&e->tx.retransmit);
    e->state = NATIVE_ESTABLISHED;
    e->direct = !e->ecn.on && !e->quic;
    e->plain = e->direct && !e->tx.control->delivered && (e->tx.from_linux || !e->tx.control->sampled);
    e->frame = (struct emu_frame){.dst = e->peer_station, .src = e->station, .ethertype = EMU_FRAME_IPV4};
    native_rtt_reset_backoff(&e->tx.rtt);
    if (e->env->connected)
        e->env->connected(e->env->user, e);
}

/* The round trip of the handshake. */
static void endpoint_sample(struct native_endpoint *e, const struct native_segment *s)
{
    int64_t rtt_us = endpoint_now(e) / PS_PER_US - s->ts_echo;
    if (e->tx.from_linux) {
        native_rtt_sample_linux(&e->tx.rtt, rtt_us, e->tx.una, e->tx.nxt);
    } else {
        native_rtt_sample(&e->tx.rtt, rtt_us);
    }
}

/* Before data may flow; true when the segment needs no more looking at. */
static bool endpoint_handshake(struct native_endpoint *e, const struct native_segment *s)
{
    bool syn = s->flags & NATIVE_SYN, ack = s->flags & NATIVE_ACK;
    switch (e->state) {
    case NATIVE_LISTEN:
        if (syn && !ack) {
            e->rx.ts_recent = s->ts;
            e->tx.peer_window = s->window;
            native_ecn_agree(&e->ecn, s->flags);
            endpoint_open(e, NATIVE_SYN_RECEIVED);
        }
        return true;
    case NATIVE_SYN_SENT:
        if (!syn || !ack)
            return true;
        e->rx.ts_recent = s->ts;
        e->tx.peer_window = s->window;
        native_ecn_agree(&e->ecn, s->flags);
        endpoint_sample(e, s);
        if (e->tx.from_linux) { /* the application learns of it after that */
            native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0);
            endpoint_established(e);
            native_sender_push(e);
            return true;
        }
        endpoint_established(e);
        e->rx.ack_now = true;
        native_sender_push(e);
        if (e->rx.ack_now)
            native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0);
        return true;
    case NATIVE_SYN_RECEIVED:
        if (syn) {
            endpoint_syn_ack(e); /* ours was lost */
            return true;
        }
        endpoint_sample(e, s);
        endpoint_established(e);
        return false;
    case NATIVE_ESTABLISHED:
        if (syn)
            native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0); /* our ACK of its SYN was lost */
        return syn;
    default:
        return true;
    }
}

void native_endpoint_deliver(struct native_endpoint *e, uint64_t bytes)
{
    if (e->rx.paused)
        e->rx.unread += bytes;
    if (bytes == 0)
        return;
    e->rx.delivered += bytes;
    e->rx.delivered_ps = endpoint_now(e);
    if (e->rx.delivered >= e->rx.told_from)
        e->env->delivered(e->env->user, e, bytes);
}

static void endpoint_accept(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_receiver *rx = &e->rx;
    if (e->tx.from_linux) {
        native_linux_accept(e, s);
        return;
    }
    bool fin = s->flags & NATIVE_FIN;
    uint64_t from = native_offset(s->seq, rx->nxt), to = from + s->payload_bytes + fin;
    if (fin)
        rx->finish = to - 1;
    if (to <= rx->nxt) {
        e->stats.duplicate_segments += to > from;
        rx->ack_now = true; /* a retransmission too many, or a window probe */
        return;
    }
    if (from > rx->nxt) {
        if (to - rx->nxt <= native_endpoint_window(e))
            native_reassembly_insert(&rx->reassembly, from, to);
        rx->ack_now = true;
        return;
    }
    uint64_t before = rx->nxt;
    bool hole = rx->reassembly.held.n > 0;
    rx->nxt = hole ? native_reassembly_advance(&rx->reassembly, to) : to;
    uint64_t bytes = rx->nxt - before;
    bool finished = rx->nxt > rx->finish;
    /* what an application wrote ends here, and the other reads it: Linux waits for no more (tcp_cleanup_rbuf) */
    bool pushed = s->flags & NATIVE_PUSH && s->payload_bytes < e->config.segment_bytes;
    rx->unacked++;
    rx->ack_now = rx->ack_now || hole || finished || pushed || rx->quick_acks > 0 ||
                  rx->unacked >= (uint32_t)e->config.delayed_ack;
    native_endpoint_deliver(e, finished ? bytes - 1 : bytes);
    if (finished)
        native_endpoint_close(e);
}

/* Which way it goes from here. */
static enum native_way endpoint_way(const struct native_endpoint *e)
{
    const struct native_receiver *rx = &e->rx;
    const struct native_sender *tx = &e->tx;
    if (!e->plain || tx->recovery != NATIVE_NORMAL || tx->duplicate_acks > 0 || tx->scoreboard.bytes > 0 ||
        tx->persist.armed || tx->may_undo || rx->own.gathers)
        return NATIVE_ANY_WAY;
    if (tx->nxt > tx->una)
        return rx->acked == rx->nxt && rx->unacked == 0 && !rx->ack_now && rx->own.compressed == 0 ? NATIVE_SENDING
                                                                                                  : NATIVE_ANY_WAY;
    return tx->una == tx->written && tx->finish == NATIVE_OPEN_STREAM && rx->finish == NATIVE_OPEN_STREAM &&
                   rx->reassembly.held.n == 0 && !rx->paused
               ? NATIVE_RECEIVING
               : NATIVE_ANY_WAY;
}

/* Data have come and are counted: an ACK, now or later. */
static inline void endpoint_acks(struct native_endpoint *e)
{
    if (e->rx.ack_now)
        endpoint_ack(e);
    else if (e->rx.unacked > 0 && !endpoint_delays(e))
        endpoint_delay_ack(e);
}

/* Somebody is told of them. */
static __attribute__((noinline)) void endpoint_acks_after(struct native_endpoint *e, uint32_t payload)
{
    e->env->delivered(e->env->user, e, payload);
    if (e->tx.written > e->tx.nxt || e->tx.finish != NATIVE_OPEN_STREAM) /* and writes because of it */
        native_sender_push(e);
    endpoint_acks(e);
}

static inline void endpoint_delivers(struct native_endpoint *e, uint32_t payload)
{
    e->rx.delivered += payload;
    e->rx.delivered_ps = endpoint_now(e);
    if (__builtin_expect(e->rx.delivered < e->rx.told_from, 1))
        endpoint_acks(e);
    else
        endpoint_acks_after(e, payload);
}

/* The application has read all there is, or reads it. */
static inline void endpoint_has_read(struct native_endpoint *e)
{
    struct native_receiver *rx = &e->rx;
    rx->own.queued = 0;
    uint64_t window = rx->acked + rx->window_sent - rx->nxt;
    if (__builtin_expect(2 * window <= rx->own.most, 0) && rx->finish == NATIVE_OPEN_STREAM)
        native_linux_reopen(e, window);
}

static inline void endpoint_reads(struct native_endpoint *e)
{
    if (!e->rx.paused && !e->rx.own.gathers && e->rx.own.queued > 0)
        endpoint_has_read(e);
}

void native_endpoint_gathered(struct native_endpoint *e)
{
    if (native_linux_gathered(e)) {
        e->rx.own.queued = 0;
        endpoint_ack(e);
    }
    if (e->tx.from_linux) {
        endpoint_reads(e);
        native_linux_push(e); /* and writes */
    }
}

/* A full segment of which Linux's receiver learns nothing, and which calls for an ACK only as the second one. */
static inline bool endpoint_learns_nothing(const struct native_endpoint *e, const struct native_segment *s)
{
    const struct native_receiver *rx = &e->rx;
    return endpoint_now(e) < rx->own.plain_ps && s->payload_bytes == rx->own.segment && rx->nxt < rx->own.window_end &&
           s->ts_echo - rx->own.echo_from_us < 1000 && !(rx->quick_acks | rx->ack_now | rx->own.pushed) &&
           rx->own.space >= rx->window_sent;
}

/* Any other. */
static __attribute__((noinline)) void endpoint_learns(struct native_endpoint *e, struct native_segment *s)
{
    uint32_t payload = s->payload_bytes;
    native_linux_received(e, s);
    native_pool_give(e->env->plain, s);
    endpoint_delivers(e, payload);
    endpoint_reads(e);
}

static __attribute__((noinline)) void endpoint_received_as_linux(struct native_endpoint *e, struct native_segment *s)
{
    struct native_receiver *rx = &e->rx;
    if (e->tx.peer_window > e->tx.own.most_window) /* as native_linux_push() notes it */
        e->tx.own.most_window = e->tx.peer_window;
    if (rx->delivered + s->payload_bytes >= rx->told_from || !endpoint_learns_nothing(e, s)) {
        endpoint_learns(e, s);
        return;
    }
    rx->delivered += s->payload_bytes;
    rx->delivered_ps = endpoint_now(e);
    native_pool_give(e->env->plain, s);
    rx->own.shorter = 0;
    if (rx->nxt - rx->acked > rx->own.alone) {
        rx->own.queued = rx->own.memory;
        endpoint_ack(e);
    } else {
        rx->unacked++;
        if (!rx->own.delaying)
            native_linux_delay_ack(e);
    }
    endpoint_has_read(e);
}

/* The next data to an end that is receiving, which acknowledge nothing. */
static inline void endpoint_received_plainly(struct native_endpoint *e, struct native_segment *s)
{
    struct native_receiver *rx = &e->rx;
    uint32_t payload = s->payload_bytes;
    if (rx->nxt == rx->acked)
        rx->ts_recent = s->ts; /* as below */
    e->tx.peer_window = (uint32_t)s->window << e->window_scale;
    rx->nxt += payload;
    if (e->tx.from_linux) {
        endpoint_received_as_linux(e, s);
        return;
    }
    native_pool_give(e->env->plain, s);
    if (++rx->unacked >= (uint32_t)e->config.delayed_ack || rx->quick_acks > 0)
        rx->ack_now = true;
    endpoint_delivers(e, payload);
}

/* New data have come, which rx.nxt does not count yet. */
static void endpoint_marked(struct native_endpoint *e, const struct native_segment *s)
{
    unsigned due = native_ecn_due(&e->ecn, s), now = NATIVE_ECN_ACK_NOW;
    if (due & NATIVE_ECN_ACK_BEFORE && e->rx.unacked > 0)
        native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0);
    if (due & NATIVE_ECN_QUICK_ACKS && e->tx.from_linux && e->rx.quick_acks < ECN_QUICK_ACKS)
        e->rx.quick_acks = ECN_QUICK_ACKS;
    now |= e->tx.from_linux ? NATIVE_ECN_ACK_NOW_LINUX : 0;
    e->rx.ack_now = e->rx.ack_now || due & now;
    native_ecn_arrives(&e->ecn, s);
}

/* Not in line: the way of the others stays short. */
static __attribute__((noinline)) void endpoint_receive_closely(struct native_endpoint *e, const struct native_segment *s)
{
    if (e->quic) {
        native_quic_receive(e, s);
        return;
    }
    if ((e->state != NATIVE_ESTABLISHED || s->flags & NATIVE_SYN) && endpoint_handshake(e, s))
        return;
    struct native_receiver *rx = &e->rx;
    int64_t from = (int64_t)native_offset(s->seq, rx->nxt);
    if (from < (int64_t)rx->acked && e->tx.from_linux && native_linux_is_old(e, s)) {
        endpoint_acks(e);
        return;
    }
    if (from <= (int64_t)rx->acked)
        rx->ts_recent = s->ts; /* RFC 7323, section 4.3: the oldest segment that the next ACK covers */
    uint64_t una = e->tx.una;
    native_sender_acked(e, s);
    if (e->env->drained && e->tx.una > una && e->tx.una == e->tx.written)
        e->env->drained(e->env->user, e);
    if (e->ecn.on && s->payload_bytes > 0 && from + s->payload_bytes > (int64_t)rx->nxt)
        endpoint_marked(e, s);
    if (s->payload_bytes > 0 || s->flags & NATIVE_FIN)
        endpoint_accept(e, s);
    else if (from < (int64_t)rx->nxt)
        rx->ack_now = true; /* a window probe (RFC 9293, section 3.8.6.1) */
    native_sender_push(e); /* data carry the ACK along */
    endpoint_acks(e);
    if (e->tx.from_linux) {
        if (rx->own.compressed > 0)
            rx->own.heard_us = (uint32_t)((uint64_t)endpoint_now(e) / PS_PER_US);
        endpoint_reads(e);
    }
}

void native_endpoint_receive_any(struct native_endpoint *e, struct native_segment *s)
{
    const struct native_endpoint_env *env = e->env;
    e->way = NATIVE_ANY_WAY;
    endpoint_receive_closely(e, s);
    native_pool_give(s->n_sack == 0 ? env->plain : s->n_sack <= NATIVE_SACK_BLOCKS ? env->sacked : env->ranged, s);
}

/* The next data of a bulk flow, or an ACK of its data, goes the straight way. */
void native_endpoint_receive(struct native_endpoint *e, struct native_segment *s)
{
    if (__builtin_expect(s->flags != NATIVE_ACK || s->n_sack != 0, 0)) {
        native_endpoint_receive_any(e, s);
        return;
    }
    if (__builtin_expect(e->way == NATIVE_ANY_WAY, 0)) {
        e->way = endpoint_way(e);
        e->rx.told = false;
    }
    if (s->payload_bytes == 0 && e->way == NATIVE_SENDING && e->tx.from_linux)
        native_linux_acked_plainly(e, s);
    else if (s->payload_bytes == 0 && e->way == NATIVE_SENDING)
        native_sender_acked_plainly(e, s);
    else if (s->payload_bytes > 0 && e->way == NATIVE_RECEIVING && s->seq == (uint32_t)e->rx.nxt && s->ack == (uint32_t)e->tx.una &&
             (!e->tx.from_linux || e->tx.own.probe_end == 0))
        endpoint_received_plainly(e, s);
    else
        native_endpoint_receive_any(e, s);
}

void native_endpoint_write(struct native_endpoint *e, uint64_t bytes)
{
    e->way = NATIVE_ANY_WAY;
    e->tx.written += bytes;
    if (e->state == NATIVE_ESTABLISHED)
        native_sender_push(e);
}

void native_endpoint_close(struct native_endpoint *e)
{
    if (e->tx.finish != NATIVE_OPEN_STREAM)
        return;
    e->way = NATIVE_ANY_WAY;
    e->tx.finish = e->tx.written;
    if (e->state == NATIVE_ESTABLISHED)
        native_sender_push(e);
}

void native_endpoint_pause(struct native_endpoint *e, bool paused)
{
    e->way = NATIVE_ANY_WAY;
    e->rx.paused = paused;
    if (paused)
        return;
    uint32_t before = native_endpoint_window(e);
    e->rx.unread = e->rx.own.queued = 0;
    if (e->state == NATIVE_ESTABLISHED && before < native_endpoint_window(e) && e->rx.window_sent < native_endpoint_window(e))
        native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0); /* a window update */
}

void native_endpoint_departed(struct native_endpoint *e, int64_t bytes)
{
    e->tx.queued_bytes -= bytes;
    if (e->tx.throttled && (e->tx.from_linux || e->tx.queued_bytes < e->config.small_queue_bytes)) {
        e->tx.throttled = false;
        if (e->tx.from_linux)
            native_linux_send_lost(e);
        native_sender_push(e);
    }
}
