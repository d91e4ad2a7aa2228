/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/direction.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

#define STRAYS_TRUSTED 3                  /* so many in a row, and the stream really is there */
#define COPY_NS INT64_C(1000000)
#define REORDER_NS INT64_C(3000000)
#define RTO_NS INT64_C(200000000)         /* the least retransmission timeout of Linux */
#define DUP_ACKS_LOSS 3                   /* RFC 5681 */
#define KEEPALIVE_IDLE_NS INT64_C(1000000000) /* a lone byte sooner after the last data was sent again (RFC 8985 7) */
#define JUMBO_TRUSTED 8                   /* packets in the size of usual jumbo frames: they are */
#define IP_ID_NEAR 4096                   /* identifications further apart are not from one counter */

void analysis_direction_init(struct analysis_direction *d)
{
    *d = (struct analysis_direction){.ack_high = INT64_MIN, .probe_at = -1, .receiver_scale = -1};
}

void analysis_direction_fini(struct analysis_direction *d)
{
    if (!d->holes.room && !d->bins && !d->losses) /* like most of many: memory that nobody writes again is only read */
        return;
    analysis_holes_fini(&d->holes);
    if (d->bins)
        analysis_bins_fini(d->bins);
    free(d->bins);
    free(d->losses);
    d->bins = NULL;
    d->losses = NULL;
}

void analysis_direction_syn(struct analysis_direction *d, uint32_t isn)
{
    d->base = isn + 1;
    d->has_base = d->base_from_syn = true;
    d->low = d->high = d->recover = 0;
    d->ack_high = INT64_MIN;
}

/* Its timestamp is older than the newest, or of the same tick and its identification older, and all that it says has been
 * said. */
__attribute__((noinline)) static bool direction_is_late(const struct analysis_direction *d, const struct capture_segment *s)
{
    const int since = (int16_t)(d->newest_id - s->ip_id);
    if (s->tsval == d->newest_tsval && !(s->ip_id && since >= 0 && since < IP_ID_NEAR))
        return false;
    const int64_t start = d->has_base ? analysis_direction_relative(d, s->seq) : 0, end = start + s->payload_bytes;
    return !(s->flags & (CAPTURE_TCP_SYN | CAPTURE_TCP_FIN | CAPTURE_TCP_RST)) && (int32_t)(s->ack - d->newest_ack) <= 0 &&
           (s->payload_bytes == 0 || (d->has_data && start >= d->low && end <= d->high && !analysis_holes_any(&d->holes, start, end)));
}

/* Of those with timestamps: is it a copy that comes late? Else it may be the newest. */
static inline bool direction_takes_newest(struct analysis_direction *d, const struct capture_segment *s)
{
    if (__builtin_expect(d->stamped && (int32_t)(s->tsval - d->newest_tsval) <= 0, 0) && direction_is_late(d, s))
        return false;
    d->newest_ack = d->stamped && (int32_t)(s->ack - d->newest_ack) < 0 ? d->newest_ack : s->ack;
    d->newest_tsval = s->tsval;
    d->newest_id = s->ip_id;
    d->stamped = true;
    return true;
}

bool analysis_direction_is_copy(struct analysis_direction *d, const struct capture_segment *s, int64_t time_ns)
{
    bool strong = s->ip_id != 0 || s->has_timestamps;
    uint64_t h = hash_mix(0, (uint64_t)s->seq << 32 | s->ack);
    h = hash_mix(h, (uint64_t)s->payload_bytes << 32 | s->tsval);
    h = hash_mix(h, (uint64_t)s->flags << 48 | (uint64_t)s->window << 16 | s->ip_id);
    h = hash_mix(h, s->n_sack ? (uint64_t)s->sack[0].start << 32 | s->sack[0].end : 0);
    if (s->ip_id == 0) /* elsewhere left out: checksum offload makes it differ between two taps */
        h = hash_mix(h, s->checksum);
    bool near = time_ns - d->recent_ns < COPY_NS, seen = false;
    for (int i = 0; i < ANALYSIS_RECENT; i++) /* all of them: a branch for each would take longer */
        seen |= d->recent[i] == h;
    if ((seen && (strong || near)) || (s->has_timestamps && !direction_takes_newest(d, s)))
        return true;
    d->recent[d->recent_next] = h;
    d->recent_next = (uint8_t)((d->recent_next + 1) % ANALYSIS_RECENT);
    d->recent_ns = time_ns;
    return false;
}

static void need_losses(struct analysis_direction *d)
{
    if (!d->losses)
        d->losses = memory_zeroed(1, sizeof *d->losses, "the losses of a flow");
}

static uint32_t segments_of(const struct analysis_direction *d, int64_t bytes, bool has_timestamps)
{
    uint32_t full = analysis_direction_segment_bytes(d, has_timestamps);
    return (uint32_t)((bytes + full - 1) / full);
}

/* SACK blocks: what came twice, and what waits behind a gap. */
static void note_sack(struct analysis_direction *d, const struct capture_segment *s, int64_t ack)
{
    struct analysis_range block[4];
    int n = s->n_sack < 4 ? s->n_sack : 4;
    for (int i = 0; i < n; i++) {
        block[i].start = analysis_direction_relative(d, s->sack[i].start);
        block[i].end = analysis_direction_relative(d, s->sack[i].end);
        if (block[i].start >= block[i].end || block[i].end > d->high || block[i].start < d->low)
            return; /* not of this stream */
    }
    need_losses(d);
    bool twice = block[0].end <= ack || (n > 1 && block[1].start <= block[0].start && block[0].end <= block[1].end);
    int64_t bytes = block[0].end - block[0].start, low = INT64_MAX;
    if (twice && bytes > 1) /* one byte: a keep-alive's */
        analysis_losses_twice(d->losses, block[0].start, block[0].end, segments_of(d, bytes, s->has_timestamps));
    for (int i = twice; i < n; i++)
        low = block[i].start < low ? block[i].start : low;
    if (low != INT64_MAX && low > ack && ack >= d->low && !analysis_holes_any(&d->holes, ack, low))
        analysis_losses_gap(d->losses, ack, low);
}

void analysis_direction_ack(struct analysis_direction *d, const struct capture_segment *s)
{
    if (!d->has_base)
        return;
    int64_t ack = analysis_direction_relative(d, s->ack);
    bool pure = capture_segment_is_bare(s);
    if (ack == d->ack_high && pure && d->high > ack && (s->n_sack > 0 || s->window == d->last_ack_window))
        d->dup_acks++;
    /* An acknowledgement far from the data is not one of this stream: leave the state alone. */
    bool plausible = analysis_direction_is_near(d, ack, ack);
    if (d->losses && plausible)
        analysis_losses_ack(d->losses, ack, analysis_direction_segment_bytes(d, s->has_timestamps));
    if (s->n_sack > 0 && plausible && d->has_data)
        note_sack(d, s, ack);
    if (plausible && ack > d->ack_high)
        d->ack_high = ack;
    d->last_ack_window = s->window;
    d->receiver_closed = s->window == 0;
    if (d->receiver_scale >= 0 && !(s->flags & CAPTURE_TCP_SYN)) {
        int64_t advertised = (int64_t)s->window << d->receiver_scale;
        d->advertised_bytes = advertised > d->advertised_bytes ? advertised : d->advertised_bytes;
    }
    if (s->has_timestamps && plausible && !(s->flags & CAPTURE_TCP_SYN))
        analysis_inflight_ack(&d->inflight, ack, s->tsval);
}

/* Was what fills `hole` sent after what opened it? *guess: its time and the duplicate ACKs say different things. */
static bool sent_again(const struct analysis_direction *d, const struct analysis_hole *hole,
                       const struct capture_segment *s, int64_t time_ns, bool *guess)
{
    if (hole->has_timestamps && s->has_timestamps && s->tsval != hole->tsval)
        return (int32_t)(s->tsval - hole->tsval) > 0;
    int id_gap = (int16_t)(s->ip_id - hole->ip_id);
    if (s->ip_id && hole->ip_id && id_gap != 0 && abs(id_gap) < IP_ID_NEAR)
        return id_gap > 0;
    bool late = time_ns - hole->opened_ns > REORDER_NS, very_late = time_ns - hole->opened_ns > RTO_NS;
    bool asked_for = d->dup_acks - hole->dup_acks >= DUP_ACKS_LOSS;
    *guess = late != asked_for && !very_late;
    return asked_for || late;
}

static bool plausible_data(struct analysis_direction *d, int64_t start, int64_t end)
{
    bool inside = analysis_direction_is_near(d, start, end) && !(d->base_from_syn && start < 0);
    if (inside || !d->has_data) {
        d->stray_run = 0;
        return inside;
    }
    d->strays++;
    if (start < d->high || ++d->stray_run < STRAYS_TRUSTED)
        return false;
    d->stray_run = 0; /* the capture paused for more than a window */
    return true;
}

/* Bins from now on; what passed before goes where the flow began. */
static void become_bulk(struct analysis_direction *d)
{
    d->bins = memory_zeroed(1, sizeof *d->bins, "a flow over time");
    analysis_bins_init(d->bins, d->first_ns);
    struct analysis_bin *bin = analysis_bins_at(d->bins, d->first_ns);
    bin->bytes = d->high - d->low;
    bin->retransmitted = d->retransmitted_segments;
    bin->loss_events = d->loss_events;
}

static void note_retransmission(struct analysis_direction *d, const struct capture_segment *s, int64_t start,
                                int64_t end, int64_t bytes, struct analysis_bin *bin)
{
    uint32_t segments = segments_of(d, bytes, s->has_timestamps);
    need_losses(d);
    analysis_losses_again(d->losses, start, end);
    d->losses->known_acked += end <= d->ack_high ? segments : 0;
    d->retransmitted_segments += segments;
    bool event = start >= d->recover || d->loss_events == 0;
    if (event) {
        d->loss_events++;
        d->recover = d->high;
    }
    if (bin) {
        bin->retransmitted += segments;
        bin->loss_events += event;
    }
}

static void note_window(struct analysis_direction *d, const struct capture_segment *s, int64_t end,
                        struct analysis_bin *bin)
{
    int64_t bytes;
    if (d->ack_high != INT64_MIN && end > d->ack_high) {
        d->tap_window_samples++;
        d->tap_window_sum += (double)(end - d->ack_high);
    }
    if (!s->has_timestamps) {
        /* Kept only where no timestamps are: whether it is the sender's figure depends on the tap. */
        if (bin && d->ack_high != INT64_MIN && end > d->ack_high) {
            bin->window_samples++;
            bin->window_sum += (double)(end - d->ack_high);
        }
        return;
    }
    if (!analysis_inflight_data(&d->inflight, end, s->tsecr, &bytes))
        return;
    d->window_samples++;
    d->window_sum += (double)bytes;
    if (bin) {
        bin->window_samples++;
        bin->window_sum += (double)bytes;
    }
}

/* Where no handshake tells the MSS: packets of 9000 bytes (9001 in clouds, 9216 at most) are jumbo frames. Other long ones
 * may be super-frames, which are cut on the wire. */
static void note_jumbo(struct analysis_direction *d, const struct capture_segment *s)
{
    const uint32_t headers = s->src.family == 4 ? 40 : 60, packet = s->payload_bytes + headers + (s->has_timestamps ? 12 : 0);
    if (packet != 9000 && packet != 9001 && packet != 9216)
        return;
    if (++d->jumbo_frames >= JUMBO_TRUSTED)
        d->mss = (uint16_t)(packet - headers);
}

/* The part of a segment below `high`: seen before, or filling a hole. */
static void note_old(struct analysis_direction *d, const struct capture_segment *s, int64_t start, int64_t end,
                     int64_t time_ns, struct analysis_bin *bin)
{
    bool guess = false;
    struct analysis_hole hole;
    int64_t filled = analysis_holes_fill(&d->holes, start, end, &hole);
    int64_t again = end - start - filled;
    if (filled > 0 && sent_again(d, &hole, s, time_ns, &guess))
        again += filled;
    else if (filled > 0)
        d->reordered_segments++;
    if (guess) {
        need_losses(d);
        d->losses->guessed += segments_of(d, filled, s->has_timestamps);
    }
    if (again > 0)
        note_retransmission(d, s, start, end, again, bin);
}

void analysis_direction_data(struct analysis_direction *d, const struct capture_segment *s, int64_t time_ns)
{
    uint32_t seq = s->seq + (s->flags & CAPTURE_TCP_SYN ? 1 : 0);
    if (!d->has_base) {
        d->base = seq;
        d->has_base = true;
    }
    int64_t start = analysis_direction_relative(d, seq), end = start + s->payload_bytes;
    if (s->payload_bytes == 1 && d->ack_high != INT64_MIN && start == d->ack_high - 1 && end <= d->high &&
        time_ns - d->last_ns >= KEEPALIVE_IDLE_NS) {
        d->keepalives++; /* RFC 9293 3.8.4: the byte before the next one expected */
        return;
    }
    if (!plausible_data(d, start, end))
        return;
    if (s->payload_bytes == 1 && d->receiver_closed && d->has_data && start == d->high) {
        d->keepalives++; /* a zero-window probe: the receiver may take the byte or not */
        d->probe_at = start;
        return;
    }
    if (d->probe_at >= 0 && start == d->probe_at + 1 && d->high == d->probe_at)
        d->high++; /* it took it */
    d->probe_at = -1;

    if (!d->has_data) {
        d->first_ns = d->last_ns = time_ns;
        if (!d->base_from_syn)
            d->low = d->high = start;
    }
    d->has_data = true;
    if (d->mss == 0)
        note_jumbo(d, s);
    d->data_packets++;
    d->headers_cut += s->options_cut;
    d->seen_bytes += s->payload_bytes;
    if (analysis_direction_frame_bytes(s, analysis_direction_segment_bytes(d, s->has_timestamps)) < s->payload_bytes) {
        d->long_bytes += s->payload_bytes;
        d->longest_bytes = s->payload_bytes > d->longest_bytes ? s->payload_bytes : d->longest_bytes;
    }
    d->first_ns = time_ns < d->first_ns ? time_ns : d->first_ns;
    d->last_ns = time_ns > d->last_ns ? time_ns : d->last_ns;
    if (!d->bins && d->data_packets == ANALYSIS_BULK_PACKETS)
        become_bulk(d);
    struct analysis_bin *bin = d->bins ? analysis_bins_at(d->bins, time_ns) : NULL;

    struct analysis_hole hole = {.opened_ns = time_ns, .tsval = s->tsval, .dup_acks = d->dup_acks,
                                 .ip_id = s->ip_id, .has_timestamps = s->has_timestamps};
    if (start < d->low) { /* the handshake was missed and the first segments came out of order */
        hole.start = end < d->low ? end : d->low;
        hole.end = d->low;
        d->low = start;
        start = hole.end < end ? hole.end : end;
        if (hole.start < hole.end)
            analysis_holes_open(&d->holes, &hole);
    }
    if (start < d->high && start < end) {
        note_old(d, s, start, end < d->high ? end : d->high, time_ns, bin);
        start = d->high;
    }
    if (end > d->high) {
        if (start > d->high) {
            hole.start = d->high;
            hole.end = start;
            analysis_holes_open(&d->holes, &hole);
        }
        if (bin)
            bin->bytes += end - d->high;
        d->high = end;
        note_window(d, s, end, bin);
    }
}
