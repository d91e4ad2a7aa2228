/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/rewrite.h"

#include "capture/packet.h"

enum { TYPE_IPV4 = 0x0800, TYPE_ARP = 0x0806, TYPE_VLAN = 0x8100, TYPE_IPV6 = 0x86dd, TYPE_QINQ = 0x88a8,
       TYPE_QINQ_OLD = 0x9100 };
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_ICMPV6 = 58 };

struct rewrite_list {
    const struct capture_rewrite *rewrites;
    size_t n;
};

static bool rewrite_parse_mac(const char *text, uint8_t *bytes)
{
    unsigned v[6];
    int end = 0;
    if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &end) != 6 || text[end] ||
        strspn(text, "0123456789abcdefABCDEF:") != (size_t)end) /* sscanf() skips blanks and takes signs */
        return false;
    for (int i = 0; i < 6; i++)
        bytes[i] = (uint8_t)v[i];
    return true;
}

/* Bytes of the address, 0 when it is none. */
static uint8_t rewrite_parse_address(const char *text, uint8_t bytes[static 16])
{
    struct capture_address address;
    if (rewrite_parse_mac(text, bytes))
        return 6;
    if (!capture_address_parse(text, &address))
        return 0;
    memcpy(bytes, address.bytes, 16);
    return address.family == 4 ? 4 : 16;
}

bool capture_rewrite_parse(const char *text, struct capture_rewrite *rewrite, struct error *err)
{
    char old[64];
    size_t n = strcspn(text, "=");
    *rewrite = (struct capture_rewrite){0};
    if (text[n] != '=' || n >= sizeof old)
        return error_set(err, ERROR_INPUT, "'%s' is not OLD=NEW; try 10.0.0.1=192.168.7.1", text);
    memcpy(old, text, n);
    old[n] = '\0';
    uint8_t from = rewrite_parse_address(old, rewrite->from), to = rewrite_parse_address(text + n + 1, rewrite->to);
    if (!from || !to)
        return error_set(err, ERROR_INPUT, "'%s' is not a MAC, IPv4 or IPv6 address", from ? text + n + 1 : old);
    if (from != to)
        return error_set(err, ERROR_INPUT, "'%s' and '%s' are not addresses of one kind", old, text + n + 1);
    rewrite->bytes = from;
    return true;
}

/* Replaces an address of `bytes` bytes; `before` gets the old one. False when no rewrite fits, or changes nothing. */
static bool rewrite_address(const struct rewrite_list *list, uint8_t *address, uint8_t bytes, uint8_t before[static 16])
{
    for (size_t i = 0; i < list->n; i++) {
        const struct capture_rewrite *r = &list->rewrites[i];
        if (r->bytes == bytes && memcmp(r->from, address, bytes) == 0) {
            memcpy(before, address, bytes);
            memcpy(address, r->to, bytes);
            return memcmp(r->from, r->to, bytes) != 0;
        }
    }
    return false;
}

/* RFC 1624 eqn. 3: HC' = ~(~HC + ~m + m'), for each 16-bit word of an address. */
static void rewrite_checksum(uint8_t *checksum, const uint8_t *before, const uint8_t *after, uint8_t bytes)
{
    uint32_t sum = (uint16_t)~packet_u16(checksum);
    for (uint8_t i = 0; i < bytes; i += 2)
        sum += (uint32_t)(uint16_t)~packet_u16(before + i) + packet_u16(after + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    checksum[0] = (uint8_t)(~sum >> 8 & 0xff);
    checksum[1] = (uint8_t)(~sum & 0xff);
}

/* Where in the transport header the checksum lies that covers the addresses; -1 when none does. */
static int rewrite_checksum_at(uint8_t protocol, bool ipv6)
{
    if (protocol == PROTOCOL_TCP)
        return 16;
    if (protocol == PROTOCOL_UDP)
        return 6;
    return ipv6 && protocol == PROTOCOL_ICMPV6 ? 2 : -1;
}

/* `transport`, of n bytes that are there; n may be 0. */
static void rewrite_transport(uint8_t protocol, bool ipv6, uint8_t *transport, uint32_t n, const uint8_t *before,
                              const uint8_t *after)
{
    int at = rewrite_checksum_at(protocol, ipv6);
    if (at < 0 || n < (uint32_t)at + 2)
        return;
    uint8_t *checksum = transport + at;
    if (protocol == PROTOCOL_UDP && packet_u16(checksum) == 0)
        return; /* RFC 768: the sender made none */
    rewrite_checksum(checksum, before, after, ipv6 ? 16 : 4);
    if (protocol == PROTOCOL_UDP && packet_u16(checksum) == 0)
        checksum[0] = checksum[1] = 0xff;
}

static bool rewrite_ipv4(const struct rewrite_list *list, uint8_t *p, uint32_t n)
{
    uint32_t header = n >= 20 ? (p[0] & 15u) * 4 : 0;
    if (header < 20 || p[0] >> 4 != 4)
        return false;
    bool first = (packet_u16(p + 6) & 0x1fff) == 0, changed = false; /* later fragments have no transport header */
    for (uint32_t at = 12; at <= 16; at += 4) {
        uint8_t before[16];
        if (!rewrite_address(list, p + at, 4, before))
            continue;
        changed = true;
        rewrite_checksum(p + 10, before, p + at, 4);
        if (first && n > header)
            rewrite_transport(p[9], false, p + header, n - header, before, p + at);
    }
    return changed;
}

/* Offset and protocol of the transport header behind IPv6's extension headers; n when there is none. *elsewhere: a
 * routing header still has stops to make, and transport checksums are for its last one (RFC 8200 section 8.1). */
static uint32_t rewrite_ipv6_transport(const uint8_t *p, uint32_t n, uint8_t *protocol, bool *elsewhere)
{
    uint32_t at = 40;
    *protocol = p[6];
    *elsewhere = false;
    /* Hop-by-hop 0, routing 43, fragment 44, destination 60, mobility 135. */
    while (*protocol == 0 || *protocol == 43 || *protocol == 44 || *protocol == 60 || *protocol == 135) {
        if (at + 8 > n || (*protocol == 44 && (packet_u16(p + at + 2) & 0xfff8)))
            return n;
        *elsewhere = *elsewhere || (*protocol == 43 && p[at + 3] > 0);
        uint32_t size = *protocol == 44 ? 8 : (p[at + 1] + 1u) * 8;
        *protocol = p[at];
        at += size;
    }
    return at < n ? at : n;
}

static bool rewrite_ipv6(const struct rewrite_list *list, uint8_t *p, uint32_t n)
{
    if (n < 40 || p[0] >> 4 != 6)
        return false;
    uint8_t protocol;
    bool elsewhere, changed = false;
    uint32_t transport = rewrite_ipv6_transport(p, n, &protocol, &elsewhere);
    for (uint32_t at = 8; at <= 24; at += 16) {
        uint8_t before[16];
        if (!rewrite_address(list, p + at, 16, before))
            continue;
        changed = true;
        if (at == 8 || !elsewhere)
            rewrite_transport(protocol, true, p + transport, n - transport, before, p + at);
    }
    return changed;
}

/* RFC 826, IPv4 over Ethernet: hardware and protocol address of sender and target. */
static bool rewrite_arp(const struct rewrite_list *list, uint8_t *p, uint32_t n)
{
    static const uint8_t kind[6] = {0, 1, 8, 0, 6, 4};
    if (n < 28 || memcmp(p, kind, sizeof kind) != 0)
        return false;
    bool changed = false;
    for (uint32_t at = 8; at <= 18; at += 10) {
        uint8_t before[16];
        changed = rewrite_address(list, p + at, 6, before) || changed;
        changed = rewrite_address(list, p + at + 6, 4, before) || changed;
    }
    return changed;
}

bool capture_rewrite_frame(const struct capture_rewrite *rewrites, size_t n_rewrites, uint8_t *frame, uint32_t n)
{
    const struct rewrite_list list = {rewrites, n_rewrites};
    uint8_t before[16];
    if (n_rewrites == 0 || n < 14)
        return false;
    bool changed = rewrite_address(&list, frame, 6, before);
    changed = rewrite_address(&list, frame + 6, 6, before) || changed;
    uint32_t at = 14;
    uint16_t type = packet_u16(frame + 12);
    while ((type == TYPE_VLAN || type == TYPE_QINQ || type == TYPE_QINQ_OLD) && at + 4 <= n) {
        type = packet_u16(frame + at + 2);
        at += 4;
    }
    if (type == TYPE_IPV4)
        return rewrite_ipv4(&list, frame + at, n - at) || changed;
    if (type == TYPE_IPV6)
        return rewrite_ipv6(&list, frame + at, n - at) || changed;
    if (type == TYPE_ARP)
        return rewrite_arp(&list, frame + at, n - at) || changed;
    return changed;
}
