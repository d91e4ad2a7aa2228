/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/headers.h"

#include "emu/headers.h"

#include "capture/decode.h"
#include "emu/native/segment.h"

#include <pcap/dlt.h>

#include "test/cm.h"

static const struct native_header_fields usual = {
    .src_station = 2, .dst_station = 0, .src_port = 49152, .dst_port = 5001, .seq = 0xfffffff0, .ack = 77,
    .flags = NATIVE_ACK | NATIVE_PUSH, .window = 1234, .ip_id = 99, .ts = 5, .ts_echo = 4, .payload_bytes = 1448,
    .mss = 1460, .window_scale = 6, .sack_permitted = true,
};

/* One's-complement sum over everything is 0xffff when the checksum is right (RFC 1071). */
static uint32_t sum(const uint8_t *bytes, size_t n, uint32_t s)
{
    for (size_t i = 0; i < n; i++)
        s += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
    while (s >> 16)
        s = (s & 0xffff) + (s >> 16);
    return s;
}

static size_t write_whole(const struct native_header_fields *h, uint8_t frame[static 2000])
{
    memset(frame, 0xaa, 2000);
    size_t n = native_headers_write(h, frame, 2000);
    uint32_t ip_bytes = native_headers_ip_bytes(h->flags & NATIVE_SYN, h->n_sack, h->payload_bytes);
    assert_int_equal(n, 14 + (ip_bytes < 46 ? 46 : ip_bytes));
    assert_int_equal(sum(frame + 14, 20, 0), 0xffff);
    assert_int_equal(sum(frame + 34, ip_bytes - 20, sum(frame + 26, 8, 6 + ip_bytes - 20)), 0xffff);
    return n;
}

static struct capture_segment decoded(const struct native_header_fields *h)
{
    uint8_t frame[2000];
    struct capture_segment s;
    size_t n = write_whole(h, frame);
    assert_int_equal(capture_decode(DLT_EN10MB, frame, (uint32_t)n, (uint32_t)n, &s), CAPTURE_DECODE_TCP);
    return s;
}

TEST(test_data_say_what_they_are)
{
    uint8_t frame[2000];
    assert_int_equal(write_whole(&usual, frame), 1514);
    const uint8_t macs[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 3, 8, 0};
    assert_memory_equal(frame, macs, sizeof macs);
    struct capture_segment s = decoded(&usual);
    char text[2][64];
    snprintf(text[0], 64, "%d.%d.%d.%d", s.src.bytes[0], s.src.bytes[1], s.src.bytes[2], s.src.bytes[3]);
    assert_string_equal(text[0], "10.0.0.3"); /* station 2 */
    assert_ints({s.dst.bytes[3], 1}, {s.src_port, 49152}, {s.dst_port, 5001}, {s.seq, 0xfffffff0}, {s.ack, 77},
                {s.flags, CAPTURE_TCP_ACK | CAPTURE_TCP_PSH}, {s.window, 1234}, {s.ip_id, 99}, {s.payload_bytes, 1448});
    assert_true(s.has_timestamps);
    assert_ints({s.tsval, 5}, {s.tsecr, 4});
}

TEST(test_a_syn_carries_its_options)
{
    struct native_header_fields h = usual;
    h.flags = NATIVE_SYN;
    h.payload_bytes = 0;
    struct capture_segment s = decoded(&h);
    assert_true(s.has_mss && s.has_window_scale && s.sack_permitted && s.has_timestamps);
    assert_ints({s.mss, 1460}, {s.window_scale, 6});
    h.sack_permitted = false;
    assert_false(decoded(&h).sack_permitted);
}

TEST(test_sack_blocks_are_told)
{
    struct native_header_fields h = usual;
    h.payload_bytes = 0;
    for (uint8_t n = 1; n <= 3; n++) {
        h.n_sack = n;
        for (uint32_t i = 0; i < n; i++) {
            h.sack[i][0] = 1000 * (i + 1);
            h.sack[i][1] = 1000 * (i + 1) + 500;
        }
        struct capture_segment s = decoded(&h);
        assert_ints({s.n_sack, n}, {s.sack[n - 1].start, 1000 * n}, {s.sack[n - 1].end, 1000 * n + 500});
    }
}

TEST(test_a_snap_length_cuts)
{
    uint8_t frame[2000], whole[2000];
    write_whole(&usual, whole);
    for (size_t limit = 0; limit < 200; limit += 7) {
        memset(frame, 0xaa, sizeof frame);
        assert_int_equal(native_headers_write(&usual, frame, limit), limit);
        assert_memory_equal(frame, whole, limit);
        assert_int_equal(frame[limit], 0xaa);
    }
}

/* Hellos and the end of the handshake are recognised as QUIC, by the long header; what follows is UDP. */
TEST(test_quic_begins_with_long_headers)
{
    static const struct {
        bool initial, handshake;
        uint32_t bytes;
        uint8_t first, datagram;
    } rows[] = {{true, false, 1200, 0xc3, CAPTURE_DATAGRAM_QUIC}, {false, true, 100, 0xe3, CAPTURE_DATAGRAM_QUIC},
                {false, false, 1472, 0x43, CAPTURE_DATAGRAM_UDP}, {false, false, 37, 0x43, CAPTURE_DATAGRAM_UDP}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct native_quic_fields h = {.src_station = 2, .dst_station = 0, .src_port = 49153, .dst_port = 443, .src_id = 2,
                                       .dst_id = 3, .initial = rows[i].initial, .handshake = rows[i].handshake,
                                       .datagram_bytes = rows[i].bytes};
        uint8_t frame[2000];
        struct capture_segment s;
        uint32_t n = (uint32_t)native_headers_write_quic(&h, frame, sizeof frame), udp = rows[i].bytes + 8;
        assert_int_equal(n, 14 + 20 + udp);
        assert_int_equal(sum(frame + 14, 20, 0), 0xffff);
        assert_int_equal(sum(frame + 34, udp, sum(frame + 26, 8, 17 + udp)), 0xffff);
        const uint8_t *quic = frame + 42, lengths[] = {0, 0, 0, 1, 8}; /* of version 1, and of the peer's ID */
        const bool is_long = rows[i].datagram == CAPTURE_DATAGRAM_QUIC;
        assert_int_equal(quic[0], rows[i].first);
        assert_int_equal(quic[is_long ? 13 : 8], 3);
        if (is_long) { /* RFC 9000, section 17.2: its own ID, a token of none, and the bytes of what follows the length itself */
            const uint8_t *at = quic + 24 - !rows[i].initial;
            assert_memory_equal(quic + 1, lengths, sizeof lengths);
            assert_ints({quic[14], 8}, {quic[22], 2}, {rows[i].initial ? quic[23] : 0, 0}, {at[0] >> 6, 1},
                        {((at[0] & 0x3f) << 8) + at[1], quic + rows[i].bytes - at - 2});
        }
        assert_int_equal(capture_decode(DLT_EN10MB, frame, 96, n, &s), CAPTURE_DECODE_OTHER);
        assert_ints({s.datagram, rows[i].datagram}, {s.dst_port, 443});
    }
}

/* RFC 768, 863: from each source a port of its own, to one where nobody answers; padded to the least frame. */
TEST(test_datagrams_are_udp)
{
    for (int i = 0; i < 2; i++) {
        struct emu_frame f = {.packet = emu_frame_tag((uint64_t)i), .dst = 0, .src = 2, .ethertype = EMU_FRAME_IPV4,
                              .payload_bytes = (uint16_t)(i ? 1200 : 40)};
        uint8_t frame[2000];
        struct capture_segment s;
        uint32_t n = (uint32_t)emu_headers_datagram(&f, frame, sizeof frame), udp = f.payload_bytes - 20u;
        assert_int_equal(n, 14 + (i ? 1200 : 46));
        assert_int_equal(sum(frame + 14, 20, 0), 0xffff);
        assert_int_equal(sum(frame + 34, udp, sum(frame + 26, 8, 17 + udp)), 0xffff);
        assert_int_equal(capture_decode(DLT_EN10MB, frame, 96, n, &s), CAPTURE_DECODE_OTHER);
        assert_ints({s.datagram, CAPTURE_DATAGRAM_UDP}, {s.src_port, 32768 + i}, {s.dst_port, 9});
    }
}
