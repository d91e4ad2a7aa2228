/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/capture/packets.h - one TCP segment in every wrapping that capture/decode.h names. */
#pragma once

#include "capture/decode.h"

#include <stddef.h>

#define PACKETS_MAX_BYTES 256
#define PACKETS_IPV4_BYTES 57 /* 20 IP, 32 TCP (12 of options), 5 payload */
#define PACKETS_IPV6_BYTES 77 /* 40 IP, then the same */
#define PACKETS_PAYLOAD_BYTES 5

/* IP 10.0.0.1.1234 > 10.0.0.2.80: Flags [P.], cksum 0xbeef, seq 16909060:16909065, ack 168496141, win 512,
 * options [nop,nop,TS val 7 ecr 9], length 5; IP id 4660. The IPv6 one is 2001:db8::1 > 2001:db8::2. */
extern const uint8_t packets_ipv4[PACKETS_IPV4_BYTES];
extern const uint8_t packets_ipv6[PACKETS_IPV6_BYTES];

struct packet_wrapping {
    const char *name;
    int link_type;
    int version;     /* of the IP packet behind the prefix */
    bool tagged;     /* the segment's tag is not 0 */
    uint32_t n;      /* bytes of prefix */
    uint8_t prefix[64];
};

extern const struct packet_wrapping packets_wrappings[];
extern const size_t packets_n_wrappings;

/* Prefix and IP packet into `bytes`; returns the length. */
uint32_t packets_build(const struct packet_wrapping *w, uint8_t bytes[static PACKETS_MAX_BYTES]);

/* capture_decode() of a heap copy of exactly captured_bytes, so that AddressSanitizer sees a read beyond them. */
enum capture_decode_result packets_decode(int link_type, const uint8_t *bytes, uint32_t captured_bytes,
                                          uint32_t wire_bytes, struct capture_segment *out);
