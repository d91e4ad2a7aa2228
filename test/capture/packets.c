/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/capture/packets.h"

#include <stdlib.h>

#define TCP_SEGMENT \
    0x04, 0xd2, 0x00, 0x50, 0x01, 0x02, 0x03, 0x04, 0x0a, 0x0b, 0x0c, 0x0d, 0x80, 0x18, 0x02, 0x00, 0xbe, 0xef, 0, 0, \
    1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 9, 'h', 'e', 'l', 'l', 'o'

const uint8_t packets_ipv4[PACKETS_IPV4_BYTES] = {
    0x45, 0, 0, 57, 0x12, 0x34, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, TCP_SEGMENT,
};

const uint8_t packets_ipv6[PACKETS_IPV6_BYTES] = {
    0x60, 0, 0, 0, 0, 37, 6, 64, 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, TCP_SEGMENT,
};

#define MACS 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1

/* Outer IP 192.0.2.1.49152 > 192.0.2.2.4789: VXLAN, flags [I], vni 100; inner Ethernet. 107 = 20 + 8 + 8 + 14 + 57. */
#define VXLAN(port) \
    MACS, 0x08, 0x00, 0x45, 0, 0, 107, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, \
    0xc0, 0x00, (port) >> 8, (port) & 0xff, 0, 87, 0, 0, 0x08, 0, 0, 0, 0, 0, 100, 0, MACS, 0x08, 0x00

const struct packet_wrapping packets_wrappings[] = {
    {"Ethernet", 1, 4, false, 14, {MACS, 0x08, 0x00}},
    {"Ethernet, IPv6", 1, 6, false, 14, {MACS, 0x86, 0xdd}},
    {"vlan 5", 1, 4, true, 18, {MACS, 0x81, 0x00, 0xe0, 5, 0x08, 0x00}},
    {"vlan 0, a priority tag", 1, 4, false, 18, {MACS, 0x81, 0x00, 0xe0, 0, 0x08, 0x00}},
    {"802.1ad vlan 7, vlan 5", 1, 6, true, 22, {MACS, 0x88, 0xa8, 0, 7, 0x81, 0x00, 0, 5, 0x86, 0xdd}},
    {"0x9100 vlan 7, vlan 5", 1, 4, true, 22, {MACS, 0x91, 0x00, 0, 7, 0x81, 0x00, 0, 5, 0x08, 0x00}},
    /* 59 = 2 + 57, 79 = 2 + 77: PPPoE counts the PPP protocol number */
    {"PPPoE ses 0x11", 1, 4, true, 22, {MACS, 0x88, 0x64, 0x11, 0, 0, 0x11, 0, 59, 0x00, 0x21}},
    {"PPPoE ses 0x11, IPv6", 1, 6, true, 22, {MACS, 0x88, 0x64, 0x11, 0, 0, 0x11, 0, 79, 0x00, 0x57}},
    {"vlan 5, PPPoE", 1, 4, true, 26, {MACS, 0x81, 0x00, 0, 5, 0x88, 0x64, 0x11, 0, 0, 0x11, 0, 59, 0x00, 0x21}},
    {"VXLAN", 1, 4, true, 64, {VXLAN(4789)}},
    {"VXLAN on Linux's old port", 1, 4, true, 64, {VXLAN(8472)}},
    {"Linux cooked", 113, 4, false, 16, {0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0x08, 0x00}},
    {"Linux cooked, vlan 5", 113, 6, true, 20,
     {0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0x81, 0x00, 0, 5, 0x86, 0xdd}},
    {"Linux cooked v2", 276, 4, false, 20, {0x08, 0x00, 0, 0, 0, 0, 0, 2, 0, 1, 4, 6, 2, 0, 0, 0, 0, 1, 0, 0}},
    {"Linux cooked v2, IPv6", 276, 6, false, 20, {0x86, 0xdd, 0, 0, 0, 0, 0, 2, 0, 1, 4, 6, 2, 0, 0, 0, 0, 1, 0, 0}},
    {"raw IP", 12, 4, false, 0, {0}},
    {"raw IP, BSD's number", 14, 6, false, 0, {0}},
    {"raw IP, the files' number", 101, 6, false, 0, {0}},
    {"raw IPv4", 228, 4, false, 0, {0}},
    {"raw IPv6", 229, 6, false, 0, {0}},
    {"BSD null, little-endian", 0, 4, false, 4, {2, 0, 0, 0}},
    {"BSD null, big-endian", 0, 4, false, 4, {0, 0, 0, 2}},
    {"BSD null, macOS IPv6", 0, 6, false, 4, {30, 0, 0, 0}},
    {"BSD null, FreeBSD IPv6", 0, 6, false, 4, {28, 0, 0, 0}},
    {"OpenBSD loop, IPv6", 108, 6, false, 4, {0, 0, 0, 24}},
};
const size_t packets_n_wrappings = sizeof packets_wrappings / sizeof *packets_wrappings;

uint32_t packets_build(const struct packet_wrapping *w, uint8_t bytes[static PACKETS_MAX_BYTES])
{
    uint32_t n = w->version == 4 ? PACKETS_IPV4_BYTES : PACKETS_IPV6_BYTES;
    memcpy(bytes, w->prefix, w->n);
    memcpy(bytes + w->n, w->version == 4 ? packets_ipv4 : packets_ipv6, n);
    return w->n + n;
}

enum capture_decode_result packets_decode(int link_type, const uint8_t *bytes, uint32_t captured_bytes,
                                          uint32_t wire_bytes, struct capture_segment *out)
{
    uint8_t *copy = malloc(captured_bytes ? captured_bytes : 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, captured_bytes);
    /* Of no bytes, a pointer past the one allocated: a read of it is seen as well. */
    enum capture_decode_result result = capture_decode(link_type, captured_bytes ? copy : copy + 1, captured_bytes,
                                                       wire_bytes, out);
    free(copy);
    return result;
}
