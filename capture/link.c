/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/decode.h"
#include "capture/packet.h"

#include <pcap/dlt.h>

/* Link types of files that pcap/dlt.h names differently per system (LINKTYPE_RAW, BSD's DLT_RAW). */
#define LINK_RAW_BSD 14
#define LINK_RAW 101

enum {
    TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, TYPE_VLAN = 0x8100, TYPE_QINQ = 0x88a8, TYPE_QINQ_OLD = 0x9100,
    TYPE_PPPOE = 0x8864, TYPE_MAC_CONTROL = 0x8808,
};

/* What follows an EtherType, through any stack of VLAN tags. */
static enum capture_decode_result decode_type(uint16_t type, const uint8_t *p, uint32_t captured, uint32_t wire,
                                              int depth, struct capture_segment *out)
{
    while (type == TYPE_VLAN || type == TYPE_QINQ || type == TYPE_QINQ_OLD) {
        if (wire < 4)
            return CAPTURE_DECODE_MALFORMED;
        if (captured < 4)
            return CAPTURE_DECODE_SHORT;
        uint16_t id = packet_u16(p) & 0x0fff;
        if (id)
            packet_tag(out, 0x80000000u | id); /* 0 is a priority tag: no VLAN of its own */
        type = packet_u16(p + 2);
        p += 4;
        captured -= 4;
        wire -= 4;
    }
    if (type == TYPE_PPPOE) { /* RFC 2516: six bytes, then the PPP protocol number */
        if (wire < 8)
            return CAPTURE_DECODE_MALFORMED;
        if (captured < 8)
            return CAPTURE_DECODE_SHORT;
        uint16_t protocol = packet_u16(p + 6);
        if (protocol != 0x0021 && protocol != 0x0057)
            return CAPTURE_DECODE_OTHER;
        packet_tag(out, 0x50500000u | packet_u16(p + 2));
        return packet_decode_ip(protocol == 0x0021 ? 4 : 6, p + 8, captured - 8, wire - 8, depth, out);
    }
    if (type != TYPE_IPV4 && type != TYPE_IPV6)
        return CAPTURE_DECODE_OTHER;
    return packet_decode_ip(type == TYPE_IPV4 ? 4 : 6, p, captured, wire, depth, out);
}

enum capture_decode_result packet_decode_ethernet(const uint8_t *p, uint32_t captured, uint32_t wire, int depth,
                                                  struct capture_segment *out)
{
    if (depth > PACKET_MAX_DEPTH)
        return CAPTURE_DECODE_OTHER;
    if (captured < 14)
        return wire < 14 ? CAPTURE_DECODE_MALFORMED : CAPTURE_DECODE_SHORT;
    return decode_type(packet_u16(p + 12), p + 14, captured - 14, wire - 14, depth, out);
}

/* A header of `header` bytes with the EtherType at `type_at`: Linux cooked captures. */
static enum capture_decode_result decode_cooked(const uint8_t *p, uint32_t captured, uint32_t wire, uint32_t header,
                                                uint32_t type_at, struct capture_segment *out)
{
    if (captured < header)
        return wire < header ? CAPTURE_DECODE_MALFORMED : CAPTURE_DECODE_SHORT;
    return decode_type(packet_u16(p + type_at), p + header, captured - header, wire - header, 0, out);
}

/* BSD loopback: an address family in four bytes, for DLT_NULL in the byte order of whoever wrote them. */
static enum capture_decode_result decode_loopback(const uint8_t *p, uint32_t captured, uint32_t wire,
                                                  struct capture_segment *out)
{
    if (captured < 4)
        return wire < 4 ? CAPTURE_DECODE_MALFORMED : CAPTURE_DECODE_SHORT;
    int version;
    switch (packet_u32(p) > 0xffff ? (uint32_t)p[1] << 8 | p[0] : packet_u32(p)) {
    case 2:
        version = 4;
        break;
    case 10: /* Linux */
    case 24: /* NetBSD, OpenBSD */
    case 28: /* FreeBSD */
    case 30: /* macOS */
        version = 6;
        break;
    default:
        return CAPTURE_DECODE_OTHER;
    }
    return packet_decode_ip(version, p + 4, captured - 4, wire - 4, 0, out);
}

bool capture_decode_supports(int link_type)
{
    switch (link_type) {
    case DLT_EN10MB:
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
    case DLT_RAW:
    case LINK_RAW_BSD:
    case LINK_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
    case DLT_NULL:
    case DLT_LOOP:
        return true;
    default:
        return false;
    }
}

bool capture_decode_pause(int link_type, const uint8_t *bytes, uint32_t captured_bytes, uint32_t *quanta)
{
    if (link_type != DLT_EN10MB || captured_bytes < 18 || packet_u16(bytes + 12) != TYPE_MAC_CONTROL ||
        packet_u16(bytes + 14) != 1)
        return false;
    *quanta = packet_u16(bytes + 16);
    return true;
}

enum capture_decode_result capture_decode(int link_type, const uint8_t *bytes, uint32_t captured_bytes,
                                          uint32_t wire_bytes, struct capture_segment *out)
{
    *out = (struct capture_segment){0};
    if (wire_bytes < captured_bytes)
        wire_bytes = captured_bytes;
    switch (link_type) {
    case DLT_EN10MB:
        return packet_decode_ethernet(bytes, captured_bytes, wire_bytes, 0, out);
    case DLT_LINUX_SLL:
        return decode_cooked(bytes, captured_bytes, wire_bytes, 16, 14, out);
    case DLT_LINUX_SLL2:
        return decode_cooked(bytes, captured_bytes, wire_bytes, 20, 0, out);
    case DLT_NULL:
    case DLT_LOOP:
        return decode_loopback(bytes, captured_bytes, wire_bytes, out);
    case DLT_RAW:
    case LINK_RAW_BSD:
    case LINK_RAW:
        return packet_decode_ip(0, bytes, captured_bytes, wire_bytes, 0, out);
    case DLT_IPV4:
        return packet_decode_ip(4, bytes, captured_bytes, wire_bytes, 0, out);
    case DLT_IPV6:
        return packet_decode_ip(6, bytes, captured_bytes, wire_bytes, 0, out);
    default:
        return CAPTURE_DECODE_OTHER;
    }
}
