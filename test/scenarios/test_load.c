/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/scenarios/text.h"

TEST(test_every_default)
{
    struct scenario s = text_load("{}\n", NULL);
    assert_string_equal(s.title, "");
    assert_ints({s.engine, SCENARIO_ENGINE_NATIVE}, {s.seed, 1}, {s.duration_ps, 2 * UNITS_PS_PER_S},
                {s.warmup_ps, 600 * UNITS_PS_PER_MS}, {s.network.topology, EMU_TOPOLOGY_STAR});
    assert_int_equal(s.network.hosts, 4); /* h0, two that send, one that receives */
    assert_ints({s.network.link.rate_bps, 1000000000}, {s.network.link.delay_ps, 50 * UNITS_PS_PER_US},
                {s.network.nic.discipline, EMU_DISCIPLINE_FIFO}, {s.network.nic.limit_bytes, 20000000});
    assert_true(s.network.nic.limit_packets == EMU_QUEUE_UNLIMITED);
    assert_ints({s.network.sw.architecture, EMU_ARCHITECTURE_OUTPUT},
                {s.network.sw.queue.discipline, EMU_DISCIPLINE_FIFO}, {s.network.sw.queue.limit_bytes, 20000000});
    assert_true(s.network.sw.queue.limit_packets == EMU_QUEUE_UNLIMITED);
    assert_ints({s.tcp.congestion, EMU_CONGESTION_NEWRENO}, {s.tcp.send_buffer_bytes, 3000000},
                {s.tcp.receive_buffer_bytes, 3000000}, {s.tcp.initial_window_segments, SCENARIO_WARM},
                {s.tcp.segment_bytes, 1448}, {s.tcp.delayed_ack, 2},
                {s.tcp.delayed_ack_timeout_ps, 40 * UNITS_PS_PER_MS}, {s.tcp.min_rto_ps, 200 * UNITS_PS_PER_MS},
                {s.tcp.max_rto_ps, 0});
    assert_true(s.tcp.sack);
    assert_ints({s.n_flows, 3}, {s.n_points, 0}, {s.start_spread_ps, 100 * UNITS_PS_PER_US}, {s.n_captures, 0});
    scenario_fini(&s);
    s = text_load("network: {topology: tree}\n", NULL);
    assert_ints({s.network.racks[0], 5}, {s.network.racks[1], 5}, {s.network.hosts, 10});
    assert_true(s.network.backbone.rate_bps == 10000000000);
    assert_int_equal(s.network.backbone.delay_ps, 50 * UNITS_PS_PER_US);
    scenario_fini(&s);
    s = text_load("capture: [{at: sw0-h0}]\n", NULL);
    assert_ints({s.captures[0].snaplen, 96}, {s.captures[0].format, SCENARIO_FORMAT_PCAP});
    scenario_fini(&s);
}

TEST(test_every_key_reaches_its_place)
{
    struct scenario s = text_load(
        "title: All of it\nengine: ns3\nseed: 9223372036854775807\nduration: 10s\nwarmup: 0\n"
        "network:\n  topology: tree\n  racks: [2, 3]\n  link: {rate: 100Mbps, delay: 1ms}\n"
        "  backbone: {rate: 40Gbps, delay: 7ns}\n  nic: {queue: ack-first, limit: 1000p}\n"
        "  switch: {queue: fifo, limit: 64KiB}\n"
        "tcp: {congestion: cubic, window: 500kB, initial_window: 10, segment: 1000, delayed_ack: 1,\n"
        "      delayed_ack_timeout: 25ms, min_rto: 1s, sack: false}\n"
        "capture: [{at: h4, snaplen: 65535, format: pcapng}, {at: sw1-h4}, {at: sw0-sw1}, {at: sw1-sw0}]\n", NULL);
    assert_string_equal(s.title, "All of it");
    assert_true(s.seed == INT64_MAX);
    assert_ints({s.duration_ps, 10 * UNITS_PS_PER_S}, {s.warmup_ps, 0}, {s.network.topology, EMU_TOPOLOGY_TREE},
                {s.network.racks[0], 2}, {s.network.racks[1], 3}, {s.network.hosts, 5},
                {s.network.link.rate_bps, 100000000}, {s.network.link.delay_ps, UNITS_PS_PER_MS});
    assert_true(s.network.backbone.rate_bps == 40000000000);
    assert_ints({s.network.backbone.delay_ps, 7000}, {s.network.nic.discipline, EMU_DISCIPLINE_ACK_FIRST});
    assert_true(s.network.nic.limit_bytes == EMU_QUEUE_UNLIMITED);
    assert_ints({s.network.nic.limit_packets, 1000}, {s.network.sw.queue.limit_bytes, 65536},
                {s.tcp.congestion, EMU_CONGESTION_CUBIC}, {s.tcp.send_buffer_bytes, 500000},
                {s.tcp.initial_window_segments, 10}, {s.tcp.segment_bytes, 1000}, {s.tcp.delayed_ack, 1},
                {s.tcp.delayed_ack_timeout_ps, 25 * UNITS_PS_PER_MS}, {s.tcp.min_rto_ps, UNITS_PS_PER_S});
    assert_false(s.tcp.sack);
    assert_ints({s.flows[0].tcp.initial_window_segments, 10}, {s.n_captures, 4});
    assert_string_equal(s.captures[0].at, "h4");
    assert_ints({s.captures[0].snaplen, 65535}, {s.captures[0].format, SCENARIO_FORMAT_PCAPNG});
    assert_string_equal(s.captures[3].at, "sw1-sw0");
    scenario_fini(&s);
}

TEST(test_top_level_values_are_checked)
{
    char title[256];
    snprintf(title, sizeof title, "title: %0128d\n", 0);
    text_rejects(title, NULL, "s.yaml:1: title: 128 bytes long; 127 fit");
    text_rejects("engine: native\ntcp: {congestion: bbr}\n", NULL,
                 "s.yaml:1: engine: native has no congestion control 'bbr'; use ns3 or linux");
    text_rejects("engine: ns3\ntcp: {max_rto: 1s}\n", NULL,
                 "s.yaml:1: engine: ns3 has no longest timeout (tcp.max_rto); use native");
    text_rejects("engine: ns3\ntcp: {small_queues: 20kB}\n", NULL,
                 "s.yaml:1: engine: ns3 has no TCP Small Queues (tcp.small_queues); use native or linux");
    text_rejects("traffic: {flows: [{from: h1, to: h0, bytes: 1MB, repeat: 3}]}\n", "engine=ns3",
                 "--set engine=ns3: ns3 has no repeated messages; use native or linux");
    text_rejects("tcp: {congestion: bbr, small_queues: 20kB, max_rto: 1s}\n", NULL,
                 "s.yaml: engine: ns3 has no longest timeout (tcp.max_rto), native no congestion control 'bbr', linux no "
                 "longest timeout (tcp.max_rto)");
    text_rejects("engine: linux\ntcp: {delayed_ack_timeout: 1ms}\n", NULL,
                 "s.yaml:1: engine: linux has no delayed ACKs but its own, from 40 ms on (tcp.delayed_ack_timeout); use "
                 "native or ns3");
    text_rejects("engine: linux\ntcp: {delayed_ack: 3}\n", NULL,
                 "s.yaml:1: engine: linux has no more than 2 segments per ACK in Linux's TCP (tcp.delayed_ack); use "
                 "native or ns3");
    text_rejects("engine: native\ntcp: {delayed_ack: 3, congestion: cubic}\n", NULL,
                 "s.yaml:1: engine: native has no more than 2 segments per ACK in Linux's TCP (tcp.delayed_ack); use "
                 "ns3");
    text_rejects("engine: warp\n", NULL, "s.yaml:1: engine: 'warp' is not an engine; there are: ns3, native, linux");
    text_rejects("seed: -1\n", NULL, "s.yaml:1: seed: '-1' is outside 0 to 9223372036854775807");
    text_rejects("seed: one\n", NULL, "s.yaml:1: seed: 'one' is not a whole number");
    text_rejects("duration: 5 minutes\n", NULL,
                 "s.yaml:1: duration: '5 minutes' has unknown unit 'minutes'; a time looks like 2s, 600ms or 50us");
    text_rejects("duration: 0s\n", NULL, "s.yaml:1: duration: '0s' is outside 1us to 10000s");
    text_rejects("duration: 10001s\n", NULL, "s.yaml:1: duration: '10001s' is outside 1us to 10000s");
    text_rejects("seed: 1\nwarmup: 2s\n", NULL, "s.yaml:2: warmup: a warmup of 2s leaves nothing of a duration of 2s");
    text_rejects("warmup: 600ms\n", "duration=500ms",
                 "--set duration=500ms: a warmup of 600ms leaves nothing of a duration of 500ms");
}

TEST(test_tcp_values_are_checked)
{
    text_rejects("tcp:\n  window: 0\n", NULL,
                 "s.yaml:2: tcp.window: a window of '0' is smaller than one segment of 1448 bytes");
    text_rejects("tcp: {window: 1447}\n", NULL,
                 "s.yaml:1: tcp.window: a window of '1447' is smaller than one segment of 1448 bytes");
    text_rejects("tcp: {window: -3MB}\n", NULL,
                 "s.yaml:1: tcp.window: '-3MB' is negative; a size is at least 0, such as 3MB, 500kB or 64KiB");
    text_rejects("tcp: {window: 1000, segment: 500}\n", "tcp.segment=1001",
                 "--set tcp.segment=1001: a window of '1000' is smaller than one segment of 1001 bytes");
    /* 65535 << 14 = 1073725440 */
    text_rejects("tcp: {window: 1073725441}\n", NULL,
                 "s.yaml:1: tcp.window: '1073725441' is more than TCP can advertise, 1073725440 bytes");
    /* jumbo frames of 9216 bytes less 20 (IPv4) and 32 (TCP with timestamps) */
    text_rejects("tcp: {segment: 9165}\n", NULL, "s.yaml:1: tcp.segment: '9165' is outside 1B to 9164B");
    text_rejects("tcp: {segment: 0}\n", NULL, "s.yaml:1: tcp.segment: '0' is outside 1B to 9164B");
    text_rejects_name("tcp: {congestion: reno}\n", NULL, "s.yaml:1: tcp.congestion: 'reno' is not a congestion control",
                      emu_congestion_names);
    text_rejects_name("tcp: {congestion: ''}\n", NULL, "s.yaml:1: tcp.congestion: '' is not a congestion control",
                      emu_congestion_names);
    text_rejects("tcp: {initial_window: hot}\n", NULL,
                 "s.yaml:1: tcp.initial_window: 'hot' is neither 'warm' nor a number of segments");
    text_rejects("tcp: {initial_window: 0}\n", NULL, "s.yaml:1: tcp.initial_window: '0' is outside 1 to 1000000");
    text_rejects("tcp: {delayed_ack: 65}\n", NULL, "s.yaml:1: tcp.delayed_ack: '65' is outside 1 to 64");
    text_rejects("tcp: {delayed_ack_timeout: 2s}\n", NULL,
                 "s.yaml:1: tcp.delayed_ack_timeout: '2s' is outside 1us to 1s");
    text_rejects("tcp: {max_rto: 121s}\n", NULL, "s.yaml:1: tcp.max_rto: '121s' is outside 1ms to 120s");
    text_rejects("tcp: {min_rto: 200}\n", NULL,
                 "s.yaml:1: tcp.min_rto: '200' has no unit; a time looks like 2s, 600ms or 50us");
    text_rejects("tcp: {sack: maybe}\n", NULL,
                 "s.yaml:1: tcp.sack: 'maybe' is not a yes or no; there are: false, true");
}

TEST(test_network_values_are_checked)
{
    text_rejects("network: {topology: ring}\n", NULL,
                 "s.yaml:1: network.topology: 'ring' is not a topology; there are: star, tree, mesh, "
                 "dumbbell, access, leaf-spine, fat-tree, graph");
    text_rejects("network: {hosts: 1}\n", NULL, "s.yaml:1: network.hosts: '1' is outside 2 to 10000");
    text_rejects("network: {racks: [2, 2]}\n", NULL, "s.yaml:1: network.racks: is for a tree; the topology is star");
    text_rejects("network:\n  backbone: {rate: 1Gbps}\n", NULL,
                 "s.yaml:2: network.backbone: is for a tree; the topology is star");
    text_rejects("network: {topology: tree, hosts: 4}\n", NULL,
                 "s.yaml:1: network.hosts: is for a star; a tree has racks, such as [5, 5]");
    text_rejects("network: {topology: tree, racks: [1, 2, 3]}\n", NULL,
                 "s.yaml:1: network.racks: 3 racks; a tree has two, such as [5, 5], or a root and 1 to 64");
    text_rejects("network: {topology: tree, racks: []}\n", NULL,
                 "s.yaml:1: network.racks: 0 racks; a tree has two, such as [5, 5], or a root and 1 to 64");
    text_rejects("network: {topology: tree, racks: [0, 5]}\n", NULL,
                 "s.yaml:1: network.racks.0: '0' is outside 1 to 9999");
    text_rejects("network: {topology: tree, racks: [9999, 2]}\n", NULL,
                 "s.yaml:1: network.racks: 10001 hosts together; at most 10000");
    text_rejects("network:\n  link:\n    rate: fast\n", NULL,
                 "s.yaml:3: network.link.rate: 'fast' is not a rate; try 1Gbps or 100Mbps");
    text_rejects("network: {link: {delay: 11s}}\n", NULL, "s.yaml:1: network.link.delay: '11s' is outside 0s to 10s");
    text_rejects("network: {switch: {pause: {classes: [3]}}}\n", NULL,
                 "s.yaml:1: network.switch.pause.classes: network.nic.queue is fifo, which serves no classes and cannot "
                 "stop one; take prio or drr");
    text_rejects("network: {nic: {queue: prio}, switch: {queue: drr, pause: {classes: [3, 3]}}}\n", NULL,
                 "s.yaml:1: network.switch.pause.classes: class 3 is there twice");
    text_rejects("network: {nic: {queue: prio}, switch: {architecture: voq, pause: {classes: [3]}}}\n", NULL,
                 "s.yaml:1: network.switch.pause.classes: buffers at the inputs do not tell classes apart: architecture "
                 "output or shared");
    text_rejects("network:\n  nic: {queue: prio}\n  switch: {queue: prio}\n  nodes: [{name: s, switch: {pause: {classes: "
                 "[3]}}}]\n  links: [{from: h0, to: s}, {from: h1, to: s}]\n", NULL,
                 "s.yaml:4: network.nodes.0.switch.pause.classes: network.nodes.0.switch.queue is fifo, which serves no "
                 "classes and cannot stop one; take prio or drr");
    text_rejects("network: {link: {faults: {loss: 2}}}\n", NULL,
                 "s.yaml:1: network.link.faults.loss: '2' is not a share above 0 and up to 1 (100%)");
    text_rejects("network: {link: {faults: {burst_loss: {to_bad: 1%}}}}\n", NULL,
                 "s.yaml:1: network.link.faults.burst_loss.to_good: is missing; bursty loss goes "
                 "{to_bad: 1%, to_good: 20%}");
    text_rejects("network: {link: {faults: {reorder_by: 1us}}}\n", NULL,
                 "s.yaml:1: network.link.faults.reorder_by: is for links that reorder");
    text_rejects("network: {link: {faults: {reorder: 1%, reorder_by: 51us}}}\n", NULL,
                 "s.yaml:1: network.link.faults.reorder_by: '51us' is more than the link's delay of 50us");
    text_rejects("network: {link: {delay: 0s, faults: {reorder: 1%}}}\n", NULL,
                 "s.yaml:1: network.link.faults.reorder: '1%' on a link without a delay: there is nothing under way to "
                 "overtake");
    text_rejects("network: {link: {goodput: 1001Mbps}}\n", NULL,
                 "s.yaml:1: network.link.goodput: '1001Mbps' is more than the link's rate of 1Gbps");
    text_rejects("network: {link: {goodput: 0bps}}\n", NULL,
                 "s.yaml:1: network.link.goodput: '0bps' is outside 1kbps to 8Tbps");
    text_rejects("network: {topology: tree, backbone: {rate: 0bps}}\n", NULL,
                 "s.yaml:1: network.backbone.rate: '0bps' is outside 1kbps to 8Tbps");
    text_rejects_name("network: {nic: {queue: lifo}}\n", NULL, "s.yaml:1: network.nic.queue: 'lifo' is not a queue",
                      emu_discipline_names);
    /* 1448 + 20 (IPv4) + 32 (TCP with timestamps) + 14 (Ethernet) + 4 (FCS) = 1518 */
    text_rejects("network: {switch: {limit: 1517}}\n", NULL,
                 "s.yaml:1: network.switch.limit: a limit of '1517' holds no full frame: a segment of 1448 makes one "
                 "of 1518 bytes (headers 66, FCS 4)");
    text_rejects("tcp: {segment: 500}\nnetwork: {switch: {limit: 600}}\n", "tcp.segment=600",
                 "--set tcp.segment=600: a limit of '600' holds no full frame: a segment of 600 makes one of 670 bytes "
                 "(headers 66, FCS 4)");
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load("network: {switch: {limit: 1518}}\n", NULL);
    assert_int_equal(s.network.sw.queue.limit_bytes, 1518);
}

TEST(test_captures_are_at_ports_that_exist)
{
    text_rejects("capture:\n  - {at: h4}\n", NULL,
                 "s.yaml:2: capture.0.at: 'h4' is not a port here; a host's NIC is h0 to h3, a switch's port sw0-h0");
    static const char *const absent[] = {"h04", "h-1", "h0 ", "sw1-h0", "sw0-h4", "sw0", "sw0-sw1", "eth0", "''"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        char yaml[64];
        struct scenario s;
        int n = snprintf(yaml, sizeof yaml, "capture: [{at: \"%s\"}]\n", absent[i]);
        text_write("s.yaml", yaml, (size_t)n);
        assert_false(scenario_load(&s, "s.yaml", NULL, 0, &err));
        if (!strstr(err.message, "capture.0.at"))
            fail_msg("%s: %s", absent[i], err.message);
    }
    text_rejects("network: {topology: tree, racks: [2, 2]}\ncapture: [{at: sw0-h2}]\n", NULL,
                 "s.yaml:2: capture.0.at: 'sw0-h2' is not a port here; a host's NIC is h0 to h3, a switch's port "
                 "sw0-h0 (sw1 for the second rack) or sw0-sw1, sw1-sw0");
    text_rejects("capture: [{snaplen: 96}]\n", NULL, "s.yaml:1: capture.0.at: is missing; a capture goes {at: h0}");
    text_rejects("capture: [{at: h0}, {at: h1}, {at: h0}]\n", NULL, "s.yaml:1: capture.2.at: 'h0' is captured twice");
    text_rejects("capture: [{at: h0, snaplen: 53}]\n", NULL,
                 "s.yaml:1: capture.0.snaplen: '53' is outside 54B to 65535B");
    text_rejects("capture: [{at: h0, format: erf}]\n", NULL,
                 "s.yaml:1: capture.0.format: 'erf' is not a capture format; there are: pcap, pcapng");
    /* h2 is there at 1/1 already, h3 only at 2/1. */
    text_rejects("traffic: {star: {points: [2/1, 1/1]}}\ncapture: [{at: h3}]\n", NULL,
                 "s.yaml:2: capture.0.at: 'h3' is not a port here; a host's NIC is h0 to h2, a switch's port sw0-h0");
}

CM_GROUP(text_enter, text_leave)
