/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/linux_straight.h - what an ACK of a bulk flow mostly comes to with Linux's sender, in line: the timer is set again,
 * and no burst is due yet. The rest is in linux_acked.c and linux_send.c. */
#ifndef EMU_NATIVE_LINUX_STRAIGHT_H
#define EMU_NATIVE_LINUX_STRAIGHT_H

#include "emu/native/straight.h"

#define NATIVE_LINUX_PROBE_MORE_US 2000 /* TCP_TIMEOUT_MIN_US */
#define NATIVE_LINUX_GSO_BYTES 65343 /* 64 KiB less headers (sk_gso_max_size): 192 bytes of MAX_TCP_HEADER, and one */
#define NATIVE_LINUX_LEAST_BURST 2   /* segments (tcp_min_tso_segs) */

static inline uint64_t native_linux_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The probe, or else the timeout, where the state is open and something new has been acknowledged. */
static inline void native_linux_arm_plainly(struct native_endpoint *e)
{
    int64_t wanted_us = (e->tx.rtt.srtt_8us >> 2) + NATIVE_LINUX_PROBE_MORE_US, jiffies = native_linux_jiffies(wanted_us);
    if (native_linux_out(&e->tx.own) > 1 && e->config.linux_own.tail_probe &&
        native_rtt_is_before_rto(&e->tx.rtt, wanted_us)) {
        e->tx.own.timer = LINUX_PROBE;
        if (!native_timer_stays(&e->tx.retransmit, jiffies))
            native_linux_set_timer(e, LINUX_PROBE, jiffies);
    } else if (!native_linux_arm_probe(e, true)) {
        native_linux_arm(e);
    }
}

/* tcp_cwnd_validate() */
static inline void native_linux_validate(struct native_endpoint *e, bool limited)
{
    struct native_linux *l = &e->tx.own;
    uint32_t out = native_linux_out(l);
    if (e->tx.una >= l->limited_until || limited || (!l->limited && out > l->most_out)) {
        l->limited = limited;
        l->most_out = out;
        l->limited_until = e->tx.nxt;
    }
}

/* The next ACK comes in more than half a round trip, or than 1 ms. */
static inline bool native_linux_ack_is_far(const struct native_endpoint *e, int64_t now_ps, uint64_t now_us)
{
    const struct native_linux_segment *first = native_linux_at(&e->tx.own, e->tx.own.first);
    int64_t trip_ns = 125 * e->tx.rtt.srtt_8us, far_ns = trip_ns < 2000000 ? trip_ns / 2 : 1000000;
    int64_t since_us = (uint32_t)((uint32_t)now_us - first->sent_us);
    if (1000 * (since_us - 1) >= trip_ns - far_ns) /* whatever the parts of a us are */
        return false;
    int64_t now_4ns = (int64_t)((uint64_t)now_ps - now_us * NATIVE_PS_PER_US) / 4000;
    return 1000 * since_us + 4 * (now_4ns - first->sent_4ns) < trip_ns - far_ns;
}

/* Whether a burst has more than so many bytes, as far as that is told without a division (send_burst()). */
static inline bool native_linux_burst_exceeds(const struct native_endpoint *e, uint64_t bytes, uint64_t segment)
{
    const struct native_linux *l = &e->tx.own;
    return bytes < NATIVE_LINUX_LEAST_BURST * segment ||
           (bytes + segment <= NATIVE_LINUX_GSO_BYTES && l->paced > 0 &&
            l->paced >= ((bytes + segment) * l->paced_trip) << 10);
}

/* Windows have room for some of a packet: whether that waits for a burst (send_defers()), as far as that is easily told;
 * *limited: for the congestion window. */
static inline bool native_linux_defers(const struct native_endpoint *e, uint64_t window, uint64_t congestion,
                                       uint64_t segment, int64_t now_ps, uint64_t now_us, bool *limited)
{
    const struct native_sender *tx = &e->tx;
    const struct native_linux *l = &tx->own;
    uint64_t least = native_linux_least(window, congestion);
    *limited = congestion < window;
    return e->config.linux_own.gso && now_ps - l->wrote_ps <= 1000 * NATIVE_PS_PER_US && least < l->packet_end - tx->nxt &&
           3 * (least + 1) <= native_linux_least(tx->peer_window, tx->window.cwnd) && /* not yet its third */
           !native_linux_ack_is_far(e, now_ps, now_us) &&
           native_linux_burst_exceeds(e, least, segment);
}

/* What native_linux_push() finds at most ACKs of a bulk flow, `out` segments of which are in the network: windows have no
 * room, or not yet that of a burst, and the application has written enough. False: it may be otherwise, and nothing has been
 * done. */
static inline __attribute__((always_inline)) bool native_linux_pauses(struct native_endpoint *e, uint32_t out, int64_t now_ps,
                                                                      uint64_t now_us)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    uint64_t segment = (uint64_t)e->config.segment_bytes, buffer = (uint64_t)e->config.send_buffer_bytes;
    uint64_t edge = tx->una + native_linux_least(tx->peer_window, buffer);
    if (l->state != LINUX_OPEN || l->packet_end <= tx->nxt + segment || l->packet_end >= l->taken || tx->nxt == tx->una ||
        tx->finish != NATIVE_OPEN_STREAM || 3 * (l->taken - tx->una) <= 4 * buffer)
        return false;
    uint64_t cwnd = tx->window.cwnd, flight = out * segment;
    bool limited = cwnd < flight + segment;
    if (!limited && tx->nxt + segment <= edge) {
        uint64_t window = edge - tx->nxt, congestion = cwnd - flight;
        if (congestion < window + segment) /* whole segments; else that is not what keeps it back */
            congestion -= congestion % segment;
        if (!native_linux_defers(e, window, congestion, segment, now_ps, now_us, &limited))
            return false;
    }
    if (limited)
        native_linux_validate(e, true);
    return true;
}

#endif
