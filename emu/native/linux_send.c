/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Linux sends and when (tcp_output.c), and its timers. */
#include "emu/native/linux_straight.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define PS_PER_US INT64_C(1000000)
#define JIFFY_US NATIVE_RTT_JIFFY_US
#define NEAR_RTT_LOG 9  /* bursts grow where the round trip is below 512 us (tcp_tso_rtt_log) */
#define WINDOW_DIVISOR 3 /* tcp_tso_win_divisor */
#define SMALL_QUEUE_MOST (1 << 20) /* tcp_limit_output_bytes */
#define WRITE_BYTES 65536 /* that the application writes at once, contraflow's with --engine linux */
#define PACKET_OVERHEAD 768 /* of memory that a packet of any size takes besides its data (truesize) */
#define BESIDE_PAYLOAD 586 /* in the memory of a frame cut from a burst: headers 66, room before them 200, skb_shared_info 320 */
#define SKB_BYTES 256
#define LEAST_REORDERING 3 /* segments (tcp_reordering) */

static int64_t send_now(const struct native_endpoint *e)
{
    return native_scheduler_now(e->env->scheduler);
}

static uint32_t send_now_us(const struct native_endpoint *e)
{
    return (uint32_t)((uint64_t)send_now(e) / PS_PER_US);
}

static uint8_t send_now_4ns(const struct native_endpoint *e)
{
    return (uint8_t)((uint64_t)send_now(e) % PS_PER_US / 4000);
}

static uint64_t send_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t send_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void native_linux_set_timer(struct native_endpoint *e, enum native_linux_timer timer, int64_t jiffies)
{
    e->tx.own.timer = timer;
    native_timer_set_in_wheel(&e->tx.retransmit, JIFFY_US * PS_PER_US, jiffies);
}

static int64_t send_rto_jiffies(const struct native_endpoint *e)
{
    return native_rtt_rto_ps(&e->tx.rtt) / (JIFFY_US * PS_PER_US);
}

/* From now until a timeout after the oldest segment left (tcp_rto_delta_us()). */
static int64_t send_rto_rest_us(const struct native_endpoint *e)
{
    const struct native_linux *l = &e->tx.own;
    return send_rto_jiffies(e) * JIFFY_US - (int32_t)(send_now_us(e) - native_linux_at(l, l->first)->sent_us);
}

void native_linux_arm(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    if (native_linux_out(l) == 0) {
        l->timer = LINUX_NO_TIMER;
        native_timer_cancel(&e->tx.retransmit);
        return;
    }
    int64_t jiffies = send_rto_jiffies(e);
    if (l->timer == LINUX_REORDERING || l->timer == LINUX_PROBE) {
        int64_t rest_us = send_rto_rest_us(e);
        jiffies = native_linux_jiffies(rest_us > 1 ? rest_us : 1);
    }
    native_linux_set_timer(e, LINUX_RETRANSMIT, jiffies);
}

/* Whether what is out may be probed (tcp_schedule_loss_probe()). */
static bool send_probes(const struct native_endpoint *e)
{
    const struct native_linux *l = &e->tx.own;
    return e->config.linux_own.tail_probe && (l->state == LINUX_OPEN || l->state == LINUX_CWR);
}

bool native_linux_arm_probe(struct native_endpoint *e, bool advancing)
{
    struct native_linux *l = &e->tx.own;
    if (!send_probes(e) || native_linux_out(l) == 0)
        return false;
    int64_t more_us = native_linux_out(l) == 1 ? e->tx.rtt.min_rto_us : NATIVE_LINUX_PROBE_MORE_US;
    int64_t wanted_us = e->tx.rtt.srtt_8us / 4 + more_us, jiffies = native_linux_jiffies(wanted_us);
    if (advancing && native_rtt_is_before_rto(&e->tx.rtt, wanted_us)) {
        native_linux_set_timer(e, LINUX_PROBE, jiffies);
        return true;
    }
    int64_t most_us = advancing ? send_rto_jiffies(e) * JIFFY_US : send_rto_rest_us(e);
    bool sooner = most_us <= 0 || most_us > jiffies * JIFFY_US; /* than the timeout */
    bool renewed = sooner && !advancing && (l->timer == LINUX_PROBE || l->timer == LINUX_NO_TIMER);
    if (!sooner)
        jiffies = native_linux_jiffies(most_us);
    native_linux_set_timer(e, LINUX_PROBE, jiffies);
    if (renewed) /* what was sent had set the timeout (tcp_event_new_data_sent()) */
        native_timer_renew(&e->tx.retransmit);
    return true;
}

static void send_grow_ring(struct native_linux *l)
{
    uint32_t places = l->mask ? 2 * (l->mask + 1) : 16;
    struct native_linux_segment *ring = memory_resized(NULL, places, sizeof *ring, "segments that are out");
    for (uint32_t i = l->first; i != l->next; i++)
        ring[i & (places - 1)] = l->ring[i & l->mask];
    free(l->ring);
    l->ring = ring;
    l->mask = places - 1;
}

/* Sends a segment of `payload` bytes at `from`, and the FIN after it where that is due. `burst`: it ends one, and is
 * pushed, so that the receiver acknowledges it at once. */
static void send_segment(struct native_endpoint *e, uint64_t from, uint32_t payload, bool fin, bool again, bool burst)
{
    struct native_sender *tx = &e->tx;
    uint8_t flags = NATIVE_ACK;
    if (fin)
        flags |= NATIVE_FIN;
    if (burst || (payload > 0 && from + payload == tx->written))
        flags |= NATIVE_PUSH;
    if (again && payload > 0) {
        e->stats.retransmitted_segments++;
        e->stats.retransmitted_bytes += payload;
    }
    if (payload > 0 && e->stats.first_data_ps < 0)
        e->stats.first_data_ps = send_now(e);
    tx->sent_ps = tx->own.wrote_ps = send_now(e);
    native_endpoint_send(e, flags, from, payload);
}

/* One segment once more; `counted`: not as a probe. */
static void send_segment_again(struct native_endpoint *e, uint32_t number, bool counted, bool pushed)
{
    struct native_linux *l = &e->tx.own;
    struct native_linux_segment *s = native_linux_at(l, number);
    uint64_t from = native_offset(s->from, e->tx.una);
    bool fin = from + s->bytes > e->tx.finish;
    s->sent_us = send_now_us(e);
    s->sent_4ns = send_now_4ns(e);
    s->flags = (uint8_t)((s->flags | NATIVE_LINUX_EVER) & ~NATIVE_LINUX_UNLISTED);
    if ((int32_t)(l->ever - number) <= 0)
        l->ever = number + 1;
    if (counted) {
        s->flags |= NATIVE_LINUX_AGAIN;
        l->again++;
        if (l->again_ms == 0)
            l->again_ms = send_now_us(e) / 1000 + 1;
        l->undo_again = (l->undo_again < 0 ? 0 : l->undo_again) + 1;
        if (2 * l->queue_first >= l->queue_next) { /* what is of no interest any more makes room */
            l->queue_next -= l->queue_first;
            if (l->queue_next > 0)
                memmove(l->queue, l->queue + l->queue_first, l->queue_next * sizeof *l->queue);
            l->queue_first = 0;
        }
        l->queue = memory_grown(l->queue, l->queue_next, &l->queue_room, 8, sizeof *l->queue, "retransmissions");
        l->queue[l->queue_next++] = (struct native_linux_again){number, s->sent_us, l->next};
    }
    send_segment(e, from, (uint32_t)s->bytes - fin, fin, true, pushed || s->flags & NATIVE_LINUX_PUSHED);
}

int64_t native_linux_frame_memory(uint32_t payload, bool cut)
{
    int64_t memory = 512;
    if (!cut)
        return PACKET_OVERHEAD + (int64_t)payload;
    while (memory < payload + BESIDE_PAYLOAD)
        memory *= 2;
    return memory + SKB_BYTES;
}

/* More than two packets, or than 1 ms at the pacing rate, are in the NIC. A sender with nothing or one burst out may
 * always send. `doubled`: retransmissions may have twice as much there. */
static bool send_throttled(struct native_endpoint *e, uint64_t bytes, bool doubled)
{
    struct native_sender *tx = &e->tx;
    const struct native_linux *l = &tx->own;
    if (e->config.small_queue_bytes == 0)
        return false;
    uint64_t limit = send_least(send_most(2 * (bytes + PACKET_OVERHEAD), native_linux_pacing(e) >> 10), SMALL_QUEUE_MOST) << doubled;
    bool full = (uint64_t)tx->queued_bytes + 1 > limit && l->bursts > 1; /* the socket itself counts one */
    tx->throttled = tx->throttled || full; /* until something leaves the NIC, whatever else is sent before */
    return full;
}

/* Segments of a burst: what the pacing rate gives in 1 ms, more where the round trip is short (tcp_tso_autosize()). */
static uint32_t send_burst(const struct native_endpoint *e)
{
    const struct native_sender *tx = &e->tx;
    if (!e->config.linux_own.gso)
        return 1;
    uint64_t bytes = native_linux_pacing(e) >> 10;
    int64_t halvings = tx->rtt.min_us >> NEAR_RTT_LOG;
    if (halvings < 32)
        bytes += (uint64_t)NATIVE_LINUX_GSO_BYTES >> halvings;
    uint64_t segments = send_least(bytes, NATIVE_LINUX_GSO_BYTES) / (uint64_t)e->config.segment_bytes;
    return (uint32_t)send_most(segments, NATIVE_LINUX_LEAST_BURST);
}

/* Bytes of a packet that waits to be sent: 64 kB, or half of the largest window (tcp_xmit_size_goal()). */
static uint64_t send_packet_bytes(const struct native_endpoint *e)
{
    uint64_t segment = (uint64_t)e->config.segment_bytes;
    if (!e->config.linux_own.gso)
        return segment;
    uint64_t bytes = send_least(NATIVE_LINUX_GSO_BYTES, e->tx.own.most_window / 2);
    return send_most(bytes / segment, 1) * segment;
}

static struct native_linux_packet *send_packet(const struct native_linux *l, uint32_t number)
{
    return &l->packets[number & l->packet_mask];
}

/* Forgets packets that have left. */
static void send_next_packet(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    while (l->packet_first != l->packet_next && send_packet(l, l->packet_first)->end <= e->tx.nxt)
        l->packet_first++;
    l->packet_end = l->packet_first != l->packet_next ? send_packet(l, l->packet_first)->end : l->taken;
}

static void send_grow_packets(struct native_linux *l)
{
    uint32_t places = l->packet_mask ? 2 * (l->packet_mask + 1) : 8;
    struct native_linux_packet *packets = memory_zeroed(places, sizeof *packets, "packets to be sent");
    for (uint32_t i = l->packet_first; i != l->packet_next; i++)
        packets[i & (places - 1)] = *send_packet(l, i);
    free(l->packets);
    l->packets = packets;
    l->packet_mask = places - 1;
}

/* The head of the first packet becomes one of its own (tso_fragment()). */
static void send_part(struct native_endpoint *e, uint64_t bytes)
{
    struct native_linux *l = &e->tx.own;
    if (l->packet_next - l->packet_first > l->packet_mask)
        send_grow_packets(l);
    l->packet_end = e->tx.nxt + bytes;
    *send_packet(l, --l->packet_first) = (struct native_linux_packet){l->packet_end, false};
}

/* Memory of what is in the send buffer (sk_wmem_queued). */
static uint64_t send_used(const struct native_endpoint *e)
{
    const struct native_linux *l = &e->tx.own;
    uint32_t packets = l->bursts + l->packet_next - l->packet_first;
    return l->taken - send_least(e->tx.una, l->taken) + PACKET_OVERHEAD * (uint64_t)packets;
}

/* Whether what a write ended with waits for the NIC to tell that something has left (tcp_should_autocork()). */
static bool send_corks(struct native_endpoint *e, uint64_t length, uint64_t size)
{
    if (e->config.small_queue_bytes == 0 || length >= size || native_linux_out(&e->tx.own) == 0 ||
        (uint64_t)e->tx.queued_bytes + 1 <= length + PACKET_OVERHEAD)
        return false;
    e->tx.throttled = true;
    return true;
}

/* One write of so many bytes (tcp_sendmsg_locked()). Returns how many the send buffer took. */
static uint64_t send_write(struct native_endpoint *e, uint64_t bytes)
{
    struct native_linux *l = &e->tx.own;
    uint64_t size = send_packet_bytes(e), length = 0, left = bytes;
    while (left > 0) {
        send_next_packet(e);
        uint32_t waiting = l->packet_next - l->packet_first;
        uint64_t before = waiting > 1 ? send_packet(l, l->packet_next - 2)->end : 0;
        length = waiting > 0 ? l->taken - send_most(before, e->tx.nxt) : 0;
        if (length == 0 || length >= size) {
            if (send_used(e) >= 2 * (uint64_t)e->config.send_buffer_bytes)
                break;
            if (waiting > l->packet_mask || !l->packets)
                send_grow_packets(l);
            *send_packet(l, l->packet_next++) = (struct native_linux_packet){0};
            length = 0;
        }
        uint64_t piece = send_least(size - length, left);
        struct native_linux_packet *tail = send_packet(l, l->packet_next - 1);
        tail->pushed = tail->pushed && left < bytes; /* by this write */
        l->taken += piece;
        left -= piece;
        length += piece;
        tail->end = l->taken;
        send_next_packet(e);
        if (left == 0 || length < size)
            continue;
        if (l->taken - l->pushed > l->most_window / 2) {
            send_packet(l, l->packet_next - 1)->pushed = true;
            l->pushed = l->taken;
            native_linux_send_new(e, LINUX_SEND_ALL);
        } else if (l->packet_next - l->packet_first == 1) {
            native_linux_send_new(e, LINUX_SEND_ONE);
        }
    }
    if (left == bytes)
        return 0;
    if (l->packet_first != l->packet_next) {
        send_packet(l, l->packet_next - 1)->pushed = true;
        l->pushed = l->taken;
    }
    if (!send_corks(e, length, size))
        native_linux_send_new(e, LINUX_SEND_ALL);
    return bytes - left;
}

/* The application writes, 64 KiB at once, when a third of the send buffer is free, until it is full. */
static void send_fill(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    uint64_t room = 2 * (uint64_t)e->config.send_buffer_bytes, used = send_used(e), bytes;
    if (used + used / 2 > room)
        return;
    do
        bytes = send_least(tx->written - l->taken, WRITE_BYTES);
    while (bytes > 0 && send_write(e, bytes) == bytes);
}

bool native_linux_waits(const struct native_endpoint *e)
{
    const struct native_sender *tx = &e->tx;
    return tx->nxt < send_least(tx->written, tx->own.taken) ||
           (tx->nxt == tx->finish && tx->finish == tx->written && tx->own.taken == tx->written);
}

struct send_room {
    uint64_t window, congestion; /* bytes that either lets go */
    uint64_t packet;             /* bytes of the packet that is to be sent */
    uint32_t burst;              /* segments at most */
    bool tail;                   /* nothing is after it */
};

/* tcp_tso_should_defer() */
static bool send_defers(struct native_endpoint *e, const struct send_room *r, bool fin, bool *limited)
{
    const struct native_sender *tx = &e->tx;
    const struct native_linux *l = &tx->own;
    uint64_t segment = (uint64_t)e->config.segment_bytes, least = send_least(r->window, r->congestion);
    if (l->state >= LINUX_RECOVERY || send_now(e) - l->wrote_ps > 1000 * PS_PER_US || least >= r->burst * segment ||
        (!r->tail && least >= r->packet) || least >= send_least(tx->peer_window, tx->window.cwnd) / WINDOW_DIVISOR ||
        native_linux_out(l) == 0)
        return false;
    if (native_linux_ack_is_far(e, send_now(e), (uint64_t)send_now(e) / PS_PER_US))
        return false;
    if (r->congestion < r->window ? r->congestion <= r->packet : r->window <= r->packet) {
        *limited = *limited || r->congestion < r->window;
        return true;
    }
    return !fin;
}

/* Bytes of the packet that go now (tcp_mss_split_point()): also less than a segment, up to the edge of the window. */
static uint64_t send_split(const struct native_endpoint *e, const struct send_room *r, uint32_t quota)
{
    uint64_t segment = (uint64_t)e->config.segment_bytes, most = segment * send_least(quota, r->burst);
    if (most <= r->window && !r->tail)
        return most;
    uint64_t needed = send_least(r->packet, r->window);
    if (most <= needed)
        return most;
    return e->config.nagle && native_linux_out(&e->tx.own) > 0 ? needed - needed % segment : needed;
}

/* The segment that ends there ends a packet that is pushed, also when it leaves again. Several segments at once are pushed
 * this time alone (__tcp_transmit_skb()). */
static uint8_t send_mark(const struct native_linux *l, uint64_t end)
{
    bool pushed = l->packet_first != l->packet_next && end == l->packet_end && send_packet(l, l->packet_first)->pushed;
    return pushed ? NATIVE_LINUX_END | NATIVE_LINUX_PUSHED : NATIVE_LINUX_END;
}

/* The same of new data where nothing else is asked, and nobody hears of it when a frame leaves. */
static void send_burst_plainly(struct native_endpoint *e, uint64_t bytes)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    uint32_t segment = (uint32_t)e->config.segment_bytes, now_us = send_now_us(e), next = l->next;
    uint8_t now_4ns = send_now_4ns(e);
    uint64_t from = tx->nxt;
    l->last_burst = (uint32_t)((bytes + segment - 1) / segment);
    while (!l->ring || next - l->first + l->last_burst > l->mask + 1)
        send_grow_ring(l);
    l->next = next + l->last_burst;
    tx->nxt = from + bytes;
    tx->sent_ps = l->wrote_ps;
    for (uint64_t at = from; next != l->next; next++, at += segment)
        *native_linux_at(l, next) = (struct native_linux_segment){(uint32_t)at, now_us, (uint16_t)segment, 0, now_4ns};
    struct native_linux_segment *last = native_linux_at(l, next - 1);
    last->bytes = (uint16_t)(bytes - (uint64_t)(l->last_burst - 1) * segment);
    last->flags = send_mark(l, tx->nxt);
    bool pushed = last->flags & NATIVE_LINUX_PUSHED || l->last_burst > 1;
    native_straight_send_stretch(e, from, bytes, l->last_burst, pushed ? NATIVE_ACK | NATIVE_PUSH : NATIVE_ACK, l->wrote_ps,
                                 now_us);
}

static void send_burst_closely(struct native_endpoint *e, uint64_t bytes, bool fin)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    uint64_t segment = (uint64_t)e->config.segment_bytes;
    uint32_t now_us = send_now_us(e);
    l->last_burst = 0;
    do {
        uint32_t payload = (uint32_t)send_least(bytes, segment);
        bytes -= payload;
        bool last = fin && bytes == 0;
        if (!l->ring || l->next - l->first > l->mask)
            send_grow_ring(l);
        uint64_t from = tx->nxt;
        *native_linux_at(l, l->next) = (struct native_linux_segment){
            (uint32_t)from, now_us, (uint16_t)(payload + last), 0, send_now_4ns(e)};
        l->next++;
        l->last_burst++;
        tx->nxt = from + payload + last;
        uint8_t flags = bytes == 0 ? send_mark(l, tx->nxt - last) : 0;
        bool pushed = flags & NATIVE_LINUX_PUSHED || (bytes == 0 && l->last_burst > 1);
        native_linux_at(l, l->next - 1)->flags = flags;
        send_segment(e, from, payload, last, false, pushed);
    } while (bytes > 0);
}

/* The burst leaves, back to back; `arms`: no timer is set after it. */
static void send_burst_now(struct native_endpoint *e, uint64_t bytes, bool fin, bool arms)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    bool idle = native_linux_out(l) == 0;
    l->wrote_ps = send_now(e);
    if (native_linux_flight(l) == 0 && tx->control->resumed)
        tx->control->resumed(tx->state, (uint64_t)send_now(e) / PS_PER_US, (uint64_t)tx->sent_ps / PS_PER_US);
    tx->cuts = bytes > (uint64_t)e->config.segment_bytes;
    if (e->direct && e->nic && e->config.small_queue_bytes == 0 && !fin && tx->nxt + bytes < tx->written &&
        e->stats.first_data_ps >= 0)
        send_burst_plainly(e, bytes);
    else
        send_burst_closely(e, bytes, fin);
    tx->cuts = false;
    l->bursts++;
    if (arms && (idle || l->timer == LINUX_PROBE))
        native_linux_arm(e);
}

uint32_t native_linux_send_new(struct native_endpoint *e, enum native_linux_sends sends)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    uint64_t segment = (uint64_t)e->config.segment_bytes, cwnd = tx->window.cwnd / segment;
    uint32_t burst = 0, sent = 0; /* of a burst: once it is needed */
    bool limited = false, closes = tx->finish == tx->written && l->taken == tx->written;
    while (native_linux_waits(e)) {
        if (tx->nxt >= l->packet_end)
            send_next_packet(e);
        struct send_room r = {.packet = l->packet_end - tx->nxt,
                              .tail = l->packet_end >= l->taken};
        bool fin = closes && r.tail;
        uint64_t flight = native_linux_flight(l), edge = tx->una + send_least(tx->peer_window,
                                                                            (uint64_t)e->config.send_buffer_bytes);
        uint32_t quota = (uint32_t)send_least(send_most(cwnd / 2, 1), cwnd > flight ? cwnd - flight : 0);
        if (quota == 0 && (sends == LINUX_SEND_PROBE || (fin && r.packet <= segment)))
            quota = 1;
        if (quota == 0)
            break;
        if (tx->nxt + send_least(r.packet + fin, segment) > edge)
            break;
        r.window = edge - tx->nxt;
        r.congestion = cwnd > flight ? (cwnd - flight) * segment : 0;
        uint64_t bytes = r.packet;
        if (r.packet <= segment) {
            if (e->config.nagle && r.packet < segment && r.tail && !fin && native_linux_out(l) > 0)
                break;
        } else {
            r.burst = burst = burst > 0 ? burst : send_burst(e);
            if (sends == LINUX_SEND_ALL && send_defers(e, &r, fin, &limited))
                break;
            bytes = send_least(bytes, send_split(e, &r, quota));
        }
        if (send_throttled(e, bytes, false)) {
            if (bytes < r.packet)
                send_part(e, bytes);
            break;
        }
        send_burst_now(e, bytes, fin && bytes == r.packet, sends == LINUX_SEND_PROBE || !send_probes(e));
        sent += l->last_burst;
        if (sends != LINUX_SEND_ALL)
            break;
    }
    limited = limited || native_linux_flight(l) >= cwnd;
    if (sent > 0 || limited)
        native_linux_validate(e, limited);
    if (sent > 0) {
        if (l->state == LINUX_CWR || l->state == LINUX_RECOVERY)
            l->prr_out += sent;
        if (sends != LINUX_SEND_PROBE)
            native_linux_arm_probe(e, false);
    }
    return sent;
}

/* Segments of the packet at `hint` that may be sent again at once, `most` at most; its bytes. */
static uint32_t send_packet_again(const struct native_endpoint *e, uint32_t most, uint64_t *bytes)
{
    const struct native_linux *l = &e->tx.own;
    uint32_t n = 0, end = l->hint;
    bool ends = false;
    for (; end != l->next && !ends; end++) {
        ends = native_linux_at(l, end)->flags & NATIVE_LINUX_END;
        *bytes += native_linux_at(l, end)->bytes;
        n += end - l->hint == n && (native_linux_at(l, end)->flags & (NATIVE_LINUX_LOST | NATIVE_LINUX_AGAIN)) == NATIVE_LINUX_LOST;
    }
    return (uint32_t)send_least(n, most);
}

/* A burst of so many segments, which are a packet of their own from now on (tcp_retransmit_skb()). */
static void send_again(struct native_endpoint *e, uint32_t number, uint32_t n)
{
    struct native_linux *l = &e->tx.own;
    native_linux_cut(l, number + n - 1);
    e->tx.cuts = n > 1;
    for (uint32_t i = 0; i < n; i++)
        send_segment_again(e, number + i, true, n > 1 && i == n - 1);
    e->tx.cuts = false;
}

void native_linux_send_lost(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    uint64_t cwnd = tx->window.cwnd / (uint64_t)e->config.segment_bytes;
    uint64_t edge = tx->una + tx->peer_window;
    bool arm = false;
    if ((int32_t)(l->hint - l->first) < 0)
        l->hint = l->first;
    while (l->again < l->lost && native_linux_flight(l) < cwnd && l->hint != l->next) {
        const struct native_linux_segment *s = native_linux_at(l, l->hint);
        if ((s->flags & (NATIVE_LINUX_LOST | NATIVE_LINUX_AGAIN)) != NATIVE_LINUX_LOST) {
            l->hint++;
            continue;
        }
        if (l->hint != l->first && native_offset(s->from, tx->una) >= edge)
            break;
        uint64_t bytes = 0;
        uint32_t n = send_packet_again(e, (uint32_t)send_least(cwnd - native_linux_flight(l), send_burst(e)), &bytes);
        if (send_throttled(e, bytes, true))
            break;
        arm = arm || (l->hint == l->first && l->timer != LINUX_REORDERING);
        send_again(e, l->hint, n);
        if (l->state == LINUX_CWR || l->state == LINUX_RECOVERY)
            l->prr_out += n;
        l->hint += n;
    }
    if (arm)
        native_linux_set_timer(e, LINUX_RETRANSMIT, send_rto_jiffies(e));
}

/* The window after a time of silence is halved for every timeout, down to the initial one (tcp_cwnd_restart()). */
static void send_restart(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    uint64_t segment = (uint64_t)e->config.segment_bytes, cwnd = tx->window.cwnd / segment;
    uint64_t least = send_least((uint64_t)e->config.initial_window_segments, cwnd);
    int64_t rto_ps = native_rtt_rto_ps(&tx->rtt), silent_ps = send_now(e) - tx->sent_ps;
    if (silent_ps <= rto_ps || tx->own.next == 0)
        return;
    tx->window.ssthresh = send_most(tx->window.ssthresh, (cwnd / 2 + cwnd / 4) * segment);
    for (silent_ps -= rto_ps; silent_ps > 0 && cwnd > least; silent_ps -= rto_ps)
        cwnd /= 2;
    tx->window.cwnd = send_most(cwnd, least) * segment;
}

void native_linux_push_more(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    if (tx->nxt >= tx->written + (tx->finish == tx->written))
        return;
    bool idle = native_linux_out(&tx->own) == 0;
    if (idle && e->config.idle_restart)
        send_restart(e);
    native_linux_send_new(e, LINUX_SEND_ALL);
    if (!e->rx.own.gathers)
        send_fill(e);
    if (tx->nxt != tx->una || tx->throttled || tx->persist.armed)
        return;
    e->way = NATIVE_ANY_WAY;
    native_timer_set(&tx->persist, send_now(e) + native_rtt_rto_ps(&tx->rtt));
}

void native_linux_push(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    if (tx->peer_window > tx->own.most_window)
        tx->own.most_window = tx->peer_window;
    int64_t now_ps = send_now(e);
    if (e->state == NATIVE_ESTABLISHED &&
        !native_linux_pauses(e, native_linux_flight(&tx->own), now_ps, (uint64_t)now_ps / PS_PER_US))
        native_linux_push_more(e);
}

/* tcp_send_loss_probe(): new data if there are any that fit, else the last segment once more. */
static void send_probe(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    if (l->probe_end == 0 && native_linux_out(l) > 0) {
        l->probe_again = false;
        uint32_t sent = 0;
        bool more = native_linux_waits(e);
        uint64_t edge = e->tx.una + send_least(e->tx.peer_window, (uint64_t)e->config.send_buffer_bytes);
        if (more && e->tx.nxt + send_least(e->tx.own.taken - e->tx.nxt, (uint64_t)e->config.segment_bytes) <= edge) {
            sent = native_linux_send_new(e, LINUX_SEND_PROBE);
        } else {
            if (native_linux_out(l) > 1)
                native_linux_cut(l, l->next - 2);
            send_segment_again(e, l->next - 1, false, false);
            l->probe_again = true;
            sent = 1;
        }
        if (sent > 0) {
            l->probe_end = e->tx.nxt;
            l->timer = LINUX_NO_TIMER;
        }
    }
    native_linux_arm(e);
}

/* tcp_rack_reo_timeout() */
static void send_reordering(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    uint32_t flight = native_linux_flight(l);
    native_linux_detect(e);
    if (native_linux_flight(l) != flight) {
        if (l->state != LINUX_RECOVERY) {
            native_linux_enter_recovery(e);
            native_linux_reduce(e, 1, false, false);
        }
        native_linux_send_lost(e);
    }
    if (l->timer != LINUX_RETRANSMIT)
        native_linux_arm(e);
}

/* tcp_enter_loss() */
static void send_enter_loss(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    uint64_t segment = (uint64_t)e->config.segment_bytes;
    bool first = l->state < LINUX_RECOVERY;
    uint32_t now_us = send_now_us(e);
    for (uint32_t i = l->first; i != l->next; i++)
        if (i == l->first || (int32_t)(now_us - native_linux_at(l, i)->sent_us) >= (int32_t)l->rack_rtt_us)
            native_linux_lose(l, i);
    l->hint = l->first;
    if (l->state <= LINUX_DISORDER || tx->una >= l->high || (l->state == LINUX_LOSS && l->timeouts == 0)) {
        l->prior_ssthresh = native_linux_current_ssthresh(e);
        l->prior_cwnd = tx->window.cwnd;
        tx->window.ssthresh = tx->control->lost(tx->state, &tx->window, segment, tx->nxt - tx->una, true);
        native_linux_watch(e);
    }
    if (tx->control->timed_out)
        tx->control->timed_out(tx->state);
    if (l->state <= LINUX_DISORDER && l->sacked >= LEAST_REORDERING)
        l->reordering = LEAST_REORDERING; /* there was less than was thought */
    tx->window.cwnd = (native_linux_flight(l) + 1) * segment;
    tx->window.remainder = 0;
    native_linux_set_state(e, LINUX_LOSS);
    l->high = tx->nxt;
    l->probe_end = 0;
    native_ecn_shrunk(&e->ecn, e->tx.nxt);
    l->frto = first || l->timeouts > 0;
}

void native_linux_timeout(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    enum native_linux_timer timer = l->timer;
    if (native_linux_out(l) == 0)
        return;
    if (timer == LINUX_REORDERING) {
        send_reordering(e);
        return;
    }
    if (timer == LINUX_PROBE) {
        send_probe(e);
        return;
    }
    e->stats.timeouts++;
    l->timer = LINUX_NO_TIMER;
    send_enter_loss(e);
    l->timeouts++;
    send_again(e, l->first, 1);
    native_rtt_backoff(&e->tx.rtt);
    native_linux_set_timer(e, LINUX_RETRANSMIT, send_rto_jiffies(e));
}

void native_linux_init(struct native_endpoint *e)
{
    e->tx.own.reordering = LEAST_REORDERING;
    e->tx.own.undo_again = -1;
    native_linux_init_receiver(e);
}

void native_linux_fini(struct native_linux *l)
{
    free(l->ring);
    free(l->queue);
    free(l->packets);
}
