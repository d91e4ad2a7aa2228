/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/headers.h"

#include "emu/engine.h"
#include "emu/native/segment.h"

#include <string.h>

#define LONGEST 128 /* Ethernet 14, IPv4 20, TCP 20 and 40 of options */

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

static void put_ipv4(uint8_t *ip, const struct native_header_fields *h, uint32_t ip_bytes)
{
    memset(ip, 0, 20);
    ip[0] = 0x45;
    ip[1] = h->ecn;
    put(ip + 2, ip_bytes, 2);
    put(ip + 4, h->ip_id, 2);
    put(ip + 6, 0x4000, 2); /* do not fragment */
    ip[8] = 64;
    ip[9] = 6;
    put(ip + 12, emu_engine_ipv4((int)h->src_station), 4);
    put(ip + 16, emu_engine_ipv4((int)h->dst_station), 4);
    put_checksum(ip + 10, sum16(ip, 20, 0));
}

size_t native_headers_write(const struct native_header_fields *h, uint8_t *out, size_t limit)
{
    bool syn = h->flags & NATIVE_SYN;
    uint32_t ip_bytes = native_headers_ip_bytes(syn, h->n_sack, h->payload_bytes);
    uint8_t head[LONGEST], *ip = head + EMU_FRAME_HEADER_BYTES, *tcp = ip + 20;
    put(head, emu_frame_mac(h->dst_station), 6);
    put(head + 6, emu_frame_mac(h->src_station), 6);
    put(head + 12, 0x0800, 2);
    put_ipv4(ip, h, ip_bytes);
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
    size_t whole = n + h->payload_bytes, least = EMU_FRAME_HEADER_BYTES + EMU_FRAME_MIN_PAYLOAD;
    if (whole < least)
        whole = least; /* padding is zeros, too */
    size_t wanted = whole < limit ? whole : limit;
    memcpy(out, head, n < wanted ? n : wanted);
    if (wanted > n)
        memset(out + n, 0, wanted - n);
    return wanted;
}
