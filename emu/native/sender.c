/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an endpoint sends and when: windows, congestion control, loss recovery, timers. */
#include "emu/native/straight.h"

#include <string.h>

#define PS_PER_US INT64_C(1000000)
#define DUPLICATE_ACKS 3 /* RFC 5681, section 3.2 */

static int64_t sender_now(const struct native_endpoint *e)
{
    return native_scheduler_now(e->env->scheduler);
}

static uint64_t sender_segment(const struct native_endpoint *e)
{
    return (uint64_t)e->config.segment_bytes;
}

static uint64_t sender_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t sender_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Where the stream ends for now: after the data that were written, and the FIN. */
static uint64_t sender_stream_end(const struct native_sender *tx)
{
    return tx->written + (tx->finish == tx->written);
}

static uint64_t sender_sacked(const struct native_endpoint *e)
{
    if (e->config.sack)
        return e->tx.scoreboard.bytes;
    uint64_t flight = e->tx.nxt - e->tx.una, segment = sender_segment(e);
    return sender_least(e->tx.duplicate_acks * segment, flight > segment ? flight - segment : 0);
}

/* Bytes in the network (RFC 6675, section 4): sent, not SACKed, not lost unless retransmitted since. */
static uint64_t sender_pipe(const struct native_endpoint *e)
{
    const struct native_sender *tx = &e->tx;
    uint64_t flight = tx->nxt - tx->una;
    if (tx->recovery == NATIVE_NORMAL && tx->duplicate_acks == 0 && tx->scoreboard.bytes == 0)
        return flight;
    uint64_t lost = 0, hole = sender_most(tx->next_hole, tx->una);
    if (hole < tx->lost_end)
        lost = tx->lost_end - hole -
               (e->config.sack ? native_intervals_within(&tx->scoreboard, hole, tx->lost_end) : 0);
    uint64_t gone = sender_sacked(e) + lost;
    return flight > gone ? flight - gone : 0;
}

static void sender_arm(struct native_endpoint *e)
{
    if (e->tx.nxt > e->tx.una)
        native_timer_set(&e->tx.retransmit, sender_now(e) + native_rtt_rto_ps(&e->tx.rtt));
    else
        native_timer_cancel(&e->tx.retransmit);
}

/* Sends [from, from + bytes) of the stream; the last of these may be the FIN. */
static void sender_transmit(struct native_endpoint *e, uint64_t from, uint64_t bytes)
{
    struct native_sender *tx = &e->tx;
    bool fin = from + bytes > tx->finish;
    uint32_t payload = (uint32_t)(bytes - fin);
    uint8_t flags = NATIVE_ACK;
    if (fin)
        flags |= NATIVE_FIN;
    if (payload > 0 && from + payload == tx->written)
        flags |= NATIVE_PUSH;
    if (from < tx->nxt && payload > 0) {
        e->stats.retransmitted_segments++;
        e->stats.retransmitted_bytes += payload;
    }
    if (payload > 0 && e->stats.first_data_ps < 0)
        e->stats.first_data_ps = sender_now(e);
    if (tx->recovery == NATIVE_FAST_RECOVERY)
        tx->prr_out += bytes;
    bool idle = tx->nxt == tx->una;
    tx->sent_ps = sender_now(e);
    if (from + bytes > tx->nxt)
        tx->nxt = from + bytes;
    native_endpoint_send(e, flags, from, payload);
    if (idle || !tx->retransmit.armed)
        sender_arm(e);
}

/* The next lost hole, a segment of it at most. */
static bool sender_hole(struct native_endpoint *e, uint64_t *from, uint64_t *bytes)
{
    struct native_sender *tx = &e->tx;
    uint64_t start = sender_most(tx->next_hole, tx->una), end = tx->lost_end;
    if (start >= end)
        return false;
    if (e->config.sack && !native_scoreboard_hole(&tx->scoreboard, start, tx->lost_end, &start, &end))
        return false;
    *from = start;
    *bytes = sender_least(end - start, sender_segment(e) + (start + sender_segment(e) == tx->finish));
    return true;
}

/* Bytes of new data that windows and silly-window avoidance (RFC 9293, section 3.8.6.2) let go now. */
static uint64_t sender_new(const struct native_endpoint *e)
{
    const struct native_sender *tx = &e->tx;
    uint64_t end = sender_stream_end(tx), segment = sender_segment(e);
    uint64_t edge = tx->una + sender_least(tx->peer_window, (uint64_t)e->config.send_buffer_bytes);
    if (tx->nxt >= end || tx->nxt >= edge)
        return 0;
    uint64_t waiting = end - tx->nxt, room = edge - tx->nxt;
    if (e->config.nagle && waiting < segment && tx->nxt > tx->una && end == tx->written)
        return 0; /* RFC 896; a FIN takes it along */
    if (waiting <= segment && waiting <= room)
        return waiting;
    if (room >= segment)
        return segment;
    return 0;
}

static bool sender_throttle(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    tx->throttled = e->config.small_queue_bytes > 0 && tx->queued_bytes >= e->config.small_queue_bytes;
    return tx->throttled;
}

static void sender_probe(void *arg)
{
    struct native_endpoint *e = arg;
    struct native_sender *tx = &e->tx;
    if (tx->nxt > tx->una || tx->nxt >= sender_stream_end(tx) || sender_new(e) > 0)
        return;
    e->stats.window_probes++;
    native_endpoint_send(e, NATIVE_ACK, tx->una - 1, 0); /* an old byte that is not there: the peer must answer */
    native_rtt_backoff(&tx->rtt);
    native_timer_set(&tx->persist, sender_now(e) + native_rtt_rto_ps(&tx->rtt));
}

void native_sender_push(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    if (tx->from_linux) {
        native_linux_push(e);
        return;
    }
    if (e->quic) {
        native_quic_push(e);
        return;
    }
    if (e->state != NATIVE_ESTABLISHED || (tx->nxt >= sender_stream_end(tx) && tx->recovery == NATIVE_NORMAL))
        return;
    if (e->config.idle_restart && tx->nxt == tx->una && sender_now(e) - tx->sent_ps > native_rtt_rto_ps(&tx->rtt))
        tx->window.cwnd = sender_least(tx->window.cwnd,
                                       (uint64_t)e->config.initial_window_segments * sender_segment(e));
    uint64_t pipe = sender_pipe(e), from, bytes;
    while (!sender_throttle(e)) {
        bool hole = tx->recovery != NATIVE_NORMAL && sender_hole(e, &from, &bytes);
        if (!hole) {
            from = tx->nxt;
            bytes = sender_new(e);
        }
        if (bytes == 0 || pipe + bytes > tx->window.cwnd + (pipe == 0 ? bytes : 0))
            break;
        if (hole) {
            if (from == tx->una)
                tx->sent_after = tx->nxt;
            tx->next_hole = from + bytes;
        }
        sender_transmit(e, from, bytes);
        pipe += bytes;
    }
    if (tx->nxt == tx->una && tx->nxt < sender_stream_end(tx) && !tx->throttled && sender_new(e) == 0 &&
        !tx->persist.armed) {
        e->way = NATIVE_ANY_WAY;
        native_timer_set(&tx->persist, sender_now(e) + native_rtt_rto_ps(&tx->rtt));
    }
}

static uint64_t sender_ssthresh(struct native_endpoint *e, bool timeout)
{
    struct native_sender *tx = &e->tx;
    return tx->control->lost(tx->state, &tx->window, sender_segment(e), tx->nxt - tx->una, timeout);
}

static void sender_enter_recovery(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    e->stats.fast_recoveries++;
    tx->recovery = NATIVE_FAST_RECOVERY;
    tx->recover = tx->nxt;
    tx->prr_flight = tx->nxt - tx->una;
    tx->window.ssthresh = sender_ssthresh(e, false);
    native_ecn_shrunk(&e->ecn, e->tx.nxt);
    tx->prr_delivered = tx->prr_out = 0;
    tx->next_hole = tx->una;
    tx->window.remainder = 0;
}

/* RFC 6937, with the slow-start reduction bound. `delivered`: bytes that have left the network by this ACK. */
static void sender_reduce(struct native_endpoint *e, uint64_t delivered, bool first)
{
    struct native_sender *tx = &e->tx;
    uint64_t pipe = sender_pipe(e), segment = sender_segment(e), send = 0;
    tx->prr_delivered += delivered;
    if (pipe > tx->window.ssthresh) {
        uint64_t due = (tx->prr_delivered * tx->window.ssthresh + tx->prr_flight - 1) / tx->prr_flight;
        send = due > tx->prr_out ? due - tx->prr_out : 0;
    } else {
        uint64_t behind = tx->prr_delivered > tx->prr_out ? tx->prr_delivered - tx->prr_out : 0;
        send = sender_least(tx->window.ssthresh - pipe, sender_most(behind, delivered) + segment);
    }
    if (first)
        send = sender_most(send, segment); /* the fast retransmission itself */
    tx->window.cwnd = pipe + send;
}

/* A mark costs what a loss does, or what the control says, at once; there is nothing to send again (RFC 3168, section 6.1.2). */
static void sender_shrink(struct native_endpoint *e, uint64_t flight)
{
    struct native_sender *tx = &e->tx;
    tx->window.ssthresh = tx->control->marked
                              ? tx->control->marked(tx->state, &tx->window, sender_segment(e))
                              : tx->control->lost(tx->state, &tx->window, sender_segment(e), flight, false);
    tx->window.cwnd = sender_least(tx->window.cwnd, tx->window.ssthresh);
    tx->window.remainder = 0;
    native_ecn_shrunk(&e->ecn, e->tx.nxt);
}

/* Only a window that was in use may grow (RFC 7661, section 4.1). */
static void sender_grow(struct native_endpoint *e, const struct native_ack *ack, uint64_t flight)
{
    struct native_sender *tx = &e->tx;
    bool slow_start = tx->window.cwnd < tx->window.ssthresh;
    if (slow_start ? tx->window.cwnd < 2 * flight : flight + ack->segment > tx->window.cwnd)
        tx->control->grow(tx->state, &tx->window, ack);
}

/* Whether the timer, set lazily, is due later: whenever a round trip is seen it is set anew. */
static bool sender_is_early(struct native_endpoint *e)
{
    struct native_timer *t = &e->tx.retransmit;
    int64_t since_ps = t->deadline_ps, deadline_ps;
    if (t->armed != NATIVE_TIMER_LAZY)
        return false;
    deadline_ps = since_ps + native_rtt_rto_ps(&e->tx.rtt);
    native_timer_cancel(t);
    if (deadline_ps <= sender_now(e))
        return false;
    native_timer_set(t, deadline_ps);
    return true;
}

static void sender_timeout(void *arg)
{
    struct native_endpoint *e = arg;
    struct native_sender *tx = &e->tx;
    if (sender_is_early(e))
        return;
    e->way = NATIVE_ANY_WAY;
    if (e->state != NATIVE_ESTABLISHED) {
        native_endpoint_handshake_timeout(e);
        return;
    }
    if (tx->from_linux) {
        native_linux_timeout(e);
        return;
    }
    if (tx->nxt == tx->una)
        return;
    e->stats.timeouts++;
    if (tx->recovery == NATIVE_NORMAL) {
        tx->may_undo = true;
        tx->timeout_ts = (uint32_t)(sender_now(e) / PS_PER_US);
        tx->undo_cwnd = tx->window.cwnd;
        tx->undo_ssthresh = tx->window.ssthresh;
        memcpy(tx->undo_state, tx->state, sizeof tx->state);
    }
    if (tx->recovery != NATIVE_LOSS || tx->una >= tx->recover)
        tx->window.ssthresh = sender_ssthresh(e, true);
    native_ecn_shrunk(&e->ecn, e->tx.nxt);
    tx->recovery = NATIVE_LOSS;
    tx->recover = tx->lost_end = tx->nxt;
    tx->next_hole = tx->una;
    tx->duplicate_acks = 0;
    tx->window.cwnd = sender_segment(e);
    tx->window.remainder = 0;
    native_rtt_backoff(&tx->rtt);
    native_timer_set(&tx->retransmit, sender_now(e) + native_rtt_rto_ps(&tx->rtt));
    native_sender_push(e);
}

void native_sender_init(struct native_endpoint *e)
{
    native_timer_init(&e->tx.retransmit, e->env->scheduler, sender_timeout, e);
    native_timer_init(&e->tx.persist, e->env->scheduler, sender_probe, e);
    e->tx.control = native_congestions[e->config.congestion];
    if (e->tx.control->init)
        e->tx.control->init(e->tx.state, &e->config);
    e->tx.from_linux = e->tx.control->from_linux && e->config.sack && !e->config.quic;
    if (e->tx.from_linux)
        native_linux_init(e);
}

/* Marks what the segment SACKs; returns bytes that were not known before. */
static uint64_t sender_mark(struct native_endpoint *e, const struct native_segment *s)
{
    const struct native_sacked_segment *sacked = (const struct native_sacked_segment *)s;
    uint64_t newly = 0;
    for (int i = 0; i < s->n_sack; i++) {
        uint64_t from = native_offset(sacked->sack[i][0], e->tx.una), to = native_offset(sacked->sack[i][1], e->tx.una);
        if (from >= e->tx.una && to <= e->tx.nxt && from < to)
            newly += native_intervals_add(&e->tx.scoreboard, from, to);
    }
    return newly;
}

/* Where loss is certain by now: RFC 6675's IsLost(), or three duplicate ACKs for the first segment (RFC 6582). */
static void sender_detect(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    uint64_t segment = sender_segment(e), lost_end = tx->una;
    if (e->config.sack)
        lost_end = native_scoreboard_lost_end(&tx->scoreboard, tx->una, (uint32_t)segment);
    else if (tx->duplicate_acks >= DUPLICATE_ACKS || tx->recovery == NATIVE_FAST_RECOVERY)
        lost_end = sender_least(tx->una + segment, tx->nxt);
    tx->lost_end = sender_most(tx->lost_end, lost_end);
    /* What was sent after the retransmission of the first hole has arrived, and the hole is still there. */
    if (tx->recovery == NATIVE_FAST_RECOVERY && e->config.sack && tx->next_hole > tx->una && tx->sent_after > tx->una &&
        native_scoreboard_highest(&tx->scoreboard) >= tx->sent_after + DUPLICATE_ACKS * segment) {
        tx->next_hole = tx->una;
        tx->sent_after = 0;
    }
}

/* The first ACK of something new after a timeout: if it echoes a timestamp from before the retransmission, the original
 * has arrived and nothing was lost - a queue has grown faster than the estimate of the round trip (RFC 3522). Linux
 * goes back to where it was (RFC 4015). */
static void sender_judge_timeout(struct native_endpoint *e, uint32_t ts_echo)
{
    struct native_sender *tx = &e->tx;
    tx->may_undo = false;
    if (tx->recovery != NATIVE_LOSS || (int32_t)(ts_echo - tx->timeout_ts) >= 0)
        return;
    e->stats.spurious_timeouts++;
    tx->recovery = NATIVE_NORMAL;
    tx->lost_end = tx->next_hole = tx->una;
    tx->window.cwnd = tx->undo_cwnd;
    tx->window.ssthresh = tx->undo_ssthresh;
    if (tx->control->restores)
        memcpy(tx->state, tx->undo_state, sizeof tx->state);
}

/* Sends full segments of new data as the windows let it: all of it but the stream's last. Returns whether there is nothing
 * else to send now. */
static inline bool sender_push_plainly(struct native_endpoint *e, int64_t now_ps, uint32_t now_us)
{
    struct native_sender *tx = &e->tx;
    uint64_t segment = sender_segment(e), nxt = tx->nxt, una = tx->una, from = nxt, n = 0;
    uint64_t edge = una + sender_least(tx->peer_window, (uint64_t)e->config.send_buffer_bytes);
    uint64_t limit = sender_least(sender_least(edge, una + tx->window.cwnd), tx->written - 1);
    if (nxt == una || !e->nic || e->config.small_queue_bytes > 0)
        return false;
    for (; nxt + segment <= limit; n++)
        nxt += segment;
    if (n > 0) {
        tx->nxt = nxt;
        tx->sent_ps = now_ps;
        native_straight_send_stretch(e, from, n * segment, n, NATIVE_ACK, now_ps, now_us);
    }
    return nxt + segment < tx->written;
}

static __attribute__((noinline)) void sender_grow_plainly(struct native_endpoint *e, uint64_t acked, uint64_t now_us,
                                                          uint32_t rtt_us)
{
    struct native_sender *tx = &e->tx;
    struct native_ack seen = {.segment = sender_segment(e), .acked = acked, .now_us = now_us, .rtt_us = rtt_us,
                              .una = tx->una, .nxt = tx->nxt};
    tx->control->grow(tx->state, &tx->window, &seen);
}

void native_sender_acked_plainly(struct native_endpoint *e, struct native_segment *s)
{
    struct native_sender *tx = &e->tx;
    uint64_t flight = tx->nxt - tx->una, acked = (uint32_t)(s->ack - (uint32_t)tx->una);
    if (__builtin_expect(acked - 1 >= flight, 0) || __builtin_expect(flight > INT32_MAX || s->seq != (uint32_t)e->rx.nxt, 0)) {
        native_endpoint_receive_any(e, s);
        return;
    }
    e->rx.ts_recent = s->ts;
    int64_t now_ps = sender_now(e);
    uint64_t now_us = (uint64_t)now_ps / PS_PER_US;
    uint32_t rtt_us = (uint32_t)now_us - s->ts_echo;
    tx->peer_window = (uint32_t)s->window << e->window_scale;
    native_pool_give(e->env->plain, s);
    tx->una += acked;
    native_rtt_sample(&tx->rtt, rtt_us);
    native_rtt_reset_backoff(&tx->rtt);
    if (acked == flight || !native_timer_set_lazily(&tx->retransmit, now_ps, now_ps + tx->rtt.least_ps))
        sender_arm(e);
    if (tx->window.cwnd < tx->window.ssthresh ? tx->window.cwnd < 2 * flight
                                              : flight + sender_segment(e) > tx->window.cwnd)
        sender_grow_plainly(e, acked, now_us, rtt_us);
    if (tx->una == tx->written && e->env->drained)
        e->env->drained(e->env->user, e);
    if (!sender_push_plainly(e, now_ps, (uint32_t)now_us))
        native_sender_push(e);
}

void native_sender_acked(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_sender *tx = &e->tx;
    if (tx->from_linux) {
        native_linux_acked(e, s);
        return;
    }
    uint64_t ack = native_offset(s->ack, tx->una), flight = tx->nxt - tx->una;
    if (ack > tx->nxt || ack < tx->una)
        return;
    uint32_t window = (uint32_t)s->window << e->window_scale;
    bool window_changed = window != tx->peer_window;
    tx->peer_window = window;
    uint64_t delivered = s->n_sack > 0 ? sender_mark(e, s) : 0, acked = ack - tx->una;
    struct native_ack seen = {
        .segment = sender_segment(e), .acked = acked, .now_us = (uint64_t)(sender_now(e) / PS_PER_US)};
    if (acked > 0) {
        uint64_t known = tx->scoreboard.bytes;
        tx->una = ack;
        if (known > 0)
            native_intervals_cut(&tx->scoreboard, ack);
        delivered += acked - (known - tx->scoreboard.bytes);
        seen.rtt_us = (uint32_t)((uint32_t)seen.now_us - s->ts_echo);
        native_rtt_sample(&tx->rtt, (int64_t)seen.rtt_us);
        native_rtt_reset_backoff(&tx->rtt);
        native_timer_cancel(&tx->persist);
        tx->duplicate_acks = 0;
        if (tx->may_undo)
            sender_judge_timeout(e, s->ts_echo);
        sender_arm(e);
    } else if (s->payload_bytes == 0 && !(s->flags & NATIVE_FIN) && flight > 0 && !window_changed) {
        tx->duplicate_acks++;
        if (!e->config.sack)
            delivered = sender_segment(e);
    } else if (tx->persist.armed && sender_new(e) > 0) {
        native_timer_cancel(&tx->persist);
        native_rtt_reset_backoff(&tx->rtt);
    }
    seen.una = tx->una;
    seen.nxt = tx->nxt;
    seen.ece = e->ecn.on && s->flags & NATIVE_ECE;
    if (tx->control->delivered)
        tx->control->delivered(tx->state, delivered, &seen);
    if (tx->control->sampled && seen.rtt_us > 0)
        tx->control->sampled(tx->state, &tx->window, &seen);
    if (tx->recovery == NATIVE_NORMAL && native_ecn_shrinks(&e->ecn, s, e->tx.una))
        sender_shrink(e, flight);
    if (tx->recovery == NATIVE_NORMAL && s->n_sack == 0 && tx->duplicate_acks == 0) {
        if (acked > 0 && !seen.ece) /* nothing grows by a mark */
            sender_grow(e, &seen, flight);
        return;
    }
    if (tx->recovery != NATIVE_NORMAL && tx->una >= tx->recover) {
        if (tx->recovery == NATIVE_FAST_RECOVERY)
            tx->window.cwnd = tx->window.ssthresh;
        tx->recovery = NATIVE_NORMAL;
        tx->lost_end = tx->next_hole = tx->una;
    }
    sender_detect(e);
    bool first = tx->recovery == NATIVE_NORMAL && tx->lost_end > tx->una;
    if (first)
        sender_enter_recovery(e);
    if (tx->recovery == NATIVE_FAST_RECOVERY)
        sender_reduce(e, delivered, first);
    else if (acked > 0 && !seen.ece)
        sender_grow(e, &seen, flight);
}
