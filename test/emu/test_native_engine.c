/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The native engine from its door (emu/engine.h), between hosts on a star of 1 Gb/s. */
#include "emu/engine.h"

#include "base/units.h"
#include "emu/network/network.h"
#include "test/cm.h"

#define FIN 0x01
#define SYN 0x02
#define FLOWS 4
#define CLIENT_PORT 49152 /* RFC 6335, section 6: the first dynamic one */

static struct emu_engine *engine;
static struct emu_network net;
static int drained[FLOWS];
static int64_t told[FLOWS]; /* what a written flow has delivered, as the engine says */

/* Of the frames that leave h0, by flow (its client port): */
static struct seen {
    int syns, fins, data;
    uint16_t last_id;
    uint32_t isn, first;
} seen[FLOWS];
static int strangers, jumps;

static uint32_t field(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

/* Ethernet 14, IPv4 20 (RFC 791), TCP (RFC 9293). */
static void saw(void *user, enum emu_tap_event event, int64_t time_ps, const struct emu_frame *frame,
                const struct emu_queue *queue)
{
    (void)user, (void)time_ps, (void)queue;
    uint8_t b[128];
    if (event != EMU_TAP_OUT || emu_engine_frame_ops()->bytes(frame, b, sizeof b) < 54)
        return;
    uint32_t client = field(b + 34, 2), server = field(b + 36, 2), flow = client - CLIENT_PORT;
    if (flow >= FLOWS || server != EMU_ENGINE_FIRST_PORT + flow || field(b + 26, 4) != emu_engine_ipv4(0) ||
        field(b + 30, 4) != emu_engine_ipv4((int)frame->dst)) {
        strangers++;
        return;
    }
    struct seen *s = &seen[flow];
    uint16_t id = (uint16_t)field(b + 18, 2);
    bool syn = b[47] & SYN;
    jumps += !syn && id != (uint16_t)(s->last_id + 1);
    s->last_id = id;
    s->fins += b[47] & FIN;
    if (syn) {
        s->syns++;
        s->isn = field(b + 38, 4);
    } else if (field(b + 16, 2) > 20 + 32u && s->data++ == 0) {
        s->first = field(b + 38, 4);
    }
}

static void transmit(void *user, int host, const struct emu_frame *frame)
{
    emu_network_transmit(&net, host, frame);
}

static void deliver(void *user, int host, const struct emu_frame *frame)
{
    emu_engine_deliver(engine, host, frame);
}

static void delivered(void *user, int flow, int64_t bytes)
{
    told[flow] = bytes;
}

static void all_acknowledged(void *user, int flow)
{
    drained[flow]++;
}

static void make(int hosts)
{
    struct error err = {0};
    struct emu_engine_config config = {
        .seed = 1, .transmit = transmit, .delivered = delivered, .drained = all_acknowledged};
    for (int i = 0; i < FLOWS; i++) {
        seen[i] = (struct seen){0};
        drained[i] = 0;
        told[i] = 0;
    }
    strangers = jumps = 0;
    engine = emu_engine_new(&config, &err);
    assert_non_null(engine);
    struct emu_clock clock = emu_engine_clock(engine);
    struct emu_network_config network = {.hosts = hosts,
                                         .link = {.rate_bps = 1000000000, .delay_ps = 10 * UNITS_PS_PER_US},
                                         .nic = emu_queue_config_default(),
                                         .sw = emu_switch_config_default()};
    emu_network_init(&net, &network, &clock, emu_engine_frame_ops(), deliver, NULL);
    for (int h = 0; h < hosts; h++)
        assert_int_equal(emu_engine_add_host(engine, &err), h);
    emu_network_find(&net, "h0")->tap = (struct emu_tap){saw, NULL};
}

static void end(void)
{
    struct error err = {0};
    assert_true(emu_network_audit(&net, &err));
    assert_int_equal(strangers, 0);
    assert_int_equal(jumps, 0); /* an end counts its datagrams up by one, as Linux does (inet_id) */
    emu_network_fini(&net);
    emu_engine_free(engine);
}

static int64_t merged_ps, small_queue; /* of the flows to be added; 0: neither */

static void add_with(int flow, struct emu_flow_config config, enum emu_congestion congestion)
{
    struct error err = {0};
    config.tcp = (struct emu_tcp_config){.congestion = congestion,
                                         .send_buffer_bytes = 100000,
                                         .receive_buffer_bytes = 100000,
                                         .initial_window_segments = 10,
                                         .segment_bytes = 1448,
                                         .delayed_ack = 2,
                                         .delayed_ack_timeout_ps = 40 * UNITS_PS_PER_MS,
                                         .min_rto_ps = 200 * UNITS_PS_PER_MS,
                                         .small_queue_bytes = small_queue,
                                         .linux_own.gro_ps = merged_ps,
                                         .sack = true};
    assert_int_equal(emu_engine_add_flow(engine, &config, &err), flow);
}

static void add(int flow, struct emu_flow_config config)
{
    add_with(flow, config, EMU_CONGESTION_NEWRENO);
}

static void go(int64_t until_ps)
{
    struct error err = {0};
    assert_true(emu_engine_run(engine, until_ps, &err));
}

/* 1,000,001 bytes are 691 segments: 690 of 1448 and one of 881. Nothing is lost, so nothing goes twice; then one FIN.
 * A flow between two others at the same time changes none of that; one without an end never says that it is done. */
TEST(test_a_flow_delivers_its_bytes_and_closes)
{
    make(4);
    add(0, (struct emu_flow_config){.source = 0, .sink = 1, .bytes = 1000001});
    add(1, (struct emu_flow_config){.source = 2, .sink = 3});
    add(2, (struct emu_flow_config){.source = 0, .sink = 3, .bytes = 1, .start_ps = 50 * UNITS_PS_PER_MS});
    go(100 * UNITS_PS_PER_MS);
    const struct emu_flow_stats s = emu_engine_flow_stats(engine, 0), endless = emu_engine_flow_stats(engine, 1),
                                late = emu_engine_flow_stats(engine, 2);
    assert_true(s.connected && s.done);
    assert_ints({s.delivered_bytes, 1000001}, {s.delivered_back_bytes, 0}, {s.retransmitted_segments, 0},
                {s.retransmitted_bytes, 0}, {seen[0].data, 691}, {seen[0].syns, 1}, {seen[0].fins, 1});
    assert_int_equal(seen[0].first, seen[0].isn + 1); /* RFC 9293, section 3.4: a SYN takes a number */
    assert_true(endless.connected && !endless.done);
    assert_int_equal(endless.retransmitted_segments, 0);
    assert_true(endless.delivered_bytes > 10500000); /* of 11.77 MB: 1448/1538 of the link, less a start */
    assert_all(late.done && late.delivered_bytes == 1,
               late.first_data_ps > 50 * UNITS_PS_PER_MS && late.first_data_ps < 51 * UNITS_PS_PER_MS,
               late.last_delivery_ps > late.first_data_ps, seen[2].isn != seen[0].isn);
    end();
}

/* Nor does it matter who sends, whether its host keeps little in the NIC, and whether the other one takes frames of 20 us in
 * together. */
TEST(test_bytes_are_bytes_whoever_sends_them)
{
    static const enum emu_congestion controls[] = {EMU_CONGESTION_NEWRENO, EMU_CONGESTION_CUBIC, EMU_CONGESTION_LINUXRENO};
    for (int i = 0; i < 12; i++) {
        make(2);
        merged_ps = i / 3 % 2 ? 20 * UNITS_PS_PER_US : 0;
        small_queue = i / 6 && i % 3 > 0 ? 10000 : 0; /* as Linux does */
        add_with(0, (struct emu_flow_config){.source = 0, .sink = 1, .bytes = 1000001}, controls[i % 3]);
        go(100 * UNITS_PS_PER_MS);
        const struct emu_flow_stats s = emu_engine_flow_stats(engine, 0);
        assert_true(s.done);
        assert_ints({s.delivered_bytes, 1000001}, {s.retransmitted_segments, 0}, {seen[0].data, 691}, {seen[0].syns, 1}, {seen[0].fins, 1});
        end();
    }
    merged_ps = small_queue = 0;
}

/* Linux's clock tells whole ns: what begins 300 ps after 0 begins at 1 ns, and so on with all that follows. Frames take whole
 * ns here, so that others' first data are 300 ps past one, too. */
TEST(test_a_host_of_linux_acts_at_whole_nanoseconds)
{
    make(4);
    add_with(0, (struct emu_flow_config){.source = 0, .sink = 1, .bytes = 5000, .start_ps = 300}, EMU_CONGESTION_LINUXRENO);
    add(1, (struct emu_flow_config){.source = 2, .sink = 3, .bytes = 5000, .start_ps = 300});
    go(100 * UNITS_PS_PER_MS);
    assert_int_equal(emu_engine_flow_stats(engine, 0).first_data_ps % 1000, 0);
    assert_int_equal(emu_engine_flow_stats(engine, 1).first_data_ps % 1000, 300);
    end();
}

/* Both ways on one connection: done when the slower way is; each end sends its FIN. */
TEST(test_a_duplex_flow_delivers_both_ways)
{
    make(2);
    add(0, (struct emu_flow_config){.source = 0, .sink = 1, .bytes = 300000, .duplex = true});
    go(UNITS_PS_PER_MS);
    assert_false(emu_engine_flow_stats(engine, 0).done); /* 1 ms of 1 Gb/s are 125,000 bytes */
    go(100 * UNITS_PS_PER_MS);
    struct emu_flow_stats s = emu_engine_flow_stats(engine, 0);
    assert_true(s.done);
    assert_ints({s.delivered_bytes, 300000}, {s.delivered_back_bytes, 300000}, {seen[0].fins, 1});
    end();
}

/* A written flow sends what it is given, whenever that is, says when all of that is acknowledged, and stays open. */
TEST(test_a_written_flow_stays_open)
{
    make(2);
    add(0, (struct emu_flow_config){.source = 0, .sink = 1, .bytes = 5000, .written = true});
    emu_engine_write(engine, 0, 2000); /* before it is connected */
    go(100 * UNITS_PS_PER_MS);
    assert_ints({told[0], 2000}, {drained[0], 1});
    assert_false(emu_engine_flow_stats(engine, 0).done);
    emu_engine_write(engine, 0, 3000);
    go(200 * UNITS_PS_PER_MS);
    assert_ints({told[0], 5000}, {drained[0], 2});
    assert_true(emu_engine_flow_stats(engine, 0).done);
    assert_int_equal(emu_engine_flow_stats(engine, 0).delivered_bytes, 5000);
    assert_int_equal(seen[0].fins, 0);
    end();
}

/* Each way of a duplex connection carries what it is given, and no more. */
TEST(test_ways_of_a_connection_are_written_apart)
{
    make(2);
    add(0, (struct emu_flow_config){.source = 0, .sink = 1, .duplex = true, .written = true});
    emu_engine_write_way(engine, 0, true, 700); /* before it is connected */
    go(100 * UNITS_PS_PER_MS);
    assert_int_equal(emu_engine_flow_stats(engine, 0).delivered_bytes, 0);
    assert_int_equal(emu_engine_flow_stats(engine, 0).delivered_back_bytes, 700);
    emu_engine_write_way(engine, 0, false, 4000);
    emu_engine_write(engine, 0, 10); /* both */
    go(200 * UNITS_PS_PER_MS);
    assert_int_equal(emu_engine_flow_stats(engine, 0).delivered_bytes, 4010);
    assert_int_equal(emu_engine_flow_stats(engine, 0).delivered_back_bytes, 710);
    end();
}

TEST(test_one_engine_a_process)
{
    make(2);
    struct emu_engine_config config = {
        .seed = 1, .transmit = transmit, .delivered = delivered, .drained = all_acknowledged};
    assert_null(emu_engine_new(&config, &err));
    assert_int_equal(err.code, ERROR_SYSTEM);
    struct emu_flow_config flow = {.source = 0, .sink = 1, .tcp.congestion = EMU_CONGESTION_COUNT};
    assert_int_equal(emu_engine_add_flow(engine, &flow, &err), -1);
    assert_int_equal(err.code, ERROR_INPUT);
    end();
}
