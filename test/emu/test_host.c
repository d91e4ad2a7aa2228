/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schedules worked by hand. A packet of 1500 B is 1514 B on a bus: 12.112 us at 1 Gb/s. */
#include "base/random.h"
#include "emu/network/host.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define US INT64_C(1000000)
#define BUS_PS INT64_C(12112000)
#define MOST 4000

static struct emu_clock clock;
static struct {
    int id;
    bool out;
    int64_t at_ps;
} passed[MOST];
static int n_passed;

static void note(const struct emu_frame *frame, bool out)
{
    assert_true(n_passed < MOST);
    passed[n_passed].id = fake_id(frame);
    passed[n_passed].out = out;
    passed[n_passed++].at_ps = emu_clock_now(&clock);
    fake_ops.release(frame->packet);
}

static void pass_in(void *user, int host, const struct emu_frame *frame)
{
    assert_ptr_equal(user, &n_passed);
    assert_int_equal(host, 7);
    note(frame, false);
}

static void pass_out(void *user, int host, const struct emu_frame *frame)
{
    note(frame, true);
}

static struct emu_host *host_of(struct emu_host_config config, int64_t take_ps)
{
    fake_reset();
    clock = fake_clock();
    n_passed = 0;
    return emu_host_new(&config, 7, take_ps, &clock, pass_in, pass_out, &n_passed);
}

static void host_end(struct emu_host *h)
{
    emu_host_free(h, &fake_ops);
    assert_int_equal(fake_live, 0);
}

struct later {
    struct emu_host *host;
    struct emu_frame frame;
    bool out;
};

static void later_comes(void *arg)
{
    struct later *l = arg;
    if (l->out)
        emu_host_send(l->host, &l->frame);
    else if (!emu_host_receive(l->host, &l->frame))
        fake_ops.release(l->frame.packet);
}

/* So many bytes of payload come at a time; `later` lives until they do. */
static void comes(struct later *later, struct emu_host *h, int64_t at_ps, bool out, uint32_t payload, int id)
{
    *later = (struct later){h, fake_frame(0, 1, payload, id), out};
    emu_clock_schedule(&clock, at_ps, later_comes, later);
}

static void passes(int i, int id, bool out, int64_t at_ps)
{
    assert_ints({passed[i].id, id}, {passed[i].out, out}, {passed[i].at_ps, at_ps});
}

/* Two are received, and two are sent at the same time. */
static void bus(enum emu_host_duplex duplex, int64_t bus_ps, const int64_t at_ps[static 4])
{
    struct emu_host *h = host_of((struct emu_host_config){.bus_bps = 1000000000, .bus_ps = bus_ps, .duplex = duplex}, 0);
    struct later l[4];
    for (int i = 0; i < 4; i++)
        comes(&l[i], h, 0, i >= 2, 1500, i);
    fake_run();
    assert_int_equal(n_passed, 4);
    for (int i = 0; i < 4; i++) { /* received, sent, received, sent */
        const int id = i / 2 + (i % 2 ? 2 : 0);
        passes(i, id, id >= 2, at_ps[i]);
    }
    assert_int_equal(emu_host_least_ps(h, &l[0].frame, false), BUS_PS + bus_ps);
    assert_int_equal(emu_host_least_ps(h, &l[0].frame, true), BUS_PS + bus_ps);
    host_end(h);
}

TEST(test_both_ways_take_turns_on_a_half_duplex_bus)
{
    bus(EMU_HOST_HALF_DUPLEX, 0, (int64_t[]){BUS_PS, 2 * BUS_PS, 3 * BUS_PS, 4 * BUS_PS});
    const int64_t each_ps = BUS_PS + US;
    bus(EMU_HOST_HALF_DUPLEX, US, (int64_t[]){each_ps, 2 * each_ps, 3 * each_ps, 4 * each_ps});
}

TEST(test_each_way_has_its_own_of_a_full_duplex_bus)
{
    bus(EMU_HOST_FULL_DUPLEX, 0, (int64_t[]){BUS_PS, BUS_PS, 2 * BUS_PS, 2 * BUS_PS});
}

/* 12,112 bits at 7 Gb/s are 1,730,285.7 ps: to the nearest, as on a wire. */
TEST(test_times_of_bytes_are_rounded_to_the_nearest)
{
    struct emu_host *h = host_of((struct emu_host_config){.bus_bps = 7000000000}, 0);
    const struct emu_frame frame = fake_frame(0, 1, 1500, 0);
    assert_int_equal(emu_host_least_ps(h, &frame, true), 1730286);
    fake_ops.release(frame.packet);
    host_end(h);
}

/* 2 us a frame, and 1500 B at 6 Gb/s: 4 us; 3 us more for what is received. An ACK's 52 B take 2.069333 us. */
TEST(test_one_processor_serves_both_ways)
{
    struct emu_host *h = host_of((struct emu_host_config){.frame_ps = 2 * US, .copy_bps = 6000000000}, 3 * US);
    struct later l[3];
    comes(&l[0], h, 0, false, 1500, 0);
    comes(&l[1], h, US, false, 1500, 1);
    comes(&l[2], h, 2 * US, true, 52, 2);
    fake_run();
    assert_int_equal(n_passed, 3);
    passes(0, 0, false, 7 * US);
    passes(1, 2, true, 9 * US + 69333);
    passes(2, 1, false, 16 * US + 69333);
    host_end(h);
}

/* What a host takes as it receives costs what it sends nothing. */
TEST(test_sends_do_not_wait_for_a_slow_receiver)
{
    struct emu_host *h = host_of((struct emu_host_config){.frame_ps = 0}, 30 * US);
    struct later l[2];
    comes(&l[0], h, 0, false, 1500, 0);
    comes(&l[1], h, US, true, 1500, 1);
    fake_run();
    passes(0, 1, true, US);
    passes(1, 0, false, 30 * US);
    host_end(h);
}

/* 100 us after the first, or with the third: then the timer of those that were handed over does not hurry the next. */
TEST(test_interrupts_wait_for_more)
{
    struct emu_host *h = host_of((struct emu_host_config){.interrupt_ps = 100 * US, .interrupt_frames = 3}, 0);
    const int64_t at_us[] = {0, 10, 200, 201, 202, 250, 500}, handed_us[] = {100, 100, 202, 202, 202, 350, 600};
    struct later l[8];
    for (int i = 0; i < 7; i++)
        comes(&l[i], h, at_us[i] * US, false, 1500, i);
    comes(&l[7], h, 50 * US, true, 1500, 7); /* is sent at once */
    fake_run();
    assert_int_equal(n_passed, 8);
    passes(0, 7, true, 50 * US);
    for (int i = 0; i < 7; i++)
        passes(i + 1, i, false, handed_us[i] * US);
    assert_int_equal(emu_host_least_ps(h, &l[0].frame, false), 0);
    host_end(h);
}

/* Two places, 10 us of the processor a frame: of four that come at once two are lost. The first is through at 10 us, so
 * that one that comes then has its place, and one at 15 us finds none. What is sent needs none, and is behind the second,
 * whose turn it was. */
TEST(test_a_full_ring_loses_what_comes)
{
    struct emu_host *h = host_of((struct emu_host_config){.frame_ps = 10 * US, .rx_ring = 2}, 0);
    struct later l[7];
    for (int i = 0; i < 4; i++)
        comes(&l[i], h, 0, false, 1500, i);
    comes(&l[4], h, 11 * US, false, 1500, 4);
    comes(&l[5], h, 15 * US, false, 1500, 5);
    comes(&l[6], h, 16 * US, true, 1500, 6);
    fake_run();
    assert_int_equal(n_passed, 4);
    passes(0, 0, false, 10 * US);
    passes(1, 1, false, 20 * US);
    passes(2, 6, true, 30 * US); /* both ways wait: they take turns */
    passes(3, 4, false, 40 * US);
    assert_int_equal(emu_host_lost(h), 3);
    host_end(h);
    assert_int_equal(emu_host_lost(NULL), -1);
}

/* Frames of an interrupt wait in the ring, too: with one every 100 us and three places the fourth is lost. */
TEST(test_an_interrupt_that_waits_fills_the_ring)
{
    struct emu_host *h = host_of((struct emu_host_config){.interrupt_ps = 100 * US, .rx_ring = 3}, 0);
    struct later l[5];
    for (int i = 0; i < 5; i++)
        comes(&l[i], h, (i < 4 ? 10 * i : 101) * US, false, 1500, i);
    fake_run();
    assert_int_equal(n_passed, 4);
    passes(2, 2, false, 100 * US);
    passes(3, 4, false, 201 * US);
    assert_int_equal(emu_host_lost(h), 1);
    host_end(h);
}

/* Received: bus, interrupt, processor. Sent: processor, bus. */
TEST(test_ways_pass_all_of_it_in_order)
{
    const struct emu_host_config config = {.frame_ps = 5 * US, .bus_bps = 1000000000, .interrupt_ps = 20 * US};
    struct emu_host *h = host_of(config, 0);
    struct later l[2];
    comes(&l[0], h, 0, false, 1500, 0);
    comes(&l[1], h, 100 * US, true, 1500, 1);
    fake_run();
    passes(0, 0, false, BUS_PS + 25 * US);
    passes(1, 1, true, 105 * US + BUS_PS);
    for (int i = 0; i < 2; i++)
        assert_int_equal(emu_host_least_ps(h, &l[i].frame, i), BUS_PS + 5 * US); /* no interrupt */
    host_end(h);
}

/* Whatever comes passes once, each way in its order; what still waits at the end does not leak. */
TEST(test_random_frames_pass_once_and_in_order)
{
    static struct later l[MOST];
    struct random r = random_of(3);
    for (int round = 0; round < 20; round++) {
        struct emu_host_config config = {
            .frame_ps = random_below(&r, 2) ? US : 0, .copy_bps = random_below(&r, 2) ? 8000000000 : 0,
            .bus_bps = random_below(&r, 2) ? 1056000000 : 0, .duplex = (enum emu_host_duplex)random_below(&r, 2),
            .interrupt_ps = random_below(&r, 2) ? 50 * US : 0, .interrupt_frames = (int)random_below(&r, 6)};
        struct emu_host *h = host_of(config, random_below(&r, 2) ? 2 * US : 0);
        for (int i = 0; i < 1000; i++)
            comes(&l[i], h, (int64_t)(i * 7 + (int)random_below(&r, 7)) * US, random_below(&r, 2),
                  46 + (uint32_t)random_below(&r, 1454), i);
        fake_run();
        assert_int_equal(n_passed, 1000);
        int last[2] = {-1, -1};
        for (int i = 0; i < n_passed; i++) {
            assert_true(passed[i].id > last[passed[i].out]);
            last[passed[i].out] = passed[i].id;
        }
        struct emu_frame f = fake_frame(0, 1, 1500, 0);
        if (emu_host_takes_time(&config))
            emu_host_receive(h, &f);
        else
            fake_ops.release(f.packet);
        host_end(h);
    }
}

/* 30,000 frames of 1500 B in and 15,000 of 52 B out a second. */
TEST(test_the_busiest_part_tells_how_busy_a_host_is)
{
    const struct emu_host_load in = {30000, 30000 * 1500.0}, out = {15000, 15000 * 52.0};
    struct emu_host_config c = {.frame_ps = 10 * US};
    assert_true(fabs(emu_host_busy(&c, 0, &in, &out) - 0.45) < 1e-12);
    assert_true(fabs(emu_host_busy(&c, 20 * US, &in, &out) - 1.05) < 1e-12);
    c.copy_bps = 1000000000;
    assert_true(fabs(emu_host_busy(&c, 0, &in, &out) - 0.45 - 45780000 * 8e-9) < 1e-12);
    c = (struct emu_host_config){.bus_bps = 1000000000, .bus_ps = US};
    const double in_share = 30000 * (1514 * 8e-9 + 1e-6), out_share = 15000 * (66 * 8e-9 + 1e-6);
    assert_true(fabs(emu_host_busy(&c, 0, &in, &out) - in_share - out_share) < 1e-12);
    c.duplex = EMU_HOST_FULL_DUPLEX;
    assert_true(fabs(emu_host_busy(&c, 0, &in, &out) - in_share) < 1e-12);
}
