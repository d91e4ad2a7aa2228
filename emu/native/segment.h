/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/native/segment.h - a TCP segment on its way, and the pool that it comes from.
 *
 * Sequence numbers are offsets into the stream, modulo 2^32: payload byte 0 is 0, whatever the initial sequence
 * number on the wire. A FIN takes the offset after the last byte. Whoever holds the frame owns its segment. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NATIVE_SACK_BLOCKS 3 /* that fit beside timestamps (RFC 2018, section 3) */

enum native_segment_flags {
    NATIVE_FIN = 0x01,
    NATIVE_SYN = 0x02,
    NATIVE_PUSH = 0x08,
    NATIVE_ACK = 0x10,
    NATIVE_ECE = 0x40,
    NATIVE_CWR = 0x80,
};

struct native_segment {
    uint32_t end;          /* which of an engine's endpoints sent it: connection * 2, + 1 for the passive one; the first */
    uint32_t seq, ack;
    uint32_t ts, ts_echo;  /* microseconds; on the wire they are milliseconds (RFC 7323) */
    uint16_t window;       /* as on the wire: scaled, but in a SYN */
    uint16_t payload_bytes;
    uint16_t ip_id;        /* IPv4 identification: tells transmissions apart */
    uint8_t flags;
    uint8_t n_sack;
    uint8_t ecn; /* enum native_ecn_field */
    bool cut;    /* from a burst of Linux's; else it left alone */
};

/* A segment with SACK blocks is the first member of one of these; most segments have none. */
struct native_sacked_segment {
    struct native_segment segment;
    uint32_t sack[NATIVE_SACK_BLOCKS][2]; /* [from, to), offsets as seq; the latest change first */
};

#define NATIVE_RANGES 32

/* A segment with more blocks than that; QUIC's have them. */
struct native_ranged_segment {
    struct native_segment segment;
    uint32_t ranges[NATIVE_RANGES][2];
};

/* Free segments of one size, in blocks that are never given back before native_pool_fini(). */
struct native_pool {
    void *free;       /* list through the first bytes */
    void **blocks;    /* owned */
    int n_blocks;
    uint32_t item_bytes;
};

void native_pool_init(struct native_pool *p, uint32_t item_bytes);
void native_pool_fini(struct native_pool *p);
void native_pool_grow(struct native_pool *p);

static inline void *native_pool_take(struct native_pool *p)
{
    if (!p->free)
        native_pool_grow(p);
    void *item = p->free;
    memcpy(&p->free, item, sizeof p->free); /* an item is aligned for what it holds, not for a pointer */
    return item;
}

static inline void native_pool_give(struct native_pool *p, void *item)
{
    memcpy(item, &p->free, sizeof p->free);
    p->free = item;
}

/* The offset nearest to `near` whose low 32 bits are `low`. */
static inline uint64_t native_offset(uint32_t low, uint64_t near)
{
    int32_t away = (int32_t)(low - (uint32_t)near);
    return (uint64_t)((int64_t)near + away);
}
