/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/gro.h"
#include "emu/native/linux.h"
#include "test/cm.h"

#define SEGMENT 1448
#define MOST 100

static struct native_pool pool;
static struct native_segment *came[MOST];
static size_t n_came;

static struct native_segment *frame(uint32_t end, uint32_t seq, uint16_t payload, uint8_t flags)
{
    struct native_segment *s = native_pool_take(&pool);
    *s = (struct native_segment){.end = end, .seq = seq, .payload_bytes = payload, .flags = flags, .window = 1000,
                                 .ts = 5000, .ts_echo = 4000};
    came[n_came++] = s;
    return s;
}

static void data(uint32_t end, uint32_t segment)
{
    frame(end, segment * SEGMENT, SEGMENT, NATIVE_ACK);
}

static void begin(void)
{
    native_pool_init(&pool, sizeof(struct native_segment));
    n_came = 0;
}

/* What TCP gets is these segments of these ends, so long. */
static void tcp_has(size_t n, const uint32_t (*wanted)[3])
{
    assert_int_equal(native_gro_merge(came, n_came, &pool), n);
    for (size_t i = 0; i < n; i++) {
        assert_ints({came[i]->end, wanted[i][0]}, {came[i]->seq, wanted[i][1] * SEGMENT},
                    {came[i]->payload_bytes, wanted[i][2]});
    }
    native_pool_fini(&pool);
}

/* A gap, another connection's data and an ACK: what is held leaves when its own stream does not go on, or at the end, the
 * oldest first; an ACK of another connection waits for nobody. */
TEST(test_what_continues_a_stream_is_merged)
{
    begin();
    data(0, 0);
    data(2, 7);
    data(0, 1);
    frame(5, 0, 0, NATIVE_ACK);
    data(0, 3); /* segment 2 is missing */
    data(2, 8);
    tcp_has(4, (const uint32_t[][3]){{5, 0, 0}, {0, 0, 2 * SEGMENT}, {2, 7, 2 * SEGMENT}, {0, 3, SEGMENT}});
}

/* PSH and a short segment end a packet, at once; one that is pushed and alone is not held. */
TEST(test_the_end_of_a_burst_ends_a_packet)
{
    begin();
    data(0, 0);
    frame(0, SEGMENT, SEGMENT, NATIVE_ACK | NATIVE_PUSH);
    data(2, 0);
    frame(2, SEGMENT, 100, NATIVE_ACK);
    frame(4, 0, SEGMENT, NATIVE_ACK | NATIVE_PUSH);
    frame(2, SEGMENT + 100, 100, NATIVE_ACK);
    frame(2, SEGMENT + 200, SEGMENT, NATIVE_ACK); /* longer than the first of its packet: a packet of its own */
    assert_int_equal(native_gro_merge(came, n_came, &pool), 5);
    const uint32_t wanted[][2] = {{0, 2 * SEGMENT}, {2, SEGMENT + 100}, {4, SEGMENT}, {2, 100}, {2, SEGMENT}};
    for (size_t i = 0; i < 5; i++) {
        assert_ints({came[i]->end, wanted[i][0]}, {came[i]->payload_bytes, wanted[i][1]});
    }
    assert_int_equal(came[0]->flags, NATIVE_ACK | NATIVE_PUSH);
    native_pool_fini(&pool);
}

/* Other time stamps on the wire, which has ms, another ACK, another window: each is a packet of its own. */
TEST(test_headers_must_be_alike)
{
    begin();
    for (uint32_t i = 0; i < 6; i++)
        data(0, i);
    came[1]->ts += 999; /* still 5 ms */
    for (size_t i = 2; i < 6; i++)
        came[i]->ts = 6000;
    for (size_t i = 3; i < 6; i++)
        came[i]->ts_echo = 5000;
    for (size_t i = 4; i < 6; i++)
        came[i]->ack = 1;
    came[5]->window = 1001;
    tcp_has(5, (const uint32_t[][3]){{0, 0, 2 * SEGMENT}, {0, 2, SEGMENT}, {0, 3, SEGMENT}, {0, 4, SEGMENT}, {0, 5, SEGMENT}});
}

/* 52 bytes of headers and 45 segments are 65,212; one more would make 66,660, and a packet has fewer than 65,536. After 64
 * frames a poll ends, whatever is held: 45 and 19, and then 6. */
TEST(test_a_packet_has_64_kB_and_a_poll_64_frames)
{
    begin();
    for (uint32_t i = 0; i < 70; i++)
        data(0, i);
    tcp_has(3, (const uint32_t[][3]){{0, 0, 45 * SEGMENT}, {0, 45, 19 * SEGMENT}, {0, 64, 6 * SEGMENT}});
}

/* Eight may be held; the ninth makes the oldest leave. */
TEST(test_eight_are_held)
{
    begin();
    for (uint32_t end = 0; end < 18; end += 2)
        data(end, 0);
    data(0, 1); /* its packet has left */
    data(16, 1);
    tcp_has(10, (const uint32_t[][3]){{0, 0, SEGMENT}, {2, 0, SEGMENT}, {4, 0, SEGMENT}, {6, 0, SEGMENT}, {8, 0, SEGMENT},
                                   {10, 0, SEGMENT}, {12, 0, SEGMENT}, {14, 0, SEGMENT}, {16, 0, 2 * SEGMENT},
                                   {0, 1, SEGMENT}});
}

/* A frame's head has 1448 + 132 bytes, in whole lines of 64: 1600, and 320 of skb_shared_info; its sk_buff is 256 more. The
 * first of 18 takes the others' heads as pages, and theirs are given back; the 19th begins a list with its own. */
TEST(test_memory_of_merged_frames)
{
    struct native_linux_buffer b = native_linux_buffer(0, SEGMENT, SEGMENT);
    assert_int_equal(b.memory, 1600 + 320 + 256);
    b = native_linux_buffer(0, 18 * SEGMENT, SEGMENT);
    assert_ints({b.memory, 18 * 1920 + 256}, {b.pages, 17});
    assert_false(b.locked);
    b = native_linux_buffer(0, 19 * SEGMENT, SEGMENT);
    assert_int_equal(b.memory, 19 * 1920 + 2 * 256);
    assert_true(b.locked);
}

/* 40 bytes of payload leave 20 of a head of 192, which takes data of so many over without more memory; a head of 1448 has 20,
 * too. Where a first head is no page (less than 1024 bytes with skb_shared_info), no other buffer takes it over, also with
 * pages after it. */
TEST(test_short_data_are_copied_and_heads_that_are_no_pages_stay)
{
    struct native_linux_receiver own = {0};
    struct native_linux_buffer full = native_linux_buffer(0, SEGMENT, SEGMENT);
    native_linux_queue(&own, &full);
    struct native_linux_buffer few = native_linux_buffer(SEGMENT, 20, SEGMENT);
    native_linux_queue(&own, &few);
    assert_int_equal(own.queued, 2176);
    struct native_linux_buffer more = native_linux_buffer(SEGMENT + 20, 1, SEGMENT);
    native_linux_queue(&own, &more); /* no room, and its own head is no page: 512 bytes and its sk_buff */
    assert_int_equal(own.queued, 2176 + 512 + 256 + 256 - 256);
    native_linux_keep(&own, &(struct native_linux_buffer){.from = 5000, .to = 5100, .memory = 1280, .locked = true});
    own.kept += 1280;
    struct native_linux_buffer page = native_linux_buffer(5100, SEGMENT, SEGMENT);
    assert_int_equal(native_linux_keep(&own, &page), LINUX_MERGED);
    assert_int_equal(own.kept, 1280 + 2176 - 256);
    own.tail = native_linux_buffer(5000 - SEGMENT, SEGMENT, SEGMENT);
    own.queued = own.tail.memory;
    native_linux_unkeep(&own, 5000);
    assert_ints({own.queued, 2176 + 1280 + 2176 - 256}, {own.kept, 0});
    free(own.held);
}

