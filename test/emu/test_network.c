/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/network.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

static struct emu_network net;
static int delivered;
static int64_t last_time;

static void deliver(void *user, int host, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    last_time = emu_clock_now(&clock);
    delivered += frame->dst == (uint32_t)host + 1;
    fake_ops.release(frame->packet);
}

static void make_tree(int x, int y, int64_t backbone_bps)
{
    fake_reset();
    delivered = 0;
    struct emu_clock clock = fake_clock();
    struct emu_network_config config = {.topology = EMU_TOPOLOGY_TREE,
                                        .hosts = x + y,
                                        .racks = {x, y},
                                        .n_racks = 2,
                                        .link = {.rate_bps = 1000000000, .delay_ps = 1000000},
                                        .backbone = {.rate_bps = backbone_bps, .delay_ps = 5000000},
                                        .nic = emu_queue_config_default(),
                                        .sw = emu_switch_config_default()};
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
}

TEST(test_ports_carry_their_names)
{
    make_tree(2, 3, 10000000000);
    assert_int_equal(emu_network_port_count(&net), 5 + 3 + 4);
    assert_string_equal(emu_network_find(&net, "h4")->far->name, "sw1-h4");
    assert_string_equal(emu_network_find(&net, "sw0-h1")->far->name, "h1");
    assert_string_equal(emu_network_find(&net, "sw0-sw1")->far->name, "sw1-sw0");
    assert_int_equal(emu_network_find(&net, "sw0-sw1")->link.rate_bps, 10000000000);
    assert_null(emu_network_find(&net, "sw0-h2")); /* h2 is in rack 1 */
    emu_network_fini(&net);
}

/* h0 (rack 0) to h2 (rack 1), 1500 B, store and forward: 1526 byte times on each of the two host
 * links at 8000 ps and on the backbone at 800 ps, plus delays 1 + 5 + 1 us. */
TEST(test_path_across_the_tree_takes_its_time)
{
    make_tree(2, 2, 10000000000);
    struct emu_frame f = fake_frame(0, 2, 1500, 0);
    emu_network_transmit(&net, 0, &f);
    fake_run();
    assert_ints({delivered, 1}, {last_time, 1526 * (8000 + 800 + 8000) + 7000000});
    emu_network_fini(&net);
}

static int64_t transit_error_ps;

static void deliver_timed(void *user, int host, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    if (frame->dst == (uint32_t)host) {
        delivered++;
        int64_t transit_ps = emu_network_transit_ps(&net, (int)frame->src, frame);
        transit_error_ps = emu_clock_now(&clock) - frame->sent_ps - transit_ps;
    }
    fake_ops.release(frame->packet);
}

/* Through an idle network a frame takes what emu_network_transit_ps() says, whatever the switches are. */
TEST(test_transit_is_what_a_lone_frame_takes)
{
    for (int kind = 0; kind < 24; kind++) {
        struct emu_switch_config sw = emu_switch_config_default();
        sw.architecture = (enum emu_architecture)(kind % 4);
        sw.cut_through = kind / 4 % 2;
        sw.latency_ps = kind / 8 == 1 ? 700000 : 0;
        struct emu_network_config config = {.topology = kind / 8 == 2 ? EMU_TOPOLOGY_MESH : EMU_TOPOLOGY_TREE,
                                            .hosts = 6,
                                            .racks = {2, 2, 2},
                                            .n_racks = 3,
                                            .root = true,
                                            .link = {.rate_bps = 1000000000, .delay_ps = 300000},
                                            .backbone = {.rate_bps = 10000000000, .delay_ps = 5000000},
                                            .nic = emu_queue_config_default(),
                                            .sw = sw,
                                            .root_sw = sw};
        struct emu_clock clock = fake_clock();
        fake_reset();
        delivered = 0;
        emu_network_init(&net, &config, &clock, &fake_ops, deliver_timed, NULL);
        struct emu_frame f = fake_frame(0, 5, 1500, 0);
        f.dst = 5;
        assert_int_equal(emu_network_transit_ps(&net, 0, &f), -1); /* nobody has heard of h5 */
        fake_ops.release(f.packet);
        for (int h = 0; h < 6; h++) { /* teach the switches */
            f = fake_frame(h, -1, 50, 0);
            f.src = (uint32_t)h;
            emu_network_transmit(&net, h, &f);
            fake_run();
        }
        for (int to = 1; to < 6; to += 2) /* same rack, and others */
            for (uint32_t payload = 46; payload <= 1500; payload += 727) {
                f = fake_frame(0, to, payload, 0);
                f.src = 0;
                f.dst = (uint32_t)to;
                transit_error_ps = -1;
                emu_network_transmit(&net, 0, &f);
                fake_run();
                assert_int_equal(transit_error_ps, 0);
            }
        assert_int_equal(delivered, 9);
        emu_network_fini(&net);
    }
}

/* A star with an uplink of two rates, 8000 ps a byte up and 800 down, and cables of 3, 5 and 1 us: h0 to h1 takes 1526
 * bytes at 8000 and as many at 8000 ps of the other link, 3 + 5 us; h1 to h0 the second at 800 ps. */
TEST(test_an_uplink_has_two_rates_and_every_cable_its_delay)
{
    struct emu_clock clock = fake_clock();
    const int64_t delays_ps[] = {3000000, 5000000};
    struct emu_network_config config = {.topology = EMU_TOPOLOGY_STAR,
                                        .hosts = 3,
                                        .uplinks = 1,
                                        .delays_ps = delays_ps,
                                        .n_delays = 2,
                                        .link = {.rate_bps = 1000000000, .delay_ps = 1000000},
                                        .backbone = {.rate_bps = 10000000000, .up_bps = 1000000000},
                                        .nic = emu_queue_config_default(),
                                        .sw = emu_switch_config_default()};
    fake_reset();
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
    assert_int_equal(emu_network_find(&net, "h0")->link.rate_bps, 1000000000);
    assert_int_equal(emu_network_find(&net, "sw0-h0")->link.rate_bps, 10000000000);
    for (int h = 0; h < 3; h++) { /* teach the switch */
        struct emu_frame f = fake_frame(h, -1, 50, 0);
        f.src = (uint32_t)h;
        emu_network_transmit(&net, h, &f);
        fake_run();
    }
    struct emu_frame f = fake_frame(0, 1, 1500, 0);
    f.dst = 1;
    assert_int_equal(emu_network_transit_ps(&net, 0, &f), 1526 * 8000 + 3000000 + 1526 * 8000 + 5000000);
    f.dst = 0;
    assert_int_equal(emu_network_transit_ps(&net, 1, &f), 1526 * 8000 + 5000000 + 1526 * 800 + 3000000);
    f.dst = 2; /* beyond the list: its link's */
    assert_int_equal(emu_network_transit_ps(&net, 0, &f), 1526 * 8000 + 3000000 + 1526 * 8000 + 1000000);
    fake_ops.release(f.packet);
    emu_network_fini(&net);
}

/* h0 needs 30 us for a frame. Two of 1500 B from h1 and one from h2, at 8000 ps a byte and without delay, reach it
 * 12.208 us after each other (each with its gap), the first after two links' 1526 bytes: they are taken 30 us after that,
 * and 30 us after each other. */
TEST(test_a_host_takes_its_time_for_every_frame)
{
    struct emu_clock clock = fake_clock();
    const int64_t host_times_ps[] = {30000000};
    struct emu_network_config config = {.topology = EMU_TOPOLOGY_STAR,
                                        .hosts = 3,
                                        .host_times_ps = host_times_ps,
                                        .n_host_times = 1,
                                        .link = {.rate_bps = 1000000000},
                                        .nic = emu_queue_config_default(),
                                        .sw = emu_switch_config_default()};
    fake_reset();
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
    struct emu_frame f;
    for (int h = 0; h < 2; h++) { /* teach the switch */
        f = fake_frame(h, -1, 50, 0);
        f.src = (uint32_t)h;
        emu_network_transmit(&net, h, &f);
        fake_run();
    }
    int64_t from_ps = emu_clock_now(&clock);
    delivered = 0;
    for (int i = 0; i < 3; i++) {
        f = fake_frame(1 + i / 2, 0, 1500, 0);
        f.dst = 0;
        f.src = (uint32_t)(1 + i / 2);
        if (i == 0)
            assert_int_equal(emu_network_transit_ps(&net, 1, &f), 2 * 1526 * 8000 + 30000000);
        emu_network_transmit(&net, 1 + i / 2, &f);
    }
    fake_run();
    assert_int_equal(last_time - from_ps, 2 * 1526 * 8000 + 3 * 30000000);
    f = fake_frame(0, 1, 1500, 0);
    f.dst = 1; /* which needs no time */
    assert_int_equal(emu_network_transit_ps(&net, 0, &f), 2 * 1526 * 8000);
    fake_ops.release(f.packet);
    f = fake_frame(1, 0, 1500, 0); /* still waits when all ends: it does not leak */
    f.dst = 0;
    emu_network_transmit(&net, 1, &f);
    emu_network_fini(&net);
}

/* Random traffic through small queues: every frame is delivered or dropped, none is left, none leaks. */
TEST(test_random_traffic_is_conserved)
{
    struct random r = random_of(5);
    fake_reset();
    delivered = 0;
    struct emu_clock clock = fake_clock();
    struct emu_queue_config small = {
        .discipline = EMU_DISCIPLINE_ACK_FIRST, .limit_bytes = 4000, .limit_packets = EMU_QUEUE_UNLIMITED};
    struct emu_switch_config sw = emu_switch_config_default();
    sw.queue = small;
    struct emu_network_config config = {.topology = EMU_TOPOLOGY_TREE,
                                        .hosts = 6,
                                        .racks = {3, 3},
                                        .n_racks = 2,
                                        .link = {.rate_bps = 1000000000, .delay_ps = 1000000},
                                        .backbone = {.rate_bps = 1000000000, .delay_ps = 1000000},
                                        .nic = small,
                                        .sw = sw};
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
    for (int h = 0; h < 6; h++) { /* teach the switches */
        struct emu_frame f = fake_frame(h, -1, 50, 0);
        emu_network_transmit(&net, h, &f);
        fake_run();
    }
    int sent = 0;
    delivered = 0;
    for (int burst = 0; burst < 300; burst++) {
        for (int i = 0; i < 40; i++) {
            int from = (int)random_below(&r, 6), to = (from + 1 + (int)random_below(&r, 5)) % 6;
            struct emu_frame f = fake_frame(from, to, 46 + (uint32_t)random_below(&r, 1455), i);
            f.pure_ack = random_below(&r, 2);
            emu_network_transmit(&net, from, &f);
            sent++;
        }
        fake_run();
    }
    int64_t dropped = 0;
    for (int i = 0; i < emu_network_port_count(&net); i++)
        dropped += emu_network_port(&net, i)->queue.stats.dropped;
    assert_true(emu_network_audit(&net, &err));
    assert_true(dropped > 0);
    assert_ints({delivered + dropped, sent}, {fake_live, 0});
    emu_network_fini(&net);
}

/* The shortest frame, 64 bytes and a preamble of 8, takes 72 byte times; then the cable. Hosts' cables: 576 ns + 1 us.
 * Backbone at 10 Gb/s: 57.6 ns + 5 us. A switch here is never nearer to a host than one of its own. */
TEST(test_nothing_reaches_a_host_sooner_than_the_shortest_frame)
{
    const int64_t cable_ps = 72 * 8000 + 1000000, backbone_ps = 72 * 800 + 5000000;
    make_tree(2, 3, 10000000000);
    assert_true(emu_network_look_ahead(&net) == 2 * cable_ps); /* to a neighbour, through the switch */
    assert_true(emu_network_find(&net, "h0")->ahead_ps == cable_ps);
    assert_int_equal(emu_network_find(&net, "sw0-h1")->ahead_ps, 0); /* what arrives there is at a host */
    assert_true(emu_port_reach_ps(emu_network_find(&net, "sw0-sw1")) == backbone_ps + cable_ps);
    emu_network_fini(&net);
}

static int64_t promised_ps; /* no host hears of anything sooner */
static int promises;

static void look_schedule(void *engine, int64_t delay_ps, void (*fn)(void *), void *arg)
{
    struct emu_clock clock = fake_clock();
    emu_clock_schedule(&clock, delay_ps, fn, arg);
}

/* Holds the network to what it says: the last promise that is still open. */
static void look_schedule_ahead(void *engine, int64_t delay_ps, int64_t ahead_ps, void (*fn)(void *), void *arg)
{
    struct emu_clock clock = fake_clock();
    int64_t promise_ps = emu_clock_now(&clock) + delay_ps + ahead_ps;
    if (promised_ps < 0 || promise_ps > promised_ps)
        promised_ps = promise_ps;
    promises++;
    look_schedule(engine, delay_ps, fn, arg);
}

/* One frame through an empty network: every event of its way promised no more than what came. */
TEST(test_a_frame_comes_no_sooner_than_every_event_of_its_way_promised)
{
    for (uint32_t payload = 46; payload <= 1500; payload += 1454) {
        fake_reset();
        delivered = promises = 0;
        promised_ps = -1;
        struct emu_clock clock = fake_clock();
        clock.schedule = look_schedule;
        clock.schedule_ahead = look_schedule_ahead;
        struct emu_network_config config = {.topology = EMU_TOPOLOGY_TREE,
                                            .hosts = 4,
                                            .racks = {2, 2},
                                            .n_racks = 2,
                                            .link = {.rate_bps = 1000000000, .delay_ps = 1000000},
                                            .backbone = {.rate_bps = 10000000000, .delay_ps = 5000000},
                                            .nic = emu_queue_config_default(),
                                            .sw = emu_switch_config_default()};
        emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
        assert_true(emu_network_look_ahead(&net) > 0);
        struct emu_frame f = fake_frame(0, 2, payload, 0);
        emu_network_transmit(&net, 0, &f);
        fake_run();
        assert_int_equal(delivered, 1);
        assert_true(promises >= 3); /* an arrival at each switch and at the host, floods besides */
        assert_true(promised_ps <= last_time);
        emu_network_fini(&net);
    }
}
