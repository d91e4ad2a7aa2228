/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/packets.h"

#include "test/cm.h"

static size_t left_bytes;

static void add(struct analysis_packets **p, int end, int64_t time_ns, int64_t frame, int64_t seq, uint32_t payload,
                int64_t ack, uint16_t window, unsigned what)
{
    struct capture_segment s = {.window = window};
    struct analysis_packet packet = {.time_ns = time_ns, .frame = frame, .segment = &s, .seq = seq, .ack = ack,
                                     .payload_bytes = payload, .what = what, .end = end};
    assert_true(analysis_packets_add(p, &packet, &left_bytes));
}

static void assert_packed(const struct analysis_packets *p, const char *expected)
{
    assert_int_equal(p->bytes, strlen(expected));
    assert_memory_equal(p->text, expected, p->bytes);
}

/* Digits by hand, from the format as analysis/flows/packets.h has it: A to Z are 0 to 25, a to z from 26, 0 to 9 from 52. */
TEST(test_what_goes_on_takes_a_digit)
{
    struct analysis_packets *p = NULL;
    left_bytes = 10000;
    /* A SYN at time 0 as frame 1: head 64 (seq) + 128 (what) + 32 (window) = 224 = 0 + 7 * 32: gH; time 0: A; window
     * 16, signed 32: 0 + 1 * 32: gB; seq -1, signed 3: D; what 1 + 32 (no acknowledgement) = 33: 1 + 1 * 32: hB */
    add(&p, 0, 0, 1, -1, 0, 0, 16, ANALYSIS_PACKET_SYN | ANALYSIS_PACKET_UNPLACED);
    assert_packed(p, "gHAgBDhB");
    /* its answer, 5 ns later as frame 2: head 1 + 32 + 64 + 128 = 225: 1 + 7 * 32: hH; 5: K; window 1: C; seq -1: D;
     * what 1: B. Its acknowledgement is 0, as if the last one had been. */
    add(&p, 1, 5, 2, -1, 0, 0, 1, ANALYSIS_PACKET_SYN);
    assert_packed(p, "gHAgBDhBhHKCDB");
    /* data 0 to 10, frame 4 (one between): head 2 + 8 + 64 = 74: 10 + 2 * 32: qC; 5: K; frame +1: C; 10 bytes: K; seq:
     * next expected was -1, so +1: C */
    add(&p, 0, 10, 4, 0, 10, 0, 16, 0);
    assert_packed(p, "gHAgBDhBhHKCDBqCKCKC");
    /* 10 more, as frame 5: head 4, time 5; one that was sent again: head 4 + 64 + 128 = 196: 4 + 6 * 32: kG; 5: K; seq
     * -20, signed 41: 9 + 1 * 32: pB; what 8: I */
    add(&p, 0, 15, 5, 10, 10, 0, 16, 0);
    add(&p, 0, 20, 6, 0, 10, 0, 16, ANALYSIS_PACKET_AGAIN);
    assert_packed(p, "gHAgBDhBhHKCDBqCKCKCEKkGKpBI");
    assert_ints({left_bytes, 10000 - p->bytes}, {p->end[0].data, 4}, {p->end[1].data, 1}, {p->end[0].again, 1},
                {p->end[0].again_frame[0], 6}, {p->end[0].acks, 3}, {p->end[0].first_frame, 1},
                {p->end[0].last_frame, 6});
    analysis_packets_free(p);
}

TEST(test_blocks_follow_an_acknowledgement)
{
    struct analysis_packets *p = NULL;
    left_bytes = 10000;
    struct capture_segment s = {.ack = 0xfffffff0u, .n_sack = 1, .sack = {{0x10, 0x14}}};
    struct analysis_packet packet = {.frame = 1, .segment = &s, .ack = 3, .end = 1};
    assert_true(analysis_packets_add(&p, &packet, &left_bytes));
    /* head 1 + 16 + 128 = 145: 17 + 4 * 32: xE; time A; ack 3: G; what 64: 0 + 2 * 32: gC; start 32 beyond the
     * acknowledgement, over the end of all numbers, signed 64: gC; 4 bytes: E */
    assert_packed(p, "xEAGgCgCE");
    assert_int_equal(p->end[1].sacks, 1);
    analysis_packets_free(p);
}

TEST(test_what_has_no_room_is_not_kept)
{
    struct capture_segment s = {0};
    struct analysis_packet packet = {.frame = 1, .segment = &s};
    struct analysis_packets *p = NULL;
    size_t left = 400, kept = 0;
    while (analysis_packets_add(&p, &packet, &left)) {
        packet.frame++;
        assert_true(++kept < 400);
    }
    assert_int_equal(p->bytes + left, 400);
    assert_true(left < 200);
    assert_int_equal(p->end[0].acks, kept);
    analysis_packets_free(p);
}

/* As hostile a capture as there is: every number as far from the one before as it can be. */
TEST(test_the_longest_packets_fit)
{
    struct analysis_packets *p = NULL;
    left_bytes = 100000;
    for (int i = 0; i < 200; i++) {
        bool odd = i & 1;
        struct capture_segment s = {.window = odd ? 65535 : 0, .ack = odd ? 0x80000000u : 0, .n_sack = 4,
                                    .sack = {{0, UINT32_MAX}, {0, UINT32_MAX}, {0, UINT32_MAX}, {0, UINT32_MAX}}};
        struct analysis_packet packet = {
            .time_ns = odd ? 0 : INT64_MAX / 8, .frame = odd ? 1 : UINT32_MAX, .segment = &s, .end = i / 2 % 2,
            .seq = odd ? INT64_MAX / 4 : -(INT64_MAX / 4), .ack = odd ? -(INT64_MAX / 4) : INT64_MAX / 4,
            .payload_bytes = odd ? UINT32_MAX : UINT32_MAX - 1, .what = 31};
        assert_true(analysis_packets_add(&p, &packet, &left_bytes));
    }
    assert_int_equal(p->end[0].data + p->end[1].data, 200);
    analysis_packets_free(p);
}
