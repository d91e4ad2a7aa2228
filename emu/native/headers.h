/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/headers.h - the bytes of a native frame, for taps: Ethernet, IPv4, TCP with the options Linux sends.
 *
 * A SYN carries maximum segment size, SACK permitted, timestamps and window scale (20 bytes of options); any other
 * segment NOP NOP timestamps (12), and with n SACK blocks NOP NOP SACK (4 + 8 n). Payload is zeros; checksums are
 * right (RFC 791, RFC 9293 section 3.1; options: RFC 9293 3.2, 2018, 7323). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct native_header_fields {
    uint32_t src_station, dst_station; /* MAC: emu_frame_mac(); IPv4: emu_engine_ipv4() */
    uint16_t src_port, dst_port;
    uint32_t seq, ack;       /* as on the wire, initial sequence number and all */
    uint8_t flags;           /* enum native_segment_flags: the wire's own bits */
    uint16_t window;         /* scaled already */
    uint8_t ecn;             /* of IP (RFC 3168, section 5) */
    uint16_t ip_id;
    uint32_t ts, ts_echo;
    uint32_t payload_bytes;
    uint16_t mss;            /* SYN only, as the next two */
    uint8_t window_scale;
    bool sack_permitted;
    uint8_t n_sack;          /* 3 at most */
    uint32_t sack[3][2];     /* as on the wire */
};

/* Bytes of the IP packet that such a segment makes. */
static inline uint32_t native_headers_ip_bytes(bool syn, uint8_t n_sack, uint32_t payload_bytes)
{
    uint32_t options = syn ? 20 : 12 + (n_sack > 0 ? 4 + 8 * (uint32_t)n_sack : 0);
    return 20 + 20 + options + payload_bytes;
}

/* A packet of QUIC version 1: what RFC 8999 and 9000, section 17, leave readable, and zeros for what is encrypted. */
struct native_quic_fields {
    uint32_t src_station, dst_station;
    uint16_t src_port, dst_port;
    uint16_t ip_id;
    uint32_t src_id, dst_id; /* as connection IDs of eight bytes; a short header has the latter alone */
    bool initial, handshake; /* a long header of that type; neither: a short one */
    uint32_t datagram_bytes; /* from 32 on, without UDP's header */
};

/* First `limit` bytes of the frame from its Ethernet header on; returns how many. */
size_t native_headers_write_quic(const struct native_quic_fields *h, uint8_t *out, size_t limit);
size_t native_headers_write(const struct native_header_fields *h, uint8_t *out, size_t limit);
