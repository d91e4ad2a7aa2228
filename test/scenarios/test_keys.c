/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/keys.h"
#include "test/scenarios/text.h"

#define TOP "title, engine, clock, wall, transport, seed, duration, warmup, network, tcp, gbn, traffic, capture"

TEST(test_unknown_key_names_the_known_ones)
{
    text_rejects("seed: 1\nspeed: 2\n", NULL, "s.yaml:2: speed: unknown key; did you mean seed? Known here: " TOP);
    text_rejects("seed: 1\nnetwork:\n  link:\n    rat: 1\n", NULL,
                 "s.yaml:4: network.link.rat: unknown key; did you mean rate? Known here: rate, up, delay, "
                 "goodput, mtu, faults, framing");
    text_rejects("traffic:\n  flows:\n    - {from: h1, to: h0}\n    - {from: h1, into: h0}\n", NULL,
                 "s.yaml:4: traffic.flows.1.into: unknown key; did you mean to? Known here: name, from, to, "
                 "bytes, window, congestion, transport, start, class, repeat, duplex, pauses, rate, windows");
    text_rejects("capture:\n  - {on: h0}\n", NULL,
                 "s.yaml:2: capture.0.on: unknown key; known here: at, snaplen, format");
    text_rejects("a.b: 1\n", NULL, "s.yaml: a.b: unknown key; known here: " TOP);
}

TEST(test_unknown_path_is_blamed_on_its_set)
{
    text_rejects("seed: 1\n", "network.switch.queu=fifo",
                 "--set network.switch.queu=fifo: unknown key; did you mean queue? Known here: architecture, queue, "
                 "limit, target, interval, quantum, quanta, min, max, probability, rate, burst, ecn, aggressive, mark, qdisc, "
                 "pool, alpha, arbitration, forwarding, latency, backplane, ports, pause");
    text_rejects("seed: 1\n", "net.link.rate=1Gbps",
                 "--set net.link.rate=1Gbps: net: unknown key; did you mean network? Known here: " TOP);
}

TEST(test_value_of_the_wrong_kind_is_told)
{
    text_rejects("just words\n", NULL, "s.yaml: a single value found; here belong keys of these: " TOP);
    text_rejects("[1, 2]\n", NULL, "s.yaml: a list found; here belong keys of these: " TOP);
    text_rejects("seed:\n  x: 1\n", NULL, "s.yaml:1: seed: a mapping found; here belongs a single value");
    text_rejects("title: [a]\n", NULL, "s.yaml:1: title: a list found; here belongs a single value");
    text_rejects("network:\n  link: fast\n", NULL,
                 "s.yaml:2: network.link: a single value found; here belong keys of these: rate, up, delay, goodput, "
                 "mtu, faults, framing");
    text_rejects("seed: 1\ntraffic:\n", NULL,
                 "s.yaml:2: traffic: nothing found; here belong keys of these: star, random, pairs, exchange, tree, "
                 "collective, goal, requests, burst, pingpong, uniform, flows, csv, background, on_off, beside, datagrams, programs, start_spread, barrier, precision");
    text_rejects("capture: h0\n", NULL, "s.yaml:1: capture: a single value found; here belongs a list, such as [a, b]");
    text_rejects("capture:\n  - h0\n", NULL,
                 "s.yaml:2: capture.0: a single value found; here belong keys of these: at, snaplen, format");
    text_rejects("network: {topology: tree, racks: [1, [2]]}\n", NULL,
                 "s.yaml:1: network.racks.1: a list found; here belongs a single value");
    text_rejects("seed: 1\n", "tcp=1MB",
                 "--set tcp=1MB: a single value found; here belong keys of these: congestion, window, initial_window, "
                 "segment, delayed_ack, delayed_ack_timeout, min_rto, max_rto, sack, ecn, nagle, idle_restart, hystart, "
                 "small_queues, linux");
}

TEST(test_a_key_of_another_section_is_found_there)
{
    text_rejects("window: 3MB\n", NULL, "s.yaml:1: window: unknown key; did you mean tcp.window? Known here: " TOP);
    text_rejects("tcp: {rate: 1Gbps}\n", NULL,
                 "s.yaml:1: tcp.rate: unknown key; did you mean network.link.rate? Known here: congestion, window, "
                 "initial_window, segment, delayed_ack, delayed_ack_timeout, min_rto, max_rto, sack, ecn, nagle, idle_restart, "
                 "hystart, small_queues, linux");
    text_rejects("network: {toplogoy: star}\n", NULL,
                 "s.yaml:1: network.toplogoy: unknown key; did you mean topology? Known here: topology, hosts, racks, "
                 "uplinks, spines, k, cables, delays, host_times, link, backbone, nic, host, switch, root, links, nodes");
}

/* Two rows of one section with one name would hide the second. */
static void rows_are_sound(const struct key *keys)
{
    for (const struct key *k = keys; k->name; k++) {
        for (const struct key *other = keys; other < k; other++)
            assert_string_not_equal(k->name, other->name);
        if (!k->meaning || !*k->meaning)
            fail_msg("%s means nothing", k->name);
        if (k->keys)
            rows_are_sound(k->keys);
        if (k->entry && k->entry->keys)
            rows_are_sound(k->entry->keys);
    }
}

TEST(test_every_row_has_its_name_and_meaning)
{
    rows_are_sound(scenario_keys);
}

CM_GROUP(text_enter, text_leave)
