/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/records.h"

#include <endian.h>
#include <string.h>

#define PCAP_HEADER 24
#define PCAP_RECORD 16
#define MAGIC_MICRO 0xa1b2c3d4u
#define MAGIC_NANO 0xa1b23c4du
#define MICRO_NS 1000

enum { BLOCK_SECTION = 0x0a0d0d0a, BLOCK_INTERFACE = 1, BLOCK_NAMES = 4, BLOCK_STATISTICS = 5, BLOCK_PACKET = 6 };
enum { OPTION_END = 0, OPTION_IF_TSRESOL = 9, OPTION_IF_TSOFFSET = 14 };
#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define BLOCK_AROUND 12 /* type, length, and length again */
#define PACKET_HEADER 28
#define INTERFACE_HEADER 16

static uint32_t records_u32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static uint16_t records_u16(const uint8_t *p)
{
    uint16_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

/* Length of the block at p when all of it is there and sound; else 0. */
static size_t records_block(const uint8_t *p, size_t n)
{
    if (n < BLOCK_AROUND)
        return 0;
    size_t total = records_u32(p + 4);
    bool sound = total >= BLOCK_AROUND && total % 4 == 0 && total <= RECORDS_LONGEST && total <= n;
    return sound && records_u32(p + total - 4) == total ? total : 0;
}

/* The unit of an interface's times; 0: none for here. */
static int64_t records_unit_ns(const uint8_t *p, size_t total)
{
    int64_t unit_ns = MICRO_NS; /* if_tsresol is 6 by default */
    for (size_t at = INTERFACE_HEADER, end = total - 4; at + 4 <= end;) {
        uint16_t code = records_u16(p + at), n = records_u16(p + at + 2);
        if (code == OPTION_END)
            break;
        if (code == OPTION_IF_TSOFFSET || at + 4 + n > end || (code == OPTION_IF_TSRESOL && n != 1))
            return 0;
        if (code == OPTION_IF_TSRESOL)
            unit_ns = p[at + 4] == 9 ? 1 : p[at + 4] == 6 ? MICRO_NS : 0;
        at += 4u + n + (-n & 3u);
    }
    return unit_ns;
}

/* libpcap reads blocks until it has an interface. */
static size_t records_open_blocks(struct records *r, const uint8_t *bytes, size_t n)
{
    size_t section = records_block(bytes, n);
    if (section < 28 || records_u32(bytes + 8) != BYTE_ORDER_MAGIC)
        return 0;
    const uint8_t *p = bytes + section;
    size_t interface = records_block(p, n - section);
    if (interface < INTERFACE_HEADER + 4 || records_u32(p) != BLOCK_INTERFACE)
        return 0;
    *r = (struct records){.blocks = true, .unit_ns = records_unit_ns(p, interface)};
    r->plain = r->unit_ns > 0;
    return r->plain ? section + interface : 0;
}

size_t records_open(struct records *r, const uint8_t *bytes, size_t n)
{
    *r = (struct records){.plain = false};
    if (BYTE_ORDER != LITTLE_ENDIAN || n < PCAP_HEADER)
        return 0;
    uint32_t magic = records_u32(bytes);
    if (magic == BLOCK_SECTION)
        return records_open_blocks(r, bytes, n);
    if ((magic != MAGIC_MICRO && magic != MAGIC_NANO) || records_u16(bytes + 4) != 2 || records_u16(bytes + 6) != 4)
        return 0;
    *r = (struct records){.plain = true, .unit_ns = magic == MAGIC_MICRO ? MICRO_NS : 1};
    return PCAP_HEADER;
}

static enum records_next records_take_pcap(const struct records *r, const uint8_t *p, size_t n,
                                           struct capture_frame *frame, size_t *used)
{
    if (n < PCAP_RECORD)
        return RECORDS_MORE;
    uint32_t seconds = records_u32(p), fraction = records_u32(p + 4), captured = records_u32(p + 8);
    /* What is negative as an int: versions of libpcap differ. */
    if (captured > r->snaplen || captured > RECORDS_LONGEST - PCAP_RECORD || (seconds | fraction) >> 31)
        return RECORDS_OTHER;
    if (n - PCAP_RECORD < captured)
        return RECORDS_MORE;
    *frame = (struct capture_frame){.time_ns = (int64_t)seconds * 1000000000 + (int64_t)fraction * r->unit_ns,
                                    .captured_bytes = captured, .wire_bytes = records_u32(p + 12),
                                    .bytes = p + PCAP_RECORD};
    *used = PCAP_RECORD + captured;
    return RECORDS_FRAME;
}

static enum records_next records_take_packet(const struct records *r, const uint8_t *p, size_t total,
                                             struct capture_frame *frame)
{
    if (total < PACKET_HEADER + 4 || records_u32(p + 8) != 0)
        return RECORDS_OTHER;
    uint64_t time = (uint64_t)records_u32(p + 12) << 32 | records_u32(p + 16);
    uint32_t captured = records_u32(p + 20);
    if (captured > r->snaplen || captured > total - PACKET_HEADER - 4 || time > (uint64_t)(INT64_MAX / 2 / r->unit_ns))
        return RECORDS_OTHER;
    *frame = (struct capture_frame){.time_ns = (int64_t)time * r->unit_ns, .captured_bytes = captured,
                                    .wire_bytes = records_u32(p + 24), .bytes = p + PACKET_HEADER};
    return RECORDS_FRAME;
}

static enum records_next records_take_block(const struct records *r, const uint8_t *bytes, size_t n,
                                            struct capture_frame *frame, size_t *used)
{
    for (*used = 0;;) {
        const uint8_t *p = bytes + *used;
        if (n - *used < BLOCK_AROUND)
            return RECORDS_MORE;
        uint32_t type = records_u32(p), length = records_u32(p + 4);
        size_t total = records_block(p, n - *used);
        if (total == 0)
            return length > n - *used && length <= RECORDS_LONGEST ? RECORDS_MORE : RECORDS_OTHER;
        if (type == BLOCK_PACKET) {
            enum records_next next = records_take_packet(r, p, total, frame);
            *used += next == RECORDS_FRAME ? total : 0;
            return next;
        }
        if (type != BLOCK_NAMES && type != BLOCK_STATISTICS)
            return RECORDS_OTHER;
        *used += total;
    }
}

enum records_next records_take(const struct records *r, const uint8_t *bytes, size_t n, struct capture_frame *frame,
                               size_t *used)
{
    *used = 0;
    return r->blocks ? records_take_block(r, bytes, n, frame, used) : records_take_pcap(r, bytes, n, frame, used);
}
