/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/flows/flows.h - from the frames of a capture to its TCP flows.
 *
 * A flow is one direction of a connection. Streaming: memory grows with connections (under 1 kB each, 160 B among hundreds
 * of others while it has but one packet, plus at most 8 kB for a direction of 32 data packets or more and 50 kB for one
 * with a thousand holes), not with packets. */
#pragma once

#include "analysis/flows/bins.h"
#include "analysis/flows/capacity.h"
#include "analysis/flows/clocking.h"
#include "analysis/flows/datagrams.h"
#include "analysis/flows/packets.h"
#include "analysis/flows/round_trip.h"
#include "analysis/flows/source.h"
#include "base/error.h"
#include "base/estimate.h"
#include "capture/decode.h"

#include <stddef.h>
#include <stdint.h>

struct analysis_flows; /* opaque */

enum analysis_window_source {
    ANALYSIS_WINDOW_UNKNOWN,    /* no timestamps, and the tap is not known to be at the sender */
    ANALYSIS_WINDOW_TIMESTAMPS, /* TCP timestamps: analysis/flows/inflight.h */
    ANALYSIS_WINDOW_TAP,        /* no timestamps, tap at the sender: highest byte sent less highest acknowledged */
};

#define ANALYSIS_ENDPOINT_TEXT 56

/* "10.0.0.1:80", "[2001:db8::1]:80" */
void analysis_flows_endpoint(const struct capture_address *address, uint16_t port,
                             char text[static ANALYSIS_ENDPOINT_TEXT]);

/* Times are seconds since the first frame of the capture. */
struct analysis_flow {
    struct capture_address src, dst;
    uint16_t src_port, dst_port;
    uint32_t tag;
    int64_t payload_bytes;      /* unique: highest sequence number reached by data less the first */
    int64_t seen_payload_bytes; /* summed over data packets, retransmissions included, capture duplicates not */
    int64_t long_bytes;         /* of what was seen, in super-segments (analysis/flows/direction.h) */
    uint32_t longest_bytes;     /* of them; 0: there are none */
    int64_t missing_bytes;      /* inside payload_bytes, never seen: dropped by the capture */
    uint32_t data_packets;
    uint32_t headers_cut;       /* of them, without all of their TCP options: the capture's frames are too short */
    uint32_t segment_bytes;     /* payload of a full segment with timestamps, as the handshake has it; 1448 without */
    uint32_t retransmitted_segments; /* of MSS size: a super-frame counts as several */
    uint32_t loss_events;       /* retransmissions, those of one window counted once (RFC 6582 "recover") */
    uint32_t reordered_segments; /* data that came behind what was sent after them */
    uint32_t spurious_segments;  /* of the retransmitted: the receiver had them, say DSACK or an earlier ACK */
    uint32_t overtaken_segments; /* reordered beyond the tap, says SACK */
    uint32_t network_duplicates; /* segments that came twice, says DSACK, and were sent once */
    uint32_t ambiguous_segments; /* of the retransmitted or reordered: the signs disagree (analysis/flows/losses.h) */
    uint32_t duplicate_frames, keepalives; /* the same frame twice in the capture */
    double start_s, end_s;      /* first and last data packet */
    double goodput_bps;         /* payload_bytes * 8 / (end - start); NAN for a single packet */
    double steady_start_s, steady_end_s; /* NAN for a flow of under 32 data packets or 4 bins */
    struct estimate steady_goodput_bps;  /* over the steady bins; NAN likewise */
    uint32_t steady_loss_events;
    double window_bytes;        /* mean bytes in flight at the sender over the flow; NAN when unknown */
    enum analysis_window_source window_source;
    double sender_side_s, receiver_side_s; /* its halves: from the tap to either end and back; NAN unknown */
    double rtt_floor_s;         /* of the handshake: tap to client and back plus tap to server and back; NAN unknown */
    double handshake_s;         /* when its first packet passed; NAN not seen */
    double advertised_bytes;    /* the largest window the receiver advertised; NAN without a handshake */
    const struct analysis_bins *bins; /* borrowed from the table; NULL for a small flow */
};

/* `samples` are the flow's goodput in n of its bins, bit/s; `loss_events` happened in them. */
struct estimate_series analysis_flow_series(const struct analysis_flow *flow, const double *samples, size_t n,
                                            size_t loss_events);

static inline bool analysis_flow_touches(const struct analysis_flow *flow, const struct capture_address *host)
{
    return capture_address_same(&flow->src, host) || capture_address_same(&flow->dst, host);
}

struct analysis_flows *analysis_flows_new(void);
void analysis_flows_free(struct analysis_flows *f);

/* Before the first segment: keep what analysis_flows_explain() says: 88 B for a direction with data and some 10 B for each of
 * its packets, until they take 4 kB (analysis/flows/explained.h); then what is in flight, and 330 B for each of 512 slots of
 * time in which some pass. */
void analysis_flows_keep_explanations(struct analysis_flows *f);

/* Before the first segment: keep every packet that analysis_flows_read() reads, as analysis_flows_packets() gives them. */
void analysis_flows_keep_packets(struct analysis_flows *f);

/* Times count from here; without it from the first segment added. */
void analysis_flows_set_origin(struct analysis_flows *f, int64_t time_ns);

/* time_ns since the epoch; may step back. Before the origin counts as there, 36 years after it and later as then. */
void analysis_flows_add(struct analysis_flows *f, int64_t time_ns, const struct capture_segment *s);

/* Adds every frame of a capture file. A file that stops inside a packet is no failure: see
 * capture->truncated. progress may be NULL. */
bool analysis_flows_read(struct analysis_flows *f, const char *path, analysis_progress *progress, const void *user,
                         struct analysis_capture *capture, struct error *err);

/* The same of an open reader, which it takes: an interface, until somebody stops it. between(), if any, sees the table ten
 * times a second or more often, whole, in this thread. */
struct capture_reader;
typedef void analysis_flows_between(void *user, const struct analysis_flows *f, const struct analysis_capture *capture);
bool analysis_flows_read_live(struct analysis_flows *f, struct capture_reader *reader, analysis_flows_between *between,
                              void *user, struct analysis_capture *capture, struct error *err);

/* Directions in the table, with payload or without: indices for analysis_flows_get(). */
size_t analysis_flows_slots(const struct analysis_flows *f);

/* What slot i's round trips and ACKs looked like. False when that was not kept, or nothing passed. */
bool analysis_flows_explain(const struct analysis_flows *f, size_t i, struct analysis_round_trip_figures *x);

/* The packets of slot i's connection, *end of which sends there, and by how much windows of each end are to be shifted; -1
 * unknown. NULL when they were not kept. */
const struct analysis_packets *analysis_flows_packets(const struct analysis_flows *f, size_t i, int *end, int shift[2]);

/* The first packet that there was no room to keep, by its number; 0: all were kept. */
int64_t analysis_flows_packets_cut(const struct analysis_flows *f);

/* Where slot i's application had nothing to send though all was acknowledged, by payload bytes until then; without the
 * time an ACK takes from the tap to the sender and data take back, and longer than half a round trip. malloc'ed, *n of
 * them; NULL when there are none, or that was not kept. */
struct analysis_pause *analysis_flows_pauses(const struct analysis_flows *f, size_t i, size_t *n);

/* What slot i's sender does within [from_s, to_s); false when that was not kept. */
bool analysis_flows_clocking(const struct analysis_flows *f, size_t i, double from_s, double to_s,
                             struct analysis_clocking_figures *x);

/* The rate of the interface that captured them, if the file has it; NAN unknown. */
double analysis_flows_interface_bps(const struct analysis_flows *f);

/* Share of the capture's time for which PAUSE frames in it stop a line: capture/paused.h. */
double analysis_flows_paused(const struct analysis_flows *f);

/* How frames towards and from a host follow each other; NULL when that was not kept. */
const struct analysis_capacity_host *analysis_flows_capacity(const struct analysis_flows *f,
                                                             const struct capture_address *host, uint32_t tag);

/* Flows of UDP; *n is 0 when they were not kept. */
const struct analysis_datagrams_flow *analysis_flows_datagrams(const struct analysis_flows *f, size_t *n);

/* Waits of slot i's data and ACKs over time: analysis_round_trip_waits(). 0 when that was not kept. */
size_t analysis_flows_waits(const struct analysis_flows *f, size_t i, struct analysis_wait *waits);

/* The same, slots without a sample with those before; waits NULL: how many there may be. */
size_t analysis_flows_wait_runs(const struct analysis_flows *f, size_t i, struct analysis_wait *waits);

/* Mean from data of slot i passing the tap to their ACK passing it, in a time, and the least: analysis_round_trip_hold_s(). */
double analysis_flows_hold_s(const struct analysis_flows *f, size_t i, double from_s, double to_s, double *least_s);

/* Beside the sender: share of bytes whose ACKs came faster than the path's data rate by 1 / 0.75, the path's being the
 * flow's fastest bin. NAN when not kept or too short. */
double analysis_flows_fast_acks(const struct analysis_flows *f, size_t i);

/* Which end of slot i's connection the tap is beside, by the handshake. */
enum analysis_tap_place { ANALYSIS_TAP_UNKNOWN, ANALYSIS_TAP_SENDER, ANALYSIS_TAP_RECEIVER };
const char *analysis_flows_tap_name(enum analysis_tap_place place); /* "unknown", "sender", "receiver" */
enum analysis_tap_place analysis_flows_tap(const struct analysis_flows *f, size_t i);

/* Fills *flow and returns true when slot i carried payload. In order of the connections'
 * appearance; the direction whose packet came first is first. */
bool analysis_flows_get(const struct analysis_flows *f, size_t i, struct analysis_flow *flow);

/* The same at a tenth of the time: how well its steady rate is known may be NAN. */
bool analysis_flows_look(const struct analysis_flows *f, size_t i, struct analysis_flow *flow);
