/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/headers.h"

#include "emu/engine.h"
#include "emu/native/segment.h"

#include <string.h>

#define LONGEST 128 /* Ethernet 14, IPv4 20, TCP 20 and 40 of options; QUIC less */

static uint8_t *put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = bytes; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
    return at + bytes;
}

/* One's-complement sum of 16-bit words (RFC 1071); n is even. */
static uint32_t sum16(const uint8_t *bytes, size_t n, uint32_t sum)
{
    for (size_t i = 0; i < n; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    return sum;
}

static void put_checksum(uint8_t *at, uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    put(at, ~sum & 0xffff, 2);
}

static uint8_t *put_timestamps(uint8_t *at, const struct native_header_fields *h)
{
    at = put(at, 0x080a, 2); /* kind 8, length 10 */
    at = put(at, h->ts, 4);
    return put(at, h->ts_echo, 4);
}

static uint8_t *put_syn_options(uint8_t *at, const struct native_header_fields *h)
{
    at = put(at, 0x0204, 2); /* maximum segment size */
    at = put(at, h->mss, 2);
    at = put(at, h->sack_permitted ? 0x0402 : 0x0101, 2); /* or two NOPs */
    at = put_timestamps(at, h);
    at = put(at, 0x01, 1);
    at = put(at, 0x0303, 2); /* window scale */
    return put(at, h->window_scale, 1);
}

static uint8_t *put_options(uint8_t *at, const struct native_header_fields *h)
{
    at = put(at, 0x0101, 2);
    at = put_timestamps(at, h);
    if (h->n_sack == 0)
        return at;
    at = put(at, 0x010105, 3); /* NOP NOP, kind 5 */
    at = put(at, 2 + 8 * (uint64_t)h->n_sack, 1);
    for (int i = 0; i < h->n_sack; i++) {
        at = put(at, h->sack[i][0], 4);
        at = put(at, h->sack[i][1], 4);
    }
    return at;
}

/* Ethernet's and IPv4's; returns where what is inside begins. */
static uint8_t *put_around(uint8_t *at, uint32_t src_station, uint32_t dst_station, uint8_t protocol, uint8_t ecn,
                           uint16_t ip_id, uint32_t ip_bytes)
{
    uint8_t *ip = at + EMU_FRAME_HEADER_BYTES;
    put(at, emu_frame_mac(dst_station), 6);
    put(at + 6, emu_frame_mac(src_station), 6);
    put(at + 12, EMU_FRAME_IPV4, 2);
    memset(ip, 0, 20);
    ip[0] = 0x45;
    ip[1] = ecn;
    put(ip + 2, ip_bytes, 2);
    put(ip + 4, ip_id, 2);
    put(ip + 6, 0x4000, 2); /* do not fragment */
    ip[8] = 64;
    ip[9] = protocol;
    put(ip + 12, emu_engine_ipv4((int)src_station), 4);
    put(ip + 16, emu_engine_ipv4((int)dst_station), 4);
    put_checksum(ip + 10, sum16(ip, 20, 0));
    return ip + 20;
}

/* Of a frame of `whole` bytes, whose first n are in `head` and whose others are zeros, what is asked for. */
static size_t put_out(const uint8_t *head, size_t n, size_t whole, uint8_t *out, size_t limit)
{
    size_t least = EMU_FRAME_HEADER_BYTES + EMU_FRAME_MIN_PAYLOAD;
    if (whole < least)
        whole = least; /* padding is zeros, too */
    size_t wanted = whole < limit ? whole : limit;
    memcpy(out, head, n < wanted ? n : wanted);
    if (wanted > n)
        memset(out + n, 0, wanted - n);
    return wanted;
}

size_t native_headers_write(const struct native_header_fields *h, uint8_t *out, size_t limit)
{
    bool syn = h->flags & NATIVE_SYN;
    uint32_t ip_bytes = native_headers_ip_bytes(syn, h->n_sack, h->payload_bytes);
    uint8_t head[LONGEST], *ip = head + EMU_FRAME_HEADER_BYTES;
    uint8_t *tcp = put_around(head, h->src_station, h->dst_station, 6, h->ecn, h->ip_id, ip_bytes);
    put(tcp, h->src_port, 2);
    put(tcp + 2, h->dst_port, 2);
    put(tcp + 4, h->seq, 4);
    put(tcp + 8, h->ack, 4);
    put(tcp + 13, h->flags, 1);
    put(tcp + 14, h->window, 2);
    put(tcp + 16, 0, 4);
    uint8_t *end = syn ? put_syn_options(tcp + 20, h) : put_options(tcp + 20, h);
    size_t header = (size_t)(end - tcp), n = (size_t)(end - head);
    put(tcp + 12, header / 4 << 4, 1);
    /* Zeros of payload add nothing to the sum but their number, in the pseudo header. */
    put_checksum(tcp + 16, sum16(tcp, header, sum16(ip + 12, 8, 6 + (uint32_t)header + h->payload_bytes)));
    return put_out(head, n, n + h->payload_bytes, out, limit);
}

/* A long header up to its length's field (RFC 9000, section 17.2). */
static uint8_t *put_quic_long(uint8_t *at, const struct native_quic_fields *h)
{
    uint8_t *begin = at;
    at = put(at, h->initial ? 0xc3 : 0xe3, 1); /* four bytes of packet number */
    at = put(at, 1, 4);
    at = put(at, 8, 1);
    at = put(at, h->dst_id, 8);
    at = put(at, 8, 1);
    at = put(at, h->src_id, 8);
    if (h->initial)
        at = put(at, 0, 1); /* no token */
    return put(at, 0x4000 | (h->datagram_bytes - (uint32_t)(at - begin) - 2), 2);
}

size_t native_headers_write_quic(const struct native_quic_fields *h, uint8_t *out, size_t limit)
{
    uint32_t ip_bytes = NATIVE_UDP_BYTES + h->datagram_bytes;
    uint8_t head[LONGEST] = {0}, *ip = head + EMU_FRAME_HEADER_BYTES;
    uint8_t *udp = put_around(head, h->src_station, h->dst_station, 17, 0, h->ip_id, ip_bytes), *quic = udp + 8, *end;
    put(udp, h->src_port, 2);
    put(udp + 2, h->dst_port, 2);
    put(udp + 4, h->datagram_bytes + 8, 2);
    if (h->initial || h->handshake)
        end = put_quic_long(quic, h);
    else
        end = put(put(quic, 0x43, 1), h->dst_id, 8);
    size_t even = (size_t)(end - udp + 1) / 2 * 2; /* zeros follow */
    put_checksum(udp + 6, sum16(udp, even, sum16(ip + 12, 8, 17 + h->datagram_bytes + 8)));
    return put_out(head, (size_t)(end - head), EMU_FRAME_HEADER_BYTES + ip_bytes, out, limit);
}
