/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/clocking.h - does a sender send because ACKs arrive, or because its application writes?
 *
 * * Over time, in equal slots: bytes in flight at the sender (analysis/flows/inflight.h; mean and most), segments that are
 * short though data follow (an application's writes end there), the least window that the receiver offers, and when the
 * sender starts with nothing in flight: it has had everything acknowledged before. A flow that its window limits is
 * always within a segment or two of its most; one that its application limits is not. */
#ifndef ANALYSIS_CLOCKING_H
#define ANALYSIS_CLOCKING_H

#include "analysis/flows/inflight.h"
#include "analysis/flows/leg_series.h"
#include "base/estimate.h"
#include "capture/decode.h"

#include <stddef.h>

#define ANALYSIS_CLOCKING_SLOTS 256

struct analysis_clocking_slot {
    double flight_sum;   /* bytes */
    double gaps_s;       /* before restarts: since the data before */
    int64_t flight_most;
    int64_t offered_least; /* bytes; 0: no ACK, or zero */
    int64_t offered_most;
    int64_t offered_fall;  /* the most that it fell by, from an earlier ACK to a later one */
    uint32_t flight_n, restarts, prompted, segments, shorts, tight, acks, closed, pure;
    uint32_t at; /* it covers [first + at, first + at + 1) << shift, in ms since the origin */
};

struct analysis_clocking {
    int64_t first;
    unsigned shift;
    struct analysis_clocking_slot *slot; /* owned; those in which something passed, in order of time */
    size_t n, room;
    struct analysis_clocking_slot *now; /* one of them */
    int64_t from_ns, until_ns;          /* what that covers; nothing at first */
    int64_t to_sender_ns;
    uint32_t full_bytes; /* payload of a full segment */
    double gap_ns;       /* between data, a running mean */
    int64_t newest_end, life_most; /* of data; bytes in flight */
    int64_t last_ns;               /* of data */
    int64_t all_acked;             /* an ACK of all data before it, with this number and stamp; -1: none */
    uint32_t all_acked_tsval, last_tsecr; /* of that ACK; of data */
    int64_t all_acked_ns, restart_ns; /* of that ACK; of the latest restart, 0 before */
    double period_s;                  /* from restart to restart, a running mean */
    /* Cycles from restart to restart. Usual ones: answered, s, from the first data to the ACK of the last at the tap;
     * began, from this to the next, s at the tap, and ticks of the sender's stamps; sums, squares, and products with
     * the answers. */
    double cycles, usual, answered, answered_squares;
    struct clocking_began {
        double sum, squares, products;
    } tapped, stamped;
    uint32_t restart_tsval;
    bool prompted;                    /* the other end has sent data since */
    uint32_t latest_tsval;            /* of an ACK, with its number: what has left since and echoes it is in flight */
    int64_t latest_acked, burst_most;
    int64_t offered_last;             /* bytes, by the latest ACK */
    bool offered;                     /* that one came in slot `now`, and no other slot was that since */
    struct analysis_thin taken;       /* segments whose distance and length are looked at */
    bool acked;                       /* by any ACK, ever */
    bool unscaled;                    /* what is offered came without its scale */
    struct analysis_inflight inflight;
};

/* `to_sender_ns`: from the tap to the sender and back, as the handshake took it; negative unknown. */
struct analysis_clocking *analysis_clocking_new(int64_t time_ns, int64_t to_sender_ns);
void analysis_clocking_free(struct analysis_clocking *c);

/* For the two below, which most segments pass without these: to the slot of time_ns; how data follow those before them, and how
 * long they are; data after an ACK of all; data that end a probe; an ACK that offers another window than the one before, or
 * is the first of a slot. */
void analysis_clocking_go(struct analysis_clocking *c, int64_t time_ns);
void analysis_clocking_pace(struct analysis_clocking *c, const struct capture_segment *s, int64_t time_ns);
void analysis_clocking_rested(struct analysis_clocking *c, const struct capture_segment *s, int64_t end, int64_t time_ns);
void analysis_clocking_flight(struct analysis_clocking *c, const struct capture_segment *s, int64_t end);
void analysis_clocking_offer(struct analysis_clocking *c, int64_t offered_bytes);

/* A segment with new data up to `end` (relative) passes; `full_bytes`: payload of a full one. */
static inline void analysis_clocking_data(struct analysis_clocking *c, const struct capture_segment *s, int64_t end,
                                          uint32_t full_bytes, int64_t time_ns)
{
    if (__builtin_expect(time_ns < c->from_ns || time_ns >= c->until_ns, 0))
        analysis_clocking_go(c, time_ns);
    c->full_bytes = full_bytes;
    if (analysis_thin_takes(&c->taken))
        analysis_clocking_pace(c, s, time_ns);
    c->newest_end = end;
    if (__builtin_expect(c->all_acked >= 0, 0))
        analysis_clocking_rested(c, s, end, time_ns);
    c->all_acked = -1;
    c->prompted = false;
    c->last_ns = time_ns;
    c->last_tsecr = s->tsecr;
    if (!s->has_timestamps)
        return;
    if (c->latest_acked > 0 && s->tsecr == c->latest_tsval)
        c->burst_most = end - c->latest_acked > c->burst_most ? end - c->latest_acked : c->burst_most;
    if (__builtin_expect(analysis_inflight_ends(&c->inflight, s->tsecr), 0))
        analysis_clocking_flight(c, s, end);
}

/* An acknowledgement up to `ack` passes; `scale`: of its window; -1 unknown. */
static inline void analysis_clocking_ack(struct analysis_clocking *c, const struct capture_segment *s, int64_t ack, int scale,
                                         int64_t time_ns)
{
    if (__builtin_expect(time_ns < c->from_ns || time_ns >= c->until_ns, 0))
        analysis_clocking_go(c, time_ns);
    struct analysis_clocking_slot *slot = c->now;
    const int64_t offered_bytes = (int64_t)s->window << (scale > 0 ? scale : 0);
    c->unscaled = scale < 0;
    c->acked = true;
    c->prompted = c->prompted || s->payload_bytes > 0;
    slot->pure += s->payload_bytes == 0;
    if (s->has_timestamps) {
        if (__builtin_expect(analysis_inflight_begins(&c->inflight, s->tsval), 0))
            analysis_inflight_ack(&c->inflight, ack, s->tsval);
        c->latest_tsval = s->tsval;
        c->latest_acked = ack;
    }
    if (ack == c->newest_end && ack != c->all_acked) { /* data of the other end say it again */
        c->all_acked = ack;
        c->all_acked_tsval = s->tsval;
        c->all_acked_ns = time_ns;
    }
    if (__builtin_expect(!c->offered || offered_bytes != c->offered_last, 0))
        analysis_clocking_offer(c, offered_bytes);
    slot->acks++;
    slot->closed += scale >= 0 && offered_bytes < 2 * (int64_t)c->full_bytes;
}

/* Of [from_s, to_s), seconds since the origin. */
struct analysis_clocking_figures {
    double flight_bytes;   /* mean of slots' means; NAN without samples */
    struct estimate_line flight_line; /* bytes in flight over time, s since the origin, by slots' means */
    double fullness;       /* mean over slots of mean / most in flight; 1: always at its window */
    double jitter;         /* mean difference of one slot's mean to the next, over the mean */
    double most_bytes;     /* over the flow's life */
    double peak_bytes;     /* the most in flight; NAN without samples */
    double offered_bytes;  /* the least window offered, mean over slots; NAN unknown */
    double offered_most_bytes;
    bool offered_guessed;  /* the handshake that has its scale (RFC 7323, section 2) did not pass: the least scale that
                            * has room for most_bytes; NAN where that is not known */
    double offered_swing;  /* mean over slots of how far the window fell, but for a segment, by the most offered: a reader that takes its
                            * time. A window that only grows is tuned by its kernel */
    double short_share;    /* of segments */
    double tight_share;    /* of segments: follow the one before sooner than the mean, as answers to ACKs do in pairs */
    double restarts, gaps_s; /* how often data began with nothing in flight, and the time since the data before */
    double prompted;       /* of the restarts: after data of the other end, not after ACKs alone */
    double burst_bytes;    /* the most in flight, over its life, of what the tap has seen of a burst's end; 0 unknown */
    double clocked;        /* how much of a late answer the pause after it makes up for: 0, it waits for answers; 1, a
                            * clock starts it. NAN without cycles. */
    double clocked_sd;
    double answered_s;     /* in usual cycles, from the first data to the ACK of the last, at the tap; NAN without */
    double closed_share;   /* of ACKs: they offer less than two segments, where it has offered four */
    double full_bytes;     /* payload of a full segment */
    double pure_acks;      /* ACKs without data, */
    double span_s;         /* in that time: slots, by their middles */
    bool acked;            /* an ACK of its data passed, ever */
};

void analysis_clocking_get(const struct analysis_clocking *c, double from_s, double to_s,
                           struct analysis_clocking_figures *x);

#endif
