/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/port.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

static struct emu_port a, b;
static struct arrival {
    int port, id;
    int64_t time_ps;
} arrivals[64];
static int n_arrivals;
static int n_seen;
static struct {
    enum emu_tap_event event;
    int64_t time_ps, depth;
} seen[64];

static void receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    arrivals[n_arrivals++] = (struct arrival){index, fake_id(frame), emu_clock_now(&clock)};
    fake_ops.release(frame->packet);
}

static void saw(void *user, enum emu_tap_event event, int64_t time_ps, const struct emu_frame *frame,
                const struct emu_queue *queue)
{
    seen[n_seen].event = event;
    seen[n_seen].time_ps = time_ps;
    seen[n_seen++].depth = queue->depth_packets;
}

static void make(int64_t limit_packets, int64_t rate_bps, int64_t delay_ps)
{
    fake_reset();
    n_arrivals = n_seen = 0;
    struct emu_clock clock = fake_clock();
    struct emu_queue_config queue = emu_queue_config_default();
    queue.limit_packets = limit_packets;
    emu_port_init(&a, "a", &clock, &fake_ops, &queue);
    emu_port_init(&b, "b", &clock, &fake_ops, &queue);
    a.receive = b.receive = receive;
    b.index = 1;
    emu_port_connect(&a, &b, &(struct emu_link_config){.rate_bps = rate_bps, .delay_ps = delay_ps});
}

static void end(void)
{
    struct error err = {0};
    assert_true(emu_port_audit(&a, &err));
    assert_true(emu_port_audit(&b, &err));
    emu_port_fini(&a);
    emu_port_fini(&b);
    assert_int_equal(fake_live, 0);
}

/* 1500 B of IP at 1 Gb/s: 8000 ps a byte. The last bit leaves after preamble 8 + header 14 + 1500
 * + FCS 4 = 1526 byte times, 12.208 us; the next may start after 1538, 12.304 us. Delay 50 us. */
TEST(test_frame_takes_38_bytes_more_than_its_packet)
{
    make(100, 1000000000, 50000000);
    for (int i = 0; i < 3; i++) {
        struct emu_frame f = fake_frame(0, 1, 1500, i);
        emu_port_send(&a, &f);
    }
    fake_run();
    assert_int_equal(n_arrivals, 3);
    for (int i = 0; i < 3; i++) {
        assert_ints({arrivals[i].id, i}, {arrivals[i].time_ps, 50000000 + 1526 * 8000 + i * 1538 * 8000});
    }
    emu_port_settle(&a);
    assert_int_equal(emu_port_sent_wire_bytes(&a), 3 * 1538);
    assert_int_equal(a.queue.stats.dequeued_bytes, 3 * 1518);
    end();
}

/* A 20 B packet is padded to 46: 84 byte times (IEEE 802.3 minimum frame 64 + 8 + 12). */
TEST(test_short_frames_are_padded)
{
    make(100, 100000000, 0);
    for (int i = 0; i < 2; i++) {
        struct emu_frame f = fake_frame(0, 1, 20, i);
        emu_port_send(&a, &f);
    }
    fake_run();
    assert_int_equal(arrivals[1].time_ps - arrivals[0].time_ps, 84 * 80000);
    end();
}

/* Both directions carry a frame at the same time without slowing each other. */
TEST(test_link_is_full_duplex)
{
    make(100, 1000000000, 1000000);
    struct emu_frame f = fake_frame(0, 1, 1500, 0), g = fake_frame(1, 0, 1500, 1);
    emu_port_send(&a, &f);
    emu_port_send(&b, &g);
    fake_run();
    assert_ints({n_arrivals, 2}, {arrivals[0].time_ps, arrivals[1].time_ps});
    assert_int_not_equal(arrivals[0].port, arrivals[1].port);
    end();
}

/* Ten frames at once into room for three: one is in the transmitter, three wait, six are dropped. */
TEST(test_full_queue_drops_the_newest)
{
    make(3, 1000000000, 0);
    for (int i = 0; i < 10; i++) {
        struct emu_frame f = fake_frame(0, 1, 1500, i);
        emu_port_send(&a, &f);
    }
    fake_run();
    assert_int_equal(n_arrivals, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(arrivals[i].id, i);
    assert_int_equal(a.queue.stats.dropped, 6);
    end();
}

/* Out: when the first bit leaves, with the queue as it is then. In: when the last bit is there. */
TEST(test_taps_see_time_and_queue)
{
    make(2, 1000000000, 5000000);
    a.tap = (struct emu_tap){saw, NULL};
    b.tap = (struct emu_tap){saw, NULL};
    for (int i = 0; i < 4; i++) {
        struct emu_frame f = fake_frame(0, 1, 1500, i);
        emu_port_send(&a, &f);
    }
    fake_run();
    assert_ints({n_seen, 3 + 1 + 3}, {seen[0].event, EMU_TAP_OUT}, {seen[0].time_ps, 0}, {seen[1].event, EMU_TAP_DROP},
                {seen[1].depth, 2}, {seen[2].event, EMU_TAP_OUT}, {seen[2].time_ps, 1538 * 8000}, {seen[2].depth, 1},
                {seen[3].event, EMU_TAP_IN}, {seen[3].time_ps, 1526 * 8000 + 5000000});
    end();
}

TEST(test_audit_notices_a_lost_frame)
{
    make(10, 1000000000, 0);
    a.stats.delivered = 1;
    assert_false(emu_port_audit(&a, &err));
    assert_int_equal(err.code, ERROR_SYSTEM);
    a.stats.delivered = 0;
    a.queue.depth_packets = 1;
    assert_false(emu_port_audit(&a, &err));
    a.queue.depth_packets = 0;
    end();
}

static int64_t now_ps;

static void never(void *engine, int64_t delay_ps, void (*fn)(void *arg), void *arg)
{
}

/* From time to time one to eight frames into room for 20, some while the transmitter is free: whether they come one by one or
 * at once they are lost, are the deepest queue there was, and arrive alike. Nothing is delivered, so that all stay on the line.
 * A turn has 4.5 frames on average, of 12.304 us each, and (0 + ... + 96) / 97 = 48 us: the queue grows until it is full, and
 * most stretches still find room. */
TEST(test_frames_that_are_sent_at_once_are_on_the_line_as_one_by_one)
{
    struct emu_clock clock = {.time_ps = &now_ps, .schedule = never};
    struct emu_queue_config queue = emu_queue_config_default();
    struct emu_port ends[4];
    int opened = 0, stretches = 0;
    fake_reset();
    queue.limit_packets = 20;
    now_ps = 0;
    for (int i = 0; i < 4; i++)
        emu_port_init(&ends[i], "end", &clock, &fake_ops, &queue);
    for (int i = 0; i < 4; i += 2)
        emu_port_connect(&ends[i], &ends[i + 1], &(struct emu_link_config){.rate_bps = 1000000000, .delay_ps = 50000000});
    for (int turn = 0, id = 0; turn < 1000; turn++) {
        uint64_t n = (uint64_t)(turn % 8) + 1;
        struct emu_frame one = fake_frame(0, 1, 1500, id), many = fake_frame(0, 1, 1500, id);
        void *first[] = {one.packet, many.packet};
        struct emu_port_stretch out;
        now_ps += turn * 61 % 97 * INT64_C(1000000);
        bool at_once = emu_port_open(&ends[2], &many, n, now_ps, &out);
        for (uint64_t i = 0; i < n; i++, id++) {
            emu_port_send_like(&ends[0], &one, i > 0 ? fake_frame(0, 1, 1500, id).packet : first[0], now_ps);
            void *packet = i > 0 ? fake_frame(0, 1, 1500, id).packet : first[1];
            if (at_once)
                emu_port_put(&ends[2], &out, &many, packet, now_ps);
            else
                emu_port_send_like(&ends[2], &many, packet, now_ps);
        }
        if (at_once)
            emu_port_close(&ends[2], n);
        opened += at_once && n > 1;
        stretches += n > 1;
        if (turn >= 8 && turn % 10 < 9)
            continue; /* what has begun is not looked at each time */
        emu_port_settle(&ends[0]);
        emu_port_settle(&ends[2]);
        assert_memory_equal(&ends[0].queue.stats, &ends[2].queue.stats, sizeof ends[0].queue.stats);
    }
    assert_ints({ends[0].line_tail, ends[2].line_tail}, {ends[0].queue.stats.peak_packets, 20});
    assert_true(ends[0].queue.stats.dropped > 0);
    assert_true(opened > stretches / 2 && opened < stretches);
    for (uint64_t i = 0; i < ends[0].line_tail; i++) {
        const struct emu_port_slot *one = &ends[0].line[i & ends[0].line_mask], *many = &ends[2].line[i & ends[2].line_mask];
        assert_ints({fake_id(&one->frame), fake_id(&many->frame)}, {one->arrives_ps, many->arrives_ps},
                    {one->frame.sent_ps, many->frame.sent_ps});
    }
    for (int i = 0; i < 4; i++)
        emu_port_fini(&ends[i]);
    assert_int_equal(fake_live, 0);
}
