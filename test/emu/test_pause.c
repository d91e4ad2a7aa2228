/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ethernet PAUSE: frames on the wire, quanta, and a switch that loses nothing. */
#include "base/random.h"
#include "emu/network.h"
#include "emu/pause.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#include <string.h>

#define BYTE_PS 8000 /* 1 Gb/s */
#define US 1000000   /* ps */

static struct emu_port a, b;
static int64_t came_ps[100];
static int came;

static void take(void *owner, int index, const struct emu_frame *frame)
{
    (void)owner;
    (void)index;
    struct emu_clock clock = fake_clock();
    came_ps[came++] = emu_clock_now(&clock);
    fake_ops.release(frame->packet);
}

static void cable(void)
{
    fake_reset();
    came = 0;
    struct emu_clock clock = fake_clock();
    struct emu_queue_config queue = emu_queue_config_default();
    struct emu_port *ports[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        emu_port_init(ports[i], i ? "b" : "a", &clock, &fake_ops, &queue);
        emu_port_make_eager(ports[i]);
        ports[i]->receive = take;
    }
    emu_port_connect(&a, &b, &(struct emu_link_config){.rate_bps = 1000000000, .delay_ps = US});
}

static void cable_end(void)
{
    struct error err = {0};
    assert_true(emu_port_audit(&a, &err));
    assert_true(emu_port_audit(&b, &err));
    emu_port_fini(&a);
    emu_port_fini(&b);
    assert_int_equal(fake_live, 0);
}

static void send(struct emu_port *p, int n)
{
    for (int i = 0; i < n; i++) {
        struct emu_frame f = fake_frame(0, 1, 1500, i);
        emu_port_send(p, &f);
    }
}

/* b's PAUSE of 100 quanta takes 72 byte times and 1 us to a, which is in its first frame of three: the second starts
 * when the time is over, 100 * 512 bit times after the PAUSE came. */
static void test_a_port_stops_after_its_frame_for_so_many_quanta(void **state)
{
    (void)state;
    cable();
    send(&a, 3);
    emu_port_send_pause(&b, 100);
    fake_run();
    int64_t heard_ps = 72 * BYTE_PS + US, go_ps = heard_ps + 100 * 512 * 1000;
    assert_int_equal(came, 3);
    assert_int_equal(came_ps[0], 1526 * BYTE_PS + US);
    assert_int_equal(came_ps[1], go_ps + 1526 * BYTE_PS + US);
    assert_int_equal(came_ps[2], came_ps[1] + 1538 * BYTE_PS);
    assert_int_equal(a.stats.paused_ps, 100 * 512 * 1000);
    assert_int_equal(a.stats.pauses_received, 1);
    assert_int_equal(b.stats.pauses_sent, 1);
    cable_end();
}

static void resume(void *arg)
{
    emu_port_send_pause(arg, 0);
}

static void test_zero_quanta_let_it_go_on_at_once(void **state)
{
    (void)state;
    cable();
    struct emu_clock clock = fake_clock();
    send(&a, 2);
    emu_port_send_pause(&b, 65535);
    emu_clock_schedule(&clock, 50 * US, resume, &b);
    fake_run();
    assert_int_equal(came, 2);
    assert_int_equal(came_ps[1], 50 * US + 72 * BYTE_PS + US + 1526 * BYTE_PS + US);
    assert_int_equal(a.stats.paused_ps, 50 * US); /* between the two PAUSEs */
    cable_end();
}

/* A port told to stop may still say PAUSE itself, and the frame in its transmitter goes before. */
static void test_pause_overtakes_the_queue_and_is_not_stopped(void **state)
{
    (void)state;
    cable();
    send(&a, 5);
    emu_port_send_pause(&b, 1000);
    emu_port_send_pause(&a, 1000);
    send(&b, 1);
    fake_run();
    assert_int_equal(b.stats.pauses_received, 1);
    assert_int_equal(came, 6);
    cable_end();
}

static struct emu_network net;
static int received[8];

static void deliver(void *user, int host, const struct emu_frame *frame)
{
    (void)user;
    received[host]++;
    fake_ops.release(frame->packet);
}

/* Hosts 1 to 4 send 300 frames each to h0 through buffers of so many bytes; h4 to h5 besides. */
static void lossless(enum emu_architecture kind, bool everybody, uint32_t packet_bytes, int64_t buffer_bytes)
{
    fake_reset();
    memset(received, 0, sizeof received);
    struct emu_clock clock = fake_clock();
    struct emu_link_config link = {.rate_bps = 1000000000, .delay_ps = US};
    struct emu_switch_config sw = emu_switch_config_default();
    sw.architecture = kind;
    if (kind == EMU_ARCHITECTURE_SHARED)
        sw.pool.bytes = buffer_bytes;
    else
        sw.queue.limit_bytes = buffer_bytes;
    int64_t inputs = emu_architectures[kind]->place == EMU_ARCHITECTURE_AT_INPUTS ? 1 : 6;
    int64_t xoff = buffer_bytes - inputs * emu_switch_headroom_bytes(&link, packet_bytes);
    assert_true(xoff > 0);
    sw.pause = (struct emu_pause_config){.on = true, .everybody = everybody, .quanta = 65535,
                                         .xoff = {xoff, EMU_QUEUE_UNLIMITED}, .xon = {xoff / 2, EMU_QUEUE_UNLIMITED}};
    struct emu_network_config config = {.hosts = 6, .link = link, .nic = emu_queue_config_default(), .sw = sw};
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
    for (int h = 0; h < 6; h++) { /* teach the switch */
        struct emu_frame f = fake_frame(h, -1, 50, 0);
        f.src = (uint32_t)h;
        emu_network_transmit(&net, h, &f);
        fake_run();
    }
    memset(received, 0, sizeof received);
    for (int i = 0; i < 300; i++)
        for (int h = 1; h < 5; h++) {
            struct emu_frame f = fake_frame(h, 0, packet_bytes, i);
            f.src = (uint32_t)h;
            f.dst = h == 4 && i % 2 ? 5 : 0;
            emu_network_transmit(&net, h, &f);
        }
    fake_run();
    assert_int_equal(received[0], 3 * 300 + 150);
    assert_int_equal(received[5], 150);
    struct error err = {0};
    if (!emu_network_audit(&net, &err))
        fail_msg("%s", err.message);
    assert_true(emu_network_find(&net, "h1")->stats.pauses_received > 1);
    assert_true((emu_network_find(&net, "h5")->stats.pauses_received > 0) == everybody);
    emu_network_fini(&net);
    assert_int_equal(fake_live, 0);
}

static void test_nothing_is_lost_with_room_for_what_is_under_way(void **state)
{
    (void)state;
    for (int kind = EMU_ARCHITECTURE_OUTPUT; kind <= EMU_ARCHITECTURE_VOQ; kind++) {
        lossless((enum emu_architecture)kind, false, 1500, 60000);
        lossless((enum emu_architecture)kind, true, 1500, 60000);
    }
}

/* Six inputs at 1 Gb/s over cables of 1 us: 250 bytes both ways, two frames of 9038 on the wire, a PAUSE of 84, a frame of
 * 9018 in the buffer. */
static void test_jumbo_frames_need_more_room(void **state)
{
    (void)state;
    struct emu_link_config link = {.rate_bps = 1000000000, .delay_ps = US};
    assert_int_equal(emu_switch_headroom_bytes(&link, 1500), 250 + 2 * 1538 + 84 + 1518);
    assert_int_equal(emu_switch_headroom_bytes(&link, 9000), 250 + 2 * 9038 + 84 + 9018);
    for (int kind = EMU_ARCHITECTURE_OUTPUT; kind <= EMU_ARCHITECTURE_VOQ; kind++)
        lossless((enum emu_architecture)kind, false, 9000, 200000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_port_stops_after_its_frame_for_so_many_quanta),
        cmocka_unit_test(test_zero_quanta_let_it_go_on_at_once),
        cmocka_unit_test(test_pause_overtakes_the_queue_and_is_not_stopped),
        cmocka_unit_test(test_nothing_is_lost_with_room_for_what_is_under_way),
        cmocka_unit_test(test_jumbo_frames_need_more_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
