/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/network/gbn.h - the Go-Back-N protocol of Tam 2001, section 4.2.1, and hosts whose processors need time for every
 * packet.
 *
 * Flows carry packets of one size from host to host. The sender has a fixed window of W unacknowledged packets and a
 * timer for each, set when the packet is handed to the NIC. A Pack moves the window on. A Nack names the missing
 * packet: the sender repeats that and all after it, and is in the Stall state, in which it sends nothing new, until a
 * Pack moves the window. When a timer runs out, its packet is sent again. The receiver accepts packets in order only.
 * It answers the first one out of order with a Nack and discards further ones silently until the missing packet has
 * come. It acknowledges again what it already has. The simple version has no Nack, only timeouts.
 *
 * A host has one processor, which does one thing at a time: O_r + U_r for a packet that has come (these go first), O_s
 * for one to be sent (acknowledgements, then repetitions, then what the program wants). Sent packets wait in the NIC's
 * ring, from where nothing can be taken back; when the ring is full, the processor waits. The NIC starts a full packet
 * every g_s, or after its time on the wire where that is longer. Processor times vary by a factor uniform in
 * 1 -+ jitter, and now and then, at exponential intervals, the processor is away altogether: "non-coordinated process
 * scheduling" (section 6.2).
 *
 * It needs a clock and somebody who carries frames, but no engine: with every engine the same code runs. A frame is its
 * handle: 63 bits of emu_frame_tag(). On the wire: 14 bytes of Ethernet (type 0x88b5, IEEE 802 local experimental), 8
 * of protocol, the payload. */
#pragma once

#include "base/random.h"
#include "emu/clock.h"
#include "emu/queues/queue.h"

#define EMU_GBN_ETHERTYPE 0x88b5
#define EMU_GBN_HEADER_BYTES 8
#define EMU_GBN_SEQUENCE_BITS 20 /* at most: what a handle holds */
#define EMU_GBN_FLOWS (1 << 20)  /* likewise */

enum emu_gbn_event { EMU_GBN_PACK, EMU_GBN_NACK, EMU_GBN_TIMEOUT };

struct emu_gbn_config {
    int64_t window_packets;      /* W, at most half of the sequence numbers: old packets and missing ones differ */
    int64_t timeout_ps;
    int sequence_bits;           /* 2 to EMU_GBN_SEQUENCE_BITS */
    int64_t packet_bytes;        /* payload of a full packet */
    bool simple;                 /* timeouts only */
    int64_t ack_every;           /* in-order packets a Pack, at most W; a packet the other way carries one as well */
    int64_t ack_delay_ps;        /* a Pack waits for others no longer */
    int64_t send_overhead_ps;    /* O_s */
    int64_t send_gap_ps;         /* g_s */
    int64_t receive_overhead_ps; /* O_r */
    int64_t user_overhead_ps;    /* U_r */
    double jitter;               /* [0, 1) */
    int64_t preempt_every_ps;    /* mean time between two losses of the processor to something else; 0: never */
    int64_t preempt_ps;          /* how long each takes */
    int64_t ring_packets;        /* the NIC's ring, at least 1 */
    uint64_t seed;
};

/* What the hosts run. */
struct emu_gbn_program {
    /* Returns the flow whose next new packet this host sends, one that is emu_gbn_ready(); -1: none now. */
    int (*next)(void *user, int host);
    /* A packet has come in order, and the receiving process has it. */
    void (*received)(void *user, int flow);
    /* Something happened to the sender, for its trace. */
    void (*event)(void *user, int flow, enum emu_gbn_event event);
    void *user; /* borrowed */
};

struct emu_gbn_carrier {
    void (*transmit)(void *user, int host, const struct emu_frame *frame); /* towards the network */
    int64_t (*rate_bps)(void *user, int host, int to); /* of the NIC host uses towards `to` */
    void *user; /* borrowed */
};

struct emu_gbn_stats {
    int64_t sent, repeated;      /* packets handed to the NIC, those that were not the first time among them */
    int64_t received, discarded; /* packets: in order; not */
    int64_t acknowledged;        /* packets the sender knows of */
    int64_t packs, nacks, timeouts;
    int64_t first_sent_ps, last_received_ps; /* -1 before */
};

struct emu_gbn;

struct emu_gbn *emu_gbn_new(const struct emu_gbn_config *config, int hosts, const struct emu_clock *clock,
                            const struct emu_gbn_carrier *carrier, const struct emu_gbn_program *program);
void emu_gbn_free(struct emu_gbn *g);

/* Adds a flow with nothing to send yet. Returns its number: 0, 1, ... in order. */
int emu_gbn_add_flow(struct emu_gbn *g, int from, int to);

/* Adds packets to send. For a flow without end, ask for EMU_QUEUE_UNLIMITED once. */
void emu_gbn_write(struct emu_gbn *g, int flow, int64_t packets);

/* Returns true if the flow has something to send and the window has room for it. */
bool emu_gbn_ready(const struct emu_gbn *g, int flow);

/* Makes the host look for something to do again, after the answer of the program has changed. */
void emu_gbn_wake(struct emu_gbn *g, int host);

/* A frame reaches a host, which owns it from now on. */
void emu_gbn_deliver(struct emu_gbn *g, int host, const struct emu_frame *frame);

struct emu_gbn_stats emu_gbn_flow_stats(const struct emu_gbn *g, int flow);

/* The frame's bytes for a tap, from the Ethernet header on; returns how many were written. */
size_t emu_gbn_bytes(const struct emu_frame *frame, uint8_t *out, size_t limit);
