/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where switches buffer: output, shared, input, voq; cut-through, latency, backplane, uplinks. */
#include "emu/network/network.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define BYTE_PS INT64_C(80000) /* 100 Mb/s */
#define FULL 1538       /* wire bytes of 1500 */
#define US INT64_C(1000000) /* ps */

static struct emu_network net;
static int received[64];
static int64_t last_ps[64];

static void deliver(void *user, int host, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    received[host]++;
    last_ps[host] = emu_clock_now(&clock);
    fake_ops.release(frame->packet);
}

static int64_t taught; /* drops while the switch learnt */

static int64_t drops(void)
{
    int64_t n = -taught;
    for (int i = 0; i < emu_network_port_count(&net); i++)
        n += emu_network_port(&net, i)->queue.stats.dropped;
    return n;
}

static void nothing(void *arg)
{
}

/* A star at 100 Mb/s without delays whose switch has learnt every host. */
static void make(const struct emu_switch_config *sw, int hosts, int uplinks)
{
    fake_reset();
    taught = 0;
    struct emu_clock clock = fake_clock();
    struct emu_network_config config = {.hosts = hosts,
                                        .link = {.rate_bps = 100000000},
                                        .backbone = {.rate_bps = 1000000000},
                                        .uplinks = uplinks,
                                        .nic = emu_queue_config_default(),
                                        .sw = *sw};
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
    for (int h = 0; h < hosts; h++) { /* broadcasts teach it */
        struct emu_frame f = fake_frame(h, -1, 50, 0);
        f.src = (uint32_t)h;
        emu_network_transmit(&net, h, &f);
        fake_run();
    }
    emu_clock_schedule(&clock, 1000 * US, nothing, NULL); /* gaps are over */
    fake_run();
    taught += drops();
    memset(received, 0, sizeof received);
}

static struct emu_switch_config architecture(enum emu_architecture kind, int64_t packets)
{
    struct emu_switch_config sw = emu_switch_config_default();
    sw.architecture = kind;
    sw.queue.limit_packets = packets;
    return sw;
}

static void send(int from, int to, int n)
{
    for (int i = 0; i < n; i++) {
        struct emu_frame f = fake_frame(from, to, 1500, i);
        f.src = (uint32_t)from;
        f.dst = (uint32_t)to;
        emu_network_transmit(&net, from, &f);
    }
}

static void end(void)
{
    struct error err = {0};
    if (!emu_network_audit(&net, &err))
        fail_msg("%s", err.message);
    emu_network_fini(&net);
    assert_int_equal(fake_live, 0);
}

/* k frames from each of S hosts at once to one: all that leave while they come, and what is buffered, arrive. */
static int burst(const struct emu_switch_config *sw, int sources, int k)
{
    make(sw, sources + 1, 0);
    for (int i = 0; i < sources; i++)
        send(i, sources, k);
    fake_run();
    int got = received[sources];
    assert_int_equal(got + drops(), sources * k);
    end();
    return got;
}

/* Eq. A.2 of Tam 2001: D/A k + B, with B of one port, of all inputs, of the pool. */
TEST(test_a_burst_shows_where_the_buffer_is)
{
    struct emu_switch_config out = architecture(EMU_ARCHITECTURE_OUTPUT, 20);
    struct emu_switch_config in = architecture(EMU_ARCHITECTURE_INPUT, 20);
    struct emu_switch_config voq = architecture(EMU_ARCHITECTURE_VOQ, 20);
    struct emu_switch_config shared = architecture(EMU_ARCHITECTURE_SHARED, EMU_QUEUE_UNLIMITED);
    shared.pool.packets = 30;
    for (int sources = 2; sources <= 4; sources++) {
        assert_in_range(burst(&out, sources, 120), 120 + 20, 120 + 21);
        assert_in_range(burst(&shared, sources, 120), 120 + 30, 120 + 31);
        assert_in_range(burst(&in, sources, 120), 120 + 20 * sources, 120 + 21 * sources);
        assert_in_range(burst(&voq, sources, 120), 120 + 20 * sources, 120 + 21 * sources);
    }
}

/* A pool of 40 for two busy outputs: with alpha 1 each holds at most what is free, a third of it. */
TEST(test_a_dynamic_threshold_shares_the_pool)
{
    struct emu_switch_config sw = architecture(EMU_ARCHITECTURE_SHARED, EMU_QUEUE_UNLIMITED);
    sw.pool.packets = 42;
    sw.alpha = 1;
    make(&sw, 6, 0);
    for (int i = 0; i < 4; i++)
        send(i, 4 + i % 2, 200);
    fake_run();
    for (int host = 4; host < 6; host++)
        assert_int_equal(emu_network_find(&net, host == 4 ? "sw0-h4" : "sw0-h5")->queue.stats.peak_packets, 14);
    end();
}

/* h0 sends to h2, whose output is busy with h1's frames, and then to h3, which is idle. */
static int64_t blocked(enum emu_architecture kind)
{
    struct emu_switch_config sw = architecture(kind, 100);
    make(&sw, 4, 0);
    struct emu_clock clock = fake_clock();
    int64_t begin_ps = emu_clock_now(&clock);
    send(1, 2, 10);
    send(0, 2, 5);
    send(0, 3, 1);
    fake_run();
    int64_t took_ps = last_ps[3] - begin_ps;
    assert_ints({received[2], 15}, {received[3], 1});
    end();
    return took_ps / (FULL * BYTE_PS);
}

TEST(test_the_head_of_line_blocks_in_an_input_fifo_alone)
{
    assert_int_equal(blocked(EMU_ARCHITECTURE_OUTPUT), 6); /* six frames of h0's own link, and one through */
    assert_int_equal(blocked(EMU_ARCHITECTURE_VOQ), 6);
    assert_in_range(blocked(EMU_ARCHITECTURE_INPUT), 10, 12); /* its five take turns with h1's */
}

/* Frames of many inputs to one output come evenly by turns; by age the one that waits longest comes first. */
TEST(test_arbitration_is_fair)
{
    for (int a = EMU_ARBITRATION_ROUND_ROBIN; a <= EMU_ARBITRATION_RANDOM; a++) {
        struct emu_switch_config sw = architecture(EMU_ARCHITECTURE_INPUT, 50);
        sw.arbitration = (enum emu_arbitration)a;
        sw.seed = 7;
        make(&sw, 5, 0);
        for (int i = 0; i < 4; i++)
            send(i, 4, 400);
        fake_run();
        for (int i = 0; i < 4; i++) {
            int64_t passed = emu_fabric_input(net.switches[0].fabric, i)->stats.dequeued;
            assert_in_range(passed, 120, 180); /* 400 arrive while 400 leave, a quarter each, and 50 were buffered */
        }
        end();
    }
}

static int64_t one_frame_ps(const struct emu_switch_config *sw, int uplinks, int from, int to)
{
    make(sw, 4, uplinks);
    struct emu_clock clock = fake_clock();
    int64_t begin_ps = emu_clock_now(&clock);
    send(from, to, 1);
    fake_run();
    int64_t took_ps = last_ps[to] - begin_ps;
    end();
    return took_ps;
}

/* Store and forward: a frame's bits (1526 byte times) twice. Cut-through: once, and the first 22 bytes before. Towards
 * a faster port a switch must wait for the whole frame. */
TEST(test_cut_through_waits_for_the_header_unless_the_output_is_faster)
{
    int64_t bits = 1526, early = EMU_PORT_EARLY_BYTES, gbit = BYTE_PS / 10;
    for (int kind = EMU_ARCHITECTURE_OUTPUT; kind <= EMU_ARCHITECTURE_VOQ; kind++) {
        struct emu_switch_config sw = architecture((enum emu_architecture)kind, 100);
        assert_int_equal(one_frame_ps(&sw, 1, 1, 2), 2 * bits * BYTE_PS);
        assert_int_equal(one_frame_ps(&sw, 1, 0, 1), bits * gbit + bits * BYTE_PS);
        sw.cut_through = true;
        assert_int_equal(one_frame_ps(&sw, 1, 1, 2), (early + bits) * BYTE_PS);
        assert_int_equal(one_frame_ps(&sw, 1, 0, 1), early * gbit + bits * BYTE_PS);
        assert_int_equal(one_frame_ps(&sw, 1, 1, 0), bits * BYTE_PS + bits * gbit);
        sw.latency_ps = 7 * US;
        assert_int_equal(one_frame_ps(&sw, 1, 1, 2), (early + bits) * BYTE_PS + 7 * US);
    }
}

/* Four pairs at 100 Mb/s over a backplane of 200 Mb/s (of frame bytes, 1518 of 1538): half get through. */
TEST(test_a_backplane_bounds_what_all_ports_pass)
{
    for (int kind = EMU_ARCHITECTURE_OUTPUT; kind <= EMU_ARCHITECTURE_VOQ; kind++) {
        struct emu_switch_config sw = architecture((enum emu_architecture)kind, 10);
        sw.backplane_bps = 200000000;
        if (kind == EMU_ARCHITECTURE_SHARED)
            sw.pool.packets = 1000;
        make(&sw, 8, 0);
        for (int i = 0; i < 4; i++)
            send(i, 4 + i, 1000);
        fake_run();
        int total = received[4] + received[5] + received[6] + received[7];
        assert_in_range(total, 2020, 2080); /* 4000 / 2 * 1538 / 1518, and 10 buffered at each input */
        for (int i = 4; i < 8; i++)
            assert_in_range(received[i], 490, 540);
        end();
    }
}

/* A Gigabit uplink feeds several Fast Ethernet ports at once: its input is free again before they have sent. */
TEST(test_an_uplink_input_serves_slow_ports_at_its_own_rate)
{
    struct emu_switch_config sw = architecture(EMU_ARCHITECTURE_INPUT, 200);
    make(&sw, 6, 1);
    struct emu_clock clock = fake_clock();
    int64_t begin_ps = emu_clock_now(&clock);
    for (int round = 0; round < 20; round++)
        for (int to = 1; to < 6; to++)
            send(0, to, 1);
    fake_run();
    for (int to = 1; to < 6; to++) {
        assert_int_equal(received[to], 20);
        assert_in_range(last_ps[to] - begin_ps, 20 * FULL * BYTE_PS, 22 * FULL * BYTE_PS);
    }
    end();
}

struct source {
    int host, left;
    struct random *random;
};

static void saturate(void *arg)
{
    struct source *s = arg;
    struct emu_clock clock = fake_clock();
    if (s->left-- == 0)
        return;
    send(s->host, 8 + (int)random_below(s->random, 8), 1);
    emu_clock_schedule(&clock, FULL * BYTE_PS, saturate, s);
}

/* Karol, Hluchyj and Morgan 1987, Table I: saturated 8 x 8 input FIFOs pass 0.6184; a queue an output passes all. */
static double throughput(enum emu_architecture kind)
{
    struct source sources[8];
    struct emu_switch_config sw = architecture(kind, 200);
    struct emu_clock clock = fake_clock();
    struct random random = random_of(3);
    make(&sw, 16, 0);
    int64_t begin_ps = emu_clock_now(&clock);
    for (int i = 0; i < 8; i++) {
        sources[i] = (struct source){i, 6000, &random};
        saturate(&sources[i]);
    }
    fake_run();
    double frames = 0, span_ps = 0;
    for (int i = 8; i < 16; i++) {
        frames += received[i];
        span_ps = fmax(span_ps, (double)(last_ps[i] - begin_ps));
    }
    end();
    return frames * FULL * BYTE_PS / 8 / span_ps;
}

TEST(test_saturation_throughput_is_the_known_one)
{
    double fifo = throughput(EMU_ARCHITECTURE_INPUT), voq = throughput(EMU_ARCHITECTURE_VOQ);
    assert_all(fifo > 0.60 && fifo < 0.635, voq > 0.97);
}

/* Any switch, any traffic: frames are delivered or dropped, none stays, none leaks. */
TEST(test_random_traffic_is_conserved)
{
    struct random r = random_of(11);
    for (int trial = 0; trial < 120; trial++) {
        enum emu_architecture kind = (enum emu_architecture)(trial % 4);
        struct emu_switch_config sw = architecture(kind, 1 + (int64_t)random_below(&r, 9));
        sw.arbitration = (enum emu_arbitration)random_below(&r, 3);
        sw.cut_through = random_below(&r, 2);
        sw.latency_ps = (int64_t)random_below(&r, 2) * 5 * US;
        sw.backplane_bps = random_below(&r, 3) ? 0 : 150000000;
        sw.pool.packets = 2 + (int64_t)random_below(&r, 20);
        sw.alpha = random_below(&r, 2) ? 0 : 0.5;
        sw.seed = (uint64_t)trial;
        make(&sw, 6, (int)random_below(&r, 3));
        int sent = 0;
        for (int i = 0; i < 60; i++) {
            int from = (int)random_below(&r, 6), to = (int)random_below(&r, 6);
            int n = 1 + (int)random_below(&r, 5);
            if (from == to)
                continue;
            send(from, to, n);
            sent += n;
        }
        fake_run();
        int total = 0;
        for (int h = 0; h < 6; h++)
            total += received[h];
        assert_int_equal(total + drops(), sent);
        end();
    }
}

static struct emu_port *nic_towards(int host, uint32_t to)
{
    const struct emu_frame frame = {.packet = emu_frame_tag(0), .src = (uint32_t)host, .dst = to};
    return emu_network_nic(&net, host, &frame);
}

TEST(test_a_mesh_has_a_switch_for_every_two_racks)
{
    fake_reset();
    memset(received, 0, sizeof received);
    struct emu_clock clock = fake_clock();
    struct emu_network_config config = {.topology = EMU_TOPOLOGY_MESH,
                                        .hosts = 8,
                                        .racks = {2, 2, 2, 2},
                                        .n_racks = 4,
                                        .link = {.rate_bps = 100000000},
                                        .nic = emu_queue_config_default(),
                                        .sw = emu_switch_config_default()};
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
    assert_int_equal(net.n_switches, 6);
    assert_int_equal(emu_network_nic_count(&net), 24);
    assert_string_equal(nic_towards(0, 2)->name, "h0");     /* rack 0 to rack 1 */
    assert_string_equal(nic_towards(0, 7)->name, "h0.2");   /* to rack 3 */
    assert_string_equal(nic_towards(0, 7)->far->name, "sw2-h0");
    assert_string_equal(nic_towards(7, 0)->far->name, "sw2-h7");
    assert_string_equal(nic_towards(0, 1)->name, "h0");     /* within the rack */
    for (int from = 0; from < 8; from++)
        for (int to = 0; to < 8; to++)
            if (from != to) {
                int before = received[to];
                send(from, to, 1);
                fake_run();
                assert_int_equal(received[to], before + 1);
            }
    end();
}

TEST(test_racks_meet_at_a_root)
{
    fake_reset();
    memset(received, 0, sizeof received);
    struct emu_clock clock = fake_clock();
    struct emu_network_config config = {.topology = EMU_TOPOLOGY_TREE,
                                        .hosts = 6,
                                        .racks = {1, 2, 3},
                                        .n_racks = 3,
                                        .root = true,
                                        .link = {.rate_bps = 100000000},
                                        .backbone = {.rate_bps = 1000000000},
                                        .nic = emu_queue_config_default(),
                                        .sw = emu_switch_config_default(),
                                        .root_sw = emu_switch_config_default()};
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
    assert_string_equal(emu_network_find(&net, "sw1-root")->far->name, "root-sw1");
    assert_int_equal(emu_network_find(&net, "root-sw2")->link.rate_bps, 1000000000);
    send(0, 5, 1); /* unknown: flooded over the tree, and it arrives once */
    fake_run();
    assert_int_equal(received[5], 1);
    send(5, 0, 1);
    fake_run();
    send(0, 5, 1);
    fake_run();
    assert_int_equal(received[5], 2);
    assert_int_equal(received[1] + received[2], 2); /* strays of the flood: stations 0 and 5 were unknown once each */
    end();
}
