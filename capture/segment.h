/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/segment.h - what the headers of a frame say: addresses, and a TCP segment. */
#pragma once

#include "base/hash.h"

#include <stdbool.h>
#include <string.h>

enum capture_decode_result {
    CAPTURE_DECODE_TCP,
    CAPTURE_DECODE_OTHER,     /* not TCP: ARP, UDP, a later fragment, ... */
    CAPTURE_DECODE_SHORT,     /* snap length cut the headers */
    CAPTURE_DECODE_MALFORMED, /* lengths or versions contradict each other */
};

enum capture_datagram { /* what a packet that is not TCP is */
    CAPTURE_DATAGRAM_NONE,
    CAPTURE_DATAGRAM_UDP,
    CAPTURE_DATAGRAM_QUIC, /* a long header of a version that is in use: RFC 8999, section 5.1; RFC 9000, 17.2; RFC 9369 */
};

enum { /* capture_segment.flags */
    CAPTURE_TCP_FIN = 1, CAPTURE_TCP_SYN = 2, CAPTURE_TCP_RST = 4, CAPTURE_TCP_PSH = 8, CAPTURE_TCP_ACK = 16,
};

struct capture_address {
    uint8_t bytes[16]; /* IPv4 in the first four, rest zero */
    uint8_t family;    /* 4 or 6 */
};

struct capture_sack {
    uint32_t start, end; /* sequence numbers, end exclusive */
};

struct capture_segment {
    struct capture_address src, dst;
    uint16_t src_port, dst_port;
    uint32_t tag;           /* 0, or mixes VLAN ids, PPPoE session and VXLAN VNI: same addresses, other network */
    uint32_t seq, ack;
    uint32_t payload_bytes; /* TCP payload as sent, whatever was captured */
    uint16_t window;        /* as in the header, unscaled */
    uint16_t ip_id;         /* IPv4 identification; 0 for IPv6 */
    uint16_t checksum;      /* TCP checksum field */
    uint8_t flags;          /* CAPTURE_TCP_* */
    uint8_t n_sack;         /* blocks in sack */
    uint8_t datagram;       /* enum capture_datagram; with it nothing but addresses, ports and tag is known */
    bool has_mss, has_window_scale, sack_permitted, has_timestamps;
    bool options_cut;       /* snap length ended inside the header: options, even window and checksum, may be lacking */
    uint16_t mss;
    uint8_t window_scale;   /* shift, at most 14 */
    uint32_t tsval, tsecr;
    struct capture_sack sack[4];
};

/* Neither data nor SYN, FIN or RST: all it can bring is an acknowledgement. */
static inline bool capture_segment_is_bare(const struct capture_segment *s)
{
    return s->payload_bytes == 0 && !(s->flags & (CAPTURE_TCP_SYN | CAPTURE_TCP_FIN | CAPTURE_TCP_RST));
}

static inline bool capture_address_same(const struct capture_address *a, const struct capture_address *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, 4) == 0 &&
           (a->family == 4 || memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0);
}

/* `h` with two addresses of one family mixed in; order matters. */
static inline uint64_t capture_address_hash(uint64_t h, const struct capture_address *a,
                                            const struct capture_address *b)
{
    for (int i = 0; i < (a->family == 4 ? 4 : 16); i += 4) {
        uint32_t x, y;
        memcpy(&x, a->bytes + i, sizeof x);
        memcpy(&y, b->bytes + i, sizeof y);
        h = hash_mix(h, (uint64_t)x << 32 | y);
    }
    return h;
}

/* The same two mixed into a keyed hash. */
static inline void capture_address_hash_add(struct hash_keyed *h, const struct capture_address *a,
                                            const struct capture_address *b)
{
    for (int i = 0; i < (a->family == 4 ? 4 : 16); i += 4) {
        uint32_t x, y;
        memcpy(&x, a->bytes + i, sizeof x);
        memcpy(&y, b->bytes + i, sizeof y);
        hash_add(h, (uint64_t)x << 32 | y);
    }
}

/* Text of an address: "10.0.0.1", "2001:db8::1". */
#define CAPTURE_ADDRESS_TEXT 46
void capture_address_format(const struct capture_address *a, char text[static CAPTURE_ADDRESS_TEXT]);

/* False unless `text` is an IPv4 or IPv6 address. */
bool capture_address_parse(const char *text, struct capture_address *a);
