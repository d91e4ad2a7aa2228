/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/direction.h - one direction of a TCP connection: which bytes passed, which passed again.
 *
 * Sequence numbers are kept relative to the first payload byte, in 64 bits, so that they may wrap
 * any number of times. Nothing is allocated until a segment skips bytes or the flow has
 * ANALYSIS_BULK_PACKETS data packets. */
#pragma once

#include "analysis/flows/bins.h"
#include "analysis/flows/holes.h"
#include "analysis/flows/inflight.h"
#include "analysis/flows/losses.h"
#include "capture/decode.h"

#define ANALYSIS_BULK_PACKETS 32
#define ANALYSIS_RECENT 8
#define ANALYSIS_LEAST_FRAME 1220  /* payload: every path of IPv6 carries 1280 bytes (RFC 8200, 5), most of IPv4 do */
#define ANALYSIS_MOST_SUPER 524280 /* payload: Linux's GSO_MAX_SIZE, 430 frames. What claims more is none */
#define ANALYSIS_WINDOW_MAX (INT64_C(65535) << 14) /* RFC 7323: no receive window is larger */

struct analysis_direction {
    /* Relative sequence numbers; 0 is the first payload byte when a SYN showed it. */
    int64_t low, high;     /* range reached by data (a missing handshake may lower `low`) */
    int64_t ack_high;      /* highest acknowledgement by the receiver; INT64_MIN before any */
    int64_t recover;       /* retransmissions below belong to the loss event under way (RFC 6582 "recover") */
    int64_t first_ns, last_ns; /* data packets, earliest and latest, since the origin */
    int64_t seen_bytes;    /* payload of all data packets, without capture duplicates */
    int64_t long_bytes;    /* of these, in super-segments: longer than a frame, which an interface cuts or has merged */
    uint32_t longest_bytes; /* payload of the longest of those */
    int64_t advertised_bytes; /* largest window the receiver advertised; 0 while its scale is unknown */
    int64_t probe_at;      /* a zero-window probe's byte, until more is known; -1 */
    int64_t window_samples;
    double window_sum;     /* of in-flight samples by timestamps */
    int64_t tap_window_samples;
    double tap_window_sum; /* of in-flight as the tap sees it: true at the sender only */
    uint32_t base;         /* sequence number of relative 0 */
    uint32_t data_packets, retransmitted_segments, reordered_segments, loss_events;
    uint32_t duplicate_frames, keepalives, strays;
    uint32_t headers_cut;  /* data packets of whose TCP options the capture lacks some */
    uint32_t dup_acks;     /* duplicate ACKs and SACKs sent by the receiver */
    uint16_t mss;          /* payload of a full segment as the receiver's MSS option allows, or as jumbo frames show;
                            * 0 unknown */
    uint16_t last_ack_window; /* of the receiver, unscaled */
    int8_t receiver_scale; /* shift of the receiver's windows; -1 when its SYN, or all of its options, was not seen */
    bool has_base, base_from_syn, has_data, receiver_closed; /* closed: it advertised a zero window */
    uint8_t stray_run, recent_next, jumbo_frames; /* those in the size of usual ones, until they are believed */
    uint64_t recent[ANALYSIS_RECENT]; /* fingerprints of the last frames */
    int64_t recent_ns;     /* time of the latest */
    uint32_t newest_tsval, newest_ack; /* that a frame had, once stamped; no copies' */
    uint16_t newest_id;
    bool stamped;
    struct analysis_inflight inflight;
    struct analysis_holes holes;
    struct analysis_bins *bins; /* owned; NULL until bulk */
    struct analysis_losses *losses; /* owned; NULL until something was lost, doubled or overtaken */
};

void analysis_direction_init(struct analysis_direction *d);
void analysis_direction_fini(struct analysis_direction *d);

/* Sets relative 0 from a SYN or SYN/ACK; forgets a base guessed or set before. */
void analysis_direction_syn(struct analysis_direction *d, uint32_t isn);

/* True when the frame is a copy of one of the last few (same sequence and acknowledgement numbers,
 * length, IP identification and timestamp): the capture saw it twice. Remembers the frame otherwise.
 * A header without IP identification and timestamps is a copy only within 1 ms, with the same checksum.
 * So is one that says nothing new with a timestamp, or within its tick an identification, older than the newest: of a capture
 * before and after a queue the second comes long after the first. What is sent again has the timestamp of then (RFC 7323,
 * section 3.2). */
bool analysis_direction_is_copy(struct analysis_direction *d, const struct capture_segment *s, int64_t time_ns);

/* A segment with payload in this direction. */
void analysis_direction_data(struct analysis_direction *d, const struct capture_segment *s, int64_t time_ns);

/* A segment of the other direction that carries an acknowledgement of this one. */
void analysis_direction_ack(struct analysis_direction *d, const struct capture_segment *s);

/* Relative sequence number: the one nearest to the highest known. */
static inline int64_t analysis_direction_relative(const struct analysis_direction *d, uint32_t seq)
{
    return d->high + (int32_t)(seq - (d->base + (uint32_t)d->high));
}

/* May bytes of this stream, or their acknowledgements, be there? Farther from its data than any window none are. */
static inline bool analysis_direction_is_near(const struct analysis_direction *d, int64_t start, int64_t end)
{
    return start <= d->high + ANALYSIS_WINDOW_MAX && end + ANALYSIS_WINDOW_MAX >= d->high;
}

/* Payload of a full segment: from the MSS option, less the timestamp option, or as on Ethernet. */
static inline uint32_t analysis_direction_segment_bytes(const struct analysis_direction *d, bool has_timestamps)
{
    uint32_t options = has_timestamps ? 12 : 0;
    return (d->mss > options ? d->mss : 1460) - options;
}

/* Payload of each frame but the last that the segment is on the wire: all of it, unless it is a super-segment. `full`: of a
 * full segment. */
static inline uint32_t analysis_direction_frame_bytes(const struct capture_segment *s, uint32_t full)
{
    full = full > ANALYSIS_LEAST_FRAME ? full : ANALYSIS_LEAST_FRAME;
    return s->payload_bytes > full && s->payload_bytes <= ANALYSIS_MOST_SUPER ? full : s->payload_bytes;
}
