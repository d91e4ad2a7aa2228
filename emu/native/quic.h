/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/quic.h - a connection of QUIC as an end of struct native_endpoint: one stream each way, the same windows and
 * congestion controls as TCP's.
 *
 * RFC 9000 (packets, acknowledgements), 9002 (round trip, losses by packets and time, probes, persistent congestion) and
 * draft-ietf-quic-ack-frequency: a receiver acknowledges once config.delayed_ack ack-eliciting packets have come (the
 * ack-eliciting threshold, and one), after config.delayed_ack_timeout_ps (the requested maximum ACK delay), and at once
 * where a packet number is missing (a reordering threshold of 1). Both ends go by that from the handshake on.
 *
 * Packet numbers count up and never come again; what a lost packet carried goes in new ones. An ACK has up to
 * NATIVE_RANGES ranges; every 20th that carries nothing else asks for an ACK, so that old ranges can be forgotten
 * (RFC 9000, section 13.2.4). Windows grow by acknowledged bytes whatever the number of ACKs (RFC 9002, section 7.3):
 * newreno is linuxreno here, and no control has Linux's sender.
 *
 * A full packet is as long as a full TCP segment's, so that frames and limits compare; the stream has what is left of it.
 * Not there: certificates (the handshake is two packets of 1200 bytes and one more), flow control (its credit, unlike
 * config.send_buffer_bytes, never binds), ECN, pacing, migration, the end of a stream. */
#pragma once

#include "emu/native/segment.h"

#include <stddef.h>

struct native_endpoint;

#define NATIVE_QUIC_PORT 443

/* In a segment of QUIC seq is the offset in the stream, ts the packet's number, ts_echo the ACK's delay in us, window the
 * datagram's bytes, and sack the ACK's ranges of packet numbers, [from, to), the highest first. */
enum native_quic_flags {
    NATIVE_QUIC_HELLO = NATIVE_SYN,
    NATIVE_QUIC_LONG = NATIVE_PUSH, /* the client's end of the handshake, in a long header as the hellos are */
    NATIVE_QUIC_PING = NATIVE_CWR,
};

/* What is around a stream's bytes in a full packet, beyond IP's and UDP's headers: flags 1, connection ID 8, packet number
 * 4, tag of AES-GCM 16; a STREAM frame's type 1, stream 1 and offset 4, which is 8 from 1 GiB on (RFC 9000, 16, 17.3.1). */
#define NATIVE_QUIC_AROUND 35

/* Makes the end of a connection one of QUIC; native_endpoint_init() does. */
void native_quic_init(struct native_endpoint *e);
void native_quic_fini(struct native_endpoint *e);
void native_quic_connect(struct native_endpoint *e);
void native_quic_receive(struct native_endpoint *e, const struct native_segment *s);
void native_quic_push(struct native_endpoint *e);
