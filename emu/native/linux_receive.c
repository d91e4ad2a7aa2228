/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Linux's receiver acknowledges and when (tcp_input.c), and the window that it advertises (tcp_output.c). */
#include "emu/native/endpoint.h"

#define PS_PER_NS 1000
#define PS_PER_US INT64_C(1000000)
#define PS_PER_TICK (NATIVE_RTT_JIFFY_US * PS_PER_US)
#define FIRST_WINDOW 65535
#define TIME_STAMPS 12 /* bytes of a header */
#define MOST_QUICK_ACKS 16
#define GROWS_FROM 128    /* bytes of a segment that lets the window grow */
#define MOST_COMPRESSED 44 /* ACKs (tcp_comp_sack_nr) */
#define MOST_COMPRESSED_PS (1000 * PS_PER_US)  /* tcp_comp_sack_delay_ns */
#define COMPRESSED_SLACK_PS (100 * PS_PER_US)  /* tcp_comp_sack_slack_ns */
#define DUPLICATES 3      /* that are told of at once (TCP_FASTRETRANS_THRESH) */
#define FIRST_SEGMENT 536 /* before any has come (TCP_MSS_DEFAULT) */
#define SHORTER 524       /* bytes of one with time stamps: TCP_MSS_DEFAULT less these, */
#define SHORTEST 76       /* and TCP_MIN_MSS less these */
#define TOLD_TWICE 2      /* blocks that are expected to fit an ACK (TCP_SACK_BLOCKS_EXPECTED) */
#define MOST_ATO 50       /* ticks that an ACK may wait (TCP_DELACK_MAX) */

static int64_t receive_now(const struct native_endpoint *e)
{
    return native_scheduler_now(e->env->scheduler);
}

static int32_t receive_tick(const struct native_endpoint *e)
{
    return (int32_t)((uint64_t)receive_now(e) / PS_PER_TICK);
}

static struct native_linux_buffer receive_buffer(const struct native_endpoint *e, uint64_t from, uint32_t payload)
{
    return native_linux_buffer(from, payload, (uint32_t)e->config.segment_bytes);
}

/* What is free now of the buffer (tcp_space()): half of the memory is for data. */
static uint64_t receive_space(const struct native_endpoint *e)
{
    uint64_t buffer = 2 * (uint64_t)e->config.receive_buffer_bytes, taken = e->rx.own.queued + e->rx.own.kept;
    return buffer > taken ? (buffer - taken) / 2 : 0;
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

/* In whole units of the field, up, and no more than it can say. */
static uint64_t receive_said(uint64_t window, uint32_t scale)
{
    uint64_t most = UINT64_C(65535) << scale;
    window = (window + (UINT64_C(1) << scale) - 1) >> scale << scale;
    return window < most ? window : most;
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
    return receive_said(window, scale);
}

/* The timer is due at a whole ns, before frames that come in it and that its host acts on at the end of it
 * (emu_engine_deliver()). */
static void receive_compressed(void *arg)
{
    struct native_endpoint *e = arg;
    int64_t *now_ps = &e->env->scheduler->now_ps, exact_ps = *now_ps;
    *now_ps += PS_PER_NS - 1;
    e->rx.own.stamps_late = true; /* the clock is not read for it */
    if (e->rx.own.compressed > 0)
        native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0);
    e->rx.own.stamps_late = false;
    *now_ps = exact_ps;
}

void native_linux_init_receiver(struct native_endpoint *e)
{
    struct native_linux_receiver *own = &e->rx.own;
    own->memory = receive_buffer(e, 0, (uint32_t)e->config.segment_bytes).memory;
    own->queued = own->memory;
    own->space = receive_space(e);
    own->queued = 0;
    own->most = receive_most(e);
    own->spare = 2 * ((uint64_t)e->config.receive_buffer_bytes - own->most);
    own->least_ato = (int32_t)((e->config.delayed_ack_timeout_ps + PS_PER_TICK - 1) / PS_PER_TICK);
    own->limit = receive_first(e) < own->most ? receive_first(e) : own->most;
    own->echo_from_us = UINT32_MAX / 1000 * 1000;
    e->rx.quick_acks = 0; /* until there are data in order */
    own->segment = own->limit / 2 < FIRST_SEGMENT ? (uint32_t)(own->limit / 2) : FIRST_SEGMENT;
    native_timer_init(&own->timer, e->env->scheduler, receive_compressed, e);
}

void native_linux_acknowledges_quickly(struct native_endpoint *e)
{
    if (receive_space(e) < e->rx.own.most / 2)
        e->rx.quick_acks = 0;
}

int native_linux_blocks(struct native_endpoint *e, uint64_t (*blocks)[2])
{
    struct native_linux_receiver *own = &e->rx.own;
    int n = 0;
    if (own->twice_from != own->twice_to) {
        blocks[0][0] = own->twice_from;
        blocks[n++][1] = own->twice_to;
    }
    own->twice_from = own->twice_to;
    for (int i = 0; i < own->n_blocks && n < NATIVE_SACK_BLOCKS; i++, n++) {
        blocks[n][0] = own->blocks[i][0];
        blocks[n][1] = own->blocks[i][1];
    }
    return n;
}

static void receive_twice(struct native_linux_receiver *own, uint64_t from, uint64_t to)
{
    own->twice_from = from;
    own->twice_to = to;
}

/* tcp_incr_quickack() */
static void receive_quickly(struct native_endpoint *e)
{
    uint64_t windows = e->rx.window_sent / (2 * (uint64_t)e->rx.own.segment);
    uint32_t quick = windows == 0 ? 2 : windows > MOST_QUICK_ACKS ? MOST_QUICK_ACKS : (uint32_t)windows;
    if (quick > e->rx.quick_acks)
        e->rx.quick_acks = quick;
}

/* tcp_enter_quickack_mode() */
static void receive_all_quickly(struct native_endpoint *e)
{
    receive_quickly(e);
    e->rx.own.ato = e->rx.own.least_ato;
    e->rx.ack_now = true;
}

/* tcp_grow_window(): what the frame itself takes is not free. Growth is told at once. */
static void receive_grow(struct native_endpoint *e, uint32_t bytes)
{
    struct native_linux_receiver *own = &e->rx.own;
    uint64_t space = receive_space(e), more = 2 * (uint64_t)e->config.segment_bytes;
    more = 2 * (uint64_t)bytes > more ? 2 * (uint64_t)bytes : more;
    space = space < own->most ? space : own->most;
    if (bytes < GROWS_FROM || space <= own->limit)
        return;
    own->limit += space - own->limit < more ? space - own->limit : more;
    e->rx.quick_acks |= 1;
}

/* tcp_rcv_rtt_update() */
static void receive_trip(struct native_linux_receiver *own, uint32_t us, bool of_window)
{
    uint32_t old = own->trip_8us;
    if (old == 0 || 8 * us < old)
        own->trip_8us = 8 * us;
    else if (!of_window)
        own->trip_8us = old - old / 8 + us;
}

/* From an ACK to the data that it called for, in ms of time stamps (tcp_rcv_rtt_measure_ts()). */
static inline void receive_measure_echo(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_linux_receiver *own = &e->rx.own;
    if (s->ts_echo - own->echo_from_us < 1000)
        return;
    own->echo_from_us = s->ts_echo / 1000 * 1000;
    if (s->payload_bytes < own->segment)
        return;
    uint32_t ms = (uint32_t)((uint64_t)receive_now(e) / PS_PER_US) / 1000 - s->ts_echo / 1000;
    receive_trip(own, 1000 * (ms > 0 ? ms : 1), false);
}

/* How long a window takes (tcp_rcv_rtt_measure()). */
static inline void receive_measure_window(struct native_endpoint *e)
{
    struct native_linux_receiver *own = &e->rx.own;
    if (own->window_end > 0 && e->rx.nxt < own->window_end)
        return;
    uint32_t now_us = (uint32_t)(receive_now(e) / PS_PER_US);
    if (own->window_end > 0)
        receive_trip(own, now_us > own->window_us ? now_us - own->window_us : 1, true);
    own->window_end = e->rx.nxt + e->rx.window_sent;
    own->window_us = now_us;
}

/* How long a segment is: shorter ones are, too, once two in a row are alike. Else a shorter one, or a push, is the end of
 * what an application wrote (tcp_measure_rcv_mss()). */
static inline void receive_measure_segment(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_linux_receiver *own = &e->rx.own;
    uint32_t bytes = s->payload_bytes, before = own->shorter;
    own->shorter = 0;
    if (bytes >= own->segment) {
        own->segment = bytes < e->config.segment_bytes ? bytes : (uint32_t)e->config.segment_bytes;
        own->pushed = own->pushed || s->flags & NATIVE_PUSH;
        return;
    }
    if (bytes >= SHORTER || (bytes >= SHORTEST && !(s->flags & (NATIVE_PUSH | NATIVE_FIN)))) {
        own->shorter = bytes;
        if (bytes == before) {
            own->segment = bytes;
            return;
        }
    }
    own->pushed = true;
}

/* How long an ACK may wait follows how far data are apart; who was silent for long may have begun anew
 * (tcp_event_data_recv()). */
static inline void receive_measure_gap(struct native_endpoint *e)
{
    struct native_linux_receiver *own = &e->rx.own;
    int32_t tick = receive_tick(e), least = own->least_ato, gap = tick - own->came;
    own->came = tick;
    if (own->ato == least && gap <= least / 2)
        return; /* as mostly: it stays */
    int64_t rto = native_rtt_rto_ps(&e->tx.rtt) / PS_PER_TICK;
    if (own->ato == 0) {
        own->ato = least; /* the first of all */
        receive_quickly(e);
    } else if (gap <= least / 2) {
        own->ato = own->ato / 2 + least / 2;
    } else if (gap < own->ato) {
        own->ato = own->ato / 2 + gap < rto ? own->ato / 2 + gap : (int32_t)rto;
    } else if (gap > rto) {
        receive_quickly(e);
    }
}

void native_linux_delay_ack(struct native_endpoint *e)
{
    int64_t ato = e->rx.own.ato, least = e->rx.own.least_ato;
    e->rx.own.delaying = true;
    if (ato > least) {
        int64_t trip = native_linux_jiffies(e->tx.rtt.srtt_8us / 8), most = trip > least ? trip : least;
        ato = ato < most ? ato : most;
        ato = ato < MOST_ATO ? ato : MOST_ATO;
    }
    native_timer_set_in_wheel(&e->rx.delayed_ack, PS_PER_TICK, ato);
}

bool native_linux_delayed_ack(struct native_endpoint *e)
{
    int64_t rto = native_rtt_rto_ps(&e->tx.rtt) / PS_PER_TICK;
    if (e->rx.own.compressed > 0)
        return true;
    if (!e->rx.own.delaying)
        return false;
    e->rx.own.delaying = false;
    e->rx.own.plain_ps = 0;
    e->rx.own.ato = 2 * (int64_t)e->rx.own.ato < rto ? 2 * e->rx.own.ato : (int32_t)rto;
    return true;
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
    int64_t srtt_8us = e->tx.rtt.srtt_8us, trip_8us = own->trip_8us;
    trip_8us = srtt_8us > 0 && srtt_8us < trip_8us ? srtt_8us : trip_8us;
    int64_t delay_ps = trip_8us * 125 / 20 * 1000; /* 5 %, in ns */
    if (delay_ps > MOST_COMPRESSED_PS)
        delay_ps = MOST_COMPRESSED_PS;
    native_timer_set(&own->timer, receive_now(e) + delay_ps + COMPRESSED_SLACK_PS - (PS_PER_NS - 1));
}

/* More than a segment waits for an ACK. */
static inline bool receive_two(const struct native_endpoint *e)
{
    return e->rx.nxt - e->rx.acked > (e->config.delayed_ack > 1 ? e->rx.own.segment : 0);
}

/* Whether what has come is to be acknowledged now, before the application reads (__tcp_ack_snd_check()), or once it has read
 * all there is (tcp_cleanup_rbuf()); `fin`: the stream has ended, and whoever answers may do so with data. */
static inline void receive_judge(struct native_endpoint *e, bool fin)
{
    struct native_receiver *rx = &e->rx;
    bool two = receive_two(e);
    rx->unacked++;
    rx->ack_now = rx->ack_now || (rx->quick_acks > 0 && !fin) ||
                  (two && (receive_space(e) >= rx->window_sent || native_linux_window(e) >= rx->window_sent));
    if (!rx->ack_now && rx->reassembly.held.n > 0)
        receive_compress(e);
    if (rx->ack_now || rx->own.gathers || (!two && (!rx->own.pushed || fin || rx->own.kept > 0)))
        return;
    if (rx->reassembly.held.n == 0 && !rx->own.delaying)
        native_linux_delay_ack(e); /* until the application reads, and the timer goes on after that */
    rx->ack_now = true;
    if (!rx->paused)
        rx->own.queued = 0;
}

void native_linux_gather(struct native_endpoint *e)
{
    e->rx.own.gathers = true;
    e->rx.own.gathered = NULL;
    e->way = NATIVE_ANY_WAY;
}

bool native_linux_gathered(struct native_endpoint *e)
{
    struct native_receiver *rx = &e->rx;
    if (!rx->own.gathers)
        return false;
    rx->own.gathers = false;
    return !rx->paused && rx->own.queued > 0 && rx->unacked > 0 &&
           (receive_two(e) || (rx->own.pushed && rx->finish == NATIVE_OPEN_STREAM && rx->own.kept == 0));
}

void native_linux_reopen(struct native_endpoint *e, uint64_t window)
{
    uint64_t more = native_linux_window(e);
    if (more > 0 && more >= 2 * window)
        native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0);
}

/* What stays so until the tick ends, or other data than full segments in order come; ato may double before. */
static void receive_settle(struct native_linux_receiver *own, const struct native_endpoint *e)
{
    if (own->limit < own->most || e->window_scale == 0)
        return; /* nor has it ever been otherwise */
    bool plain = own->ato == own->least_ato && own->segment == (uint64_t)e->config.segment_bytes;
    own->widest = receive_said(own->most, e->window_scale);
    own->alone = e->config.delayed_ack > 1 ? own->segment : 0;
    own->plain_ps = plain ? (own->came + INT64_C(1)) * PS_PER_TICK : 0;
}

/* Data in order have come, up to rx.nxt, and are queued. */
static inline __attribute__((always_inline)) void receive_in_order(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_linux_receiver *own = &e->rx.own;
    receive_measure_segment(e, s);
    receive_measure_window(e);
    receive_measure_gap(e);
    if (own->limit < own->most)
        receive_grow(e, s->payload_bytes);
    receive_settle(own, e);
}

void native_linux_received(struct native_endpoint *e, const struct native_segment *s)
{
    e->rx.own.queued = s->payload_bytes == e->config.segment_bytes ? e->rx.own.memory /* it is alone */
                                                                   : receive_buffer(e, 0, s->payload_bytes).memory;
    receive_measure_echo(e, s);
    receive_in_order(e, s);
    receive_judge(e, false);
}

/* tcp_data_queue_ofo(). Returns whether an ACK has left that waited: then none is due for this. */
static bool receive_out_of_order(struct native_endpoint *e, const struct native_segment *s,
                                 const struct native_linux_buffer *b)
{
    struct native_receiver *rx = &e->rx;
    struct native_linux_receiver *own = &rx->own;
    bool first = own->n_held == 0, waited = false;
    enum native_linux_kept kept = native_linux_keep(own, b);
    native_reassembly_insert(&rx->reassembly, b->from, b->to);
    if (kept == LINUX_KEPT_BEFORE) {
        e->stats.duplicate_segments++;
        receive_twice(own, b->from, b->to);
    } else if (kept == LINUX_MERGED) {
        receive_grow(e, s->payload_bytes);
    }
    if (first)
        own->n_blocks = 0;
    int i = native_linux_find_block(own, b->from, b->to);
    if (i >= TOLD_TWICE && own->compressed > 0) {
        native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0);
        waited = true;
    }
    native_linux_tell(own, i, b->from, b->to);
    if (kept == LINUX_KEPT) {
        receive_grow(e, s->payload_bytes);
        own->kept += b->memory;
    }
    return waited;
}

/* What continues the stream, and what it joins. */
static void receive_next(struct native_endpoint *e, const struct native_segment *s, const struct native_linux_buffer *b)
{
    struct native_receiver *rx = &e->rx;
    bool hole = rx->reassembly.held.n > 0;
    if (b->from < rx->nxt)
        receive_twice(&rx->own, b->from, rx->nxt);
    rx->nxt = b->to;
    native_linux_queue(&rx->own, b);
    receive_in_order(e, s);
    if (!hole)
        return;
    native_linux_unkeep(&rx->own, rx->nxt);
    rx->nxt = native_reassembly_advance(&rx->reassembly, rx->nxt);
    native_linux_untell(&rx->own, rx->nxt);
    rx->ack_now = rx->ack_now || rx->reassembly.held.n == 0;
}

bool native_linux_is_old(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_receiver *rx = &e->rx;
    uint64_t from = native_offset(s->seq, rx->nxt), to = from + s->payload_bytes + (s->flags & NATIVE_FIN ? 1 : 0);
    if (to == from || to >= rx->acked)
        return false;
    e->stats.duplicate_segments++;
    receive_twice(&rx->own, from, to);
    receive_all_quickly(e);
    if (rx->unacked == 0 && rx->own.compressed == 0)
        native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0);
    return true;
}

void native_linux_accept(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_receiver *rx = &e->rx;
    bool fin = s->flags & NATIVE_FIN, waited = false;
    struct native_linux_buffer b = receive_buffer(e, native_offset(s->seq, rx->nxt), s->payload_bytes);
    uint64_t before = rx->nxt;
    b.to += fin;
    rx->own.twice_from = rx->own.twice_to; /* a D-SACK that did not leave is forgotten */
    receive_measure_echo(e, s);
    if (fin)
        rx->finish = b.to - 1;
    if (b.to <= rx->nxt) {
        e->stats.duplicate_segments += b.to > b.from;
        receive_twice(&rx->own, b.from, b.to);
        receive_all_quickly(e);
        return;
    }
    if (b.from >= rx->acked + rx->window_sent && rx->acked + rx->window_sent >= rx->nxt) {
        receive_all_quickly(e);
        return;
    }
    if (b.from > rx->nxt)
        waited = receive_out_of_order(e, s, &b);
    else
        receive_next(e, s, &b);
    uint64_t bytes = rx->nxt - before;
    bool finished = rx->nxt > rx->finish;
    if (!waited)
        receive_judge(e, finished);
    if (!rx->ack_now && rx->reassembly.held.n > 0)
        rx->unacked = 0; /* the delayed ACK's timer is not for these */
    native_endpoint_deliver(e, finished ? bytes - 1 : bytes);
}
