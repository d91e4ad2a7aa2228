/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"
#include "test/capture/packets.h"
#include "test/cm.h"

#define RAW 12 /* link type: nothing before the IP header */

static struct capture_segment decode_tcp(const uint8_t *bytes, uint32_t captured, uint32_t wire)
{
    struct capture_segment s;
    assert_int_equal(packets_decode(RAW, bytes, captured, wire, &s), CAPTURE_DECODE_TCP);
    return s;
}

/* The IPv4 packet with byte `at` set to `value`, on a wire of its own length. */
static enum capture_decode_result decode_changed(uint32_t at, uint8_t value, struct capture_segment *s)
{
    uint8_t bytes[PACKETS_IPV4_BYTES];
    memcpy(bytes, packets_ipv4, sizeof bytes);
    bytes[at] = value;
    return packets_decode(RAW, bytes, sizeof bytes, sizeof bytes, s);
}

/* IPv4 10.0.0.1.1 > 10.0.0.2.2: Flags [S] with these option bytes (a multiple of four) and no payload. */
static struct capture_segment decode_options(const uint8_t *options, uint32_t n)
{
    uint8_t bytes[80] = {0x45, 0, 0, (uint8_t)(40 + n), 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2};
    bytes[32] = (uint8_t)((5 + n / 4) << 4);
    bytes[33] = CAPTURE_TCP_SYN;
    memcpy(bytes + 40, options, n);
    return decode_tcp(bytes, 40 + n, 40 + n);
}
#define OPTIONS(...) decode_options((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

TEST(test_every_field_of_an_ipv4_segment)
{
    struct capture_segment s = decode_tcp(packets_ipv4, PACKETS_IPV4_BYTES, PACKETS_IPV4_BYTES);
    assert_int_equal(s.src.family, 4);
    assert_memory_equal(s.src.bytes, ((uint8_t[16]){10, 0, 0, 1}), 16);
    assert_memory_equal(s.dst.bytes, ((uint8_t[16]){10, 0, 0, 2}), 16);
    assert_ints({s.src_port, 1234}, {s.dst_port, 80}, {s.tag, 0}, {s.seq, 0x01020304}, {s.ack, 0x0a0b0c0d},
                {s.payload_bytes, 5}, {s.window, 512}, {s.ip_id, 0x1234}, {s.checksum, 0xbeef},
                {s.flags, CAPTURE_TCP_PSH | CAPTURE_TCP_ACK});
    assert_true(s.has_timestamps);
    assert_ints({s.tsval, 7}, {s.tsecr, 9});
    assert_false(s.has_mss || s.has_window_scale || s.sack_permitted || s.options_cut || s.n_sack);
}

TEST(test_every_field_of_an_ipv6_segment)
{
    struct capture_segment s = decode_tcp(packets_ipv6, PACKETS_IPV6_BYTES, PACKETS_IPV6_BYTES);
    assert_int_equal(s.dst.family, 6);
    assert_memory_equal(s.src.bytes, packets_ipv6 + 8, 16);
    assert_memory_equal(s.dst.bytes, packets_ipv6 + 24, 16);
    assert_ints({s.ip_id, 0}, {s.payload_bytes, 5}, {s.tsecr, 9});
}

/* options [mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7], as Linux sends them with a SYN */
TEST(test_options_of_a_syn)
{
    struct capture_segment s = OPTIONS(2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7);
    assert_true(s.has_mss && s.has_window_scale && s.sack_permitted && s.has_timestamps);
    assert_ints({s.mss, 1460}, {s.window_scale, 7}, {s.tsval, 1}, {s.flags, CAPTURE_TCP_SYN}, {s.payload_bytes, 0});
}

TEST(test_window_scale_is_at_most_14)
{
    assert_ints({OPTIONS(3, 3, 14, 0).window_scale, 14}, {OPTIONS(3, 3, 255, 0).window_scale, 14});
}

/* options [nop,nop,sack 2 {1:2}{4294967295:16}] */
TEST(test_sack_blocks)
{
    struct capture_segment s =
        OPTIONS(1, 1, 5, 18, 0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 16);
    assert_ints({s.n_sack, 2}, {s.sack[0].start, 1}, {s.sack[0].end, 2}, {s.sack[1].start, 0xffffffff},
                {s.sack[1].end, 16});
    uint8_t four[36] = {1, 1, 5, 34, [35] = 4};
    s = decode_options(four, sizeof four);
    assert_ints({s.n_sack, 4}, {s.sack[3].end, 4});
}

TEST(test_broken_options_cost_only_themselves)
{
    assert_true(OPTIONS(2, 4, 5, 0xb4, 8, 0, 0, 0).has_mss);           /* length 0: nothing after it */
    assert_false(OPTIONS(8, 0, 0, 0, 2, 4, 5, 0xb4).has_mss);
    assert_false(OPTIONS(2, 200, 5, 0xb4).has_mss);                    /* longer than the header */
    assert_false(OPTIONS(1, 1, 1, 2).has_mss);                         /* a kind without a length */
    assert_false(OPTIONS(2, 3, 5, 1).has_mss);                         /* not the length of its kind */
    assert_false(OPTIONS(0, 2, 4, 5, 0xb4, 0, 0, 0).has_mss);          /* after the end of the list */
    assert_int_equal(OPTIONS(5, 9, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1).n_sack, 0); /* not whole blocks */
    assert_int_equal(OPTIONS(253, 6, 1, 2, 3, 4, 3, 3, 5, 1, 1, 1).window_scale, 5); /* unknown: skipped */
}

/* A bare ACK of 40 bytes in the 60 an Ethernet frame must have; the padding is no payload and no option. */
TEST(test_ethernet_padding_is_no_payload)
{
    uint8_t bytes[60] = {[12] = 8, [14] = 0x45, [17] = 40, [23] = 6, [46] = 0x50, [47] = CAPTURE_TCP_ACK};
    memset(bytes + 54, 0xff, 6);
    struct capture_segment s;
    assert_int_equal(packets_decode(1, bytes, 60, 60, &s), CAPTURE_DECODE_TCP);
    assert_int_equal(s.payload_bytes, 0);
}

/* 9000 bytes of IP packet of which 57 were captured: 9000 - 20 - 32. */
TEST(test_payload_is_counted_as_sent_not_as_captured)
{
    uint8_t bytes[PACKETS_IPV4_BYTES];
    memcpy(bytes, packets_ipv4, sizeof bytes);
    bytes[2] = 9000 >> 8;
    bytes[3] = 9000 & 0xff;
    assert_int_equal(decode_tcp(bytes, sizeof bytes, 9000).payload_bytes, 8948);
    assert_int_equal(decode_tcp(bytes, sizeof bytes, 57).payload_bytes, 8948); /* a tool that lost the wire length */
}

/* Super-frames beyond 65535 bytes: 100000 - 20 - 32 and 100000 - 40 - 32. */
TEST(test_ip_length_of_zero_means_to_the_end_of_the_frame)
{
    uint8_t bytes[PACKETS_IPV6_BYTES];
    memcpy(bytes, packets_ipv4, PACKETS_IPV4_BYTES);
    bytes[3] = 0;
    assert_int_equal(decode_tcp(bytes, PACKETS_IPV4_BYTES, 100000).payload_bytes, 99948);
    memcpy(bytes, packets_ipv6, PACKETS_IPV6_BYTES);
    bytes[5] = 0;
    assert_int_equal(decode_tcp(bytes, PACKETS_IPV6_BYTES, 100000).payload_bytes, 99928);
}

TEST(test_ipv4_options_are_skipped)
{
    uint8_t bytes[PACKETS_IPV4_BYTES + 4];
    memcpy(bytes, packets_ipv4, 20);
    memcpy(bytes + 20, (const uint8_t[]){0x94, 4, 0, 0}, 4); /* router alert */
    memcpy(bytes + 24, packets_ipv4 + 20, PACKETS_IPV4_BYTES - 20);
    bytes[0] = 0x46;
    bytes[3] = sizeof bytes;
    struct capture_segment s = decode_tcp(bytes, sizeof bytes, sizeof bytes);
    assert_ints({s.src_port, 1234}, {s.payload_bytes, 5});
}

TEST(test_only_the_first_ipv4_fragment_is_a_segment)
{
    struct capture_segment s;
    assert_int_equal(decode_changed(6, 0x20, &s), CAPTURE_DECODE_TCP); /* more fragments, offset 0 */
    assert_int_equal(s.payload_bytes, 5);
    assert_int_equal(decode_changed(7, 1, &s), CAPTURE_DECODE_OTHER);
    assert_int_equal(decode_changed(6, 0x1f, &s), CAPTURE_DECODE_OTHER);
}

/* Flags and version of a UDP payload's first bytes. */
static struct capture_segment decode_datagram(uint8_t flags, uint32_t version, uint32_t captured)
{
    uint8_t bytes[60] = {0x45, 0, 0, 60, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x13, 0x88, 0x01, 0xbb};
    struct capture_segment s;
    bytes[28] = flags;
    for (int i = 0; i < 4; i++)
        bytes[29 + i] = (uint8_t)(version >> 8 * (3 - i));
    assert_int_equal(packets_decode(RAW, bytes, captured, sizeof bytes, &s), CAPTURE_DECODE_OTHER);
    return s;
}

/* RFC 9000, 17.2: 0xc0 and more is a long header with the fixed bit; versions 1 (RFC 9000), 2 (RFC 9369), drafts. */
TEST(test_long_headers_of_quic_are_told_from_other_datagrams)
{
    struct capture_segment s = decode_datagram(0xc3, 1, 60);
    assert_ints({s.datagram, CAPTURE_DATAGRAM_QUIC}, {s.src_port, 5000}, {s.dst_port, 443});
    assert_int_equal(decode_datagram(0xd0, 0x6b3343cf, 60).datagram, CAPTURE_DATAGRAM_QUIC);
    assert_int_equal(decode_datagram(0xc0, 0xff00001d, 60).datagram, CAPTURE_DATAGRAM_QUIC);
    assert_int_equal(decode_datagram(0xc3, 0x12345678, 60).datagram, CAPTURE_DATAGRAM_UDP);
    assert_int_equal(decode_datagram(0x43, 1, 60).datagram, CAPTURE_DATAGRAM_UDP); /* a short header */
    assert_int_equal(decode_datagram(0xc3, 1, 32).datagram, CAPTURE_DATAGRAM_UDP); /* the version is cut */
    assert_int_equal(decode_changed(9, 6, &s), CAPTURE_DECODE_TCP);
    assert_int_equal(s.datagram, CAPTURE_DATAGRAM_NONE);
}

TEST(test_contradictions_are_malformed)
{
    struct capture_segment s;
    assert_int_equal(decode_changed(0, 0x44, &s), CAPTURE_DECODE_MALFORMED); /* IHL 4 */
    assert_int_equal(decode_changed(0, 0x55, &s), CAPTURE_DECODE_MALFORMED); /* IP version 5 */
    assert_int_equal(decode_changed(3, 19, &s), CAPTURE_DECODE_MALFORMED);   /* total length below the IP header's */
    assert_int_equal(decode_changed(3, 39, &s), CAPTURE_DECODE_MALFORMED);   /* no room for a TCP header */
    assert_int_equal(decode_changed(3, 51, &s), CAPTURE_DECODE_MALFORMED);   /* no room for this TCP header */
    assert_int_equal(decode_changed(3, 52, &s), CAPTURE_DECODE_TCP);
    assert_int_equal(decode_changed(32, 0x40, &s), CAPTURE_DECODE_MALFORMED); /* data offset 4 */
    assert_int_equal(decode_changed(32, 0xf0, &s), CAPTURE_DECODE_MALFORMED); /* 60 bytes of header in 37 */
    assert_int_equal(decode_changed(9, 17, &s), CAPTURE_DECODE_OTHER);        /* UDP is nobody's fault */
    assert_int_equal(decode_changed(9, 1, &s), CAPTURE_DECODE_OTHER);
}

/* The IPv6 packet with one more header of n bytes (a multiple of 8) before TCP; payload length `length`. */
static enum capture_decode_result decode_extension(uint8_t kind, const uint8_t *header, uint32_t n, uint16_t length,
                                                   uint32_t wire, struct capture_segment *s)
{
    uint8_t bytes[PACKETS_IPV6_BYTES + 64];
    memcpy(bytes, packets_ipv6, 40);
    memcpy(bytes + 40, header, n);
    memcpy(bytes + 40 + n, packets_ipv6 + 40, 37);
    bytes[4] = (uint8_t)(length >> 8);
    bytes[5] = (uint8_t)length;
    bytes[6] = kind;
    for (uint32_t captured = 0; captured < 77 + n; captured++) { /* never a segment of another length */
        enum capture_decode_result got = packets_decode(RAW, bytes, captured, wire, s);
        assert_true(got == CAPTURE_DECODE_SHORT || captured >= 40);
        if (got == CAPTURE_DECODE_TCP)
            assert_int_equal(s->payload_bytes, wire - 40 - n - 32);
    }
    return packets_decode(RAW, bytes, 77 + n, wire, s);
}

TEST(test_ipv6_extension_headers_are_walked)
{
    const struct { uint8_t kind, n; uint8_t bytes[24]; } headers[] = {
        {0, 8, {6, 0, 1, 4}},          /* hop-by-hop: PadN */
        {43, 24, {6, 2, 4, 0}},        /* routing */
        {60, 16, {6, 1, 1, 12}},       /* destination options */
        {44, 8, {6, 0, 0, 1}},         /* fragment, offset 0, more to come */
        {51, 24, {6, 4}},              /* authentication: (4 + 2) * 4 */
        {135, 8, {6, 0}},              /* mobility */
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct capture_segment s;
        uint32_t n = headers[i].n;
        assert_int_equal(decode_extension(headers[i].kind, headers[i].bytes, n, (uint16_t)(37 + n), 77 + n, &s),
                         CAPTURE_DECODE_TCP);
        assert_ints({s.src_port, 1234}, {s.payload_bytes, 5});
    }
}

TEST(test_ipv6_extension_headers_that_end_it)
{
    struct capture_segment s;
    assert_int_equal(decode_extension(44, (const uint8_t[8]){6, 0, 0, 8}, 8, 45, 85, &s), CAPTURE_DECODE_OTHER);
    assert_int_equal(decode_extension(59, (const uint8_t[8]){0}, 8, 45, 85, &s), CAPTURE_DECODE_OTHER); /* no next */
    /* a destination header of 2048 bytes in a payload of 45 */
    assert_int_equal(decode_extension(60, (const uint8_t[8]){6, 255}, 8, 45, 85, &s), CAPTURE_DECODE_MALFORMED);
}

/* Linux BIG TCP: a hop-by-hop header with the jumbo payload option, length 0x00020000 = 131072 after the first 40
 * bytes, 8 of them the option's header and 32 TCP's. */
TEST(test_ipv6_jumbo_payload_length_is_taken)
{
    struct capture_segment s;
    const uint8_t jumbo[8] = {6, 0, 0xc2, 4, 0, 2, 0, 0};
    assert_int_equal(decode_extension(0, jumbo, 8, 0, 131112, &s), CAPTURE_DECODE_TCP);
    assert_int_equal(s.payload_bytes, 131072 - 8 - 32);
    const uint8_t padded[24] = {6, 2, 0, 1, 2, 0, 0, 0, 0x1e, 4, 0, 9, 9, 9, 0xc2, 4, 0, 2, 0, 0, 1, 2, 0, 0};
    assert_int_equal(decode_extension(0, padded, 24, 0, 131112, &s), CAPTURE_DECODE_TCP); /* 0x1e: not known to us */
    assert_int_equal(s.payload_bytes, 131072 - 24 - 32);
    /* RFC 2675: below 65536 it is an error; near 2^32 no sum may wrap */
    assert_int_equal(decode_extension(0, (const uint8_t[8]){6, 0, 0xc2, 4, 0, 0, 0xff, 0xff}, 8, 0, 131112, &s),
                     CAPTURE_DECODE_MALFORMED);
    assert_int_equal(decode_extension(0, (const uint8_t[8]){6, 0, 0xc2, 4, 255, 255, 255, 255}, 8, 0, 131112, &s),
                     CAPTURE_DECODE_MALFORMED);
}

TEST(test_addresses_are_written_and_read)
{
    struct capture_segment s = decode_tcp(packets_ipv6, PACKETS_IPV6_BYTES, PACKETS_IPV6_BYTES);
    struct capture_address a;
    char text[CAPTURE_ADDRESS_TEXT];
    capture_address_format(&s.dst, text);
    assert_string_equal(text, "2001:db8::2");
    assert_true(capture_address_parse("2001:DB8:0::2", &a));
    assert_memory_equal(&a, &s.dst, sizeof a);
    s = decode_tcp(packets_ipv4, PACKETS_IPV4_BYTES, PACKETS_IPV4_BYTES);
    capture_address_format(&s.src, text);
    assert_string_equal(text, "10.0.0.1");
    assert_true(capture_address_parse("10.0.0.1", &a));
    assert_memory_equal(&a, &s.src, sizeof a);
    assert_false(capture_address_parse("10.0.0", &a));
    assert_false(capture_address_parse("10.0.0.1:80", &a));
    assert_false(capture_address_parse("h0", &a));
    assert_false(capture_address_parse("", &a));
}

/* Whatever the bytes, what comes out keeps the promises of the header. AddressSanitizer watches the rest. */
TEST(test_mutated_packets_keep_the_promises)
{
    struct random r = random_of(2024);
    uint32_t seen[4] = {0};
    for (int i = 0; i < 100000; i++) {
        const struct packet_wrapping *w = &packets_wrappings[random_below(&r, packets_n_wrappings)];
        uint8_t bytes[PACKETS_MAX_BYTES];
        uint32_t n = packets_build(w, bytes);
        for (uint64_t k = random_below(&r, 4); k > 0; k--)
            bytes[random_below(&r, n)] = (uint8_t)random_next(&r);
        uint32_t captured = random_below(&r, 2) ? n : (uint32_t)random_below(&r, n + 1);
        struct capture_segment s;
        enum capture_decode_result got = packets_decode(w->link_type, bytes, captured, n, &s);
        assert_in_range(got, CAPTURE_DECODE_TCP, CAPTURE_DECODE_MALFORMED);
        seen[got]++;
        if (got != CAPTURE_DECODE_TCP)
            continue;
        assert_true(s.src.family == 4 || s.src.family == 6);
        assert_int_equal(s.src.family, s.dst.family);
        assert_all(s.window_scale <= 14, s.n_sack <= 4, s.payload_bytes <= 65535 || s.src.family == 6);
    }
    for (int i = 0; i < 4; i++)
        assert_true(seen[i] > 1000); /* every way out was taken */
}
