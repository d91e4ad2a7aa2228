/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/scenarios/text.h"

#define TOP "title, engine, transport, seed, duration, warmup, network, tcp, gbn, traffic, capture"

static void test_unknown_key_names_the_known_ones(void **state)
{
    (void)state;
    text_rejects("seed: 1\nspeed: 2\n", NULL, "s.yaml:2: speed: unknown key; known here: " TOP);
    text_rejects("seed: 1\nnetwork:\n  link:\n    rat: 1\n", NULL,
                 "s.yaml:4: network.link.rat: unknown key; known here: rate, delay, goodput");
    text_rejects("traffic:\n  flows:\n    - {from: h1, to: h0}\n    - {from: h1, into: h0}\n", NULL,
                 "s.yaml:4: traffic.flows.1.into: unknown key; known here: name, from, to, bytes, window, "
                 "congestion, start, repeat, duplex, pauses");
    text_rejects("capture:\n  - {on: h0}\n", NULL,
                 "s.yaml:2: capture.0.on: unknown key; known here: at, snaplen, format");
    text_rejects("a.b: 1\n", NULL, "s.yaml: a.b: unknown key; known here: " TOP);
}

static void test_unknown_path_is_blamed_on_its_set(void **state)
{
    (void)state;
    text_rejects("seed: 1\n", "network.switch.queu=fifo",
                 "--set network.switch.queu=fifo: unknown key; known here: architecture, queue, limit, pool, alpha, "
                 "arbitration, forwarding, latency, backplane, ports, pause");
    text_rejects("seed: 1\n", "net.link.rate=1Gbps", "--set net.link.rate=1Gbps: net: unknown key; known here: " TOP);
}

static void test_value_of_the_wrong_kind_is_told(void **state)
{
    (void)state;
    text_rejects("just words\n", NULL, "s.yaml: a single value found; here belong keys of these: " TOP);
    text_rejects("[1, 2]\n", NULL, "s.yaml: a list found; here belong keys of these: " TOP);
    text_rejects("seed:\n  x: 1\n", NULL, "s.yaml:1: seed: a mapping found; here belongs a single value");
    text_rejects("title: [a]\n", NULL, "s.yaml:1: title: a list found; here belongs a single value");
    text_rejects("network:\n  link: fast\n", NULL,
                 "s.yaml:2: network.link: a single value found; here belong keys of these: rate, delay, goodput");
    text_rejects("seed: 1\ntraffic:\n", NULL,
                 "s.yaml:2: traffic: nothing found; here belong keys of these: star, random, pairs, exchange, burst, "
                 "pingpong, uniform, flows, start_spread, barrier, precision");
    text_rejects("capture: h0\n", NULL, "s.yaml:1: capture: a single value found; here belongs a list, such as [a, b]");
    text_rejects("capture:\n  - h0\n", NULL,
                 "s.yaml:2: capture.0: a single value found; here belong keys of these: at, snaplen, format");
    text_rejects("network: {topology: tree, racks: [1, [2]]}\n", NULL,
                 "s.yaml:1: network.racks.1: a list found; here belongs a single value");
    text_rejects("seed: 1\n", "tcp=1MB",
                 "--set tcp=1MB: a single value found; here belong keys of these: congestion, window, initial_window, "
                 "segment, delayed_ack, delayed_ack_timeout, min_rto, sack, hystart, small_queues");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_key_names_the_known_ones),
        cmocka_unit_test(test_unknown_path_is_blamed_on_its_set),
        cmocka_unit_test(test_value_of_the_wrong_kind_is_told),
    };
    return cmocka_run_group_tests(tests, text_enter, text_leave);
}
