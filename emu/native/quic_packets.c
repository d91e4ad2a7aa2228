/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "base/memory.h"
#include "emu/native/endpoint.h"

#include <stdlib.h>

#define PS_PER_US INT64_C(1000000)
#define NO_NUMBER UINT64_MAX
#define LEAST_DATAGRAM 1200 /* of a hello (RFC 9000, section 14.1) */
#define LONG_DATAGRAM 100   /* the client's Finished, and its ACK of the server's */
#define SHORT_AROUND 29     /* flags, connection ID, packet number, tag */
#define STREAM_AROUND 10    /* at most: type, stream, offset */
#define BEYOND_SEGMENT 24   /* a datagram is longer than the segment that fills the same frame: 52 bytes but 28 */
#define FIRST_RTT_US 333000 /* RFC 9002, section 6.2.2 */
#define GRANULARITY_US 1000 /* kGranularity */
#define PACKET_THRESHOLD 3  /* kPacketThreshold */
#define PERSISTENT 3        /* kPersistentCongestionThreshold */
#define MOST_BACKOFF 16
#define ACKS_A_PING 20

/* A packet that was sent. */
struct quic_sent {
    uint64_t offset;
    uint64_t acks_to;  /* it acknowledges packets below that; 0: none */
    int64_t sent_ps;
    uint32_t bytes;    /* of the stream */
    uint32_t datagram; /* bytes in flight; 0: it asks for no ACK, and counts for nothing */
    bool settled;      /* acknowledged, or lost */
};

struct native_quic {
    struct quic_sent *ring; /* owned; numbers from first to next, at number % capacity, a power of two */
    uint64_t first, next, capacity;
    uint64_t largest;       /* that the peer has acknowledged; NO_NUMBER: none */
    uint64_t flight;        /* bytes */
    uint64_t recovery;      /* packets below were sent before the window fell last */
    int64_t lose_ps;        /* when one more is lost by time; 0: none is waiting for that */
    int64_t eliciting_ps;   /* when one that asks for an ACK left last */
    int64_t hello_ps;       /* when the latest hello left */
    int hellos;
    uint64_t min_rtt_us;
    int64_t latest_us;      /* round trip; 0: none yet */
    struct native_intervals lost;     /* of the stream, to be sent again but for what has been acknowledged since */
    struct native_intervals received; /* packet numbers */
    uint64_t expected;      /* after the highest number received */
    int64_t came_ps;        /* when that came */
    uint32_t bare;          /* ACKs since one asked for an ACK */
};

static int64_t quic_now(const struct native_endpoint *e)
{
    return native_scheduler_now(e->env->scheduler);
}

/* Bytes of a full datagram. */
static uint64_t quic_full(const struct native_endpoint *e)
{
    return (uint64_t)e->config.segment_bytes + BEYOND_SEGMENT;
}

static struct quic_sent *quic_at(const struct native_quic *q, uint64_t number)
{
    return &q->ring[number & (q->capacity - 1)];
}

/* srtt, and what it may vary by (RFC 9002, sections 6.2.1 and 7.6.1). */
static int64_t quic_patience_us(const struct native_endpoint *e)
{
    const struct native_rtt *r = &e->tx.rtt;
    int64_t delay_us = e->config.delayed_ack_timeout_ps / PS_PER_US;
    if (e->quic->latest_us == 0)
        return 3 * FIRST_RTT_US + delay_us;
    return r->srtt_8us / 8 + (r->rttvar_4us > GRANULARITY_US ? r->rttvar_4us : GRANULARITY_US) + delay_us;
}

static void quic_arm(struct native_endpoint *e)
{
    struct native_quic *q = e->quic;
    if (q->lose_ps > 0)
        native_timer_set(&e->tx.retransmit, q->lose_ps);
    else if (q->flight > 0)
        native_timer_set(&e->tx.retransmit, q->eliciting_ps + (quic_patience_us(e) * PS_PER_US << e->tx.rtt.backoff));
    else
        native_timer_cancel(&e->tx.retransmit);
}

/* RFC 9000, section 16. */
static uint32_t quic_varint(uint64_t value)
{
    return value < 1 << 6 ? 1 : value < 1 << 14 ? 2 : value < 1 << 30 ? 4 : 8;
}

/* An ACK frame of the highest ranges (RFC 9000, section 19.3); returns how many. */
static int quic_ranges(const struct native_quic *q, uint64_t delay_us, uint32_t *bytes)
{
    const struct native_intervals *r = &q->received;
    int n = r->n < NATIVE_RANGES ? r->n : NATIVE_RANGES;
    *bytes = 0;
    for (int i = 0; i < n; i++) {
        const struct native_interval *at = &r->at[r->n - 1 - i];
        *bytes += quic_varint(at->to - at->from - 1);
        if (i > 0)
            *bytes += quic_varint(at[1].from - at->to - 1);
    }
    if (n > 0) /* the delay is in units of 8 us */
        *bytes += 2 + quic_varint(q->expected - 1) + quic_varint(delay_us / 8);
    return n;
}

/* Room for one more. */
static struct quic_sent *quic_number(struct native_quic *q)
{
    if (q->next - q->first == q->capacity) {
        uint64_t more = q->capacity ? 2 * q->capacity : 64;
        struct quic_sent *ring = memory_zeroed(more, sizeof *ring, "packets of QUIC");
        for (uint64_t i = q->first; i < q->next; i++)
            ring[i & (more - 1)] = *quic_at(q, i);
        free(q->ring);
        q->ring = ring;
        q->capacity = more;
    }
    return quic_at(q, q->next++);
}

/* Whether packets have come that no ACK has told of. */
static bool quic_owes(const struct native_endpoint *e)
{
    return e->rx.unacked > 0 || e->rx.ack_now;
}

/* What an ACK that is due takes of a packet. */
static uint32_t quic_ack_bytes(const struct native_endpoint *e)
{
    uint32_t bytes = 0;
    if (quic_owes(e))
        quic_ranges(e->quic, (uint64_t)((quic_now(e) - e->quic->came_ps) / PS_PER_US), &bytes);
    return bytes;
}

/* Sends a packet with these bytes of the stream, or none, and the ACK that is due. `datagram`: how long, where that does
 * not follow; 0: it does. */
static void quic_send(struct native_endpoint *e, uint8_t flags, uint64_t offset, uint32_t bytes, uint32_t datagram)
{
    struct native_quic *q = e->quic;
    uint64_t delay_us = (uint64_t)((quic_now(e) - q->came_ps) / PS_PER_US), number = q->next;
    uint32_t ack_bytes = 0;
    int n = quic_owes(e) ? quic_ranges(q, delay_us, &ack_bytes) : 0;
    struct native_pool *pool = n == 0 ? e->env->plain : n <= NATIVE_SACK_BLOCKS ? e->env->sacked : e->env->ranged;
    struct native_ranged_segment *s = native_pool_take(pool);
    if (datagram == 0)
        datagram = SHORT_AROUND + ack_bytes + (flags & NATIVE_QUIC_PING ? 1 : 0) +
                   (bytes > 0 ? 2 + quic_varint(offset) + bytes : 0);
    s->segment = (struct native_segment){.seq = (uint32_t)offset, .ts = (uint32_t)number, .ts_echo = (uint32_t)delay_us,
                                         .end = e->id, .window = (uint16_t)datagram, .payload_bytes = (uint16_t)bytes,
                                         .ip_id = e->next_ip_id++, .flags = (uint8_t)(flags | (n > 0 ? NATIVE_ACK : 0)),
                                         .n_sack = (uint8_t)n};
    for (int i = 0; i < n; i++) {
        const struct native_interval *range = &q->received.at[q->received.n - 1 - i];
        s->ranges[i][0] = (uint32_t)range->from;
        s->ranges[i][1] = (uint32_t)range->to;
    }
    bool eliciting = bytes > 0 || flags & NATIVE_QUIC_PING;
    if (!(flags & (NATIVE_QUIC_HELLO | NATIVE_QUIC_LONG))) /* those have numbers of their own */
        *quic_number(q) = (struct quic_sent){offset, n > 0 ? q->expected : 0, quic_now(e), bytes, eliciting ? datagram : 0,
                                             !eliciting};
    if (eliciting) {
        q->flight += datagram;
        q->eliciting_ps = quic_now(e);
    }
    if (n > 0) {
        e->rx.unacked = 0;
        e->rx.ack_now = false;
        native_timer_cancel(&e->rx.delayed_ack);
    }
    e->env->transmit(e->env->user, e, &s->segment);
}

static void quic_ack(struct native_endpoint *e)
{
    struct native_quic *q = e->quic;
    bool asks = ++q->bare >= ACKS_A_PING;
    if (asks)
        q->bare = 0;
    quic_send(e, asks ? NATIVE_QUIC_PING : 0, 0, 0, 0);
    if (asks)
        quic_arm(e);
}

static void quic_ack_due(void *arg)
{
    struct native_endpoint *e = arg;
    if (e->rx.unacked > 0)
        quic_ack(e);
}

static void quic_send_stream(struct native_endpoint *e, uint64_t offset, uint32_t bytes)
{
    struct native_sender *tx = &e->tx;
    if (offset < tx->nxt) {
        e->stats.retransmitted_segments++;
        e->stats.retransmitted_bytes += bytes;
    }
    if (e->stats.first_data_ps < 0)
        e->stats.first_data_ps = quic_now(e);
    if (offset + bytes > tx->nxt)
        tx->nxt = offset + bytes;
    e->quic->bare = 0;
    quic_send(e, 0, offset, bytes, 0);
    if (e->quic->lost.n > 0 && e->quic->lost.at[0].from == offset)
        native_intervals_cut(&e->quic->lost, offset + bytes);
}

/* What a full packet has for the stream, its frame's header included. */
static uint64_t quic_room(const struct native_endpoint *e)
{
    return quic_full(e) - SHORT_AROUND - quic_ack_bytes(e);
}

/* The next bytes that a packet takes: what was lost, or new ones as far as the buffer goes; 0: none. */
static uint32_t quic_next(struct native_endpoint *e, uint64_t *offset)
{
    struct native_quic *q = e->quic;
    struct native_sender *tx = &e->tx;
    uint64_t start, end, room = quic_room(e);
    while (q->lost.n > 0) {
        struct native_interval first = q->lost.at[0];
        if (first.from < tx->una)
            first.from = tx->una;
        bool hole = first.from < first.to && native_scoreboard_hole(&tx->scoreboard, first.from, first.to, &start, &end);
        native_intervals_cut(&q->lost, hole ? start : first.to);
        if (!hole)
            continue;
        room -= 2 + quic_varint(start);
        *offset = start;
        return (uint32_t)(end - start < room ? end - start : room);
    }
    uint64_t edge = tx->una + (uint64_t)e->config.send_buffer_bytes, waiting = tx->written - tx->nxt;
    room -= 2 + quic_varint(tx->nxt);
    if (tx->nxt >= edge || waiting == 0)
        return 0;
    *offset = tx->nxt;
    if (edge - tx->nxt < room && waiting > edge - tx->nxt)
        return tx->nxt == tx->una ? (uint32_t)(edge - tx->nxt) : 0; /* a full one can go soon */
    return (uint32_t)(waiting < room ? waiting : room);
}

void native_quic_push(struct native_endpoint *e)
{
    struct native_quic *q = e->quic;
    struct native_sender *tx = &e->tx;
    uint64_t full = quic_full(e), offset;
    if (e->state != NATIVE_ESTABLISHED)
        return;
    while (q->flight == 0 || q->flight + full <= tx->window.cwnd) {
        tx->throttled = e->config.small_queue_bytes > 0 && tx->queued_bytes >= e->config.small_queue_bytes;
        uint32_t bytes = tx->throttled ? 0 : quic_next(e, &offset);
        if (bytes == 0)
            break;
        quic_send_stream(e, offset, bytes);
    }
    quic_arm(e);
}

/* Losses of one round trip shrink the window once (RFC 9002, section 7.3.2); `persistent`: to two packets (7.6). */
static void quic_shrink(struct native_endpoint *e, uint64_t number, uint64_t flight, bool persistent)
{
    struct native_sender *tx = &e->tx;
    uint64_t full = quic_full(e);
    if (number >= e->quic->recovery) {
        e->stats.fast_recoveries++;
        tx->window.ssthresh = tx->control->lost(tx->state, &tx->window, full, flight, false);
        tx->window.cwnd = tx->window.ssthresh < tx->window.cwnd ? tx->window.ssthresh : tx->window.cwnd;
        tx->window.remainder = 0;
        e->quic->recovery = e->quic->next;
    }
    if (persistent) {
        tx->window.cwnd = 2 * full;
        e->quic->recovery = 0;
    }
}

/* Declares lost what is three packets, or 9/8 of a round trip, before one that was acknowledged (RFC 9002, section 6.1). */
static void quic_detect(struct native_endpoint *e)
{
    struct native_quic *q = e->quic;
    int64_t longest_us = e->tx.rtt.srtt_8us / 8 > q->latest_us ? e->tx.rtt.srtt_8us / 8 : q->latest_us;
    int64_t delay_ps = 9 * longest_us / 8 * PS_PER_US, now_ps = quic_now(e), from_ps = -1, span_ps = 0;
    uint64_t flight = q->flight, latest = NO_NUMBER;
    delay_ps = delay_ps > GRANULARITY_US * PS_PER_US ? delay_ps : GRANULARITY_US * PS_PER_US;
    q->lose_ps = 0;
    for (uint64_t i = q->first; q->largest != NO_NUMBER && i < q->largest; i++) {
        struct quic_sent *p = quic_at(q, i);
        if (p->settled) {
            from_ps = p->datagram > 0 ? -1 : from_ps; /* one that was acknowledged ends the stretch */
            continue;
        }
        if (i + PACKET_THRESHOLD > q->largest && p->sent_ps + delay_ps > now_ps) {
            q->lose_ps = p->sent_ps + delay_ps;
            break;
        }
        p->settled = true;
        q->flight -= p->datagram;
        if (p->bytes > 0)
            native_intervals_add(&q->lost, p->offset, p->offset + p->bytes);
        latest = i;
        from_ps = from_ps < 0 ? p->sent_ps : from_ps;
        span_ps = p->sent_ps - from_ps > span_ps ? p->sent_ps - from_ps : span_ps;
    }
    if (latest != NO_NUMBER)
        quic_shrink(e, latest, flight, span_ps > PERSISTENT * quic_patience_us(e) * PS_PER_US);
    while (q->first < q->next && quic_at(q, q->first)->settled)
        q->first++;
}

static void quic_sample(struct native_endpoint *e, int64_t rtt_us, int64_t delay_us)
{
    struct native_quic *q = e->quic;
    int64_t most_us = e->config.delayed_ack_timeout_ps / PS_PER_US;
    q->latest_us = rtt_us > 0 ? rtt_us : 1;
    if (q->min_rtt_us == 0 || (uint64_t)q->latest_us < q->min_rtt_us)
        q->min_rtt_us = (uint64_t)q->latest_us;
    delay_us = delay_us < most_us ? delay_us : most_us;
    native_rtt_sample(&e->tx.rtt, q->latest_us >= (int64_t)q->min_rtt_us + delay_us ? q->latest_us - delay_us : q->latest_us);
}

/* The stream's bytes of a packet have arrived. */
static void quic_arrived(struct native_endpoint *e, const struct quic_sent *p)
{
    struct native_sender *tx = &e->tx;
    uint64_t from = p->offset > tx->una ? p->offset : tx->una, to = p->offset + p->bytes;
    if (from < to)
        native_intervals_add(&tx->scoreboard, from, to);
    if (tx->scoreboard.n > 0 && tx->scoreboard.at[0].from == tx->una) {
        tx->una = tx->scoreboard.at[0].to;
        native_intervals_cut(&tx->scoreboard, tx->una);
    }
}

/* What an ACK told. */
struct quic_news {
    uint64_t bytes; /* that have left the network, */
    uint64_t grown; /* of them sent since the window fell */
    bool rtt;       /* it was a round trip's, too */
};

static void quic_settle(struct native_endpoint *e, uint64_t number, struct quic_news *news)
{
    struct native_quic *q = e->quic;
    struct quic_sent *p = quic_at(q, number);
    if (p->acks_to > 0) /* the peer knows that these have come */
        native_intervals_cut(&q->received, p->acks_to);
    p->acks_to = 0;
    if (p->settled)
        return;
    p->settled = true;
    q->flight -= p->datagram;
    news->bytes += p->datagram;
    news->grown += number >= q->recovery ? p->datagram : 0;
    quic_arrived(e, p);
}

static struct quic_news quic_read_ack(struct native_endpoint *e, const struct native_segment *s)
{
    const struct native_ranged_segment *ranged = (const struct native_ranged_segment *)s;
    struct native_quic *q = e->quic;
    struct quic_news news = {0};
    uint64_t largest = native_offset(ranged->ranges[0][1], q->next) - 1;
    bool newest = largest >= q->first && largest < q->next && (q->largest == NO_NUMBER || largest > q->largest);
    for (int i = 0; i < s->n_sack; i++) {
        uint64_t from = native_offset(ranged->ranges[i][0], q->next), to = native_offset(ranged->ranges[i][1], q->next);
        for (uint64_t n = from > q->first ? from : q->first; n < to && n < q->next; n++)
            quic_settle(e, n, &news);
    }
    if (newest)
        q->largest = largest;
    news.rtt = newest && news.bytes > 0; /* RFC 9002, section 5.1 */
    if (news.rtt)
        quic_sample(e, (quic_now(e) - quic_at(q, largest)->sent_ps) / PS_PER_US, s->ts_echo);
    return news;
}

static void quic_acked(struct native_endpoint *e, const struct native_segment *s)
{
    const struct native_quic *q = e->quic;
    struct native_sender *tx = &e->tx;
    uint64_t una = tx->una, flight = q->flight, full = quic_full(e);
    struct quic_news news = quic_read_ack(e, s);
    if (news.bytes == 0)
        return;
    tx->rtt.backoff = 0;
    struct native_ack ack = {.segment = full, .acked = news.grown, .now_us = (uint64_t)(quic_now(e) / PS_PER_US),
                             .rtt_us = news.rtt ? (uint64_t)q->latest_us : 0, .una = tx->una, .nxt = tx->nxt};
    quic_detect(e);
    if (tx->control->delivered)
        tx->control->delivered(tx->state, news.bytes, &ack);
    if (tx->control->sampled && news.rtt)
        tx->control->sampled(tx->state, &tx->window, &ack);
    /* Only a window that was in use may grow (RFC 9002, section 7.8). */
    bool used = tx->window.cwnd < tx->window.ssthresh ? tx->window.cwnd < 2 * flight : flight + full > tx->window.cwnd;
    if (news.grown > 0 && used)
        tx->control->grow(tx->state, &tx->window, &ack);
    if (e->env->drained && tx->una > una && tx->una == tx->written)
        e->env->drained(e->env->user, e);
}

/* A probe that asks for an ACK: new data, or the oldest again, or nothing but that (RFC 9002, section 6.2.4). */
static void quic_probe(struct native_endpoint *e)
{
    struct native_quic *q = e->quic;
    uint64_t offset, first = q->first;
    uint32_t bytes = quic_next(e, &offset), least = (uint32_t)quic_room(e) - STREAM_AROUND;
    while (bytes == 0 && first < q->next && (quic_at(q, first)->settled || quic_at(q, first)->bytes == 0))
        first++;
    if (bytes > 0)
        quic_send_stream(e, offset, bytes);
    else if (first < q->next)
        quic_send_stream(e, quic_at(q, first)->offset, quic_at(q, first)->bytes < least ? quic_at(q, first)->bytes : least);
    else
        quic_send(e, NATIVE_QUIC_PING, 0, 0, 0);
}

static void quic_hello(struct native_endpoint *e)
{
    struct native_quic *q = e->quic;
    q->hellos++;
    q->hello_ps = quic_now(e);
    quic_send(e, NATIVE_QUIC_HELLO, 0, 0, LEAST_DATAGRAM);
    native_timer_set(&e->tx.retransmit, q->hello_ps + (quic_patience_us(e) * PS_PER_US << e->tx.rtt.backoff));
}

static void quic_timeout(void *arg)
{
    struct native_endpoint *e = arg;
    if (e->quic->lose_ps > 0) {
        quic_detect(e);
        native_quic_push(e);
        return;
    }
    if (e->tx.rtt.backoff < MOST_BACKOFF)
        e->tx.rtt.backoff++;
    if (e->state != NATIVE_ESTABLISHED) {
        quic_hello(e);
        return;
    }
    e->stats.timeouts++;
    for (int i = 0; i < 2; i++)
        quic_probe(e);
    quic_arm(e);
}

void native_quic_init(struct native_endpoint *e)
{
    e->quic = memory_zeroed(1, sizeof *e->quic, "a connection of QUIC");
    e->quic->largest = NO_NUMBER;
    native_timer_init(&e->tx.retransmit, e->env->scheduler, quic_timeout, e);
    native_timer_init(&e->rx.delayed_ack, e->env->scheduler, quic_ack_due, e);
    if (e->config.congestion == EMU_CONGESTION_NEWRENO)
        e->tx.control = native_congestions[EMU_CONGESTION_LINUXRENO];
    e->tx.window.cwnd = (uint64_t)e->config.initial_window_segments * quic_full(e);
}

void native_quic_fini(struct native_endpoint *e)
{
    native_intervals_fini(&e->quic->lost);
    native_intervals_fini(&e->quic->received);
    MEMORY_FREE(e->quic->ring, e->quic);
}

void native_quic_connect(struct native_endpoint *e)
{
    e->state = NATIVE_SYN_SENT;
    quic_hello(e);
}

static void quic_established(struct native_endpoint *e)
{
    struct native_quic *q = e->quic;
    e->state = NATIVE_ESTABLISHED;
    native_timer_cancel(&e->tx.retransmit);
    e->tx.rtt.backoff = 0;
    if (q->hellos == 1) /* else nobody knows which was answered */
        quic_sample(e, (quic_now(e) - q->hello_ps) / PS_PER_US, 0);
    if (e->env->connected)
        e->env->connected(e->env->user, e);
    native_quic_push(e);
}

/* Before data may flow, and what of it comes again; true when the packet needs no more looking at. */
static bool quic_handshake(struct native_endpoint *e, const struct native_segment *s)
{
    bool hello = s->flags & NATIVE_QUIC_HELLO;
    if (e->id & 1) {
        if (hello && (e->state == NATIVE_LISTEN || e->state == NATIVE_SYN_RECEIVED)) {
            e->state = NATIVE_SYN_RECEIVED;
            quic_hello(e);
        } else if (!hello && e->state == NATIVE_SYN_RECEIVED) {
            quic_established(e);
        }
    } else if (hello) {
        bool first = e->state == NATIVE_SYN_SENT;
        quic_send(e, NATIVE_QUIC_LONG, 0, 0, LONG_DATAGRAM); /* perhaps once more: the peer's hello came again */
        if (first)
            quic_established(e);
    }
    return hello || s->flags & NATIVE_QUIC_LONG || e->state != NATIVE_ESTABLISHED;
}

static void quic_deliver(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_receiver *rx = &e->rx;
    uint64_t from = native_offset(s->seq, rx->nxt), to = from + s->payload_bytes, before = rx->nxt;
    if (to <= rx->nxt) {
        e->stats.duplicate_segments++;
        return;
    }
    if (from > rx->nxt) {
        native_reassembly_insert(&rx->reassembly, from, to);
        return;
    }
    rx->nxt = rx->reassembly.held.n > 0 ? native_reassembly_advance(&rx->reassembly, to) : to;
    native_endpoint_deliver(e, rx->nxt - before);
}

void native_quic_receive(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_quic *q = e->quic;
    uint64_t number = native_offset(s->ts, q->expected);
    if (e->state == NATIVE_CLOSED || quic_handshake(e, s))
        return;
    bool eliciting = s->payload_bytes > 0 || s->flags & NATIVE_QUIC_PING, in_order = number == q->expected;
    native_intervals_add(&q->received, number, number + 1);
    if (number >= q->expected) {
        q->expected = number + 1;
        q->came_ps = quic_now(e);
    }
    if (s->n_sack > 0)
        quic_acked(e, s);
    if (s->payload_bytes > 0)
        quic_deliver(e, s);
    e->rx.unacked += eliciting;
    e->rx.ack_now = e->rx.ack_now || (eliciting && (!in_order || e->rx.unacked >= (uint32_t)e->config.delayed_ack));
    native_quic_push(e); /* data carry the ACK along */
    if (e->rx.ack_now)
        quic_ack(e);
    else if (e->rx.unacked > 0 && !e->rx.delayed_ack.armed)
        native_timer_set(&e->rx.delayed_ack, quic_now(e) + e->config.delayed_ack_timeout_ps);
}
