/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/decode.h"

#include "capture/packet.h"

enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

/* RFC 9293 section 3.1, RFC 7323, RFC 2018. `n`: option bytes captured. */
static void decode_options(const uint8_t *p, uint32_t n, struct capture_segment *out)
{
    for (uint32_t i = 0; i < n;) {
        uint8_t kind = p[i];
        if (kind == 0)
            return;
        if (kind == 1) {
            i++;
            continue;
        }
        if (i + 2 > n)
            return;
        uint32_t size = p[i + 1];
        if (size < 2 || i + size > n)
            return; /* malformed or cut: what came before stands */
        const uint8_t *v = p + i + 2;
        if (kind == 2 && size == 4) {
            out->has_mss = true;
            out->mss = packet_u16(v);
        } else if (kind == 3 && size == 3) {
            out->has_window_scale = true;
            out->window_scale = v[0] > 14 ? 14 : v[0]; /* RFC 7323 section 2.3 */
        } else if (kind == 4 && size == 2) {
            out->sack_permitted = true;
        } else if (kind == 5 && size >= 10 && (size - 2) % 8 == 0) {
            out->n_sack = 0;
            for (uint32_t k = 0; k + 8 <= size - 2 && out->n_sack < 4; k += 8)
                out->sack[out->n_sack++] = (struct capture_sack){packet_u32(v + k), packet_u32(v + k + 4)};
        } else if (kind == 8 && size == 10) {
            out->has_timestamps = true;
            out->tsval = packet_u32(v);
            out->tsecr = packet_u32(v + 4);
        }
        i += size;
    }
}

/* `wire`: bytes of the TCP segment as sent. */
static enum capture_decode_result decode_tcp(const uint8_t *p, uint32_t captured, uint32_t wire,
                                             struct capture_segment *out)
{
    if (wire < 20)
        return CAPTURE_DECODE_MALFORMED;
    if (captured < 14)
        return CAPTURE_DECODE_SHORT; /* ports, numbers, data offset and flags are needed */
    uint32_t header = (p[12] >> 4) * 4u;
    if (header < 20 || header > wire)
        return CAPTURE_DECODE_MALFORMED;
    out->src_port = packet_u16(p);
    out->dst_port = packet_u16(p + 2);
    out->seq = packet_u32(p + 4);
    out->ack = packet_u32(p + 8);
    out->flags = p[13] & 0x1f;
    out->window = captured >= 16 ? packet_u16(p + 14) : 0;
    out->checksum = captured >= 18 ? packet_u16(p + 16) : 0;
    out->payload_bytes = wire - header;
    out->options_cut = captured < header;
    if (captured > 20)
        decode_options(p + 20, (captured < header ? captured : header) - 20, out);
    return CAPTURE_DECODE_TCP;
}

/* `p`: of a datagram's payload. What is sent before keys are agreed on, and begins a connection, has a long header. */
static bool decode_is_quic(const uint8_t *p, uint32_t n)
{
    if (n < 5 || (p[0] & 0xc0) != 0xc0) /* the form bit and the fixed bit */
        return false;
    uint32_t version = packet_u32(p + 1);
    return version == 1 || version == 0x6b3343cf || version >> 8 == 0xff0000; /* 1, 2, drafts */
}

/* VXLAN, RFC 7348: an Ethernet frame inside UDP. */
static enum capture_decode_result decode_udp(const uint8_t *p, uint32_t captured, uint32_t wire, int depth,
                                             struct capture_segment *out)
{
    if (captured < 4)
        return wire < 4 ? CAPTURE_DECODE_MALFORMED : CAPTURE_DECODE_SHORT;
    uint16_t port = packet_u16(p + 2);
    out->src_port = packet_u16(p);
    out->dst_port = port;
    out->datagram = captured > 8 && decode_is_quic(p + 8, captured - 8) ? CAPTURE_DATAGRAM_QUIC : CAPTURE_DATAGRAM_UDP;
    if ((port != 4789 && port != 8472) || wire < 16)
        return CAPTURE_DECODE_OTHER;
    if (captured < 16)
        return CAPTURE_DECODE_SHORT;
    if (!(p[8] & 0x08)) /* no VNI: something else on this port */
        return CAPTURE_DECODE_OTHER;
    out->datagram = CAPTURE_DATAGRAM_NONE;
    packet_tag(out, 0x56580000u ^ (packet_u32(p + 12) >> 8));
    return packet_decode_ethernet(p + 16, captured - 16, wire - 16, depth + 1, out);
}

static enum capture_decode_result decode_transport(uint8_t protocol, const uint8_t *p, uint32_t captured,
                                                   uint32_t wire, int depth, struct capture_segment *out)
{
    if (protocol == PROTOCOL_TCP)
        return decode_tcp(p, captured, wire, out);
    if (protocol == PROTOCOL_UDP)
        return decode_udp(p, captured, wire, depth, out);
    return CAPTURE_DECODE_OTHER;
}

static enum capture_decode_result decode_ipv4(const uint8_t *p, uint32_t captured, uint32_t wire, int depth,
                                              struct capture_segment *out)
{
    if (wire < 20)
        return CAPTURE_DECODE_MALFORMED;
    if (captured < 20)
        return CAPTURE_DECODE_SHORT;
    uint32_t header = (p[0] & 15u) * 4, total = packet_u16(p + 2), fragment = packet_u16(p + 6);
    if (total == 0)
        total = wire; /* TCP segmentation offload: too long for the field */
    if (header < 20 || total < header || header > wire)
        return CAPTURE_DECODE_MALFORMED;
    out->src = out->dst = (struct capture_address){.family = 4};
    memcpy(out->src.bytes, p + 12, 4);
    memcpy(out->dst.bytes, p + 16, 4);
    if (fragment & 0x1fff)
        return CAPTURE_DECODE_OTHER; /* not the first fragment: no TCP header in it */
    out->ip_id = packet_u16(p + 4);
    if (captured > total)
        captured = total; /* what lies behind is Ethernet padding */
    if (captured < header)
        return CAPTURE_DECODE_SHORT;
    return decode_transport(p[9], p + header, captured - header, total - header, depth, out);
}

/* RFC 2675: the jumbo payload option of a hop-by-hop header (Linux BIG TCP); 0 when there is none. */
static uint32_t decode_jumbo(const uint8_t *p, uint32_t n)
{
    for (uint32_t i = 2; i + 2 <= n;) {
        if (p[i] == 0) {
            i++;
            continue;
        }
        if (p[i] == 0xc2 && p[i + 1] == 4 && i + 6 <= n)
            return packet_u32(p + i + 2);
        i += 2u + p[i + 1];
    }
    return 0;
}

static enum capture_decode_result decode_ipv6(const uint8_t *p, uint32_t captured, uint32_t wire, int depth,
                                              struct capture_segment *out)
{
    if (wire < 40)
        return CAPTURE_DECODE_MALFORMED;
    if (captured < 40)
        return CAPTURE_DECODE_SHORT;
    uint32_t payload = packet_u16(p + 4), total = payload ? 40 + payload : wire;
    uint8_t next = p[6];
    out->src = out->dst = (struct capture_address){.family = 6};
    memcpy(out->src.bytes, p + 8, 16);
    memcpy(out->dst.bytes, p + 24, 16);
    out->ip_id = 0;
    uint32_t at = 40;
    /* Hop-by-hop 0, routing 43, fragment 44, authentication 51, destination 60, mobility 135. */
    while (next == 0 || next == 43 || next == 44 || next == 51 || next == 60 || next == 135) {
        if (at + 8 > total)
            return CAPTURE_DECODE_MALFORMED;
        if (at + 8 > captured)
            return CAPTURE_DECODE_SHORT;
        uint32_t size = next == 44 ? 8 : next == 51 ? (p[at + 1] + 2u) * 4 : (p[at + 1] + 1u) * 8;
        if (at + size > total)
            return CAPTURE_DECODE_MALFORMED;
        if (next == 44 && (packet_u16(p + at + 2) & 0xfff8))
            return CAPTURE_DECODE_OTHER;
        if (next == 0 && payload == 0) {
            uint32_t room = captured - at, jumbo = decode_jumbo(p + at, size < room ? size : room);
            if (jumbo && (jumbo <= UINT16_MAX || jumbo > UINT32_MAX - 40))
                return CAPTURE_DECODE_MALFORMED;
            if (jumbo)
                total = 40 + jumbo;
        }
        next = p[at];
        at += size;
    }
    if (captured > total)
        captured = total;
    if (captured < at)
        return CAPTURE_DECODE_SHORT;
    return decode_transport(next, p + at, captured - at, total - at, depth, out);
}

enum capture_decode_result packet_decode_ip(int version, const uint8_t *p, uint32_t captured, uint32_t wire, int depth,
                                            struct capture_segment *out)
{
    if (captured < 1)
        return wire < 1 ? CAPTURE_DECODE_MALFORMED : CAPTURE_DECODE_SHORT;
    if (version && p[0] >> 4 != version)
        return CAPTURE_DECODE_MALFORMED;
    switch (p[0] >> 4) {
    case 4:
        return decode_ipv4(p, captured, wire, depth, out);
    case 6:
        return decode_ipv6(p, captured, wire, depth, out);
    default:
        return CAPTURE_DECODE_MALFORMED;
    }
}
