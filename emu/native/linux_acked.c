/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Linux makes of an ACK (tcp_input.c, tcp_recovery.c). */
#include "emu/native/linux_straight.h"

#include <string.h>

#define FIRST_CWND 10 /* segments, before a route says otherwise (TCP_INIT_CWND) */
#define PS_PER_US INT64_C(1000000)
#define MOST_REORDERING 300 /* segments (tcp_max_reordering) */
#define REORDERING_MORE_US 2000 /* TCP_TIMEOUT_MIN_US */
#define DUPLICATE_SACKS 3   /* tcp_reordering */
#define REORDERING_EPISODES 16 /* that its time is remembered for (TCP_RACK_RECOVERY_THRESH) */
#define MOST_REORDERING_STEPS 255

/* What an ACK said. */
struct acked {
    uint64_t before;        /* una before it */
    uint64_t highest;       /* where what was SACKed before it ends; una, if nothing was (prior_fack) */
    uint64_t low;           /* the lowest segment that arrived without having been sent again; UINT64_MAX: none */
    uint32_t now_us;
    bool data, window;      /* it carried data; it changed the window */
    bool una_moved, sacked, dsack, dsack_of_probe;
    bool original;          /* of what was out at `high`, something arrived that was sent once (FLAG_ORIG_SACK_ACKED) */
    bool again;             /* something was acknowledged that had been sent again */
    bool set_timer, lost_again;
    bool ece;               /* it echoes a mark (FLAG_ECE) */
    bool has_first, has_sack_first;
    bool delivered;         /* something has arrived, of which what left last left at `sent_us` */
    uint32_t sent_us;
    uint32_t first_us, last_us, sack_first_us, sack_last_us; /* when the oldest and the latest of them left */
    uint32_t echo_ms;       /* the time stamp it echoes */
};

static uint32_t acked_segment(const struct native_endpoint *e)
{
    return (uint32_t)e->config.segment_bytes;
}

static uint64_t acked_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void native_linux_set_state(struct native_endpoint *e, enum native_linux_state state)
{
    e->tx.own.state = state;
    e->tx.recovery = state == LINUX_LOSS ? NATIVE_LOSS : state == LINUX_RECOVERY ? NATIVE_FAST_RECOVERY : NATIVE_NORMAL;
}

static inline uint64_t acked_in_round_trip(const struct native_endpoint *e, uint64_t cwnd)
{
    bool far = 2 * (e->tx.window.cwnd + acked_segment(e)) <= e->tx.window.ssthresh; /* below half of it, in whole segments */
    return cwnd * (far ? 200 * 8 * 10000 : 120 * 8 * 10000);
}

/* tcp_update_pacing_rate(), at the end of an ACK. */
static inline void acked_pace(struct native_endpoint *e)
{
    uint64_t cwnd = acked_most(e->tx.window.cwnd, (uint64_t)native_linux_out(&e->tx.own) * acked_segment(e));
    e->tx.own.paced = acked_in_round_trip(e, cwnd);
    e->tx.own.paced_trip = (uint64_t)e->tx.rtt.srtt_8us;
}

static uint64_t acked_paced(const struct native_endpoint *e)
{
    uint64_t first = FIRST_CWND * (uint64_t)acked_segment(e);
    if (e->tx.own.paced > 0)
        return e->tx.own.paced;
    return acked_in_round_trip(e, e->tx.window.cwnd < first ? e->tx.window.cwnd : first); /* of the handshake still */
}

uint64_t native_linux_pacing(const struct native_endpoint *e)
{
    uint64_t trip = e->tx.own.paced > 0 ? e->tx.own.paced_trip : (uint64_t)e->tx.rtt.srtt_8us;
    return trip > 0 ? acked_paced(e) / trip : 0;
}

void native_linux_lose(struct native_linux *l, uint32_t number)
{
    struct native_linux_segment *s = native_linux_at(l, number);
    if (s->flags & NATIVE_LINUX_SACKED)
        return;
    if ((int32_t)(number - l->hint) < 0)
        l->hint = number;
    if (!(s->flags & NATIVE_LINUX_LOST)) {
        s->flags |= NATIVE_LINUX_LOST;
        l->lost++;
        l->losses++;
    } else if (s->flags & NATIVE_LINUX_AGAIN) {
        s->flags &= (uint8_t)~NATIVE_LINUX_AGAIN;
        l->again--;
        l->losses++;
    }
}

/* Of what arrives, the latest that left (tcp_rate_skb_delivered()). */
static void acked_deliver(struct acked *a, uint32_t sent_us)
{
    if (!a->delivered || (int32_t)(sent_us - a->sent_us) > 0)
        a->sent_us = sent_us;
    a->delivered = true;
}

/* tcp_rack_advance() */
static void acked_rack(struct native_endpoint *e, uint8_t flags, uint64_t end, uint32_t sent_us, uint32_t now_us)
{
    struct native_linux *l = &e->tx.own;
    uint32_t rtt_us = now_us - sent_us;
    if (flags & (NATIVE_LINUX_AGAIN | NATIVE_LINUX_EVER) && (int64_t)rtt_us < e->tx.rtt.min_us)
        return; /* it was the original */
    l->rack_advanced = true;
    l->rack_rtt_us = rtt_us;
    int32_t later = (int32_t)(sent_us - l->rack_us);
    if (later > 0 || (later == 0 && end > l->rack_end)) {
        l->rack_us = sent_us;
        l->rack_end = end;
    }
}

static int64_t acked_reordering_window_us(const struct native_endpoint *e)
{
    const struct native_linux *l = &e->tx.own;
    if (!l->reordered && (l->state >= LINUX_RECOVERY || l->sacked >= l->reordering))
        return 0;
    int64_t least = e->tx.rtt.min_us / 4 * (1 + (int64_t)l->reorder_steps), most = e->tx.rtt.srtt_8us / 8;
    return least < most ? least : most;
}

/* tcp_rack_update_reo_wnd(): D-SACKs of one round trip make it longer by a step. */
static void acked_learn_reordering(struct native_endpoint *e, const struct acked *a)
{
    struct native_linux *l = &e->tx.own;
    if (!a->delivered)
        return;
    if (l->reorder_us > 0 && (int32_t)(a->sent_us - l->reorder_us) < 0)
        l->twice = false;
    if (l->twice) {
        l->reorder_steps += l->reorder_steps < MOST_REORDERING_STEPS - 1;
        l->reorder_us = a->now_us;
        l->reorder_kept = REORDERING_EPISODES;
        l->twice = false;
    } else if (l->reorder_kept == 0) {
        l->reorder_steps = 0;
    }
}

/* A segment that left before what has arrived: lost, or after so many us. -1: it left later. */
static int64_t acked_judge(struct native_endpoint *e, uint32_t number, int64_t window_us, uint32_t now_us)
{
    struct native_linux *l = &e->tx.own;
    const struct native_linux_segment *s = native_linux_at(l, number);
    int32_t later = (int32_t)(l->rack_us - s->sent_us);
    if (later < 0 || (later == 0 && l->rack_end <= native_offset(s->from, e->tx.una) + s->bytes))
        return -1;
    int64_t rest_us = (int64_t)l->rack_rtt_us + window_us - (int32_t)(now_us - s->sent_us);
    if (rest_us > 0)
        return rest_us;
    native_linux_lose(l, number);
    native_linux_at(l, number)->flags |= NATIVE_LINUX_UNLISTED;
    return 0;
}

/* It was sent once, and is neither lost nor SACKed. */
static bool acked_is_listed(const struct native_linux *l, uint32_t number)
{
    const uint8_t out = NATIVE_LINUX_SACKED | NATIVE_LINUX_LOST | NATIVE_LINUX_AGAIN | NATIVE_LINUX_UNLISTED;
    return !(native_linux_at(l, number)->flags & out);
}

/* Its retransmission is still of interest. */
static bool acked_is_again(const struct native_linux *l, const struct native_linux_again *q)
{
    const struct native_linux_segment *s = native_linux_at(l, q->segment);
    return q->segment - l->first < native_linux_out(l) && s->sent_us == q->sent_us &&
           (s->flags & (NATIVE_LINUX_SACKED | NATIVE_LINUX_AGAIN)) == NATIVE_LINUX_AGAIN;
}

/* In the order of sending, up to the first that left later than what has arrived (tsorted_sent_queue). */
int64_t native_linux_detect(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    uint32_t now_us = (uint32_t)(native_scheduler_now(e->env->scheduler) / PS_PER_US);
    int64_t window_us = acked_reordering_window_us(e), wait_us = 0, rest_us = 0;
    if ((int32_t)(l->unjudged - l->first) < 0)
        l->unjudged = l->first;
    for (uint32_t once = l->unjudged, again = l->queue_first; rest_us >= 0;) {
        for (; once != l->next && !acked_is_listed(l, once); once++)
            l->unjudged += once == l->unjudged;
        for (; again != l->queue_next && !acked_is_again(l, &l->queue[again]); again++)
            l->queue_first += again == l->queue_first;
        bool any = again != l->queue_next, first = once != l->next && (!any || (int32_t)(once - l->queue[again].after) < 0);
        if (!first && !any)
            break;
        rest_us = acked_judge(e, first ? once : l->queue[again].segment, window_us, now_us);
        wait_us = rest_us > wait_us ? rest_us : wait_us;
        uint32_t *from = first ? &l->unjudged : &l->queue_first, *at = first ? &once : &again;
        *from += *from == *at && rest_us == 0; /* what waits is judged again, and what is after it */
        ++*at;
    }
    return wait_us;
}

/* The number of the segment that begins at `from` or is the first after it. */
static uint32_t acked_find(const struct native_linux *l, uint64_t from)
{
    uint32_t low = l->first, n = native_linux_out(l);
    while (n > 0) {
        uint32_t half = n / 2;
        if ((int32_t)(native_linux_at(l, low + half)->from - (uint32_t)from) < 0) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

/* tcp_sacktag_one() */
static void acked_sack(struct native_endpoint *e, uint32_t number, struct acked *a)
{
    struct native_linux *l = &e->tx.own;
    struct native_linux_segment *s = native_linux_at(l, number);
    uint64_t from = native_offset(s->from, e->tx.una), end = from + s->bytes;
    acked_rack(e, s->flags, end, s->sent_us, a->now_us);
    acked_deliver(a, s->sent_us);
    if (s->flags & NATIVE_LINUX_AGAIN) {
        if (s->flags & NATIVE_LINUX_LOST) { /* else it is believed to be out still */
            s->flags &= (uint8_t)~(NATIVE_LINUX_LOST | NATIVE_LINUX_AGAIN);
            l->lost--;
            l->again--;
        }
    } else {
        if (!(s->flags & NATIVE_LINUX_EVER)) {
            if (from < native_scoreboard_highest(&e->tx.scoreboard) && from < a->low)
                a->low = from;
            a->original = a->original || end <= l->high;
            if (!a->has_sack_first)
                a->sack_first_us = s->sent_us;
            a->has_sack_first = true;
            a->sack_last_us = s->sent_us;
        }
        if (s->flags & NATIVE_LINUX_LOST) {
            s->flags &= (uint8_t)~NATIVE_LINUX_LOST;
            l->lost--;
        }
    }
    s->flags |= NATIVE_LINUX_SACKED;
    l->sacked++;
    l->delivered++;
    a->sacked = true;
}

/* tcp_check_sack_reordering(): `low` has arrived, sent once, below what had arrived before. */
static void acked_reordered(struct native_endpoint *e, uint64_t low, uint64_t highest)
{
    struct native_linux *l = &e->tx.own;
    if (low >= highest)
        return;
    uint64_t segments = (highest - low + acked_segment(e) - 1) / acked_segment(e);
    if (segments > l->reordering)
        l->reordering = segments < MOST_REORDERING ? (uint32_t)segments : MOST_REORDERING;
    l->reordered = true;
}

/* What arrived twice is delivered, too, as far as it may have been sent twice (tcp_dsack_seen()). Returns segments; 0: it may
 * not, or is longer than any window. */
static uint32_t acked_twice(struct native_endpoint *e, uint64_t from, uint64_t to, struct acked *a)
{
    struct native_linux *l = &e->tx.own;
    uint32_t segment = acked_segment(e), segments = (uint32_t)((to - from + segment - 1) / segment);
    if (to <= from || to - from > l->most_window)
        return 0;
    l->duplicates += segments;
    if (l->duplicates > (uint64_t)e->stats.retransmitted_segments)
        return 0;
    a->dsack = true;
    bool probe = segments == 1 && l->probe_end != 0 && l->probe_end == to;
    a->dsack_of_probe = a->dsack_of_probe || probe;
    l->twice = l->twice || (l->reordered && !probe);
    l->delivered += segments;
    return segments;
}

/* A first block of what is acknowledged already, or within the second, tells of something that arrived twice
 * (tcp_check_dsack()). */
static bool acked_dsack(struct native_endpoint *e, const struct native_sacked_segment *s, uint64_t before,
                        struct acked *a)
{
    struct native_linux *l = &e->tx.own;
    uint64_t from = native_offset(s->sack[0][0], e->tx.una), to = native_offset(s->sack[0][1], e->tx.una);
    bool twice = from < e->tx.una;
    if (!twice && s->segment.n_sack > 1)
        twice = from >= native_offset(s->sack[1][0], e->tx.una) && to <= native_offset(s->sack[1][1], e->tx.una);
    uint32_t segments = twice ? acked_twice(e, from, to, a) : 0;
    if (segments > 0 && l->may_undo && l->undo_again > 0 && to <= before && to > l->undo_from)
        l->undo_again = l->undo_again > (int32_t)segments ? l->undo_again - (int32_t)segments : 0;
    return segments > 0;
}

/* A packet ends there no longer: what follows has become part of it (tcp_shifted_skb()). */
static void acked_join(struct native_linux *l, uint32_t number)
{
    native_linux_at(l, number)->flags &= (uint8_t)~(NATIVE_LINUX_END | NATIVE_LINUX_PUSHED);
    l->bursts--;
}

static bool acked_is_sacked_alone(const struct native_linux *l, uint32_t number)
{
    return (native_linux_at(l, number)->flags & (NATIVE_LINUX_SACKED | NATIVE_LINUX_LOST | NATIVE_LINUX_AGAIN)) ==
           NATIVE_LINUX_SACKED;
}

/* Bytes of a segment of the packet that ends with this one: of several all but the last are full (tcp_skb_seglen()). */
static uint32_t acked_segment_of(const struct native_linux *l, uint32_t end, uint32_t full)
{
    while (native_linux_at(l, end)->bytes != full && end != l->first && !(native_linux_at(l, end - 1)->flags & NATIVE_LINUX_END))
        end--;
    return native_linux_at(l, end)->bytes;
}

/* Segments [from, end) are about to be SACKed, all of one packet or its first or its last ones, or some between: they join
 * the packet before, if that is SACKed (tcp_shift_skb_data()), or are cut off (tcp_match_skb_to_sack()). `sacked`: it will
 * be. */
static void acked_shape_one(struct native_linux *l, uint32_t from, uint32_t end, bool sacked, uint32_t full)
{
    const struct native_linux_segment *s = native_linux_at(l, from), *before = native_linux_at(l, from - 1);
    bool starts = from == l->first || before->flags & NATIVE_LINUX_END, whole = native_linux_at(l, end - 1)->flags & NATIVE_LINUX_END;
    bool probe = (s->flags & (NATIVE_LINUX_LOST | NATIVE_LINUX_AGAIN)) == NATIVE_LINUX_AGAIN;
    sacked = from != l->first && (sacked || acked_is_sacked_alone(l, from - 1));
    if (starts && sacked && !probe && acked_segment_of(l, from - 1, full) == s->bytes) {
        native_linux_cut(l, end - 1);
        acked_join(l, from - 1);
        if (whole && end != l->next && acked_is_sacked_alone(l, end) && native_linux_at(l, end)->bytes == s->bytes)
            acked_join(l, end - 1);
        return;
    }
    if (!starts)
        native_linux_cut(l, from - 1);
    native_linux_cut(l, end - 1);
}

static void acked_shape(struct native_linux *l, uint32_t from, uint32_t end, uint32_t full)
{
    bool sacked = false;
    while (from != end) {
        uint32_t to = from;
        while (to != end - 1 && !(native_linux_at(l, to)->flags & NATIVE_LINUX_END))
            to++;
        acked_shape_one(l, from, to + 1, sacked, full);
        sacked = (native_linux_at(l, to)->flags & (NATIVE_LINUX_LOST | NATIVE_LINUX_AGAIN)) != NATIVE_LINUX_AGAIN;
        from = to + 1;
    }
}

/* The blocks of an ACK, in order, without a D-SACK. Returns how many. */
static int acked_blocks(struct native_endpoint *e, const struct native_segment *s, struct acked *a,
                        uint64_t (*blocks)[2])
{
    const struct native_sacked_segment *sacked = (const struct native_sacked_segment *)s;
    int n = 0;
    for (int i = acked_dsack(e, sacked, a->before, a); i < s->n_sack; i++) {
        uint64_t from = native_offset(sacked->sack[i][0], e->tx.una), to = native_offset(sacked->sack[i][1], e->tx.una);
        int k = n;
        if (from < e->tx.una || to > e->tx.nxt || from >= to)
            continue;
        for (; k > 0 && blocks[k - 1][0] > from; k--)
            memcpy(blocks[k], blocks[k - 1], sizeof *blocks);
        blocks[k][0] = from;
        blocks[k][1] = to;
        n++;
    }
    return n;
}

/* What is still in the queue and arrived twice was sent again in vain; and it came late, where it was SACKed before this
 * (tcp_sacktag_one()). */
static void acked_mark_twice(struct native_endpoint *e, const struct native_segment *s, struct acked *a)
{
    const struct native_sacked_segment *sacked = (const struct native_sacked_segment *)s;
    struct native_linux *l = &e->tx.own;
    uint64_t start = native_offset(sacked->sack[0][0], e->tx.una), to = native_offset(sacked->sack[0][1], e->tx.una);
    if (to <= a->before)
        return;
    for (uint32_t i = acked_find(l, start); i != l->next; i++) {
        struct native_linux_segment *g = native_linux_at(l, i);
        uint64_t from = native_offset(g->from, e->tx.una), end = from + g->bytes;
        if (end > to)
            return;
        if (!(g->flags & (NATIVE_LINUX_AGAIN | NATIVE_LINUX_EVER)))
            continue;
        l->undo_again -= l->may_undo && l->undo_again > 0 && end > l->undo_from;
        if (g->flags & NATIVE_LINUX_SACKED && from < a->low)
            a->low = from;
        if (g->flags & NATIVE_LINUX_AGAIN && (g->flags & NATIVE_LINUX_SACKED || !(g->flags & NATIVE_LINUX_LOST))) {
            g->flags &= (uint8_t)~NATIVE_LINUX_AGAIN;
            l->again--;
        }
    }
}

/* tcp_sacktag_write_queue() */
static void acked_mark(struct native_endpoint *e, const struct native_segment *s, struct acked *a)
{
    struct native_sender *tx = &e->tx;
    uint64_t blocks[NATIVE_SACK_BLOCKS][2];
    int n = acked_blocks(e, s, a, blocks);
    if (a->dsack)
        acked_mark_twice(e, s, a);
    for (int i = 0; i < n; i++) {
        uint64_t from = blocks[i][0], to = blocks[i][1];
        uint64_t start, end, at = from;
        while (native_scoreboard_hole(&tx->scoreboard, at, to, &start, &end)) {
            uint32_t first = acked_find(&tx->own, start), number = first;
            for (; number != tx->own.next; number++) {
                const struct native_linux_segment *g = native_linux_at(&tx->own, number);
                if (native_offset(g->from, tx->una) + g->bytes > end)
                    break;
            }
            acked_shape(&tx->own, first, number, acked_segment(e));
            for (; first != number; first++)
                acked_sack(e, first, a);
            at = end;
        }
        native_intervals_add(&tx->scoreboard, from, to);
    }
    if (tx->own.state != LINUX_LOSS || tx->own.may_undo)
        acked_reordered(e, a->low, native_scoreboard_highest(&tx->scoreboard));
    a->low = UINT64_MAX;
}

/* tcp_clean_rtx_queue(): forgets what is acknowledged. */
static void acked_clean(struct native_endpoint *e, struct acked *a)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    while (l->first != l->next) {
        const struct native_linux_segment *s = native_linux_at(l, l->first);
        uint64_t from = native_offset(s->from, a->before), end = from + s->bytes;
        if (end > tx->una)
            break;
        if (s->flags & (NATIVE_LINUX_AGAIN | NATIVE_LINUX_EVER)) {
            l->again -= s->flags & NATIVE_LINUX_AGAIN ? 1 : 0;
            a->again = true;
        } else if (!(s->flags & NATIVE_LINUX_SACKED)) {
            a->last_us = s->sent_us;
            if (!a->has_first)
                a->first_us = s->sent_us;
            a->has_first = true;
            a->low = from < a->low ? from : a->low;
            a->original = a->original || end <= l->high;
        }
        if (s->flags & NATIVE_LINUX_SACKED) {
            l->sacked--;
        } else {
            l->delivered++;
            acked_deliver(a, s->sent_us);
            bool original = s->flags & (NATIVE_LINUX_AGAIN | NATIVE_LINUX_EVER) &&
                            (int32_t)(a->echo_ms - s->sent_us / 1000) < 0; /* tcp_skb_spurious_retrans() */
            if (!original)
                acked_rack(e, s->flags, end, s->sent_us, a->now_us);
        }
        l->lost -= s->flags & NATIVE_LINUX_LOST ? 1 : 0;
        l->bursts -= s->flags & NATIVE_LINUX_END ? 1 : 0;
        l->first++;
    }
    if (tx->scoreboard.n > 0)
        native_intervals_cut(&tx->scoreboard, tx->una);
    if (a->low < a->highest)
        acked_reordered(e, a->low, l->sacked > 0 ? native_scoreboard_highest(&tx->scoreboard) : tx->una);
}

/* tcp_ack_update_rtt(): of what was sent once, else by time stamps, which tick every ms. Returns the control's sample,
 * us; 0: none */
static uint32_t acked_time(struct native_endpoint *e, struct acked *a)
{
    struct native_sender *tx = &e->tx;
    uint32_t sample_us = 0, control_us = 0;
    bool taken = a->has_first && !a->again;
    if (taken) {
        sample_us = a->now_us - a->first_us;
        control_us = a->now_us - a->last_us;
    }
    if (a->has_sack_first) {
        sample_us = taken ? sample_us : a->now_us - a->sack_first_us;
        control_us = a->now_us - a->sack_last_us;
        taken = true;
    }
    if (!taken && a->una_moved) {
        uint32_t ms = a->now_us / 1000 - a->echo_ms;
        sample_us = control_us = 1000 * (ms > 0 ? ms : 1);
        taken = true;
    }
    if (a->una_moved)
        a->set_timer = true;
    else if (a->has_sack_first && native_linux_out(&tx->own) > 0)
        a->set_timer = a->now_us - a->sack_first_us > a->now_us - native_linux_at(&tx->own, tx->own.first)->sent_us;
    if (!taken)
        return 0;
    native_rtt_sample_linux(&tx->rtt, (int64_t)sample_us, tx->una, tx->nxt);
    if ((int64_t)control_us < tx->rtt.min_us)
        tx->rtt.min_us = (int64_t)control_us;
    native_rtt_reset_backoff(&tx->rtt);
    return control_us > 0 ? control_us : 1;
}

uint64_t native_linux_current_ssthresh(const struct native_endpoint *e)
{
    const struct native_sender *tx = &e->tx;
    if (tx->own.state == LINUX_CWR || tx->own.state == LINUX_RECOVERY)
        return tx->window.ssthresh;
    uint64_t cwnd = tx->window.cwnd / acked_segment(e);
    return acked_most(tx->window.ssthresh, (cwnd / 2 + cwnd / 4) * acked_segment(e));
}

void native_linux_watch(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    int32_t out = (int32_t)l->again + (l->probe_end != 0 && l->probe_again);
    l->may_undo = true;
    l->undo_from = e->tx.una;
    l->undo_again = out > 0 ? out : -1;
}

/* tcp_init_cwnd_reduction() */
static void acked_begin_reduction(struct native_endpoint *e, bool marked)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    l->high = tx->nxt;
    l->probe_end = 0;
    tx->window.remainder = 0;
    l->prior_cwnd = tx->window.cwnd;
    l->prr_delivered = l->prr_out = 0;
    tx->window.ssthresh = marked && tx->control->marked
                              ? tx->control->marked(tx->state, &tx->window, acked_segment(e))
                              : tx->control->lost(tx->state, &tx->window, acked_segment(e), tx->nxt - tx->una, false);
    native_ecn_shrunk(&e->ecn, e->tx.nxt);
}

/* tcp_enter_cwr() */
static void acked_enter_cwr(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    if (l->state >= LINUX_CWR)
        return;
    l->may_undo = false;
    acked_begin_reduction(e, true);
    native_linux_set_state(e, LINUX_CWR);
}

static bool acked_any_again(const struct native_linux *l)
{
    return l->again > 0 || (l->first != l->next && native_linux_at(l, l->first)->flags & NATIVE_LINUX_EVER);
}

void native_linux_enter_recovery(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    e->stats.fast_recoveries++;
    if (!acked_any_again(l))
        l->again_ms = 0;
    l->prior_ssthresh = 0;
    native_linux_watch(e);
    if (l->state != LINUX_CWR && l->state != LINUX_RECOVERY) {
        l->prior_ssthresh = native_linux_current_ssthresh(e);
        acked_begin_reduction(e, false);
    }
    native_linux_set_state(e, LINUX_RECOVERY);
}

/* tcp_cwnd_reduction() */
void native_linux_reduce(struct native_endpoint *e, uint32_t delivered, bool una_moved, bool lost)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    uint64_t segment = acked_segment(e);
    int64_t flight = native_linux_flight(l), ssthresh = (int64_t)(tx->window.ssthresh / segment), send;
    if (delivered == 0 || l->prior_cwnd == 0)
        return;
    l->prr_delivered += delivered;
    if (flight > ssthresh) {
        int64_t prior = (int64_t)(l->prior_cwnd / segment);
        send = (ssthresh * (int64_t)l->prr_delivered + prior - 1) / prior - (int64_t)l->prr_out;
    } else {
        send = (int64_t)l->prr_delivered - (int64_t)l->prr_out;
        send = send > (int64_t)delivered ? send : (int64_t)delivered;
        send += una_moved && !lost;
        send = send < ssthresh - flight ? send : ssthresh - flight;
    }
    int64_t least = l->prr_out > 0 ? 0 : 1;
    tx->window.cwnd = (uint64_t)(flight + (send > least ? send : least)) * segment;
}

/* tcp_end_cwnd_reduction() */
static void acked_end_reduction(struct native_endpoint *e)
{
    struct native_sender *tx = &e->tx;
    if (tx->window.ssthresh < UINT64_MAX && (tx->own.state == LINUX_CWR || tx->own.may_undo))
        tx->window.cwnd = tx->window.ssthresh;
}

/* tcp_undo_cwnd_reduction() */
static void acked_undo(struct native_endpoint *e, bool unmark)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    if (unmark) {
        for (uint32_t i = l->first; i != l->next; i++)
            native_linux_at(l, i)->flags &= (uint8_t)~NATIVE_LINUX_LOST;
        l->lost = 0;
        l->unjudged = l->first;
    }
    if (l->prior_ssthresh > 0) {
        tx->window.cwnd = acked_most(tx->window.cwnd, l->prior_cwnd);
        e->ecn.reduced = e->ecn.reduced && l->prior_ssthresh <= tx->window.ssthresh; /* tcp_ecn_withdraw_cwr() */
        tx->window.ssthresh = acked_most(tx->window.ssthresh, l->prior_ssthresh);
    }
    l->may_undo = false;
    l->rack_advanced = true; /* losses are examined once more */
}

/* tcp_packet_delayed(): it echoes a time stamp from before anything was sent again, or nothing has been yet. */
static bool acked_delayed(const struct native_linux *l, const struct acked *a)
{
    return l->again_ms == 0 || (int32_t)(a->echo_ms + 1 - l->again_ms) < 0;
}

static bool acked_in_vain(const struct native_linux *l, const struct acked *a)
{
    return l->may_undo && (l->undo_again == 0 || acked_delayed(l, a));
}

/* tcp_try_keep_open() */
static void acked_keep_open(struct native_endpoint *e)
{
    struct native_linux *l = &e->tx.own;
    enum native_linux_state state = l->sacked + l->lost > 0 || acked_any_again(l) ? LINUX_DISORDER : LINUX_OPEN;
    if (l->state != state) {
        native_linux_set_state(e, state);
        l->high = e->tx.nxt;
    }
}

static void acked_try_undo_recovery(struct native_endpoint *e, const struct acked *a)
{
    if (acked_in_vain(&e->tx.own, a)) {
        e->stats.spurious_timeouts += e->tx.own.state == LINUX_LOSS;
        acked_undo(e, false);
    } else if (e->tx.own.reorder_kept > 0) {
        e->tx.own.reorder_kept--;
    }
    native_linux_set_state(e, LINUX_OPEN);
}

static bool acked_try_undo_loss(struct native_endpoint *e, bool frto, const struct acked *a)
{
    if (!frto && !acked_in_vain(&e->tx.own, a))
        return false;
    acked_undo(e, true);
    e->stats.spurious_timeouts++;
    e->tx.own.timeouts = 0;
    native_linux_set_state(e, LINUX_OPEN);
    return true;
}

static void acked_try_undo_dsack(struct native_endpoint *e)
{
    if (!e->tx.own.may_undo || e->tx.own.undo_again != 0)
        return;
    e->tx.own.reorder_kept += e->tx.own.reorder_kept < REORDERING_EPISODES;
    acked_undo(e, false);
}

/* tcp_try_to_open() */
static void acked_try_to_open(struct native_endpoint *e, const struct acked *a)
{
    if (!acked_any_again(&e->tx.own))
        e->tx.own.again_ms = 0;
    if (a->ece)
        acked_enter_cwr(e);
    if (e->tx.own.state != LINUX_CWR)
        acked_keep_open(e);
}

/* tcp_rack_mark_lost() */
static void acked_identify(struct native_endpoint *e, struct acked *a)
{
    struct native_linux *l = &e->tx.own;
    uint32_t again = l->again;
    if (!l->rack_advanced || native_linux_out(l) == 0)
        return;
    l->rack_advanced = false;
    int64_t wait_us = native_linux_detect(e);
    if (wait_us > 0) {
        int64_t jiffies = native_linux_jiffies(wait_us + REORDERING_MORE_US);
        int64_t most = native_linux_jiffies(native_rtt_rto_ps(&e->tx.rtt) / PS_PER_US);
        native_linux_set_timer(e, LINUX_REORDERING, jiffies < most ? jiffies : most);
        a->set_timer = false;
    }
    a->lost_again = a->lost_again || l->again < again;
}

enum resend { RESEND_NOTHING, RESEND_LOST, RESEND_NEW };

/* tcp_process_loss() */
static enum resend acked_in_loss(struct native_endpoint *e, struct acked *a, bool duplicate)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    bool recovered = tx->una >= l->high;
    if (a->una_moved && acked_try_undo_loss(e, false, a))
        return RESEND_NOTHING;
    if (l->frto) {
        if (a->original && acked_try_undo_loss(e, true, a))
            return RESEND_NOTHING;
        if (tx->nxt > l->high) {
            if (a->sacked || duplicate)
                l->frto = false; /* the loss was real */
        } else if (a->una_moved && !recovered) {
            l->high = tx->nxt;
            if (native_linux_waits(e) && tx->una + tx->peer_window > tx->nxt)
                return RESEND_NEW;
            l->frto = false;
        }
    }
    if (recovered) {
        acked_try_undo_recovery(e, a);
        return RESEND_NOTHING;
    }
    return RESEND_LOST;
}

/* tcp_fastretrans_alert() */
static enum resend acked_alert(struct native_endpoint *e, struct acked *a, bool duplicate)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    if (a->ece)
        l->prior_ssthresh = 0; /* the reduction is not in vain */
    if (l->state == LINUX_OPEN) {
        l->again_ms = 0;
    } else if (tx->una >= l->high) {
        if (l->state == LINUX_CWR && tx->una != l->high) {
            acked_end_reduction(e);
            native_linux_set_state(e, LINUX_OPEN);
        } else if (l->state == LINUX_RECOVERY) {
            acked_try_undo_recovery(e, a);
            acked_end_reduction(e);
        }
    }
    if (l->state == LINUX_RECOVERY) {
        if (a->una_moved && l->may_undo && acked_delayed(l, a)) { /* tcp_try_undo_partial() */
            acked_reordered(e, a->before, l->sacked > 0 ? native_scoreboard_highest(&tx->scoreboard) : tx->una);
            if (l->again > 0)
                return RESEND_NOTHING;
            if (!acked_any_again(l))
                l->again_ms = 0;
            acked_undo(e, true);
            acked_keep_open(e);
        }
        if (l->may_undo && l->undo_again == 0) {
            acked_try_undo_dsack(e);
            acked_try_to_open(e, a);
        }
        acked_identify(e, a);
        if (l->state != LINUX_RECOVERY) {
            if (l->lost == 0)
                return RESEND_NOTHING;
            native_linux_enter_recovery(e);
            l->prior_ssthresh = a->ece ? 0 : l->prior_ssthresh;
        }
        return RESEND_LOST;
    }
    enum resend resend = RESEND_LOST;
    if (l->state == LINUX_LOSS) {
        resend = acked_in_loss(e, a, duplicate);
        acked_identify(e, a);
        if (l->state != LINUX_OPEN && !a->lost_again)
            return resend;
    } else {
        if (l->state <= LINUX_DISORDER)
            acked_try_undo_dsack(e);
        acked_identify(e, a);
    }
    if (l->lost == 0) {
        acked_try_to_open(e, a);
        return resend;
    }
    native_linux_enter_recovery(e);
    l->prior_ssthresh = a->ece ? 0 : l->prior_ssthresh;
    return RESEND_LOST;
}

/* tcp_process_tlp_ack() */
static void acked_probe(struct native_endpoint *e, const struct acked *a)
{
    struct native_linux *l = &e->tx.own;
    if (e->tx.una < l->probe_end)
        return;
    if (!l->probe_again || a->dsack_of_probe) {
        l->probe_end = 0;
    } else if (e->tx.una > l->probe_end) { /* one was lost, and the probe has mended it: the window shrinks for it */
        acked_begin_reduction(e, false);
        native_linux_set_state(e, LINUX_CWR);
        acked_end_reduction(e);
        acked_keep_open(e);
    } else if (!a->una_moved && !a->data && !a->window && !a->sacked) {
        l->probe_end = 0; /* both have arrived */
    }
}

/* tcp_cong_control() */
static void acked_control(struct native_endpoint *e, const struct acked *a, const struct native_ack *seen,
                          uint32_t delivered, bool lost)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    if (l->state == LINUX_CWR || l->state == LINUX_RECOVERY) {
        native_linux_reduce(e, delivered, a->una_moved, lost);
    } else if (l->reordering > DUPLICATE_SACKS ? a->una_moved || a->sacked : a->una_moved) {
        bool slow_start = tx->window.cwnd < tx->window.ssthresh;
        if (l->limited || (slow_start && tx->window.cwnd < 2 * l->most_out * seen->segment))
            tx->control->grow(tx->state, &tx->window, seen);
    }
}

void native_linux_acked(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    uint64_t ack = native_offset(s->ack, tx->una);
    if (ack > tx->nxt || ack < tx->una)
        return;
    uint32_t window = (uint32_t)s->window << e->window_scale, losses = l->losses, delivered = l->delivered;
    bool idle = native_linux_out(l) == 0;
    if (idle && s->n_sack == 0 && !tx->persist.armed && l->probe_end == 0) { /* data, and nothing of ours is out */
        tx->peer_window = window;
        return;
    }
    struct acked a = {
        .before = tx->una,
        .highest = l->sacked > 0 ? native_scoreboard_highest(&tx->scoreboard) : tx->una,
        .low = UINT64_MAX,
        .now_us = (uint32_t)(native_scheduler_now(e->env->scheduler) / PS_PER_US),
        .data = s->payload_bytes > 0 || s->flags & NATIVE_FIN,
        .una_moved = ack > tx->una,
        .ece = e->ecn.on && s->flags & NATIVE_ECE && !(s->flags & NATIVE_SYN),
        .echo_ms = s->ts_echo / 1000,
    };
    a.window = a.una_moved || window > tx->peer_window;
    tx->peer_window = window;
    tx->una = ack;
    if (a.una_moved) {
        l->timeouts = 0;
        native_timer_cancel(&tx->persist);
    }
    if (s->n_sack > 0)
        acked_mark(e, s, &a);
    if (idle) {
        if (a.dsack)
            acked_alert(e, &a, false);
        if (tx->persist.armed && tx->una + window > tx->nxt) {
            native_timer_cancel(&tx->persist);
            native_rtt_reset_backoff(&tx->rtt);
        }
        if (l->probe_end != 0)
            acked_probe(e, &a);
        return;
    }
    if (a.una_moved)
        acked_clean(e, &a);
    acked_learn_reordering(e, &a);
    struct native_ack seen = {.segment = acked_segment(e),
                              .now_us = (uint64_t)(native_scheduler_now(e->env->scheduler) / PS_PER_US)};
    seen.rtt_us = acked_time(e, &a);
    seen.una = tx->una;
    seen.nxt = tx->nxt;
    if (seen.rtt_us > 0 && tx->control->sampled) {
        seen.pacing = tx->window.cwnd < tx->window.ssthresh ? native_linux_pacing(e) : 0; /* HyStart's */
        tx->control->sampled(tx->state, &tx->window, &seen);
    }
    if (l->probe_end != 0)
        acked_probe(e, &a);
    enum resend resend = RESEND_NOTHING;
    bool told = a.una_moved || a.data || a.window;
    seen.ece = a.ece;
    if (tx->control->delivered)
        tx->control->delivered(tx->state, (uint64_t)(l->delivered - delivered) * seen.segment, &seen);
    if (!told || a.sacked || a.dsack || a.ece || l->state != LINUX_OPEN)
        resend = acked_alert(e, &a, !told && !a.dsack);
    if (a.set_timer && !native_linux_arm_probe(e, true))
        native_linux_arm(e);
    seen.acked = (uint64_t)(l->delivered - delivered) * seen.segment;
    acked_control(e, &a, &seen, l->delivered - delivered, l->losses != losses);
    acked_pace(e);
    if (resend == RESEND_NEW) {
        native_linux_send_new(e, LINUX_SEND_ALL);
        if (tx->nxt > l->high)
            return;
        l->frto = false;
    }
    if (resend != RESEND_NOTHING)
        native_linux_send_lost(e);
}

/* acked_clean(), where all segments are alike; rack goes by the last of them, which left last. */
static inline uint32_t acked_forget(struct native_endpoint *e, uint32_t now_us)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    const struct native_linux_segment *s = native_linux_at(l, l->first), *last;
    uint32_t una = (uint32_t)tx->una, number = l->first, next = l->next, bursts = 0;
    do {
        last = s;
        bursts += last->flags / NATIVE_LINUX_END & 1;
        s = native_linux_at(l, ++number);
    } while (number != next && (int32_t)(s->from + s->bytes - una) <= 0);
    uint32_t sent_us = last->sent_us, end = last->from + last->bytes;
    l->delivered += number - l->first;
    l->first = number;
    l->bursts -= bursts;
    l->rack_advanced = true;
    l->rack_rtt_us = now_us - sent_us;
    int32_t later = (int32_t)(sent_us - l->rack_us);
    if (later > 0 || (later == 0 && (int32_t)(end - (uint32_t)l->rack_end) > 0)) {
        l->rack_us = sent_us;
        l->rack_end = tx->una - (una - end);
    }
    return sent_us;
}

static bool acked_is_plain(const struct native_endpoint *e, const struct native_segment *s)
{
    const struct native_sender *tx = &e->tx;
    const struct native_linux *l = &tx->own;
    const struct native_receiver *rx = &e->rx;
    uint64_t acked = (uint32_t)(s->ack - (uint32_t)tx->una), flight = tx->nxt - tx->una;
    if (acked - 1 >= flight || flight > INT32_MAX || s->seq != (uint32_t)rx->nxt || l->state != LINUX_OPEN || l->probe_end != 0 ||
        (l->sacked | l->lost | l->again) != 0 || (int32_t)(l->first - l->ever) < 0)
        return false;
    const struct native_linux_segment *first = native_linux_at(l, l->first);
    return (int32_t)(first->from + first->bytes - s->ack) <= 0;
}

static __attribute__((noinline)) void acked_sample_plainly(struct native_endpoint *e, uint64_t now_us, uint32_t rtt_us)
{
    struct native_sender *tx = &e->tx;
    struct native_ack seen = {.segment = acked_segment(e), .now_us = now_us, .rtt_us = rtt_us > 0 ? rtt_us : 1,
                              .una = tx->una, .nxt = tx->nxt};
    seen.pacing = tx->window.cwnd < tx->window.ssthresh ? native_linux_pacing(e) : 0; /* HyStart's */
    tx->control->sampled(tx->state, &tx->window, &seen);
}

static __attribute__((noinline)) void acked_grow_plainly(struct native_endpoint *e, uint64_t now_us, uint32_t rtt_us,
                                                         uint32_t delivered)
{
    struct native_sender *tx = &e->tx;
    struct native_ack seen = {.segment = acked_segment(e), .now_us = now_us, .rtt_us = rtt_us > 0 ? rtt_us : 1,
                              .una = tx->una, .nxt = tx->nxt, .acked = (uint64_t)delivered * acked_segment(e)};
    tx->control->grow(tx->state, &tx->window, &seen);
}

void native_linux_acked_plainly(struct native_endpoint *e, struct native_segment *s)
{
    struct native_sender *tx = &e->tx;
    struct native_linux *l = &tx->own;
    if (!acked_is_plain(e, s)) {
        native_endpoint_receive_any(e, s);
        return;
    }
    uint32_t ack = s->ack, ts = s->ts, window = (uint32_t)s->window << e->window_scale;
    native_pool_give(e->env->plain, s);
    int64_t now_ps = native_scheduler_now(e->env->scheduler);
    uint64_t now_us = (uint64_t)now_ps / PS_PER_US;
    uint32_t first_us = native_linux_at(l, l->first)->sent_us, delivered = l->delivered;
    e->rx.ts_recent = ts;
    tx->peer_window = window;
    if (window > l->most_window)
        l->most_window = window;
    tx->una += (uint32_t)(ack - (uint32_t)tx->una);
    l->timeouts = 0;
    uint32_t rtt_us = (uint32_t)now_us - acked_forget(e, (uint32_t)now_us);
    native_rtt_sample_linux(&tx->rtt, (uint32_t)now_us - first_us, tx->una, tx->nxt);
    if ((int64_t)rtt_us < tx->rtt.min_us)
        tx->rtt.min_us = (int64_t)rtt_us;
    native_rtt_reset_backoff(&tx->rtt);
    const struct native_congestion *control = tx->control;
    if (control->knows ? !control->knows(tx->state, &tx->window, rtt_us) : control->sampled != NULL)
        acked_sample_plainly(e, now_us, rtt_us);
    native_linux_arm_plainly(e);
    if (l->limited || (tx->window.cwnd < tx->window.ssthresh && tx->window.cwnd < 2 * l->most_out * acked_segment(e)))
        acked_grow_plainly(e, now_us, rtt_us, l->delivered - delivered);
    acked_pace(e);
    if (tx->una == tx->written && e->env->drained)
        e->env->drained(e->env->user, e);
    if (!native_linux_pauses(e, native_linux_out(l), now_ps, now_us))
        native_linux_push_more(e);
}
