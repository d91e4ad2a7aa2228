/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/ends/both_ends.h"

#include "analysis/ends/match.h"
#include "analysis/ends/transit.h"
#include "analysis/flows/connection.h"
#include "analysis/flows/degree.h"
#include "base/compression.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define FILES 2
#define TIME_MAX (INT64_MAX / 8) /* 36 years: differences and sums of a few fit */
#define RECENT 8
#define SWEEP_NS (ANALYSIS_BOTH_ENDS_FLIGHT_NS / 4)
#define US 1000

/* From data passing a tap to their ACK passing it, by Little's law: the bytes between the two, over time. */
struct ends_hold {
    bool known;
    uint32_t high, acked;
    int64_t last_ns;
    double bytes, byte_ns;
};

/* What one end sends. */
struct ends_way {
    struct analysis_transit data, acks; /* of file 1's time less file 0's */
    struct compression group[FILES]; /* of ACKs, should the file of this index be the one beside their sender */
    int64_t ack_ns[FILES], first_ack_ns[FILES]; /* the latest and first ACK in both, by each file's time */
    int64_t lost[FILES];                /* ACKs only this file has seen */
    double latest;                      /* difference of the latest packet in both */
    bool any;
    uint64_t recent[FILES][RECENT];     /* identities: a capture may show a frame twice */
    uint8_t next[FILES];
    struct ends_hold hold[FILES];       /* of its data */
};

struct ends_connection {
    const struct analysis_key *key;     /* borrowed from the table */
    struct ends_way way[2];
    double nearer;                      /* sum of neighbouring differences: above 0, file 0 is beside end 0 */
    int64_t neighbours;
};

/* Of the first pass, for every connection. */
struct ends_count {
    int64_t bytes[FILES][2];
    struct ends_connection *bulk;       /* owned; NULL for the others */
};

struct analysis_both_ends {
    struct analysis_connections *connections;
    struct ends_count *count;
    size_t counts;
    struct analysis_sample *sample[FILES];
    struct analysis_match *match;
    int64_t origin_ns[FILES], offset_ns, swept_ns[FILES];
    bool has_origin[FILES], finer[FILES]; /* than a microsecond */
    int64_t bulk_bytes; /* what a direction must carry to count */
    double drift;
};

struct analysis_both_ends *analysis_both_ends_new(void)
{
    struct analysis_both_ends *e = memory_zeroed(1, sizeof *e, "captures at both ends");
    e->connections = analysis_connections_new(NULL, NULL);
    e->match = analysis_match_new();
    for (int i = 0; i < FILES; i++)
        e->sample[i] = memory_zeroed(1, sizeof *e->sample[i], "captures at both ends");
    return e;
}

void analysis_both_ends_free(struct analysis_both_ends *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->counts; i++)
        free(e->count[i].bulk);
    free(e->count);
    for (int i = 0; i < FILES; i++)
        free(e->sample[i]);
    analysis_match_free(e->match);
    analysis_connections_free(e->connections);
    free(e);
}

/* Since the file's first segment, from -TIME_MAX to TIME_MAX whatever the clock shows. */
static int64_t local_ns(const struct analysis_both_ends *e, int file, int64_t time_ns)
{
    int64_t t;
    if (__builtin_sub_overflow(time_ns, e->origin_ns[file], &t))
        t = time_ns < e->origin_ns[file] ? -TIME_MAX : TIME_MAX;
    return t > TIME_MAX ? TIME_MAX : t < -TIME_MAX ? -TIME_MAX : t;
}

int64_t analysis_both_ends_time(const struct analysis_both_ends *e, int file, int64_t time_ns)
{
    return local_ns(e, file, time_ns) - (file == 1 ? e->offset_ns : 0);
}

/* The count of its connection and the end that sent it. A host and its NIC need not show the same VLAN tags. */
static struct ends_count *count_of(struct analysis_both_ends *e, const struct capture_segment *s, int *end)
{
    struct capture_segment untagged = *s;
    untagged.tag = 0;
    const struct analysis_connection *c = analysis_connections_find(e->connections, &untagged, 0, NULL, end);
    if (c->number >= e->counts) {
        size_t n = 2 * (size_t)c->number + 16;
        e->count = memory_resized(e->count, n, sizeof *e->count, "captures at both ends");
        for (; e->counts < n; e->counts++)
            e->count[e->counts] = (struct ends_count){0};
    }
    return &e->count[c->number];
}

void analysis_both_ends_note(struct analysis_both_ends *e, int file, int64_t time_ns, const struct capture_segment *s)
{
    int end;
    struct ends_count *count = count_of(e, s, &end);
    if (!e->has_origin[file])
        e->origin_ns[file] = time_ns;
    e->has_origin[file] = true;
    e->finer[file] |= time_ns % US != 0;
    count->bytes[file][end] += s->payload_bytes;
    analysis_sample_add(e->sample[file], analysis_match_identity(s), local_ns(e, file, time_ns));
}

/* Payload that an end sent, by the file that saw less: switches flood a first frame to every tap. */
static int64_t bytes_of(const struct ends_count *c, int end)
{
    return c->bytes[0][end] < c->bytes[1][end] ? c->bytes[0][end] : c->bytes[1][end];
}

static int64_t bulk_bytes(const struct analysis_both_ends *e)
{
    int64_t largest = 0;
    for (size_t i = 0; i < e->counts; i++)
        for (int end = 0; end < 2; end++)
            if (bytes_of(&e->count[i], end) > largest)
                largest = bytes_of(&e->count[i], end);
    return analysis_degree_bulk_bytes(largest);
}

void analysis_both_ends_align(struct analysis_both_ends *e)
{
    if (!analysis_sample_offset(e->sample[0], e->sample[1], &e->offset_ns)) /* then the clocks' own, if anything */
        e->offset_ns = local_ns(e, 1, e->origin_ns[0]);
    e->bulk_bytes = bulk_bytes(e);
    for (size_t i = 0; i < analysis_connections_count(e->connections); i++) {
        struct ends_count *c = &e->count[i];
        if (bytes_of(c, 0) < e->bulk_bytes && bytes_of(c, 1) < e->bulk_bytes)
            continue;
        c->bulk = memory_zeroed(1, sizeof *c->bulk, "connections at both ends");
        c->bulk->key = &analysis_connections_at(e->connections, i, NULL)->key;
    }
}

/* Shown by the same file a few frames ago. */
static bool is_copy(struct ends_way *w, int file, uint64_t identity)
{
    for (int i = 0; i < RECENT; i++)
        if (w->recent[file][i] == identity)
            return true;
    w->recent[file][w->next[file]] = identity;
    w->next[file] = (uint8_t)((w->next[file] + 1) % RECENT);
    return false;
}

static void hold_until(struct ends_hold *h, int64_t t)
{
    if (t > h->last_ns)
        h->byte_ns += (double)(h->high - h->acked) * (double)(t - h->last_ns);
    h->last_ns = t > h->last_ns ? t : h->last_ns;
}

static void hold_data(struct ends_hold *h, const struct capture_segment *s, int64_t t)
{
    uint32_t end = s->seq + s->payload_bytes;
    if (!h->known)
        *h = (struct ends_hold){.known = true, .high = s->seq, .acked = s->seq, .last_ns = t};
    hold_until(h, t);
    if ((int32_t)(end - h->high) <= 0)
        return; /* sent again */
    h->bytes += (double)(end - h->high);
    h->high = end;
}

static void hold_ack(struct ends_hold *h, uint32_t ack, int64_t t)
{
    if (!h->known)
        return;
    hold_until(h, t);
    if ((int32_t)(ack - h->high) > 0)
        ack = h->high; /* the capture missed data */
    if ((int32_t)(ack - h->acked) > 0)
        h->acked = ack;
}

static void group_add(const struct analysis_both_ends *e, struct compression *g, int from, const int64_t t[FILES])
{
    const struct compression_config xi = {.floor = COMPRESSION_FLOOR_NS,
                                 .left_resolution = e->finer[from] ? 1 : US,
                                 .came_resolution = e->finer[!from] ? 1 : US};
    compression_add(g, &xi, t[from], t[!from]);
}

static void note_ack(const struct analysis_both_ends *e, struct ends_way *w, const int64_t t[FILES])
{
    bool first = w->acks.n == 0, overtaken = !first && (t[0] < w->ack_ns[0] || t[1] < w->ack_ns[1]);
    for (int i = 0; i < FILES; i++) {
        w->first_ack_ns[i] = first || t[i] < w->first_ack_ns[i] ? t[i] : w->first_ack_ns[i];
        w->ack_ns[i] = first || t[i] > w->ack_ns[i] ? t[i] : w->ack_ns[i];
        if (overtaken)
            compression_break(&w->group[i]);
        else
            group_add(e, &w->group[i], i, t);
    }
    analysis_transit_add(&w->acks, t[0], (double)(t[1] - t[0] - e->offset_ns));
}

/* A packet of `end` that both files have seen, at t[0] and t[1]. */
static void note_both(const struct analysis_both_ends *e, struct ends_connection *c, int end,
                      const struct capture_segment *s, const int64_t t[FILES])
{
    struct ends_way *w = &c->way[end];
    double difference = (double)(t[1] - t[0] - e->offset_ns);
    if (c->way[!end].any) {
        c->nearer += end == 0 ? difference - c->way[1].latest : c->way[0].latest - difference;
        c->neighbours++;
    }
    w->latest = difference;
    w->any = true;
    if (s->payload_bytes > 0)
        analysis_transit_add(&w->data, t[0], difference);
    else if (capture_segment_is_bare(s))
        note_ack(e, w, t);
}

/* An ACK that one file shows outside the other's time is not lost. */
static void note_lost(void *user, const struct analysis_waiting *packet)
{
    const struct analysis_both_ends *e = user;
    struct ends_way *w = &e->count[packet->owner / 2].bulk->way[packet->owner % 2];
    int file = packet->file;
    if (packet->counts && w->acks.n > 0 && packet->time_ns > w->first_ack_ns[file] &&
        packet->time_ns < w->ack_ns[file])
        w->lost[file]++;
}

void analysis_both_ends_add(struct analysis_both_ends *e, int file, int64_t time_ns, const struct capture_segment *s)
{
    int end;
    struct ends_count *count = count_of(e, s, &end);
    struct ends_connection *c = count->bulk;
    uint64_t identity = analysis_match_identity(s);
    if (!c || is_copy(&c->way[end], file, identity))
        return;
    int64_t t[FILES] = {local_ns(e, file, time_ns), local_ns(e, file, time_ns)};
    if (s->payload_bytes > 0)
        hold_data(&c->way[end].hold[file], s, t[file]);
    if (s->flags & CAPTURE_TCP_ACK)
        hold_ack(&c->way[!end].hold[file], s->ack, t[file]);
    if (t[file] - e->swept_ns[file] > SWEEP_NS) {
        e->swept_ns[file] = t[file];
        analysis_match_expire(e->match, file, t[file] - ANALYSIS_BOTH_ENDS_FLIGHT_NS, note_lost, e);
    }
    struct analysis_waiting packet = {.identity = identity, .time_ns = t[file], .file = (uint8_t)file,
                                      .counts = capture_segment_is_bare(s),
                                      .owner = (uint32_t)(2 * (count - e->count) + end)};
    if (analysis_match_add(e->match, &packet, &t[!file]) == ANALYSIS_MET_OTHER)
        note_both(e, c, end, s, t);
}

/* The file beside end 0; -1 when nothing takes time between the taps: both at one place, or too little was seen. */
static int near_end_0(const struct analysis_both_ends *e, const struct ends_connection *c)
{
    double ticks_ns = (analysis_both_ends_resolution_s(e, 0) + analysis_both_ends_resolution_s(e, 1)) * 1e9;
    double mean_ns = c->nearer / (double)c->neighbours; /* NAN without */
    return mean_ns > ticks_ns ? 0 : mean_ns < -ticks_ns ? 1 : -1;
}

/* +1 where the differences of what `end` sends grow with the transit. */
static int packets_of(int near_0, int end)
{
    return near_0 == end ? 1 : -1;
}

void analysis_both_ends_finish(struct analysis_both_ends *e)
{
    for (int i = 0; i < FILES; i++)
        analysis_match_expire(e->match, i, INT64_MAX, note_lost, e);
    double least = INFINITY, drift;
    for (size_t i = 0; i < e->counts; i++) {
        const struct ends_connection *c = e->count[i].bulk;
        int near_0 = c ? near_end_0(e, c) : -1;
        for (int end = 0; end < 2 && near_0 >= 0; end++) {
            struct analysis_trend there, back;
            if (!analysis_transit_trend(&c->way[end].data, packets_of(near_0, end), &there) ||
                !analysis_transit_trend(&c->way[!end].acks, packets_of(near_0, !end), &back) ||
                !analysis_transit_drift(&there, &back, &drift))
                continue;
            double doubt = fmin(there.scatter_ns, back.scatter_ns) / fmin(there.span_ns, back.span_ns);
            if (doubt < least) {
                least = doubt;
                e->drift = drift;
            }
        }
    }
}

size_t analysis_both_ends_slots(const struct analysis_both_ends *e)
{
    return 2 * analysis_connections_count(e->connections);
}

enum analysis_both_ends_answer analysis_both_ends_get(const struct analysis_both_ends *e, size_t i,
                                                      struct analysis_both_ends_flow *flow)
{
    const struct ends_count *count = &e->count[i / 2];
    const struct ends_connection *c = count->bulk;
    int end = (int)(i % 2);
    if (!c || bytes_of(count, end) < e->bulk_bytes)
        return ANALYSIS_BOTH_ENDS_NONE;
    const struct ends_way *data = &c->way[end], *back = &c->way[!end];
    *flow = (struct analysis_both_ends_flow){.src = c->key->address[end], .dst = c->key->address[!end],
                                             .src_port = c->key->port[end], .dst_port = c->key->port[!end]};
    int near_0 = near_end_0(e, c);
    if (near_0 < 0 || back->acks.n == 0)
        return ANALYSIS_BOTH_ENDS_NO_PLACE;
    int sender = near_0 ^ end, there = packets_of(near_0, end);
    const struct ends_hold *hold = &data->hold[!sender];
    flow->sender_file = sender;
    flow->data = data->data.n;
    flow->acks = back->acks.n;
    flow->lost_acks = back->lost[!sender];
    flow->groups = back->group[!sender].groups;
    flow->compressed = back->group[!sender].compressed;
    flow->base_s = there * (analysis_transit_base_ns(&data->data, there, e->drift) -
                            analysis_transit_base_ns(&back->acks, -there, e->drift)) * 1e-9;
    flow->data_wait_s = analysis_transit_wait_s(&data->data, there, e->drift);
    flow->ack_wait_s = analysis_transit_wait_s(&back->acks, -there, e->drift);
    flow->hold_s = hold->bytes > 0 ? hold->byte_ns / hold->bytes * 1e-9 : NAN;
    return ANALYSIS_BOTH_ENDS_FLOW;
}

double analysis_both_ends_drift(const struct analysis_both_ends *e)
{
    return e->drift;
}

double analysis_both_ends_resolution_s(const struct analysis_both_ends *e, int file)
{
    return e->finer[file] ? 1e-9 : US * 1e-9;
}

size_t analysis_both_ends_room(const struct analysis_both_ends *e)
{
    return analysis_match_room(e->match);
}
