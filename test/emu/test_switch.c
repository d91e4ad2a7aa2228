/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/network.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

static struct emu_network net;
static int received[1100]; /* frames a host got */

static void deliver(void *user, int host, const struct emu_frame *frame)
{
    received[host]++;
    fake_ops.release(frame->packet);
}

static void make(int hosts)
{
    fake_reset();
    memset(received, 0, sizeof received);
    struct emu_clock clock = fake_clock();
    struct emu_network_config config = {.hosts = hosts,
                                        .link = {.rate_bps = 1000000000, .delay_ps = 1000000},
                                        .nic = emu_queue_config_default(),
                                        .sw = emu_switch_config_default()};
    emu_network_init(&net, &config, &clock, &fake_ops, deliver, NULL);
}

static void send(int from, int to)
{
    struct emu_frame f = fake_frame(from, to, 100, 0);
    emu_network_transmit(&net, from, &f);
    fake_run();
}

static void end(void)
{
    struct error err = {0};
    assert_true(emu_network_audit(&net, &err));
    emu_network_fini(&net);
    assert_int_equal(fake_live, 0);
}

TEST(test_unknown_destination_is_flooded_then_learnt)
{
    make(4);
    send(0, 2); /* nobody knows h2 */
    assert_ints({received[0], 0}, {received[1] + received[2] + received[3], 3});
    send(2, 0); /* the switch knows h0 now, and learns h2 */
    assert_ints({received[0], 1}, {received[1] + received[3], 2});
    send(0, 2);
    assert_ints({received[2], 2}, {received[1] + received[3], 2}, {net.switches[0].flooded, 1},
                {net.switches[0].ports[0].queue.stats.enqueued, 1});
    end();
}

TEST(test_broadcast_reaches_everybody_else)
{
    make(5);
    send(3, -1);
    assert_int_equal(received[3], 0);
    for (int h = 0; h < 5; h++)
        assert_int_equal(received[h], h != 3);
    end();
}

TEST(test_frame_to_its_own_segment_is_filtered)
{
    make(3);
    send(0, -1);
    memset(received, 0, sizeof received);
    send(0, 0);
    assert_ints({received[0] + received[1] + received[2], 0}, {net.switches[0].filtered, 1});
    end();
}

TEST(test_host_that_moves_is_learnt_anew)
{
    make(3);
    send(0, -1);
    struct emu_frame f = fake_frame(0, -1, 100, 0);
    emu_network_transmit(&net, 2, &f); /* h0's address, from h2's cable */
    fake_run();
    assert_int_equal(emu_switch_lookup(&net.switches[0], 1), 2);
    assert_int_equal(emu_switch_lookup(&net.switches[0], 99), -1);
    end();
}

TEST(test_table_grows_to_a_thousand_hosts)
{
    make(1000);
    for (int h = 0; h < 1000; h++) {
        struct emu_frame f = fake_frame(h, 0, 100, 0);
        f.dst = 1;
        net.switches[0].ports[h].receive(&net.switches[0], h, &f);
        fake_run();
    }
    for (int h = 0; h < 1000; h++)
        assert_int_equal(emu_switch_lookup(&net.switches[0], (uint32_t)h + 1), h);
    emu_network_fini(&net);
}
