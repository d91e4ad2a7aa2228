/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/headers.h"

#include "emu/headers.h"
#include "emu/native/segment.h"

#include <string.h>

#define LONGEST 128 /* Ethernet 14, IPv4 20, TCP 20 and 40 of options; QUIC less */

static uint8_t *put_timestamps(uint8_t *at, const struct native_header_fields *h)
{
    at = emu_headers_put(at, 0x080a, 2); /* kind 8, length 10 */
    at = emu_headers_put(at, h->ts, 4);
    return emu_headers_put(at, h->ts_echo, 4);
}

static uint8_t *put_syn_options(uint8_t *at, const struct native_header_fields *h)
{
    at = emu_headers_put(at, 0x0204, 2); /* maximum segment size */
    at = emu_headers_put(at, h->mss, 2);
    at = emu_headers_put(at, h->sack_permitted ? 0x0402 : 0x0101, 2); /* or two NOPs */
    at = put_timestamps(at, h);
    at = emu_headers_put(at, 0x01, 1);
    at = emu_headers_put(at, 0x0303, 2); /* window scale */
    return emu_headers_put(at, h->window_scale, 1);
}

static uint8_t *put_options(uint8_t *at, const struct native_header_fields *h)
{
    at = emu_headers_put(at, 0x0101, 2);
    at = put_timestamps(at, h);
    if (h->n_sack == 0)
        return at;
    at = emu_headers_put(at, 0x010105, 3); /* NOP NOP, kind 5 */
    at = emu_headers_put(at, 2 + 8 * (uint64_t)h->n_sack, 1);
    for (int i = 0; i < h->n_sack; i++) {
        at = emu_headers_put(at, h->sack[i][0], 4);
        at = emu_headers_put(at, h->sack[i][1], 4);
    }
    return at;
}

size_t native_headers_write(const struct native_header_fields *h, uint8_t *out, size_t limit)
{
    bool syn = h->flags & NATIVE_SYN;
    uint32_t ip_bytes = native_headers_ip_bytes(syn, h->n_sack, h->payload_bytes);
    uint8_t head[LONGEST], *ip = head + EMU_FRAME_HEADER_BYTES;
    uint8_t *tcp = emu_headers_put_around(head, h->src_station, h->dst_station, 6, h->ecn, h->ip_id, ip_bytes);
    emu_headers_put(tcp, h->src_port, 2);
    emu_headers_put(tcp + 2, h->dst_port, 2);
    emu_headers_put(tcp + 4, h->seq, 4);
    emu_headers_put(tcp + 8, h->ack, 4);
    emu_headers_put(tcp + 13, h->flags, 1);
    emu_headers_put(tcp + 14, h->window, 2);
    emu_headers_put(tcp + 16, 0, 4);
    uint8_t *end = syn ? put_syn_options(tcp + 20, h) : put_options(tcp + 20, h);
    size_t header = (size_t)(end - tcp), n = (size_t)(end - head);
    emu_headers_put(tcp + 12, header / 4 << 4, 1);
    /* Zeros of payload add nothing to the sum but their number, in the pseudo header. */
    emu_headers_put_checksum(tcp + 16, emu_headers_sum(tcp, header, emu_headers_sum(ip + 12, 8, 6 + (uint32_t)header + h->payload_bytes)));
    return emu_headers_put_out(head, n, n + h->payload_bytes, out, limit);
}

/* A long header up to its length's field (RFC 9000, section 17.2). */
static uint8_t *put_quic_long(uint8_t *at, const struct native_quic_fields *h)
{
    uint8_t *begin = at;
    at = emu_headers_put(at, h->initial ? 0xc3 : 0xe3, 1); /* four bytes of packet number */
    at = emu_headers_put(at, 1, 4);
    at = emu_headers_put(at, 8, 1);
    at = emu_headers_put(at, h->dst_id, 8);
    at = emu_headers_put(at, 8, 1);
    at = emu_headers_put(at, h->src_id, 8);
    if (h->initial)
        at = emu_headers_put(at, 0, 1); /* no token */
    return emu_headers_put(at, 0x4000 | (h->datagram_bytes - (uint32_t)(at - begin) - 2), 2);
}

size_t native_headers_write_quic(const struct native_quic_fields *h, uint8_t *out, size_t limit)
{
    uint32_t ip_bytes = EMU_HEADERS_UDP + h->datagram_bytes;
    uint8_t head[LONGEST] = {0}, *ip = head + EMU_FRAME_HEADER_BYTES;
    uint8_t *udp = emu_headers_put_around(head, h->src_station, h->dst_station, 17, 0, h->ip_id, ip_bytes), *quic = udp + 8, *end;
    emu_headers_put_udp(udp, h->src_port, h->dst_port, h->datagram_bytes);
    if (h->initial || h->handshake)
        end = put_quic_long(quic, h);
    else
        end = emu_headers_put(emu_headers_put(quic, 0x43, 1), h->dst_id, 8);
    size_t even = (size_t)(end - udp + 1) / 2 * 2; /* zeros follow */
    emu_headers_put_checksum(udp + 6, emu_headers_sum(udp, even, emu_headers_sum(ip + 12, 8, 17 + h->datagram_bytes + 8)));
    return emu_headers_put_out(head, (size_t)(end - head), EMU_FRAME_HEADER_BYTES + ip_bytes, out, limit);
}
