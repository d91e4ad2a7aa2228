/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/frame.h - an Ethernet frame on its way: stations, sizes, and a handle to the bytes.
 *
 * A frame is a small value, copied into queues. Its bytes stay with the engine, which finds them by `packet` (owned by
 * whoever holds the frame) and makes them only when a tap asks. */
#pragma once

#include "base/std.h"

#define EMU_FRAME_HEADER_BYTES 14   /* destination, source, type */
#define EMU_FRAME_FCS_BYTES 4       /* frame check sequence */
#define EMU_FRAME_OVERHEAD_BYTES 38 /* header 14, FCS 4, preamble and SFD 8, inter-frame gap 12 (IEEE 802.3) */
#define EMU_FRAME_MIN_PAYLOAD 46    /* shorter payloads are padded on the wire (IEEE 802.3, 3.2.8) */
#define EMU_FRAME_MOST_PAYLOAD 9216 /* jumbo frames, as most switches take them */
#define EMU_FRAME_MIN_WIRE_BYTES (EMU_FRAME_MIN_PAYLOAD + EMU_FRAME_OVERHEAD_BYTES)
#define EMU_FRAME_CLASSES 8         /* as of IEEE 802.1Q */
#define EMU_FRAME_BROADCAST UINT32_MAX /* as destination: every station */

struct emu_frame {
    void *packet;      /* engine's handle; whoever holds the frame owns it */
    uint32_t dst, src; /* stations, counted from 0 as hosts are; see emu_frame_mac() */
    uint16_t payload_bytes; /* what the Ethernet frame carries: an IP or ARP packet */
    uint16_t ethertype;
    uint8_t traffic_class; /* 0 to 7, of its flow; 0: the first to be served where classes count */
    bool pure_ack; /* carries no data: TCP segment without payload, SYN, FIN or RST; Pack or Nack of Go-Back-N */
    uint16_t out;  /* the output port of the switch that holds it */
    int64_t sent_ps; /* when its sender's stack handed it over; emu_network_transmit() notes it */
};

#define EMU_FRAME_NO_FLOW UINT32_MAX
#define EMU_FRAME_FLOW_OF(flow, from_sink) (2 * (uint32_t)(flow) + (from_sink)) /* as struct emu_frame_ops's `flow` */
#define EMU_FRAME_IPV4 0x0800        /* ethertype */
#define EMU_FRAME_MAC_CONTROL 0x8808 /* ethertype of IEEE 802.3x PAUSE */

/* A tagged handle is its own content: 63 bits, nothing to share or release. An engine's handles are pointers to aligned
 * objects, whose lowest bit is 0. */
static inline void *emu_frame_tag(uint64_t content)
{
    return (void *)(uintptr_t)(content << 1 | 1);
}

static inline bool emu_frame_is_tagged(const void *packet)
{
    return (uintptr_t)packet & 1;
}

static inline uint64_t emu_frame_tag_content(const void *packet)
{
    return (uint64_t)(uintptr_t)packet >> 1;
}

/* A station's MAC address, 48 bits, first octet highest: locally administered, 02:00:00:00:00:01 for station 0. */
static inline uint64_t emu_frame_mac(uint32_t station)
{
    return station == EMU_FRAME_BROADCAST ? UINT64_C(0xffffffffffff) : UINT64_C(0x020000000001) + station;
}

/* What a handle can do; an engine supplies one for all its frames. */
struct emu_frame_ops {
    void *(*share)(void *packet);   /* a second handle to the same bytes (flooding) */
    void (*release)(void *packet);
    /* Returns twice the number of its flow, plus 1 when the flow's sink sent it; EMU_FRAME_NO_FLOW without a flow. May
     * be NULL: no frame has one. */
    uint32_t (*flow)(const struct emu_frame *frame);
    /* First `limit` bytes of the frame from its Ethernet header on, checksums filled in as a
     * NIC's offload does; returns how many were written. FCS is not included. */
    size_t (*bytes)(const struct emu_frame *frame, uint8_t *out, size_t limit);
    /* Congestion experienced, if its sender knows ECN (RFC 3168, section 5). Returns whether the frame says so now.
     * NULL: no sender knows it. */
    bool (*mark)(const struct emu_frame *frame);
    /* Brings what the engine will touch when it gets the frame into the cache, where the frame itself is. NULL: nothing */
    void (*look)(const struct emu_frame *frame);
    bool flow_first; /* what flow() returns is the first uint32_t of what a handle points to */
};

static inline void emu_frame_release(const struct emu_frame_ops *ops, void *packet)
{
    if (!emu_frame_is_tagged(packet))
        ops->release(packet);
}

static inline void *emu_frame_share(const struct emu_frame_ops *ops, void *packet)
{
    return emu_frame_is_tagged(packet) ? packet : ops->share(packet);
}

/* Marks a frame as its ops can; false: it is not ECN-capable. */
static inline bool emu_frame_mark(const struct emu_frame_ops *ops, const struct emu_frame *frame)
{
    return ops && ops->mark && !emu_frame_is_tagged(frame->packet) && ops->mark(frame);
}

static inline uint32_t emu_frame_flow(const struct emu_frame_ops *ops, const struct emu_frame *frame)
{
    return emu_frame_is_tagged(frame->packet) || !ops->flow ? EMU_FRAME_NO_FLOW : ops->flow(frame);
}

/* What tells flows apart in fair queues: the flow, or the two ends where there is none. */
static inline uint32_t emu_frame_fair_key(const struct emu_frame_ops *ops, const struct emu_frame *frame)
{
    uint32_t flow = emu_frame_flow(ops, frame);
    return flow != EMU_FRAME_NO_FLOW ? flow : UINT32_C(1) << 31 | (frame->src * UINT32_C(65599) + frame->dst);
}

/* Bytes that occupy a queue's buffer: header, payload with padding, FCS. */
static inline int64_t emu_frame_buffer_bytes(const struct emu_frame *f)
{
    int64_t payload = f->payload_bytes < EMU_FRAME_MIN_PAYLOAD ? EMU_FRAME_MIN_PAYLOAD : f->payload_bytes;
    return payload + EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES;
}

/* Bytes as a host's kernel counts them, and tc(8) with it: header and payload, no padding, no FCS. */
static inline int64_t emu_frame_host_bytes(const struct emu_frame *f)
{
    return f->payload_bytes + EMU_FRAME_HEADER_BYTES;
}

/* Byte times on the wire: buffer bytes plus preamble and gap (n + 38 for n >= 46). */
static inline int64_t emu_frame_wire_bytes(const struct emu_frame *f)
{
    return emu_frame_buffer_bytes(f) + EMU_FRAME_OVERHEAD_BYTES - EMU_FRAME_HEADER_BYTES - EMU_FRAME_FCS_BYTES;
}
