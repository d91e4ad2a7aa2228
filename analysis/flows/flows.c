/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/flows.h"

#include "analysis/flows/batches.h"
#include "analysis/flows/capacity.h"
#include "analysis/flows/connection.h"
#include "analysis/flows/steady.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define TIME_MAX (INT64_MAX / 8) /* 36 years: sums and small multiples of times fit */
#define SLOT_AHEAD 12 /* segments: their entries of the table are on the way */
#define FIND_AHEAD 6  /* likewise their connections */
#define FEW_CONNECTIONS 256 /* stay in the cache by themselves */
#define SENT_AGAIN (-2)
#define ETHERNET_REST 24 /* FCS, preamble, gap */
#define NEAR_FACTOR 4 /* the tap is at an end when the way to it and back is so much shorter */

/* What explains a slot whose log alone is kept, as it was asked for last, when the log had so many bytes: who asks for one
 * thing asks for the next. */
struct flows_played {
    size_t slot; /* SIZE_MAX: nobody asked */
    uint16_t bytes;
    struct analysis_round_trip *trip;   /* owned */
    struct analysis_clocking *clocking; /* owned */
};

struct analysis_flows {
    struct analysis_connections *connections;
    int64_t origin_ns;
    bool has_origin, explains, packets;
    atomic_bool many; /* connections: set where frames are analysed, for where they are read */
    uint64_t interface_bps;
    double paused;
    struct analysis_capacity *capacity; /* owned; NULL unless it explains */
    struct analysis_datagrams *datagrams; /* owned; likewise, and NULL without any */
    struct flows_played *played; /* owned */
    size_t packets_left; /* bytes that packets may still take */
    int64_t packets_cut; /* number of the first for which there was no room */
};

static void flows_begin(struct analysis_connection *c, const struct analysis_first *first, void *user);

struct analysis_flows *analysis_flows_new(void)
{
    struct analysis_flows *f = memory_zeroed(1, sizeof *f, "the flow table");
    f->connections = analysis_connections_new(flows_begin, f);
    f->played = memory_zeroed(1, sizeof *f->played, "explanations");
    f->played->slot = SIZE_MAX;
    return f;
}

static void played_fini(struct flows_played *p)
{
    analysis_round_trip_free(p->trip);
    analysis_clocking_free(p->clocking);
}

void analysis_flows_free(struct analysis_flows *f)
{
    if (!f)
        return;
    played_fini(f->played);
    free(f->played);
    analysis_connections_free(f->connections);
    analysis_capacity_free(f->capacity);
    analysis_datagrams_free(f->datagrams);
    free(f);
}

void analysis_flows_set_origin(struct analysis_flows *f, int64_t time_ns)
{
    f->origin_ns = time_ns;
    f->has_origin = true;
}

/* From 0 to TIME_MAX whatever the clock says. */
static int64_t since_origin(const struct analysis_flows *f, int64_t time_ns)
{
    int64_t t;
    if (time_ns <= f->origin_ns)
        return 0;
    return __builtin_sub_overflow(time_ns, f->origin_ns, &t) || t > TIME_MAX ? TIME_MAX : t;
}

/* Of a direction, before it takes a segment. */
struct flows_counts {
    uint32_t retransmitted, reordered, strays;
};

static void note_syn(struct analysis_connection *c, const struct capture_segment *s, int end, int64_t time_ns)
{
    struct analysis_direction *d = &c->direction[end];
    bool reply = s->flags & CAPTURE_TCP_ACK;
    c->client = (int8_t)(reply ? !end : end);
    /* Of several before data, the last one counts: an old SYN/ACK must not stretch the stream. */
    if (!d->has_data)
        analysis_direction_syn(d, s->seq);
    const bool unseen = !s->has_window_scale && s->options_cut; /* by the capture: it may have one */
    c->direction[!end].receiver_scale = s->has_window_scale ? (int8_t)s->window_scale : unseen ? -1 : 0;
    if (reply && !s->has_window_scale && !unseen) /* both or neither: RFC 7323 2.2 */
        d->receiver_scale = 0;
    for (int i = 0; s->has_mss && i < 2; i++) {
        uint16_t *mss = &c->direction[i].mss;
        *mss = *mss == 0 || s->mss < *mss ? s->mss : *mss;
    }
    int64_t *sent_ns = reply ? &c->synack_ns : &c->syn_ns; /* sent again, nobody knows which one was answered */
    if (reply && c->synack_ns == -1 && c->syn_ns >= 0)
        c->server_side_ns = time_ns - c->syn_ns;
    *sent_ns = *sent_ns == -1 ? time_ns : SENT_AGAIN;
}

void analysis_flows_keep_explanations(struct analysis_flows *f)
{
    f->explains = true;
}

/* What the direction's data so far call for. */
static __attribute__((noinline)) void explain_more(struct analysis_connection *c, int end, int64_t t)
{
    int64_t to_sender_ns = c->client == end ? c->client_side_ns : c->server_side_ns;
    if (!c->explain[end])
        c->explain[end] = analysis_explained_new(to_sender_ns);
    if (c->direction[end].bins && !c->explain[end]->watched)
        analysis_explained_watch(&c->explain[end], to_sender_ns, t);
}

/* A super-segment counts as the frames it becomes, which are acknowledged one by one: they pass here together. */
static void explain_super(struct analysis_explained **e, const struct analysis_direction *d, const struct capture_segment *s,
                          uint32_t frame_bytes, uint32_t segment_bytes, int64_t at, int64_t t)
{
    struct capture_segment frame = *s;
    for (uint32_t left = s->payload_bytes; left > 0; left -= frame.payload_bytes) {
        frame.payload_bytes = left < frame_bytes ? left : frame_bytes;
        at += frame.payload_bytes;
        if (at > d->high)
            analysis_explained_data(e, &frame, at, segment_bytes, t);
    }
}

/* Of a flow that is not watched, or a super-segment. `last`: relative, of its last byte + 1; what is not above high passed
 * before. */
static __attribute__((noinline)) void explain_frames(struct analysis_connection *c, int end, const struct capture_segment *s,
                                                     uint32_t frame_bytes, uint32_t segment_bytes, int64_t last, int64_t t)
{
    const struct analysis_direction *d = &c->direction[end];
    if (!c->explain[end] || (d->bins && !c->explain[end]->watched))
        explain_more(c, end, t);
    if (frame_bytes != s->payload_bytes)
        explain_super(&c->explain[end], d, s, frame_bytes, segment_bytes, last - s->payload_bytes, t);
    else if (last > d->high)
        analysis_explained_data(&c->explain[end], s, last, segment_bytes, t);
}

/* Before the direction has taken the segment: only then it is new. */
static inline void explain_segment(struct analysis_connection *c, int end, const struct capture_segment *s, uint32_t frame_bytes,
                                   uint32_t segment_bytes, int64_t t)
{
    const struct analysis_direction *d = &c->direction[end], *reverse = &c->direction[!end];
    struct analysis_explained **there = &c->explain[end], **back = &c->explain[!end];
    if (s->payload_bytes > 0) {
        const int64_t last = d->has_base ? analysis_direction_relative(d, s->seq) + s->payload_bytes : 0;
        if (__builtin_expect(!*there || !(*there)->clocking || frame_bytes != s->payload_bytes, 0))
            explain_frames(c, end, s, frame_bytes, segment_bytes, last, t);
        else if (last > d->high)
            analysis_explained_bulk_data(*there, s, last, segment_bytes, t);
    }
    if (!*back || (s->flags & (CAPTURE_TCP_ACK | CAPTURE_TCP_SYN)) != CAPTURE_TCP_ACK || !reverse->has_data)
        return;
    const int64_t ack = analysis_direction_relative(reverse, s->ack);
    if (__builtin_expect((*back)->clocking != NULL, 1))
        analysis_explained_bulk_ack(*back, s, ack, reverse->receiver_scale, t);
    else
        analysis_explained_ack(back, s, ack, reverse->receiver_scale, t);
}

void analysis_flows_keep_packets(struct analysis_flows *f)
{
    f->packets = true;
    f->packets_left = ANALYSIS_PACKETS_ROOM;
}

/* After its directions have taken the segment; what its own had counted before says what it was. */
static void flows_keep(struct analysis_flows *f, struct analysis_connection *c, int end, int64_t t, int64_t number,
                       const struct capture_segment *s, const struct flows_counts *before)
{
    const struct analysis_direction *d = &c->direction[end], *reverse = &c->direction[!end];
    bool many = analysis_connections_count(f->connections) > ANALYSIS_PACKETS_CONNECTIONS;
    if (!c->packets && many && d->data_packets + reverse->data_packets < ANALYSIS_PACKETS_FEW)
        return;
    bool stray = d->strays > before->strays && d->stray_run > 0, reset = s->flags & CAPTURE_TCP_RST;
    bool placed = d->has_base && !reset && !stray;
    struct analysis_packet p = {.time_ns = t, .frame = number, .segment = s, .end = end};
    p.what = reset ? ANALYSIS_PACKET_RST : 0;
    if (placed && s->flags & CAPTURE_TCP_SYN)
        p.what |= ANALYSIS_PACKET_SYN;
    if (placed && s->flags & CAPTURE_TCP_FIN)
        p.what |= ANALYSIS_PACKET_FIN;
    if (d->retransmitted_segments > before->retransmitted)
        p.what |= ANALYSIS_PACKET_AGAIN;
    if (d->reordered_segments > before->reordered)
        p.what |= ANALYSIS_PACKET_LATE;
    p.payload_bytes = placed ? s->payload_bytes : 0;
    p.seq = placed ? analysis_direction_relative(d, s->seq) + (s->flags & CAPTURE_TCP_SYN && s->payload_bytes > 0) : 0;
    p.ack = reverse->has_base ? analysis_direction_relative(reverse, s->ack) : 0;
    if (reset || !(s->flags & CAPTURE_TCP_ACK) || !reverse->has_base ||
        !analysis_direction_is_near(reverse, p.ack, p.ack))
        p.what |= ANALYSIS_PACKET_UNPLACED;
    if (f->packets_cut == 0 && !analysis_packets_add(&c->packets, &p, &f->packets_left))
        f->packets_cut = number;
}

/* Has its connection take a segment, and sets what it is: its time since the origin, and its number in the file, 0 without
 * one, are known. */
static void flows_take(struct analysis_flows *f, struct analysis_connection *c, int end, struct analysis_frame *frame)
{
    const struct capture_segment *s = &frame->segment;
    const int64_t t = frame->time_ns, number = frame->number;
    frame->is = 0;
    struct analysis_direction *d = &c->direction[end], *reverse = &c->direction[!end];
    if (analysis_direction_is_copy(d, s, t)) {
        d->duplicate_frames++;
        return;
    }
    const struct flows_counts before = {d->retransmitted_segments, d->reordered_segments, d->strays};
    if (s->flags & CAPTURE_TCP_SYN)
        note_syn(c, s, end, t);
    else if (c->client == end && c->client_side_ns < 0 && c->synack_ns >= 0)
        c->client_side_ns = t - c->synack_ns;
    if (s->flags & (CAPTURE_TCP_FIN | CAPTURE_TCP_RST))
        c->closed = true;
    if (s->flags & CAPTURE_TCP_RST) { /* its payload is a message, its numbers may be anybody's */
        if (f->packets && number > 0)
            flows_keep(f, c, end, t, number, s, &before);
        return;
    }
    const uint32_t segment_bytes = analysis_direction_segment_bytes(d, s->has_timestamps);
    const uint32_t frame_bytes = analysis_direction_frame_bytes(s, segment_bytes);
    frame->frame_bytes = frame_bytes;
    frame->is = ANALYSIS_FRAME_COUNTS | (frame_bytes != s->payload_bytes ? ANALYSIS_FRAME_MORE : 0);
    if (f->explains)
        explain_segment(c, end, s, frame_bytes, segment_bytes, t);
    if (s->payload_bytes > 0) {
        const bool was_bulk = d->bins;
        analysis_direction_data(d, s, t);
        if (__builtin_expect(!was_bulk && d->bins, 0))
            frame->is |= ANALYSIS_FRAME_BULK;
    }
    if (s->flags & CAPTURE_TCP_ACK)
        analysis_direction_ack(reverse, s);
    if (f->packets && number > 0)
        flows_keep(f, c, end, t, number, s, &before);
}

/* It passed before: what it counts for has been counted, and its packets are not kept (ANALYSIS_PACKETS_CONNECTIONS). */
static void flows_begin(struct analysis_connection *c, const struct analysis_first *first, void *user)
{
    static_assert(ANALYSIS_CONNECTIONS_WHOLE >= ANALYSIS_PACKETS_CONNECTIONS, "or one would be lacking");
    struct analysis_frame frame = {.time_ns = first->time_ns, .segment = first->segment};
    flows_take(user, c, c->opener, &frame);
}

static void flows_add(struct analysis_flows *f, struct analysis_frame *frame)
{
    const struct capture_segment *s = &frame->segment;
    int end;
    struct analysis_connection *c = analysis_connections_find(f->connections, s, frame->time_ns,
                                                              frame->expects ? &frame->expected : NULL, &end);
    frame->slot = c ? 2 * c->number + (uint32_t)end : ANALYSIS_CAPACITY_NO_SLOT;
    if (c) {
        flows_take(f, c, end, frame);
        return;
    }
    struct analysis_direction alone = {.mss = s->has_mss && s->flags & CAPTURE_TCP_SYN ? s->mss : 0};
    frame->frame_bytes = analysis_direction_frame_bytes(s, analysis_direction_segment_bytes(&alone, s->has_timestamps));
    frame->is = s->flags & CAPTURE_TCP_RST ? 0 : ANALYSIS_FRAME_COUNTS;
}

/* What follows from the order of all frames: other ones than TCP count from the first segment on, but for who sends them,
 * as flows of QUIC say what they are when they begin. */
static inline void flows_follow(struct analysis_flows *f, const struct analysis_frame *frame)
{
    const struct capture_segment *s = &frame->segment;
    const uint32_t other_bytes = frame->other_bytes;
    if (__builtin_expect(!f->capacity, 0) && other_bytes == 0)
        f->capacity = analysis_capacity_new();
    if (__builtin_expect(frame->is & ANALYSIS_FRAME_BULK, 0))
        analysis_capacity_bulk(f->capacity, s);
    if (f->capacity)
        analysis_capacity_add(f->capacity, s, other_bytes > 0 ? ANALYSIS_CAPACITY_NO_SLOT : frame->slot, frame->frame_bytes, other_bytes,
                              frame->time_ns);
    if (__builtin_expect(other_bytes > 0, 0) && s->datagram) {
        f->datagrams = f->datagrams ? f->datagrams : analysis_datagrams_new();
        analysis_datagrams_add(f->datagrams, s, other_bytes + ETHERNET_REST, frame->time_ns);
    }
}

void analysis_flows_add(struct analysis_flows *f, int64_t time_ns, const struct capture_segment *s)
{
    if (!f->has_origin)
        analysis_flows_set_origin(f, time_ns);
    struct analysis_frame frame = {.time_ns = since_origin(f, time_ns), .segment = *s};
    flows_add(f, &frame);
    if (frame.is & ANALYSIS_FRAME_COUNTS && f->explains)
        flows_follow(f, &frame);
}

struct flows_reading {
    struct analysis_flows *flows;
    struct analysis_source source;
    struct capture_segment before; /* the latest segment */
    struct error err;
    int next; /* of analysis_source_next() */
    analysis_flows_between *between; /* NULL: nobody looks */
    void *user;
};

static void reading_fill(void *user, struct analysis_batch *batch)
{
    struct flows_reading *r = user;
    struct analysis_flows *f = r->flows;
    bool many = atomic_load_explicit(&f->many, memory_order_relaxed);
    const struct capture_segment *before = &r->before;
    for (batch->n = 0; batch->n < ANALYSIS_BATCH;) {
        struct analysis_frame *frame = &batch->frame[batch->n];
        r->next = analysis_source_next(&r->source, &frame->time_ns, &frame->segment, &r->err);
        if (r->next <= 0 || r->next == ANALYSIS_SOURCE_IDLE)
            break;
        frame->number = r->source.capture->frames;
        frame->other_bytes = r->source.other_bytes;
        if (!f->has_origin)
            analysis_flows_set_origin(f, r->source.capture->first_ns);
        frame->time_ns = since_origin(f, frame->time_ns);
        frame->is = frame->other_bytes > 0 ? ANALYSIS_FRAME_COUNTS | ANALYSIS_FRAME_MORE : 0;
        /* Packets of a connection come in trains, and few connections stay in the cache by themselves. */
        frame->expects =
            many && frame->other_bytes == 0 && !analysis_connections_same(&frame->segment, before);
        if (frame->expects)
            frame->expected = analysis_connections_expect(f->connections, &frame->segment);
        before = frame->other_bytes == 0 ? &frame->segment : before;
        batch->n++;
    }
    r->before = *before;
    analysis_connections_prepare(f->connections);
    batch->last = r->next <= 0;
}

/* Memory brings the table's entry of each segment, then the connection, while those before are analysed. */
static void reading_analyse(void *user, struct analysis_batch *batch)
{
    const struct flows_reading *r = user;
    struct analysis_flows *f = r->flows;
    struct analysis_frame *frame = batch->frame;
    for (size_t i = 0, found = 0, met = 0; i < batch->n; i++) {
        for (; met < batch->n && met <= i + SLOT_AHEAD; met++)
            if (frame[met].expects)
                analysis_connections_expected(f->connections, frame[met].expected);
        for (; found < batch->n && found <= i + FIND_AHEAD; found++)
            if (frame[found].expects)
                analysis_connections_expected_again(f->connections, frame[found].expected);
        if (frame[i].other_bytes == 0)
            flows_add(f, &frame[i]);
    }
    if (analysis_connections_count(f->connections) > FEW_CONNECTIONS)
        atomic_store_explicit(&f->many, true, memory_order_relaxed);
}

static void reading_finish(void *user, struct analysis_batch *batch)
{
    const struct flows_reading *r = user;
    for (size_t i = 0; i < batch->n; i++) {
        if (r->flows->capacity)
            i += analysis_capacity_add_plain(r->flows->capacity, &batch->frame[i], batch->n - i);
        if (i < batch->n && batch->frame[i].is & ANALYSIS_FRAME_COUNTS)
            flows_follow(r->flows, &batch->frame[i]);
    }
}

static void reading_finish_live(void *user, struct analysis_batch *batch)
{
    const struct flows_reading *r = user;
    if (r->flows->explains)
        reading_finish(user, batch);
    if (r->between)
        r->between(r->user, r->flows, r->source.capture);
}

/* From a source that is open. */
static bool flows_read(struct flows_reading *r, bool live, struct error *err)
{
    struct analysis_flows *f = r->flows;
    struct analysis_capture *capture = r->source.capture;
    r->source.others = f->explains;
    f->interface_bps = capture->link_rate_bps;
    f->has_origin = false;
    analysis_batches_run(&(struct analysis_batches_work){
        reading_fill, reading_analyse, live ? reading_finish_live : f->explains ? reading_finish : NULL, r, live});
    analysis_source_close(&r->source);
    double span_ns = (double)capture->last_ns - (double)capture->first_ns;
    f->paused = span_ns > 0 ? (double)capture_paused_ns(&capture->paused) / span_ns : 0;
    if (r->next < 0)
        *err = r->err;
    return r->next == 0;
}

bool analysis_flows_read(struct analysis_flows *f, const char *path, analysis_progress *progress, const void *user,
                         struct analysis_capture *capture, struct error *err)
{
    struct flows_reading r = {.flows = f};
    return analysis_source_open(&r.source, path, progress, user, capture, err) && flows_read(&r, false, err);
}

bool analysis_flows_read_live(struct analysis_flows *f, struct capture_reader *reader, analysis_flows_between *between,
                              void *user, struct analysis_capture *capture, struct error *err)
{
    struct flows_reading r = {.flows = f, .between = between, .user = user};
    analysis_source_open_reader(&r.source, reader, capture);
    return flows_read(&r, true, err);
}

size_t analysis_flows_slots(const struct analysis_flows *f)
{
    return 2 * analysis_connections_count(f->connections);
}

/* The connection of slot i, and which of its ends sends there; until flows_slot_end(), maybe in *room. */
static const struct analysis_connection *flows_slot(const struct analysis_flows *f, size_t i, int *end,
                                                    struct analysis_connection *room)
{
    const struct analysis_connection *c = analysis_connections_at(f->connections, i / 2, room);
    *end = (int)(i % 2) ^ c->opener;
    return c;
}

static void flows_slot_end(const struct analysis_connection *c, struct analysis_connection *room)
{
    if (c == room)
        analysis_connection_fini(room);
}

static bool tap_at_sender(const struct analysis_connection *c, int end)
{
    if (c->client < 0 || c->client_side_ns < 0 || c->server_side_ns < 0)
        return false;
    int64_t near = c->client == end ? c->client_side_ns : c->server_side_ns;
    int64_t far = c->client == end ? c->server_side_ns : c->client_side_ns;
    return near * NEAR_FACTOR <= far;
}

const char *analysis_flows_tap_name(enum analysis_tap_place place)
{
    static const char *const names[] = {
        [ANALYSIS_TAP_UNKNOWN] = "unknown", [ANALYSIS_TAP_SENDER] = "sender", [ANALYSIS_TAP_RECEIVER] = "receiver"};
    return names[place];
}

enum analysis_tap_place analysis_flows_tap(const struct analysis_flows *f, size_t i)
{
    int end;
    struct analysis_connection room;
    const struct analysis_connection *c = flows_slot(f, i, &end, &room);
    enum analysis_tap_place place = tap_at_sender(c, end) ? ANALYSIS_TAP_SENDER
                                    : tap_at_sender(c, !end) ? ANALYSIS_TAP_RECEIVER
                                                             : ANALYSIS_TAP_UNKNOWN;
    flows_slot_end(c, &room);
    return place;
}

/* What explains a slot, until the next one is asked for; NULL: nothing, or it was not kept. */
static const struct analysis_round_trip *flows_trip(const struct analysis_flows *f, size_t i,
                                                    const struct analysis_clocking **clocking)
{
    int end;
    struct analysis_connection room;
    const struct analysis_connection *c = flows_slot(f, i, &end, &room);
    const struct analysis_explained *e = c->explain[end];
    struct flows_played *p = f->played;
    if (e && !e->trip && (p->slot != i || p->bytes != e->bytes)) {
        played_fini(p);
        p->slot = i;
        p->bytes = e->bytes;
        analysis_explained_play(e, &p->trip, &p->clocking);
    }
    const struct analysis_round_trip *trip = !e ? NULL : e->trip ? e->trip : p->trip;
    *clocking = !e ? NULL : e->trip ? e->clocking : p->clocking;
    flows_slot_end(c, &room);
    return trip;
}

bool analysis_flows_explain(const struct analysis_flows *f, size_t i, struct analysis_round_trip_figures *x)
{
    int end;
    struct analysis_connection room;
    const struct analysis_clocking *clocking;
    const struct analysis_connection *c = flows_slot(f, i, &end, &room);
    const bool kept = c->explain[end] && analysis_explained_figures(c->explain[end], x);
    const struct analysis_round_trip *trip = kept ? NULL : flows_trip(f, i, &clocking);
    if (trip) {
        analysis_round_trip_get(trip, x);
        analysis_explained_figured(c->explain[end], x);
    }
    flows_slot_end(c, &room);
    return kept || trip;
}

const struct analysis_packets *analysis_flows_packets(const struct analysis_flows *f, size_t i, int *end, int shift[2])
{
    struct analysis_connection room;
    const struct analysis_connection *c = flows_slot(f, i, end, &room);
    shift[0] = c->direction[1].receiver_scale;
    shift[1] = c->direction[0].receiver_scale;
    const struct analysis_packets *packets = c->packets;
    flows_slot_end(c, &room);
    return packets;
}

int64_t analysis_flows_packets_cut(const struct analysis_flows *f)
{
    return f->packets_cut;
}

struct analysis_pause *analysis_flows_pauses(const struct analysis_flows *f, size_t i, size_t *n)
{
    int end;
    struct analysis_round_trip_figures x;
    const struct analysis_clocking *clocking;
    const struct analysis_round_trip *trip = flows_trip(f, i, &clocking);
    size_t seen = 0;
    *n = 0;
    if (!trip)
        return NULL;
    analysis_round_trip_get(trip, &x);
    struct analysis_connection room;
    const struct analysis_connection *c = flows_slot(f, i, &end, &room);
    const struct analysis_pause *pause = analysis_round_trip_pauses(trip, &seen);
    struct analysis_pause *out = seen > 0 ? memory_resized(NULL, seen, sizeof *out, "the pauses of a flow") : NULL;
    int64_t here = c->client == end ? c->client_side_ns : c->server_side_ns;
    int64_t there = c->client == end ? c->server_side_ns : c->client_side_ns;
    double wait_s = fmax(0, x.wait_s[ANALYSIS_LEG_DATA_OUT]) + fmax(0, x.wait_s[ANALYSIS_LEG_ACK_IN]);
    if (tap_at_sender(c, end)) /* its own queue, which has drained */
        wait_s = 0;
    double to_sender_s = (here > 0 ? (double)here * 1e-9 : 0) + wait_s;
    double rtt_s = to_sender_s + (there > 0 ? (double)there * 1e-9 : 0) + fmax(0, x.wait_s[ANALYSIS_LEG_DATA_IN]) +
                   fmax(0, x.wait_s[ANALYSIS_LEG_ACK_OUT]);
    for (size_t k = 0; out && k < seen; k++) {
        int64_t pause_ns = pause[k].pause_ns - (int64_t)(to_sender_s * 1e9);
        if ((double)pause_ns * 1e-9 > rtt_s / 2)
            out[(*n)++] = (struct analysis_pause){pause[k].after_bytes - c->direction[end].low, pause_ns};
    }
    flows_slot_end(c, &room);
    return out;
}

bool analysis_flows_clocking(const struct analysis_flows *f, size_t i, double from_s, double to_s,
                             struct analysis_clocking_figures *x)
{
    const struct analysis_clocking *clocking;
    flows_trip(f, i, &clocking);
    if (clocking)
        analysis_clocking_get(clocking, from_s, to_s, x);
    return clocking;
}

double analysis_flows_interface_bps(const struct analysis_flows *f)
{
    return f->interface_bps > 0 ? (double)f->interface_bps : (double)NAN;
}

double analysis_flows_paused(const struct analysis_flows *f)
{
    return f->paused;
}

const struct analysis_capacity_host *analysis_flows_capacity(const struct analysis_flows *f,
                                                             const struct capture_address *host, uint32_t tag)
{
    return f->capacity ? analysis_capacity_find(f->capacity, host, tag) : NULL;
}

const struct analysis_datagrams_flow *analysis_flows_datagrams(const struct analysis_flows *f, size_t *n)
{
    return analysis_datagrams_all(f->datagrams, n);
}

static size_t flows_waits(const struct analysis_flows *f, size_t i, bool each, struct analysis_wait *waits)
{
    const struct analysis_clocking *clocking;
    const struct analysis_round_trip *trip = flows_trip(f, i, &clocking);
    return trip ? analysis_round_trip_waits(trip, each, waits) : 0;
}

size_t analysis_flows_waits(const struct analysis_flows *f, size_t i, struct analysis_wait *waits)
{
    return flows_waits(f, i, true, waits);
}

size_t analysis_flows_wait_runs(const struct analysis_flows *f, size_t i, struct analysis_wait *waits)
{
    return flows_waits(f, i, false, waits);
}

double analysis_flows_hold_s(const struct analysis_flows *f, size_t i, double from_s, double to_s, double *least_s)
{
    const struct analysis_clocking *clocking;
    const struct analysis_round_trip *trip = flows_trip(f, i, &clocking);
    *least_s = NAN;
    return trip ? analysis_round_trip_hold_s(trip, from_s, to_s, least_s) : (double)NAN;
}

double analysis_flows_fast_acks(const struct analysis_flows *f, size_t i)
{
    int end;
    struct analysis_connection room;
    const struct analysis_connection *c = flows_slot(f, i, &end, &room);
    const struct analysis_bins *bins = c->direction[end].bins;
    int64_t most = 0;
    for (size_t k = 0; bins && k < bins->n; k++)
        most = bins->bin[k].bytes > most ? bins->bin[k].bytes : most;
    const double rate_bps = most > 0 ? (double)most * 8e9 / (double)analysis_bins_width_ns(bins) : 0;
    flows_slot_end(c, &room);
    const struct analysis_clocking *clocking;
    const struct analysis_round_trip *trip = most > 0 ? flows_trip(f, i, &clocking) : NULL;
    return trip ? analysis_round_trip_faster(trip, rate_bps / COMPRESSION_XI) : (double)NAN;
}

static void fill_window(struct analysis_flow *flow, const struct analysis_connection *c, int end)
{
    const struct analysis_direction *d = &c->direction[end];
    flow->window_bytes = NAN;
    flow->advertised_bytes = d->advertised_bytes > 0 ? (double)d->advertised_bytes : NAN;
    flow->window_source = ANALYSIS_WINDOW_UNKNOWN;
    if (d->window_samples > 0) {
        flow->window_bytes = d->window_sum / (double)d->window_samples;
        flow->window_source = ANALYSIS_WINDOW_TIMESTAMPS;
    } else if (d->tap_window_samples > 0 && tap_at_sender(c, end)) {
        flow->window_bytes = d->tap_window_sum / (double)d->tap_window_samples;
        flow->window_source = ANALYSIS_WINDOW_TAP;
    }
    double over_time = d->bins ? analysis_bins_window(d->bins, 0, d->bins->n) : NAN;
    if (flow->window_source != ANALYSIS_WINDOW_UNKNOWN && !isnan(over_time))
        flow->window_bytes = over_time;
}

static void fill_losses(struct analysis_flow *flow, const struct analysis_losses *l)
{
    if (!l)
        return;
    uint32_t in_vain = l->told_twice > l->known_acked ? l->told_twice : l->known_acked;
    flow->spurious_segments = in_vain < flow->retransmitted_segments ? in_vain : flow->retransmitted_segments;
    flow->network_duplicates = l->copied;
    flow->overtaken_segments = l->overtaken;
    flow->ambiguous_segments = l->guessed;
}

struct estimate_series analysis_flow_series(const struct analysis_flow *flow, const double *samples, size_t n,
                                            size_t loss_events)
{
    double bin_s = (double)analysis_bins_width_ns(flow->bins) / 1e9;
    return (struct estimate_series){samples, n, 8.0 * flow->segment_bytes / bin_s, loss_events};
}

/* Takes longer than all else about a flow, so it is kept until more data come. */
static struct analysis_bins_steady flows_steady(const struct analysis_flow *flow, const struct analysis_direction *d,
                                                bool interval)
{
    struct analysis_bins_steady x = {.data_packets = d->data_packets, .segment_bytes = flow->segment_bytes,
                                     .interval = interval, .start_s = NAN, .end_s = NAN,
                                     .goodput_bps = {.value = NAN, .std_error = NAN, .ci95 = NAN}};
    double series[ANALYSIS_BINS_MAX];
    size_t begin, end;
    analysis_bins_range(d->bins, d->first_ns, d->last_ns, &begin, &end);
    if (end < begin + 4)
        return x;
    end = begin + analysis_bins_series(d->bins, begin, end, series);
    size_t start = analysis_steady_start(series, end - begin);
    x.start_s = (double)analysis_bins_start_ns(d->bins, begin + start) / 1e9;
    x.end_s = (double)analysis_bins_start_ns(d->bins, end) / 1e9;
    x.loss_events = analysis_bins_sum(d->bins, begin + start, end).loss_events;
    struct estimate_series steady = analysis_flow_series(flow, series + start, end - begin - start, x.loss_events);
    if (interval)
        x.goodput_bps = estimate_steady(&steady);
    else
        x.goodput_bps.value = estimate_series_mean(&steady);
    return x;
}

static void fill_steady(struct analysis_flow *flow, const struct analysis_direction *d, bool interval)
{
    flow->steady_start_s = flow->steady_end_s = NAN;
    flow->steady_goodput_bps = (struct estimate){.value = NAN, .std_error = NAN, .ci95 = NAN};
    if (!d->bins)
        return;
    struct analysis_bins_steady *kept = &d->bins->steady;
    if (kept->data_packets != d->data_packets || kept->segment_bytes != flow->segment_bytes || (interval && !kept->interval))
        *kept = flows_steady(flow, d, interval);
    flow->steady_start_s = kept->start_s;
    flow->steady_end_s = kept->end_s;
    flow->steady_loss_events = kept->loss_events;
    flow->steady_goodput_bps = kept->goodput_bps;
}

/* What the direction of end's data says; it has some. */
static void fill(struct analysis_flow *flow, const struct analysis_connection *c, int end, bool interval)
{
    const struct analysis_direction *d = &c->direction[end];
    /* Of a clock that leaps by decades, seconds differ by no nanosecond: nothing has taken time then. */
    double start_s = (double)d->first_ns / 1e9, end_s = (double)d->last_ns / 1e9;
    double duration_s = start_s < end_s ? (double)(d->last_ns - d->first_ns) / 1e9 : 0;
    *flow = (struct analysis_flow){
        .src = c->key.address[end],
        .dst = c->key.address[!end],
        .src_port = c->key.port[end],
        .dst_port = c->key.port[!end],
        .tag = c->key.tag,
        .payload_bytes = d->high - d->low,
        .seen_payload_bytes = d->seen_bytes,
        .long_bytes = d->long_bytes,
        .longest_bytes = d->longest_bytes,
        .missing_bytes = analysis_holes_bytes(&d->holes),
        .data_packets = d->data_packets,
        .headers_cut = d->headers_cut,
        .segment_bytes = analysis_direction_segment_bytes(d, true),
        .retransmitted_segments = d->retransmitted_segments,
        .loss_events = d->loss_events,
        .reordered_segments = d->reordered_segments,
        .duplicate_frames = d->duplicate_frames,
        .keepalives = d->keepalives,
        .start_s = start_s,
        .end_s = end_s,
        .goodput_bps = duration_s > 0 ? (double)(d->high - d->low) * 8 / duration_s : NAN,
        .bins = d->bins,
    };
    bool handshake = c->client_side_ns >= 0 && c->server_side_ns >= 0;
    int64_t shook_ns = c->syn_ns >= 0 ? c->syn_ns : c->synack_ns;
    flow->handshake_s = handshake && shook_ns >= 0 ? (double)shook_ns / 1e9 : NAN;
    flow->rtt_floor_s = handshake ? (double)(c->client_side_ns + c->server_side_ns) / 1e9 : NAN;
    int64_t own_ns = c->client == end ? c->client_side_ns : c->server_side_ns;
    int64_t far_ns = c->client == end ? c->server_side_ns : c->client_side_ns;
    flow->sender_side_s = own_ns >= 0 && c->client >= 0 ? (double)own_ns / 1e9 : NAN;
    flow->receiver_side_s = far_ns >= 0 && c->client >= 0 ? (double)far_ns / 1e9 : NAN;
    fill_losses(flow, d->losses);
    fill_window(flow, c, end);
    fill_steady(flow, d, interval);
}

static bool flows_get(const struct analysis_flows *f, size_t i, bool interval, struct analysis_flow *flow)
{
    const struct analysis_first *first = analysis_connections_first(f->connections, i / 2);
    if (first && (i % 2 == 1 || first->segment.payload_bytes == 0)) /* like nearly all of many */
        return false;
    int end;
    struct analysis_connection room;
    const struct analysis_connection *c = flows_slot(f, i, &end, &room);
    bool has_data = c->direction[end].has_data;
    if (has_data)
        fill(flow, c, end, interval);
    flows_slot_end(c, &room);
    return has_data;
}

bool analysis_flows_get(const struct analysis_flows *f, size_t i, struct analysis_flow *flow)
{
    return flows_get(f, i, true, flow);
}

bool analysis_flows_look(const struct analysis_flows *f, size_t i, struct analysis_flow *flow)
{
    return flows_get(f, i, false, flow);
}

void analysis_flows_endpoint(const struct capture_address *address, uint16_t port,
                             char text[static ANALYSIS_ENDPOINT_TEXT])
{
    char host[CAPTURE_ADDRESS_TEXT];
    capture_address_format(address, host);
    snprintf(text, ANALYSIS_ENDPOINT_TEXT, address->family == 6 ? "[%s]:%u" : "%s:%u", host, port);
}
