/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/explained.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define EVENT_MOST 48 /* bytes: what an event is, two numbers of 64 bits in ten each, and four of 32 in five; in whole words */
#define WORD sizeof(uint64_t) /* what is copied at once */
#define FIRST_ROOM 32 /* bytes: for a few events */

/* The first byte of an event. Numbers follow in seven bits a byte, least first: the time, what was acknowledged or, unless they
 * follow the data before them, where they end; then what is marked here. */
enum explained_event {
    EVENT_ACK = 1,
    EVENT_STAMPED = 2,
    EVENT_PAYLOAD = 4, /* data: another than the last; an ACK: any */
    EVENT_STATE = 8,   /* another size of full segments, or scale */
    EVENT_APART = 16,  /* data: they do not follow those before them */
    EVENT_WINDOW = 16, /* an ACK: another one */
    EVENT_WATCH = 32,  /* alone */
    EVENT_FIN = 32,    /* of an ACK */
    EVENT_SACK = 64,   /* there are blocks, */
    EVENT_HOLE = 128,  /* and one is above the ACK */
};

static struct analysis_explained_state explained_start(void)
{
    return (struct analysis_explained_state){.scale = -1};
}

void analysis_explained_free(struct analysis_explained *e)
{
    if (e) {
        analysis_round_trip_free(e->trip);
        analysis_clocking_free(e->clocking);
        free(e->figures);
    }
    free(e);
}

bool analysis_explained_figures(const struct analysis_explained *e, struct analysis_round_trip_figures *x)
{
    if (e->trip || !e->figures || e->figured != e->bytes)
        return false;
    *x = *e->figures;
    return true;
}

void analysis_explained_figured(struct analysis_explained *e, const struct analysis_round_trip_figures *x)
{
    if (e->trip)
        return;
    e->figures = memory_resized(e->figures, 1, sizeof *e->figures, "explanations");
    *e->figures = *x;
    e->figured = e->bytes;
}

static inline uint8_t *put(uint8_t *to, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        *to++ = (uint8_t)(number | 128);
    *to++ = (uint8_t)number;
    return to;
}

static inline const uint8_t *take(const uint8_t *from, uint64_t *number)
{
    uint64_t sum = *from & 127;
    for (unsigned shift = 7; *from++ >= 128; shift += 7)
        sum |= (uint64_t)(*from & 127) << shift;
    *number = sum;
    return from;
}

/* What differs by little either way is a small number. Differences are modulo 2^64, so that none overflows. */
static inline uint8_t *put_change(uint8_t *to, uint64_t last, uint64_t now)
{
    const uint64_t by = now - last;
    return put(to, by << 1 ^ (0 - (by >> 63)));
}

static inline const uint8_t *take_change(const uint8_t *from, uint64_t last, uint64_t *now)
{
    uint64_t by;
    from = take(from, &by);
    *now = last + (by >> 1 ^ (0 - (by & 1)));
    return from;
}

struct analysis_explained *analysis_explained_new(int64_t to_sender_ns)
{
    struct analysis_explained *e = memory_zeroed(1, sizeof *e + FIRST_ROOM, "explanations");
    e->room = FIRST_ROOM;
    e->last = explained_start();
    e->bytes = (uint16_t)(put_change(e->log, 0, (uint64_t)to_sender_ns) - e->log); /* that is where the log begins */
    return e;
}

static uint8_t *put_stamp(uint8_t *to, uint32_t *last, uint32_t now)
{
    to = put_change(to, 0, (uint64_t)(int64_t)(int32_t)(now - *last));
    *last = now;
    return to;
}

static inline const uint8_t *take_stamp(const uint8_t *from, uint32_t *last)
{
    uint64_t by;
    from = take_change(from, 0, &by);
    *last += (uint32_t)by;
    return from;
}

static const uint8_t *take_time(const uint8_t *from, int64_t *last)
{
    uint64_t now;
    from = take_change(from, (uint64_t)*last, &now);
    *last = (int64_t)now;
    return from;
}

/* The log is full: it grows, or all that passed passes again. */
static __attribute__((noinline)) void explained_full(struct analysis_explained **e, size_t bytes)
{
    struct analysis_explained *x = *e;
    if (bytes > ANALYSIS_EXPLAINED_LOG) {
        analysis_explained_play(x, &x->trip, &x->clocking);
        *e = memory_resized(x, 1, sizeof *x, "explanations");
        return;
    }
    const size_t room = bytes + x->bytes / 2 + WORD; /* in few steps: each moves it */
    *e = x = memory_resized(x, 1, sizeof *x + room, "explanations");
    x->room = (uint16_t)room;
}

/* Keeps an event of bytes up to `end`, and room for a word; false: all of it is there now, and the event is for that. */
static inline bool explained_keep(struct analysis_explained **e, const uint8_t event[static EVENT_MOST], const uint8_t *end)
{
    const size_t n = (size_t)(end - event), bytes = (*e)->bytes + n + WORD;
    if (__builtin_expect(bytes > (*e)->room, 0))
        explained_full(e, bytes);
    struct analysis_explained *x = *e;
    if (x->trip)
        return false;
    for (size_t i = 0; i < n; i += WORD)
        memcpy(x->log + x->bytes + i, event + i, WORD);
    x->bytes = (uint16_t)(x->bytes + n);
    return true;
}

void analysis_explained_watch(struct analysis_explained **e, int64_t to_sender_ns, int64_t time_ns)
{
    uint8_t event[EVENT_MOST] = {EVENT_WATCH}, *to = event + 1;
    (*e)->watched = true;
    to = put_change(to, (uint64_t)(*e)->last.time_ns, (uint64_t)time_ns);
    to = put_change(to, 0, (uint64_t)to_sender_ns);
    (*e)->last.time_ns = time_ns;
    if ((*e)->trip || !explained_keep(e, event, to))
        (*e)->clocking = analysis_clocking_new(time_ns, to_sender_ns);
}

static bool explained_log_data(struct analysis_explained **e, const struct capture_segment *s, int64_t end,
                               uint32_t full_bytes, int64_t time_ns)
{
    uint8_t event[EVENT_MOST], *to = event + 1;
    uint8_t is = 0;
    struct analysis_explained_state *last = &(*e)->last;
    const bool full = (*e)->watched && full_bytes != last->full_bytes;
    to = put_change(to, (uint64_t)last->time_ns, (uint64_t)time_ns);
    if ((uint64_t)end - (uint64_t)last->at[0] != s->payload_bytes) {
        is |= EVENT_APART;
        to = put_change(to, (uint64_t)last->at[0], (uint64_t)end);
    }
    if (s->payload_bytes != last->payload_bytes) {
        is |= EVENT_PAYLOAD;
        to = put(to, last->payload_bytes = s->payload_bytes);
    }
    if (s->has_timestamps) {
        is |= EVENT_STAMPED;
        to = put_stamp(to, &last->tsval[0], s->tsval);
        to = put_stamp(to, &last->tsecr[0], s->tsecr);
    }
    if (full) {
        is |= EVENT_STATE;
        to = put(to, last->full_bytes = full_bytes);
    }
    last->time_ns = time_ns;
    last->at[0] = end;
    event[0] = is;
    return explained_keep(e, event, to);
}

static bool explained_log_ack(struct analysis_explained **e, const struct capture_segment *s, int64_t ack, int scale,
                              int64_t time_ns)
{
    uint8_t event[EVENT_MOST], *to = event + 1;
    uint8_t is = EVENT_ACK | (s->flags & CAPTURE_TCP_FIN ? EVENT_FIN : 0);
    struct analysis_explained_state *last = &(*e)->last;
    to = put_change(to, (uint64_t)last->time_ns, (uint64_t)time_ns);
    to = put_change(to, (uint64_t)last->at[1], (uint64_t)ack);
    if (s->payload_bytes > 0) {
        is |= EVENT_PAYLOAD;
        to = put(to, s->payload_bytes);
    }
    if (s->has_timestamps) {
        is |= EVENT_STAMPED;
        to = put_stamp(to, &last->tsval[1], s->tsval);
        to = put_stamp(to, &last->tsecr[1], s->tsecr);
    }
    if (s->window != last->window) {
        is |= EVENT_WINDOW;
        to = put(to, last->window = s->window);
    }
    if (scale != last->scale) {
        is |= EVENT_STATE;
        *to++ = (uint8_t)(last->scale = (int8_t)scale);
    }
    is |= s->n_sack > 0 ? EVENT_SACK : 0;
    for (int i = 0; i < s->n_sack; i++)
        is |= (int32_t)(s->sack[i].start - s->ack) > 0 ? EVENT_HOLE : 0;
    last->time_ns = time_ns;
    last->at[1] = ack;
    event[0] = is;
    return explained_keep(e, event, to);
}

void analysis_explained_data(struct analysis_explained **e, const struct capture_segment *s, int64_t end, uint32_t full_bytes,
                             int64_t time_ns)
{
    if (!(*e)->trip && explained_log_data(e, s, end, full_bytes, time_ns))
        return;
    analysis_round_trip_data((*e)->trip, s, end, time_ns);
    if ((*e)->clocking)
        analysis_clocking_data((*e)->clocking, s, end, full_bytes, time_ns);
}

void analysis_explained_ack(struct analysis_explained **e, const struct capture_segment *s, int64_t ack, int scale,
                            int64_t time_ns)
{
    if (!(*e)->trip && explained_log_ack(e, s, ack, scale, time_ns))
        return;
    analysis_round_trip_ack((*e)->trip, s, ack, time_ns);
    if ((*e)->clocking)
        analysis_clocking_ack((*e)->clocking, s, ack, scale, time_ns);
}

static inline const uint8_t *take_stamps(const uint8_t *from, uint8_t is, int kind, struct analysis_explained_state *last,
                                         struct capture_segment *s)
{
    s->has_timestamps = is & EVENT_STAMPED;
    if (s->has_timestamps) {
        from = take_stamp(from, &last->tsval[kind]);
        from = take_stamp(from, &last->tsecr[kind]);
    }
    s->tsval = s->has_timestamps ? last->tsval[kind] : 0;
    s->tsecr = s->has_timestamps ? last->tsecr[kind] : 0;
    return from;
}

/* All that is asked of the segment, and what the event changes. */
static const uint8_t *take_data(const uint8_t *from, uint8_t is, struct analysis_explained_state *last, struct capture_segment *s)
{
    uint64_t number, end = 0;
    if (is & EVENT_APART)
        from = take_change(from, (uint64_t)last->at[0], &end);
    if (is & EVENT_PAYLOAD) {
        from = take(from, &number);
        last->payload_bytes = (uint32_t)number;
    }
    last->at[0] = (int64_t)(is & EVENT_APART ? end : (uint64_t)last->at[0] + last->payload_bytes);
    s->payload_bytes = last->payload_bytes;
    from = take_stamps(from, is, 0, last, s);
    if (is & EVENT_STATE) {
        from = take(from, &number);
        last->full_bytes = (uint32_t)number;
    }
    return from;
}

static const uint8_t *take_ack(const uint8_t *from, uint8_t is, struct analysis_explained_state *last, struct capture_segment *s)
{
    uint64_t number;
    from = take_time(from, &last->at[1]);
    s->payload_bytes = 0;
    if (is & EVENT_PAYLOAD) {
        from = take(from, &number);
        s->payload_bytes = (uint32_t)number;
    }
    from = take_stamps(from, is, 1, last, s);
    if (is & EVENT_WINDOW) {
        from = take(from, &number);
        last->window = (uint16_t)number;
    }
    if (is & EVENT_STATE)
        last->scale = (int8_t)*from++;
    s->window = last->window;
    s->flags = CAPTURE_TCP_ACK | (is & EVENT_FIN ? CAPTURE_TCP_FIN : 0);
    s->n_sack = is & EVENT_SACK ? 1 : 0;
    s->sack[0].start = is & EVENT_HOLE ? 1 : 0;
    return from;
}

void analysis_explained_play(const struct analysis_explained *e, struct analysis_round_trip **trip,
                             struct analysis_clocking **clocking)
{
    struct analysis_explained_state last = explained_start();
    int64_t to_sender_ns = 0;
    const uint8_t *from = take_time(e->log, &to_sender_ns), *end = e->log + e->bytes;
    struct analysis_round_trip *t = *trip = analysis_round_trip_new(to_sender_ns);
    struct analysis_clocking *c = NULL;
    struct capture_segment s = {0}; /* of which each event sets what is asked of its kind */
    while (from < end) {
        const uint8_t is = *from++;
        from = take_time(from, &last.time_ns);
        if (is & EVENT_ACK) {
            from = take_ack(from, is, &last, &s);
            analysis_round_trip_ack(t, &s, last.at[1], last.time_ns);
            if (c)
                analysis_clocking_ack(c, &s, last.at[1], last.scale, last.time_ns);
        } else if (is & EVENT_WATCH) {
            to_sender_ns = 0;
            from = take_time(from, &to_sender_ns);
            c = analysis_clocking_new(last.time_ns, to_sender_ns);
        } else {
            from = take_data(from, is, &last, &s);
            analysis_round_trip_data(t, &s, last.at[0], last.time_ns);
            if (c)
                analysis_clocking_data(c, &s, last.at[0], last.full_bytes, last.time_ns);
        }
    }
    *clocking = c;
}
