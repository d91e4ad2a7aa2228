/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames as a stack of Linux sends them, bytes written by hand. */
#include "emu/linux/packet.h"

#include "test/cm.h"

/* From station 2 to station 1: IPv4, TCP 49153 > 5002 (flow 1), sequence 0x01020304, `data` bytes, flags. */
static size_t tcp_frame(uint8_t *b, size_t data, uint8_t flags)
{
    static const uint8_t start[54] = {
        2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 3, 8, 0,                                  /* Ethernet: MAC is station + 1 */
        0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 3, 10, 0, 0, 2,       /* IPv4, protocol 6 */
        0xc0, 0x01, 0x13, 0x8a, 1, 2, 3, 4, 0, 0, 0, 9, 0x50, 0, 0, 0, 0, 0, 0, 0, /* TCP, 20 bytes */
    };
    memcpy(b, start, sizeof start);
    memset(b + sizeof start, 0, data);
    b[17] = (uint8_t)(40 + data);
    b[47] = flags;
    return sizeof start + data;
}

/* RFC 1071, over a header of 20 bytes. */
static void ip_checksum(uint8_t *ip)
{
    uint32_t sum = 0;
    ip[10] = ip[11] = 0;
    for (int i = 0; i < 20; i += 2)
        sum += ip[i] * 256u + ip[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    sum = ~(sum + (sum >> 16)) & 0xffff;
    ip[10] = (uint8_t)(sum >> 8);
    ip[11] = (uint8_t)sum;
}

TEST(test_a_data_segment_is_read)
{
    uint8_t b[256], out[256];
    struct emu_frame f;
    size_t n = tcp_frame(b, 100, 0x18);
    struct linux_packet *p = linux_packet_new(b, (uint32_t)n, &f);
    assert_ints({f.dst, 1}, {f.src, 2}, {f.payload_bytes, 140}, {f.ethertype, 0x0800});
    assert_false(f.pure_ack);
    assert_ints({p->data_bytes, 100}, {p->sequence, 0x01020304});
    assert_int_equal(linux_packet_ops.flow(&f), 2 * 1); /* port 5002 is flow 1's sink, and the destination */
    assert_int_equal(linux_packet_ops.bytes(&f, out, sizeof out), n);
    assert_memory_equal(out, b, n);
    void *second = linux_packet_ops.share(p);
    linux_packet_release(p);
    assert_int_equal(linux_packet_ops.bytes(&f, out, 60), 60); /* the other handle keeps it */
    linux_packet_ops.release(second);
    linux_packet_free_all();
}

TEST(test_an_ack_alone_is_told_and_padded)
{
    uint8_t b[256], out[256];
    struct emu_frame f;
    struct linux_packet *p = linux_packet_new(b, (uint32_t)tcp_frame(b, 0, 0x10), &f);
    assert_true(f.pure_ack);
    assert_int_equal(linux_packet_ops.bytes(&f, out, sizeof out), 60); /* 14 + 46 (IEEE 802.3, 3.2.8) */
    linux_packet_release(p);
    p = linux_packet_new(b, (uint32_t)tcp_frame(b, 0, 0x11), &f); /* a FIN is none */
    assert_false(f.pure_ack);
    assert_true(p->fin);
    linux_packet_release(p);
    linux_packet_free_all();
}

/* What claims more than there is, or is no TCP, belongs to no flow. */
TEST(test_what_is_not_whole_has_no_flow)
{
    uint8_t b[256];
    struct emu_frame f;
    size_t n = tcp_frame(b, 10, 0x10);
    b[17] = 255; /* total length */
    linux_packet_release(linux_packet_new(b, (uint32_t)n, &f));
    for (uint32_t short_bytes = 14; short_bytes < 54; short_bytes++) {
        tcp_frame(b, 0, 0x10);
        struct linux_packet *p = linux_packet_new(b, short_bytes, &f);
        assert_int_equal(linux_packet_ops.flow(&f), EMU_FRAME_NO_FLOW);
        assert_false(f.pure_ack);
        linux_packet_release(p);
    }
    b[0] = 0x33; /* a group */
    linux_packet_release(linux_packet_new(b, 54, &f));
    assert_true(f.dst == EMU_FRAME_BROADCAST);
    linux_packet_free_all();
}

/* A header that Linux sent with ECT(0), its checksum as it came, and what RFC 1071 says of it with CE. */
TEST(test_a_mark_makes_ect_ce)
{
    for (uint8_t tos = 0; tos < 8; tos++) {
        uint8_t b[256];
        struct emu_frame f;
        size_t n = tcp_frame(b, 100, 0x18);
        b[15] = tos;
        ip_checksum(b + 14);
        struct linux_packet *p = linux_packet_new(b, (uint32_t)n, &f);
        assert_int_equal(linux_packet_ops.mark(&f), (tos & 3) != 0);
        assert_int_equal(p->frame[15], (tos & 3) == 0 ? tos : (tos | 3));
        memcpy(b, p->frame, n);
        ip_checksum(b + 14);
        assert_memory_equal(b, p->frame, n);
        linux_packet_release(p);
    }
}
