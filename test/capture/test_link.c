/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/capture/packets.h"
#include "test/cm.h"

#include <pcap/dlt.h>

#define ETHERNET 1

static const struct packet_wrapping *wrapping(const char *name)
{
    for (size_t i = 0; i < packets_n_wrappings; i++)
        if (strcmp(packets_wrappings[i].name, name) == 0)
            return &packets_wrappings[i];
    fail_msg("no wrapping %s", name);
    return NULL;
}

/* The Ethernet frame of a wrapping with byte `at` set to `value`. */
static enum capture_decode_result decode_changed(const char *name, uint32_t at, uint8_t value,
                                                 struct capture_segment *s)
{
    uint8_t bytes[PACKETS_MAX_BYTES];
    const struct packet_wrapping *w = wrapping(name);
    uint32_t n = packets_build(w, bytes);
    bytes[at] = value;
    return packets_decode(w->link_type, bytes, n, n, s);
}

static uint32_t tag_changed(const char *name, uint32_t at, uint8_t value)
{
    struct capture_segment s;
    assert_int_equal(decode_changed(name, at, value, &s), CAPTURE_DECODE_TCP);
    return s.tag;
}

TEST(test_every_wrapping_holds_the_same_segment)
{
    for (size_t i = 0; i < packets_n_wrappings; i++) {
        const struct packet_wrapping *w = &packets_wrappings[i];
        uint8_t bytes[PACKETS_MAX_BYTES];
        uint32_t n = packets_build(w, bytes);
        struct capture_segment s;
        print_message("%s\n", w->name);
        assert_true(capture_decode_supports(w->link_type));
        assert_int_equal(packets_decode(w->link_type, bytes, n, n, &s), CAPTURE_DECODE_TCP);
        assert_ints({s.src.family, w->version}, {s.src_port, 1234}, {s.dst_port, 80}, {s.seq, 0x01020304},
                    {s.payload_bytes, PACKETS_PAYLOAD_BYTES}, {s.tag != 0, w->tagged});
        assert_false(s.options_cut);
    }
}

/* From the data offset and flags of the TCP header on (14 bytes) there is a segment; it is all there after
 * the 32 bytes of the header; before, the snap length is to blame, not the packet. */
TEST(test_every_cut_of_every_wrapping_is_short_until_the_flags_are_there)
{
    for (size_t i = 0; i < packets_n_wrappings; i++) {
        const struct packet_wrapping *w = &packets_wrappings[i];
        uint8_t bytes[PACKETS_MAX_BYTES];
        uint32_t n = packets_build(w, bytes), tcp = n - 37;
        for (uint32_t captured = 0; captured <= n; captured++) {
            struct capture_segment s;
            enum capture_decode_result got = packets_decode(w->link_type, bytes, captured, n, &s);
            assert_int_equal(got, captured < tcp + 14 ? CAPTURE_DECODE_SHORT : CAPTURE_DECODE_TCP);
            if (got != CAPTURE_DECODE_TCP)
                continue;
            assert_ints({s.payload_bytes, PACKETS_PAYLOAD_BYTES}, {s.ack, 0x0a0b0c0d},
                        {s.flags, CAPTURE_TCP_PSH | CAPTURE_TCP_ACK}, {s.options_cut, captured < tcp + 32},
                        {s.window, captured < tcp + 16 ? 0 : 512}, {s.checksum, captured < tcp + 18 ? 0 : 0xbeef},
                        {s.has_timestamps, captured >= tcp + 32});
        }
    }
}

/* As above, but the wire ended there: a runt, not a snap length. Without an IP length to contradict (link headers
 * only) it is malformed too. */
TEST(test_frames_that_end_inside_their_headers_are_malformed)
{
    for (size_t i = 0; i < packets_n_wrappings; i++) {
        const struct packet_wrapping *w = &packets_wrappings[i];
        uint8_t bytes[PACKETS_MAX_BYTES];
        struct capture_segment s;
        packets_build(w, bytes);
        if (strstr(w->name, "VXLAN")) /* a UDP datagram of any length is sound */
            continue;
        for (uint32_t n = 0; n < w->n + 20; n++)
            assert_int_equal(packets_decode(w->link_type, bytes, n, n, &s), CAPTURE_DECODE_MALFORMED);
    }
}

TEST(test_tag_tells_vlans_sessions_and_vnis_apart)
{
    const uint32_t tags[] = {
        0,
        tag_changed("vlan 5", 15, 5),
        tag_changed("vlan 5", 15, 6),
        tag_changed("vlan 5", 14, 1), /* vlan 0x105 */
        tag_changed("802.1ad vlan 7, vlan 5", 15, 7),
        tag_changed("802.1ad vlan 7, vlan 5", 15, 5), /* 5 in 5 */
        tag_changed("802.1ad vlan 7, vlan 5", 19, 7), /* 7 in 7 */
        tag_changed("PPPoE ses 0x11", 17, 0x11),
        tag_changed("PPPoE ses 0x11", 17, 5),
        tag_changed("vlan 5, PPPoE", 15, 5),
        tag_changed("VXLAN", 48, 100),
        tag_changed("VXLAN", 48, 5),
        tag_changed("VXLAN", 48, 0), /* VNI 0 is a network like any other */
    };
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(tags[i], tags[k]);
}

TEST(test_tag_ignores_priorities_and_empty_tags)
{
    assert_int_equal(tag_changed("vlan 5", 14, 0xe0), tag_changed("vlan 5", 14, 0));
    assert_int_equal(tag_changed("802.1ad vlan 7, vlan 5", 15, 0), tag_changed("vlan 5", 15, 5));
    assert_int_equal(tag_changed("vlan 0, a priority tag", 14, 0), 0);
}

TEST(test_what_is_not_ip_is_other)
{
    struct capture_segment s;
    assert_int_equal(decode_changed("Ethernet", 13, 0x06, &s), CAPTURE_DECODE_OTHER);    /* ARP */
    assert_int_equal(decode_changed("Ethernet", 12, 0x00, &s), CAPTURE_DECODE_OTHER);    /* 802.3, LLC length 0 */
    assert_int_equal(decode_changed("Ethernet", 12, 0x05, &s), CAPTURE_DECODE_OTHER);    /* 802.3, LLC length 1280 */
    assert_int_equal(decode_changed("vlan 5", 16, 0x88, &s), CAPTURE_DECODE_OTHER);
    assert_int_equal(decode_changed("PPPoE ses 0x11", 20, 0xc0, &s), CAPTURE_DECODE_OTHER); /* LCP */
    assert_int_equal(decode_changed("Linux cooked", 14, 0x00, &s), CAPTURE_DECODE_OTHER);
    assert_int_equal(decode_changed("BSD null, little-endian", 0, 7, &s), CAPTURE_DECODE_OTHER); /* OSI */
    assert_int_equal(decode_changed("VXLAN", 36, 0x13, &s), CAPTURE_DECODE_OTHER);       /* UDP port 5045 */
    assert_int_equal(decode_changed("VXLAN", 42, 0x00, &s), CAPTURE_DECODE_OTHER);       /* no VNI */
}

/* IEEE 802.3, annex 31B: to 01-80-c2-00-00-01, EtherType 0x8808, opcode 1, and the time in quanta. */
TEST(test_pause_frames_are_known)
{
    uint8_t frame[60] = {1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 7, 0x88, 0x08, 0, 1, 0x12, 0x34};
    uint32_t quanta = 0;
    struct capture_segment s;
    assert_int_equal(capture_decode(DLT_EN10MB, frame, 60, 60, &s), CAPTURE_DECODE_OTHER);
    assert_true(capture_decode_pause(DLT_EN10MB, frame, 60, &quanta));
    assert_int_equal(quanta, 0x1234);
    assert_true(capture_decode_pause(DLT_EN10MB, frame, 18, &quanta));
    assert_false(capture_decode_pause(DLT_EN10MB, frame, 17, &quanta));
    assert_false(capture_decode_pause(DLT_RAW, frame, 60, &quanta));
    frame[14] = 1; /* 0x0101: priority flow control stops classes, not the line */
    assert_false(capture_decode_pause(DLT_EN10MB, frame, 60, &quanta));
    frame[14] = 0;
    frame[13] = 0x06; /* ARP */
    assert_false(capture_decode_pause(DLT_EN10MB, frame, 60, &quanta));
}

TEST(test_ip_version_must_be_the_one_announced)
{
    struct capture_segment s;
    assert_int_equal(decode_changed("Ethernet", 14, 0x65, &s), CAPTURE_DECODE_MALFORMED);
    assert_int_equal(decode_changed("Ethernet, IPv6", 14, 0x45, &s), CAPTURE_DECODE_MALFORMED);
    assert_int_equal(decode_changed("raw IPv4", 0, 0x65, &s), CAPTURE_DECODE_MALFORMED);
    assert_int_equal(decode_changed("raw IPv6", 0, 0x45, &s), CAPTURE_DECODE_MALFORMED);
    assert_int_equal(decode_changed("raw IP", 0, 0x55, &s), CAPTURE_DECODE_MALFORMED);
    assert_int_equal(decode_changed("PPPoE ses 0x11", 22, 0x65, &s), CAPTURE_DECODE_MALFORMED);
    assert_int_equal(decode_changed("BSD null, big-endian", 4, 0x65, &s), CAPTURE_DECODE_MALFORMED);
}

/* Four VXLAN tunnels inside one another are followed, a fifth is not. Lengths of 0 (to the end of the frame)
 * spare the outer headers their sums. */
TEST(test_tunnels_in_tunnels_are_followed_four_deep)
{
    const struct packet_wrapping *w = wrapping("VXLAN");
    const uint32_t outer = 50; /* without the inner Ethernet header */
    for (uint32_t depth = 1; depth <= 5; depth++) {
        uint8_t bytes[5 * 64 + PACKETS_MAX_BYTES];
        for (uint32_t i = 0; i < depth; i++) {
            memcpy(bytes + i * outer, w->prefix, outer);
            memset(bytes + i * outer + 16, 0, 2);
        }
        uint32_t n = depth * outer + packets_build(wrapping("Ethernet"), bytes + depth * outer);
        struct capture_segment s;
        assert_int_equal(packets_decode(ETHERNET, bytes, n, n, &s),
                         depth <= 4 ? CAPTURE_DECODE_TCP : CAPTURE_DECODE_OTHER);
    }
}

TEST(test_vxlan_cut_before_its_vni_is_short)
{
    uint8_t bytes[PACKETS_MAX_BYTES];
    struct capture_segment s;
    uint32_t n = packets_build(wrapping("VXLAN"), bytes);
    assert_int_equal(packets_decode(ETHERNET, bytes, 14 + 20 + 15, n, &s), CAPTURE_DECODE_SHORT);
}

/* 13 bytes of inner frame (20 + 8 + 8 + 13 = 49) and Ethernet padding behind them that looks like more. */
TEST(test_padding_does_not_mend_a_short_inner_frame)
{
    struct capture_segment s;
    assert_int_equal(decode_changed("VXLAN", 17, 49, &s), CAPTURE_DECODE_MALFORMED);
    assert_int_equal(decode_changed("VXLAN", 17, 50, &s), CAPTURE_DECODE_MALFORMED); /* no IP header */
    assert_int_equal(decode_changed("VXLAN", 17, 50 + 57, &s), CAPTURE_DECODE_TCP);
}

TEST(test_unknown_link_types_are_not_supported)
{
    struct capture_segment s;
    assert_false(capture_decode_supports(105)); /* IEEE 802.11 */
    assert_false(capture_decode_supports(-1));
    assert_int_equal(packets_decode(105, packets_ipv4, PACKETS_IPV4_BYTES, PACKETS_IPV4_BYTES, &s),
                     CAPTURE_DECODE_OTHER);
}
