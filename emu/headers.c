/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/headers.h"

#include "emu/engine.h"

#define PORT_DISCARD 9      /* RFC 863: nobody answers */
#define PORT_FIRST 32768    /* of those that kernels give out */
#define PORTS 16384

uint8_t *emu_headers_put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = bytes; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
    return at + bytes;
}

uint32_t emu_headers_sum(const uint8_t *bytes, size_t n, uint32_t sum)
{
    for (size_t i = 0; i < n; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    return sum;
}

void emu_headers_put_checksum(uint8_t *at, uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    emu_headers_put(at, ~sum & 0xffff, 2);
}

uint8_t *emu_headers_put_ethernet(uint8_t *at, uint32_t src_station, uint32_t dst_station, uint16_t ethertype)
{
    at = emu_headers_put(at, emu_frame_mac(dst_station), 6);
    at = emu_headers_put(at, emu_frame_mac(src_station), 6);
    return emu_headers_put(at, ethertype, 2);
}

uint8_t *emu_headers_put_around(uint8_t *at, uint32_t src_station, uint32_t dst_station, uint8_t protocol, uint8_t ecn,
                                uint16_t ip_id, uint32_t ip_bytes)
{
    uint8_t *ip = emu_headers_put_ethernet(at, src_station, dst_station, EMU_FRAME_IPV4);
    memset(ip, 0, 20);
    ip[0] = 0x45;
    ip[1] = ecn;
    emu_headers_put(ip + 2, ip_bytes, 2);
    emu_headers_put(ip + 4, ip_id, 2);
    emu_headers_put(ip + 6, 0x4000, 2); /* do not fragment */
    ip[8] = 64;
    ip[9] = protocol;
    emu_headers_put(ip + 12, emu_engine_ipv4((int)src_station), 4);
    emu_headers_put(ip + 16, emu_engine_ipv4((int)dst_station), 4);
    emu_headers_put_checksum(ip + 10, emu_headers_sum(ip, 20, 0));
    return ip + 20;
}

size_t emu_headers_put_out(const uint8_t *head, size_t n, size_t whole, uint8_t *out, size_t limit)
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

void emu_headers_put_udp(uint8_t *at, uint16_t src_port, uint16_t dst_port, uint32_t payload_bytes)
{
    emu_headers_put(at, src_port, 2);
    emu_headers_put(at + 2, dst_port, 2);
    emu_headers_put(at + 4, payload_bytes + 8, 2);
    emu_headers_put(at + 6, 0, 2);
}

size_t emu_headers_datagram(const struct emu_frame *frame, uint8_t *out, size_t limit)
{
    uint8_t head[EMU_FRAME_HEADER_BYTES + EMU_HEADERS_UDP], *ip = head + EMU_FRAME_HEADER_BYTES;
    uint32_t ip_bytes = frame->payload_bytes, datagram = ip_bytes - EMU_HEADERS_UDP;
    uint8_t *udp = emu_headers_put_around(head, frame->src, frame->dst, 17, 0, 0, ip_bytes);
    uint16_t source = (uint16_t)(emu_frame_tag_content(frame->packet) % PORTS);
    emu_headers_put_udp(udp, (uint16_t)(PORT_FIRST + source), PORT_DISCARD, datagram);
    emu_headers_put_checksum(udp + 6, emu_headers_sum(udp, 8, emu_headers_sum(ip + 12, 8, 17 + datagram + 8)));
    return emu_headers_put_out(head, sizeof head, EMU_FRAME_HEADER_BYTES + ip_bytes, out, limit);
}
