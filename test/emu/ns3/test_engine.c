/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine is one per process, so each test runs in a child that reports by its exit status. */
#include "base/units.h"
#include "emu/engine.h"
#include "emu/network/network.h"
#include "test/cm.h"

#include <sys/wait.h>

static struct emu_engine *engine;
static struct emu_network net;

static void transmit(void *user, int host, const struct emu_frame *frame)
{
    emu_network_transmit(&net, host, frame);
}

static void deliver(void *user, int host, const struct emu_frame *frame)
{
    emu_engine_deliver(engine, host, frame);
}

static struct emu_tcp_config tcp_default(int64_t window_bytes)
{
    return (struct emu_tcp_config){.congestion = EMU_CONGESTION_NEWRENO,
                                   .send_buffer_bytes = window_bytes,
                                   .receive_buffer_bytes = window_bytes,
                                   .initial_window_segments = window_bytes / 1448 + 1,
                                   .segment_bytes = 1448,
                                   .delayed_ack = 2,
                                   .delayed_ack_timeout_ps = 40 * UNITS_PS_PER_MS,
                                   .min_rto_ps = 200 * UNITS_PS_PER_MS,
                                   .sack = true};
}

static void make(int hosts, int64_t delay_ps)
{
    struct error err = {0};
    struct emu_engine_config config = {.seed = 1, .transmit = transmit};
    engine = emu_engine_new(&config, &err);
    if (!engine)
        _exit(100);
    struct emu_clock clock = emu_engine_clock(engine);
    struct emu_network_config network = {.hosts = hosts,
                                         .link = {.rate_bps = 1000000000, .delay_ps = delay_ps},
                                         .nic = emu_queue_config_default(),
                                         .sw = emu_switch_config_default()};
    emu_network_init(&net, &network, &clock, emu_engine_frame_ops(), deliver, NULL);
    for (int h = 0; h < hosts; h++)
        if (emu_engine_add_host(engine, &err) != h)
            _exit(101);
}

/* Runs body in a child; its return value is the exit status. */
static int in_child(int (*body)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(body());
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define CHECK(condition, status) \
    do {                         \
        if (!(condition))        \
            return (status);     \
    } while (0)

/* A lone flow of 100 segments in flight over 4 x 100 us of propagation: W / RTT. The round trip adds
 * the serialisation of a full frame twice (12.208 us each) and of an ACK twice (70 + 8 bytes, 0.624 us):
 * 425.7 us; 100 * 1448 * 8 / RTT = 2.72 Gb/s would exceed the link, so take 20 segments:
 * 20 * 1448 * 8 / 425.7 us = 544 Mb/s, less a little for delayed ACKs (within 5 %). */
static int lone_flow(void)
{
    struct error err = {0};
    make(2, 100 * UNITS_PS_PER_US);
    struct emu_flow_config flow = {0, 1, 0, 0, tcp_default(20 * 1448), false, false};
    CHECK(emu_engine_add_flow(engine, &flow, &err) == 0, 1);
    CHECK(emu_engine_run(engine, UNITS_PS_PER_S / 5, &err), 2);
    int64_t before = emu_engine_flow_stats(engine, 0).delivered_bytes;
    CHECK(emu_engine_run(engine, UNITS_PS_PER_S / 5 * 2, &err), 3);
    double rate = (double)(emu_engine_flow_stats(engine, 0).delivered_bytes - before) * 8 / 0.2;
    CHECK(fabs(rate / 544e6 - 1) < 0.05, 4);
    CHECK(emu_engine_flow_stats(engine, 0).retransmitted_segments == 0, 5);
    CHECK(emu_network_audit(&net, &err), 6);
    emu_engine_free(engine);
    emu_network_fini(&net);
    return 0;
}

/* One saturating flow: goodput 1448/1538 of the link, 941.5 Mb/s. */
static int saturated(void)
{
    struct error err = {0};
    make(2, 50 * UNITS_PS_PER_US);
    struct emu_flow_config flow = {0, 1, 0, 0, tcp_default(500000), false, false};
    CHECK(emu_engine_add_flow(engine, &flow, &err) == 0, 1);
    CHECK(emu_engine_run(engine, UNITS_PS_PER_S / 10, &err), 2);
    int64_t before = emu_engine_flow_stats(engine, 0).delivered_bytes;
    CHECK(emu_engine_run(engine, UNITS_PS_PER_S / 10 * 3, &err), 3);
    double rate = (double)(emu_engine_flow_stats(engine, 0).delivered_bytes - before) * 8 / 0.2;
    CHECK(fabs(rate / (1e9 * 1448 / 1538) - 1) < 0.001, 4);
    return 0;
}

/* A flow of so many bytes delivers exactly those and says when it was done; a second flow that
 * starts later is not disturbed. */
static int bounded(void)
{
    struct error err = {0};
    make(3, 10 * UNITS_PS_PER_US);
    struct emu_flow_config flow = {0, 1, 0, 1000001, tcp_default(100000), false, false};
    struct emu_flow_config later = {2, 1, 50 * UNITS_PS_PER_MS, 1, tcp_default(100000), false, false};
    CHECK(emu_engine_add_flow(engine, &flow, &err) == 0, 1);
    CHECK(emu_engine_add_flow(engine, &later, &err) == 1, 2);
    CHECK(emu_engine_run(engine, 2 * UNITS_PS_PER_S, &err), 3);
    struct emu_flow_stats s = emu_engine_flow_stats(engine, 0), t = emu_engine_flow_stats(engine, 1);
    CHECK(s.done && s.delivered_bytes == 1000001, 4);
    CHECK(s.last_delivery_ps > s.first_data_ps && s.last_delivery_ps < 20 * UNITS_PS_PER_MS, 5);
    CHECK(t.done && t.delivered_bytes == 1 && t.first_data_ps > 50 * UNITS_PS_PER_MS, 6);
    return 0;
}

/* A buffer beyond 32 bits ends in ns-3's fatal error: it must come back as a sentence. */
static int fatal(void)
{
    struct error err = {0};
    make(2, 0);
    struct emu_flow_config flow = {0, 1, 0, 0, tcp_default(INT64_C(5000000000)), false, false};
    flow.tcp.initial_window_segments = 10;
    CHECK(emu_engine_add_flow(engine, &flow, &err) == -1, 1);
    CHECK(err.code == ERROR_SYSTEM && strstr(err.message, "SndBufSize"), 2);
    CHECK(!emu_engine_run(engine, 1, &err), 3); /* and the engine knows that it is broken */
    return 0;
}

static int second_engine(void)
{
    struct error err = {0};
    make(2, 0);
    struct emu_engine_config config = {.seed = 2, .transmit = transmit};
    CHECK(!emu_engine_new(&config, &err) && err.code == ERROR_SYSTEM, 1);
    struct emu_flow_config flow = {0, 1, 0, 0, tcp_default(100000), false, false};
    flow.tcp.congestion = EMU_CONGESTION_COUNT; /* none of them */
    CHECK(emu_engine_add_flow(engine, &flow, &err) == -1 && err.code == ERROR_INPUT, 2);
    return 0;
}

static uint64_t digest;

static void hash_frames(void *user, enum emu_tap_event event, int64_t time_ps, const struct emu_frame *frame,
                        const struct emu_queue *queue)
{
    uint8_t bytes[128];
    size_t n = emu_engine_frame_ops()->bytes(frame, bytes, sizeof bytes);
    digest = (digest ^ (uint64_t)time_ps ^ (uint64_t)event ^ (uint64_t)queue->depth_bytes) * UINT64_C(1099511628211);
    for (size_t i = 0; i < n; i++)
        digest = (digest ^ bytes[i]) * UINT64_C(1099511628211);
}

/* Exit status: eight bits of a digest over every frame at h0. */
static int digest_of_run(void)
{
    struct error err = {0};
    make(4, 50 * UNITS_PS_PER_US);
    emu_network_find(&net, "h0")->tap = (struct emu_tap){hash_frames, NULL};
    for (int i = 1; i < 4; i++) {
        int from = i < 3 ? i : 0, to = i < 3 ? 0 : i;
        struct emu_flow_config flow = {from, to, i * 1000, 0, tcp_default(300000), false, false};
        emu_engine_add_flow(engine, &flow, &err);
    }
    emu_engine_run(engine, UNITS_PS_PER_S / 20, &err);
    return (int)(digest % 251);
}

TEST(test_lone_flow_runs_at_window_over_rtt)
{
    assert_int_equal(in_child(lone_flow), 0);
}

TEST(test_saturating_flow_gets_the_goodput_of_the_link)
{
    assert_int_equal(in_child(saturated), 0);
}

TEST(test_bounded_flow_delivers_its_bytes)
{
    assert_int_equal(in_child(bounded), 0);
}

TEST(test_fatal_error_becomes_a_sentence)
{
    assert_int_equal(in_child(fatal), 0);
}

TEST(test_second_engine_and_unknown_names_are_refused)
{
    assert_int_equal(in_child(second_engine), 0);
}

TEST(test_same_seed_same_frames)
{
    assert_int_equal(in_child(digest_of_run), in_child(digest_of_run));
}
