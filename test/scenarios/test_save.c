/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/save.h"

#include "test/scenarios/text.h"

#define SAME(field) {a->field, b->field}

static void same_queue(const struct emu_queue_config *a, const struct emu_queue_config *b)
{
    assert_ints(SAME(discipline), SAME(limit_bytes), SAME(limit_packets), SAME(mark_bytes),
                SAME(parameters.target_ps), SAME(parameters.interval_ps), SAME(parameters.quantum_bytes),
                SAME(parameters.n_quanta), SAME(parameters.min_bytes), SAME(parameters.max_bytes),
                SAME(parameters.rate_bps), SAME(parameters.burst_bytes), SAME(parameters.ecn),
                SAME(parameters.aggressive));
    for (int i = 0; i < a->parameters.n_quanta; i++)
        assert_true(a->parameters.quanta_bytes[i] == b->parameters.quanta_bytes[i]);
    assert_near(a->parameters.probability, b->parameters.probability, 0);
}

static void same_link(const struct emu_link_config *a, const struct emu_link_config *b)
{
    assert_ints(SAME(rate_bps), SAME(up_bps), SAME(delay_ps), SAME(faults.on), SAME(faults.burst.on),
                SAME(faults.jitter_ps), SAME(faults.shape), SAME(faults.reorder_by_ps), SAME(faults.seed));
    assert_all_near(0, SAME(faults.loss), SAME(faults.burst.to_bad), SAME(faults.burst.to_good),
                    SAME(faults.burst.loss_bad), SAME(faults.burst.loss_good), SAME(faults.reorder));
}

static void same_switch(const struct emu_switch_config *a, const struct emu_switch_config *b)
{
    same_queue(&a->queue, &b->queue);
    assert_string_equal(a->kernel, b->kernel);
    assert_ints(SAME(architecture), SAME(pool.bytes), SAME(pool.packets), SAME(arbitration),
                SAME(cut_through), SAME(latency_ps), SAME(backplane_bps), SAME(pause.on), SAME(pause.xoff.bytes),
                SAME(pause.xoff.packets), SAME(pause.xon.bytes), SAME(pause.xon.packets), SAME(pause.quanta),
                SAME(pause.n_classes), SAME(pause.rest.bytes), SAME(pause.rest.packets));
    assert_near(a->alpha, b->alpha, 0);
    for (int i = 0; i < a->pause.n_classes; i++)
        assert_int_equal(a->pause.classes[i], b->pause.classes[i]);
}

static void same_tcp(const struct emu_tcp_config *a, const struct emu_tcp_config *b)
{
    assert_ints(SAME(congestion), SAME(send_buffer_bytes), SAME(receive_buffer_bytes), SAME(initial_window_segments),
                SAME(segment_bytes), SAME(delayed_ack), SAME(delayed_ack_timeout_ps), SAME(min_rto_ps),
                SAME(max_rto_ps), SAME(sack), SAME(ecn));
}

static void same(const struct scenario *a, const struct scenario *b)
{
    assert_string_equal(a->title, b->title);
    assert_ints(SAME(engine), SAME(seed), SAME(duration_ps), SAME(warmup_ps), SAME(network.topology),
                SAME(network.hosts), SAME(network.racks[0]), SAME(network.racks[1]));
    same_link(&a->network.link, &b->network.link);
    same_link(&a->network.backbone, &b->network.backbone);
    assert_ints(SAME(link_goodput_bps), SAME(backbone_goodput_bps));
    same_queue(&a->network.nic, &b->network.nic);
    same_switch(&a->network.sw, &b->network.sw);
    same_switch(&a->network.root_sw, &b->network.root_sw);
    assert_ints(SAME(network.n_racks), SAME(network.uplinks), SAME(network.n_delays));
    for (int i = 0; i < a->network.n_delays; i++)
        assert_int_equal(a->network.delays_ps[i], b->network.delays_ps[i]);
    assert_int_equal(a->network.n_host_times, b->network.n_host_times);
    for (int i = 0; i < a->network.n_host_times; i++)
        assert_int_equal(a->network.host_times_ps[i], b->network.host_times_ps[i]);
    assert_ints(SAME(transport), SAME(traffic), SAME(gbn.window_packets), SAME(gbn.timeout_ps));
    same_tcp(&a->tcp, &b->tcp);
    assert_ints(SAME(start_spread_ps), SAME(barrier));
    assert_float_equal(a->precision, b->precision, 0);
    assert_ints(SAME(star_bytes), SAME(star_repeat), SAME(incoming_window_bytes), SAME(outgoing_window_bytes),
                SAME(n_flows));
    for (int i = 0; i < a->n_flows; i++) {
        assert_string_equal(a->flows[i].name, b->flows[i].name);
        assert_ints(SAME(flows[i].from), SAME(flows[i].to), SAME(flows[i].bytes), SAME(flows[i].start_ps),
                    SAME(flows[i].repeat), SAME(flows[i].traffic_class));
        same_tcp(&a->flows[i].tcp, &b->flows[i].tcp);
        assert_ints(SAME(flows[i].rate_bps), SAME(flows[i].n_pauses));
        for (int k = 0; k < a->flows[i].n_pauses; k++)
            assert_memory_equal(&a->flows[i].pauses[k], &b->flows[i].pauses[k], sizeof *a->flows[i].pauses);
        assert_int_equal(a->flows[i].n_windows, b->flows[i].n_windows);
        for (int k = 0; k < a->flows[i].n_windows; k++)
            assert_memory_equal(&a->flows[i].windows[k], &b->flows[i].windows[k], sizeof *a->flows[i].windows);
    }
    assert_int_equal(a->n_datagrams, b->n_datagrams);
    for (int i = 0; i < a->n_datagrams; i++)
        assert_memory_equal(&a->datagrams[i], &b->datagrams[i], sizeof *a->datagrams);
    assert_int_equal(a->n_programs, b->n_programs);
    for (int i = 0; i < a->n_programs; i++) {
        assert_string_equal(a->programs[i].name, b->programs[i].name);
        assert_int_equal(a->programs[i].n_words, b->programs[i].n_words);
        for (int k = 0; k < a->programs[i].n_words; k++)
            assert_string_equal(a->programs[i].command[k].text, b->programs[i].command[k].text);
        assert_ints(SAME(programs[i].host), SAME(programs[i].start_ps));
    }
    assert_int_equal(a->n_ranks, b->n_ranks);
    for (int i = 0; i < a->n_ranks; i++)
        assert_int_equal(a->ranks[i], b->ranks[i]);
    assert_ints(SAME(n_played), SAME(connections_apart), SAME(eager_bytes));
    assert_memory_equal(&a->collective, &b->collective, sizeof a->collective);
    assert_int_equal(a->goal.n_lines, b->goal.n_lines);
    for (int i = 0; i < a->goal.n_lines; i++)
        assert_string_equal(a->goal.lines[i].text, b->goal.lines[i].text);
    assert_int_equal(a->n_points, b->n_points);
    for (int i = 0; i < a->n_points; i++) {
        assert_ints({a->points[i].incoming, b->points[i].incoming}, {a->points[i].outgoing, b->points[i].outgoing});
    }
    assert_int_equal(a->n_captures, b->n_captures);
    for (int i = 0; i < a->n_captures; i++) {
        assert_string_equal(a->captures[i].at, b->captures[i].at);
        assert_ints(SAME(captures[i].snaplen), SAME(captures[i].format));
    }
}

/* Saves, loads, compares; finishes s. */
static void survives(struct scenario *s, const char *comment)
{
    MEMORY_ENDS(scenario_fini) struct scenario again;
    struct error err = {0};
    if (!scenario_save(s, "again.yaml", comment, &err) || !scenario_load(&again, "again.yaml", NULL, 0, &err))
        fail_msg("%s", err.message);
    same(s, &again);
    scenario_fini(s);
}

TEST(test_star_survives_with_its_drawn_starts)
{
    struct scenario s = text_load("seed: 77\ntraffic: {star: {incoming: 3, outgoing: 2, incoming_window: 12345}}\n"
                                  "capture: [{at: h0}, {at: sw0-h0, format: pcapng, snaplen: 1518}]\n", NULL);
    assert_int_not_equal(s.flows[0].start_ps, s.flows[1].start_ps);
    survives(&s, NULL);
}

TEST(test_tree_and_flows_survive_to_the_picosecond)
{
    struct scenario s = text_load("duration: 1.000000000001s\nwarmup: 1ps\n"
        "network: {topology: tree, racks: [2, 1], link: {rate: 2.5Gbps, delay: 1234567ps, goodput: 2.4Gbps},\n"
        "          backbone: {rate: 25Gbps, delay: 0s}, nic: {queue: ack-first, limit: 85 packets},\n"
        "          switch: {limit: 1518}}\n"
        "tcp: {window: 123457, initial_window: 10, segment: 1447, delayed_ack: 1, sack: false, max_rto: 7s}\n"
        "traffic:\n  start_spread: 0s\n  flows:\n"
        "    - {name: a-b_c.9, from: h0, to: h2, bytes: 10000001, window: 64KiB, congestion: cubic, start: 7ps}\n"
        "    - {from: h1, to: h0, pauses: [200ms after 1MB, 123456789012ps after 1000001]}\n"
        "    - {name: c, from: h1, to: h2, bytes: 10, pauses: [1ps after 9]}\n", NULL);
    assert_ints({s.flows[0].start_ps, 7}, {s.flows[1].n_pauses, 2}, {s.flows[2].n_pauses, 1});
    survives(&s, NULL);
}

TEST(test_distances_and_two_rates_survive)
{
    struct scenario s = text_load(
        "network: {hosts: 3, uplinks: 1, delays: [0s, 5ms, 1ps], host_times: [7us, 1ps], link: {rate: 1Gbps},\n"
        "          backbone: {rate: 20Mbps, up: 2Mbps}}\n"
        "traffic: {flows: [{from: h1, to: h0, rate: 4000001bps, pauses: [1s after 1MB]}]}\n", NULL);
    assert_ints({s.network.n_delays, 3}, {s.network.delays_ps[1], 5000000000}, {s.network.n_host_times, 2},
                {s.network.host_times_ps[0], 7000000}, {s.network.backbone.up_bps, 2000000},
                {s.network.link.up_bps, 0});
    survives(&s, NULL);
}

TEST(test_faults_of_links_survive)
{
    struct scenario s = text_load(
        "seed: 5\nnetwork: {topology: tree, link: {faults: {loss: 0.1%, burst_loss: {to_bad: 0.01, to_good: 20%}}},\n"
        "          backbone: {delay: 3ms, faults: {jitter: 2ms, distribution: normal, reorder: 5%, reorder_by: 1ms}}}\n"
        "traffic: {flows: [{from: h1, to: h5}]}\n", NULL);
    const struct emu_fault_config *link = &s.network.link.faults, *backbone = &s.network.backbone.faults;
    assert_true(link->on && link->burst.on && backbone->on && !backbone->burst.on);
    assert_float_equal(link->loss, 0.001, 0);
    assert_float_equal(link->burst.to_good, 0.2, 0);
    assert_float_equal(link->burst.loss_bad, 1, 0);
    assert_ints({backbone->jitter_ps, 2000000000}, {backbone->shape, EMU_FAULT_NORMAL},
                {backbone->reorder_by_ps, 1000000000}, {backbone->seed, 5});
    survives(&s, NULL);
}

TEST(test_classes_of_pause_survive)
{
    struct scenario s = text_load(
        "network: {nic: {queue: prio}, switch: {queue: drr, limit: 600kB, pause: {classes: [3, 5]}}}\n"
        "traffic: {flows: [{from: h1, to: h0, class: 3}]}\n", NULL);
    const struct emu_pause_config *pause = &s.network.sw.pause;
    assert_ints({pause->n_classes, 2}, {pause->classes[1], 5});
    assert_int_equal(pause->rest.bytes, 200000); /* a third each: both classes', and the others' */
    assert_true(pause->xoff.bytes > 0 && pause->xoff.bytes < 200000);
    survives(&s, NULL);
}

TEST(test_queues_of_the_kernel_survive)
{
    struct scenario s = text_load("engine: linux\nnetwork: {switch: {qdisc: 'cake ack-filter'}, nic: {mark: 30kB}}\n"
        "traffic: {flows: [{from: h1, to: h0}]}\n", NULL);
    assert_string_equal(s.network.sw.kernel, "cake ack-filter");
    assert_true(s.network.sw.queue.limit_bytes == EMU_QUEUE_UNLIMITED); /* its own bounds */
    assert_int_equal(s.network.nic.mark_bytes, 30000);
    survives(&s, NULL);
    text_rejects("engine: linux\nnetwork: {switch: {qdisc: cake, queue: fair}}\ntraffic: {flows: [{from: h1, to: h0}]}\n",
                 NULL, "s.yaml:2: network.switch.queue: is the qdisc's");
    text_rejects("engine: linux\nnetwork: {switch: {qdisc: cake, architecture: voq}}\n"
                 "traffic: {flows: [{from: h1, to: h0}]}\n", NULL,
                 "s.yaml:2: network.switch.qdisc: 'cake' is for architecture: output");
    text_rejects("engine: linux\nnetwork: {nic: {qdisc: ../cake}}\ntraffic: {flows: [{from: h1, to: h0}]}\n", NULL,
                 "s.yaml:2: network.nic.qdisc: '../cake' does not begin with the name of a discipline, such as fq_codel");
    text_rejects("engine: linux\nnetwork: {nic: {qdisc: noqueue}}\ntraffic: {flows: [{from: h1, to: h0}]}\n", NULL,
                 "s.yaml:2: network.nic.qdisc: 'noqueue' is no discipline that holds frames, which a port needs; try pfifo");
    text_rejects("engine: linux\nnetwork: {switch: {qdisc: fq_codel}}\ntraffic: {flows: [{from: h1, to: h0}], "
                 "datagrams: [{from: h1, to: h0, rate: 1Mbps}]}\n", NULL,
                 "s.yaml:2: network.switch.qdisc: 'fq_codel' is a kernel's, which takes packets of its own TCP alone; with "
                 "traffic.datagrams name a queue of ours");
    text_rejects("engine: linux\nnetwork: {nic: {qdisc: fq_codel}}\ntraffic: {burst: {}}\n", NULL,
                 "s.yaml:2: network.nic.qdisc: 'fq_codel' is a kernel's, which takes packets of its own TCP alone; with "
                 "traffic.burst name a queue of ours");
    static const char *const words[] = {"../../x", "/tmp/x", "a/b", "-batch", "..", "x\\y", "x;y", "$x"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[256], line[256];
        snprintf(text, sizeof text, "engine: linux\nnetwork: {switch: {qdisc: 'netem delay 1ms distribution %s'}}\n"
                 "traffic: {flows: [{from: h1, to: h0}]}\n", words[i]);
        snprintf(line, sizeof line, "s.yaml:2: network.switch.qdisc: '%s' is no word of a discipline: letters, digits and "
                 "_-+.:,%% without '..'", words[i]);
        text_rejects(text, NULL, line);
    }
#define TEN " 1 1 1 1 1 1 1 1 1 1"
    text_rejects("engine: linux\nnetwork: {switch: {qdisc: 'pfifo" TEN TEN TEN TEN TEN "'}}\n"
                 "traffic: {flows: [{from: h1, to: h0}]}\n", NULL, "s.yaml:2: network.switch.qdisc: 51 words are more than tc gets, which is 50");
    text_rejects("network: {nic: {qdisc: cake}}\ntraffic: {flows: [{from: h1, to: h0}]}\n", NULL,
                 "s.yaml:1: network.nic.qdisc: is for engine: linux");
}

/* Each place has the parameters of its own discipline; another's are a mistake. */
TEST(test_disciplines_survive_with_what_they_are_told)
{
    static const char traffic[] = "traffic: {flows: [{from: h1, to: h0, class: 7}, {from: h0, to: h1}], "
                                  "datagrams: [{from: h0, to: h1, rate: 1Mbps, class: 3}]}\n";
    static const struct {
        const char *nic, *port;
    } rows[] = {
        {"queue: codel, target: 3ms, interval: 70ms, ecn: true", "queue: fq_codel, quantum: 300B, ecn: false"},
        {"queue: red, min: 20kB, max: 90kB, probability: 7%, ecn: true, rate: 1Gbps", "queue: prio"},
        {"queue: drr, quanta: [3000B, 64B, 1518B]", "queue: drr"},
        {"queue: ack-filter, aggressive: true", "queue: ack-filter"},
        {"queue: tbf, rate: 12345678bps, burst: 10kB", "queue: policer, rate: 1Gbps, burst: 9999B"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        snprintf(text, sizeof text, "network: {nic: {%s}, switch: {%s}}\n%s", rows[i].nic, rows[i].port, traffic);
        struct scenario s = text_load(text, NULL);
        assert_ints({s.flows[0].traffic_class, 7}, {s.datagrams[0].traffic_class, 3});
        if (i == 2)
            assert_true(s.network.nic.parameters.n_quanta == 3 && s.network.nic.parameters.quanta_bytes[1] == 64);
        survives(&s, NULL);
    }
    text_rejects("network: {nic: {queue: drr, quanta: [63B]}}\n", NULL,
                 "s.yaml:1: network.nic.quanta.0: '63B' is outside 64B to 1GB");
    text_rejects("network: {nic: {target: 5ms}}\n", NULL, "s.yaml:1: network.nic.target: is for queue: codel, fq_codel or pie");
    text_rejects("network: {switch: {queue: codel, burst: 5kB}}\n", NULL,
                 "s.yaml:1: network.switch.burst: is for queue: tbf or policer");
    text_rejects("network: {switch: {queue: tbf, rate: 10Mbps}}\n", NULL,
                 "s.yaml:1: network.switch.queue: 'tbf' needs a rate and a burst, such as 10Mbps and 20kB");
    text_rejects("network: {nic: {queue: policer, rate: 10Mbps, burst: 100B}}\n", NULL,
                 "s.yaml:1: network.nic.burst: a limit of '100B' holds no full frame: a segment of 1448 makes one of 1518 "
                 "bytes (headers 66, FCS 4)");
    text_rejects("network: {nic: {queue: red, min: 10kB, max: 10kB}}\n", NULL,
                 "s.yaml:1: network.nic.min: '10kB' is not below max");
    text_rejects("traffic: {flows: [{from: h1, to: h0, class: 8}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.class: '8' is outside 0 to 7");
    text_rejects("engine: linux\nnetwork: {switch: {qdisc: cake, target: 5ms}}\n", NULL,
                 "s.yaml:2: network.switch.target: is the qdisc's");
}

TEST(test_collectives_survive)
{
    struct scenario s = text_load("network: {hosts: 9}\ntraffic:\n  collective: {algorithm: halo, bytes: 70001,\n"
                                  "    repeat: 3, period: 7ms, dimensions: [2, 2, 2], connections: two, eager: 0B,\n"
                                  "    ranks: [h8, h1, h2, h3, h4, h5, h6, h7]}\n", NULL);
    assert_ints({s.ranks[0], 8}, {s.n_flows, 8 * 3});
    assert_true(s.connections_apart);
    assert_int_equal(s.flows[0].from, 8);
    survives(&s, NULL);
    s = text_load("network: {hosts: 5}\ntraffic: {collective: {algorithm: binomial-reduce, root: h3}}\n", NULL);
    assert_ints({s.collective.bytes, 1000000}, {s.n_flows, 4});
    survives(&s, NULL);
    s = text_load("network: {hosts: 2}\ntraffic: {collective: {algorithm: ring-allreduce}}\n", NULL);
    assert_int_equal(s.n_flows, 1);
    assert_true(s.flows[0].duplex);
    survives(&s, NULL);
}

TEST(test_collectives_that_cannot_be_are_refused)
{
    text_rejects("traffic: {collective: {bytes: 1MB}}\n", NULL, "s.yaml:1: traffic.collective.algorithm: is missing; "
                 "a collective goes {algorithm: ring-allreduce, bytes: 4MB}");
    text_rejects("traffic: {collective: {algorithm: ring-allreduce}}\n", NULL,
                 "s.yaml:1: traffic.collective: needs to know how many hosts there are: give network.hosts");
    text_rejects("network: {hosts: 4}\ntraffic: {collective: {algorithm: ring-allreduce, root: h1}}\n", NULL,
                 "s.yaml:2: traffic.collective.root: is for algorithm: binomial-broadcast or binomial-reduce");
    text_rejects("network: {hosts: 4}\ntraffic: {collective: {algorithm: binomial-reduce, root: h1, ranks: [h0, h2]}}\n",
                 NULL, "s.yaml:2: traffic.collective.root: 'h1' has no rank");
    text_rejects("network: {hosts: 4}\ntraffic: {collective: {algorithm: ring-allreduce, ranks: [h0, h2, h0]}}\n", NULL,
                 "s.yaml:2: traffic.collective.ranks: 'h0' has two ranks; each needs a host of its own");
    text_rejects("network: {hosts: 4}\ntraffic: {collective: {algorithm: ring-allreduce, ranks: [h0]}}\n", NULL,
                 "s.yaml:2: traffic.collective.ranks: one rank has nobody to talk to; give 2 or more");
    text_rejects("network: {hosts: 4}\ntraffic: {collective: {algorithm: halo, dimensions: [3, 2]}}\n", NULL,
                 "s.yaml:2: traffic.collective.dimensions: make 6 ranks; there are 4");
    text_rejects("network: {hosts: 4}\ntraffic: {collective: {algorithm: halo, dimensions: [4]}}\n", NULL,
                 "s.yaml:2: traffic.collective.dimensions: a halo needs two dimensions or three, such as [4, 4]");
    text_rejects("network: {hosts: 4}\ntraffic: {collective: {algorithm: ring-allreduce, dimensions: [2, 2]}}\n", NULL,
                 "s.yaml:2: traffic.collective.dimensions: is for algorithm: halo");
    text_rejects("network: {hosts: 600}\ntraffic: {collective: {algorithm: ring-allreduce}}\n", NULL,
                 "s.yaml:2: traffic.collective: 1437600 operations of 600 ranks; at most 1100000 can be played");
    text_rejects("transport: gbn\nnetwork: {hosts: 4}\ntraffic: {collective: {algorithm: ring-allreduce}}\n", NULL,
                 "s.yaml:3: traffic.collective: is for TCP; the transport is gbn");
}

#define GOAL "num_ranks 2\nrank 1 {\na: calc 5 cpu 3\nb: recv 9b from 0\nb irequires a\n}\nrank 0 {\nsend 9b to 1\n}\n"

TEST(test_goal_texts_survive)
{
    text_write("a.goal", GOAL, sizeof GOAL - 1);
    struct scenario s = text_load("traffic: {goal: {file: a.goal, ranks: [h3, h1]}}\n", NULL);
    assert_ints({s.network.hosts, 4}, {s.n_flows, 1}, {s.flows[0].from, 3}, {s.flows[0].to, 1});
    assert_string_equal(s.goal.lines[0].text, "num_ranks 2");
    survives(&s, NULL);
    text_rejects("traffic: {goal: {file: b.goal}}\n", NULL,
                 "s.yaml:1: traffic.goal.file: b.goal: No such file or directory");
    text_write("b.goal", "num_ranks 2\nrank 0 {\nsend 9b to 2\n}\n", 36);
    text_rejects("traffic: {goal: {file: b.goal}}\n", NULL,
                 "s.yaml:1: traffic.goal.file: b.goal:3: '2' found; here belongs a rank from 0 to 1");
    text_write("c.goal", "num_ranks 1\n\0", 13);
    text_rejects("traffic: {goal: {file: c.goal}}\n", NULL,
                 "s.yaml:1: traffic.goal.file: c.goal: a NUL byte; no GOAL text");
    text_rejects("traffic: {goal: {lines: [num_ranks 1, 'rank 0 {']}}\n", NULL,
                 "s.yaml:1: traffic.goal: 3: the text ends within rank 0: a } is missing");
    text_rejects("traffic: {goal: {file: a.goal, lines: [num_ranks 1]}}\n", NULL,
                 "s.yaml:1: traffic.goal: file and lines: one of them says what happens");
    text_rejects("traffic: {goal: {eager: 1kB}}\n", NULL, "s.yaml:1: traffic.goal: needs a file: {file: trace.goal}");
    text_rejects("traffic: {goal: {file: a.goal, ranks: [h3, h1, h2]}}\n", NULL,
                 "s.yaml:1: traffic.goal.ranks: 3 hosts for 2 ranks");
    text_rejects("network: {hosts: 2}\ntraffic: {goal: {file: a.goal, ranks: [h3, h1]}}\n", NULL,
                 "s.yaml:2: traffic.goal.ranks.0: 'h3' is not in this network; hosts are h0 to h1");
    for (char name[] = "a.goal"; *name <= 'c'; ++*name)
        unlink(name);
}

TEST(test_datagrams_survive)
{
    struct scenario s = text_load("traffic:\n  flows: [{from: h1, to: h0}]\n"
        "  datagrams: [{from: h1, to: h0, rate: 7Mbps, packet: 700B, start: 1s, stop: 1.5s},\n"
        "              {from: h0, to: h1, rate: 1Mbps}]\n", NULL);
    assert_ints({s.n_datagrams, 2}, {s.datagrams[0].rate_bps, 7000000}, {s.datagrams[0].packet_bytes, 700},
                {s.datagrams[1].packet_bytes, 1500}, {s.datagrams[1].stop_ps, 0});
    survives(&s, NULL);
    text_rejects("traffic:\n  flows: [{from: h1, to: h0}]\n  datagrams: [{from: h1, to: h1, rate: 1Mbps}]\n", NULL,
                 "s.yaml:3: traffic.datagrams.0.to: 'h1' is also where they come from");
    text_rejects("traffic:\n  flows: [{from: h1, to: h0}]\n  datagrams: [{from: h1, to: h5, rate: 1Mbps}]\n", NULL,
                 "s.yaml:3: traffic.datagrams.0.to: 'h5' or their source is no host of the flows");
    text_rejects("traffic:\n  exchange: {repeat: 1}\n  datagrams: [{from: h1, to: h0, rate: 1Mbps}]\n"
                 "network: {hosts: 4}\n", NULL, "s.yaml:3: traffic.datagrams: go beside TCP's flows alone");
}

TEST(test_programs_survive)
{
    struct scenario s = text_load("traffic:\n  programs:\n"
                                  "    - {host: h0, command: [iperf3, '-s | \"log: 1\" # x', -1, '', \"a\\nb\", ~, '[']}\n"
                                  "    - {host: h3, name: client, command: [iperf3, -c, h0], start: 10ms}\n", NULL);
    assert_int_equal(s.engine, SCENARIO_ENGINE_LINUX); /* nobody else has them */
    assert_ints({s.n_programs, 2}, {s.network.hosts, 4}, {s.n_flows, 0});
    assert_string_equal(s.programs[0].name, "p0");
    static const char *const words[] = {"iperf3", "-s | \"log: 1\" # x", "-1", "", "a\nb", "~", "["};
    assert_int_equal(s.programs[0].n_words, 7);
    for (int i = 0; i < 7; i++)
        assert_string_equal(s.programs[0].command[i].text, words[i]);
    assert_int_equal(s.programs[1].start_ps, INT64_C(10000000000));
    survives(&s, NULL);
    text_rejects("engine: native\ntraffic: {programs: [{host: h0, command: [ls]}]}\n", NULL,
                 "s.yaml:1: engine: native has no programs (traffic.programs); use linux");
    text_rejects("traffic: {programs: [{host: h0}]}\n", NULL,
                 "s.yaml:1: traffic.programs.0.command: is missing; a program goes {host: h0, command: [iperf3, -s, -1]}");
    text_rejects("traffic: {programs: [{host: h0, command: ls -l}]}\n", NULL,
                 "s.yaml:1: traffic.programs.0.command: a single value found; here belongs a list, such as [a, b]");
    text_rejects("traffic: {programs: [{host: h0, command: []}]}\n", NULL,
                 "s.yaml:1: traffic.programs.0.command: 0 words; give 1 to 256, each a text");
    text_rejects("traffic: {programs: [{host: h0, command: ['', -l]}]}\n", NULL,
                 "s.yaml:1: traffic.programs.0.command.0: is empty; the first word names what to start, such as iperf3");
    text_rejects("traffic:\n  flows: [{from: h1, to: h0}]\n  programs: [{host: h0, command: [ls]}]\n", NULL,
                 "s.yaml:2: traffic.flows: traffic is one of star, pairs, random, exchange, tree, collective, goal, requests, burst, pingpong, "
                 "uniform, flows, csv and programs");
    text_rejects("traffic:\n  programs: [{host: h0, command: [ls]}]\n  barrier: true\n", NULL,
                 "s.yaml:3: traffic.barrier: is for messages; programs send as they like");
    text_rejects("traffic:\n  programs: [{host: h0, name: a, command: [ls]}, {host: h0, name: a, command: [ls]}]\n", NULL,
                 "s.yaml:2: traffic.programs.1.name: 'a' is also the name of program 0 on h0");
    text_rejects("duration: 1s\ntraffic: {programs: [{host: h0, command: [ls], start: 1s}]}\n", NULL,
                 "s.yaml:2: traffic.programs.0.start: a start at 1s is not before the end of the run at 1s");
}

TEST(test_given_windows_survive)
{
    struct scenario s = text_load("tcp: {congestion: given}\ntraffic:\n  flows:\n"
        "  - {from: h1, to: h0, windows: [{at: 0s, bytes: 15kB}, {at: 70ms, bytes: 60001B}]}\n", NULL);
    assert_ints({s.flows[0].n_windows, 2}, {s.flows[0].windows[1].bytes, 60001});
    survives(&s, NULL);
    text_rejects("traffic:\n  flows:\n  - {from: h1, to: h0, windows: [{at: 1s, bytes: 1B}, {at: 1s, bytes: 2B}]}\n",
                 NULL, "s.yaml:3: traffic.flows.0.windows.1: does not come after the one before");
}

TEST(test_points_survive_as_points)
{
    struct scenario s = text_load("traffic: {star: {points: [1/1, 2/1, 0/3], outgoing_window: 6MB}}\n", NULL);
    survives(&s, NULL);
    s = text_load("network: {hosts: 3}\ntraffic: {star: {points: [4/2]}}\n", NULL);
    assert_int_equal(s.network.hosts, 3);
    survives(&s, NULL);
}

TEST(test_a_benchmark_survives)
{
    struct scenario s = text_load("traffic: {precision: 2%, star: {points: [1/1, 2/1], bytes: 10MB, repeat: 99}}\n",
                                  NULL);
    assert_int_equal(s.star_repeat, 99);
    survives(&s, NULL);
    s = text_load("network: {hosts: 4}\ntraffic: {precision: 1.7%, random: {d: 2, probability: 1, repeat: 9}}\n", NULL);
    survives(&s, NULL);
}

TEST(test_any_title_survives)
{
    static const char *const titles[] = {
        "", "null", "~", "true", "1", " both ends ", "a: b # c", "- x", "[x", "{", "'", "\"", "\\", "%d", "@", "`",
        "two\nlines\n", "\n", "tab\there", "\x01\x1b", "h\xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80", "\xc2\x85",
        "\xe2\x80\xa8", "\xef\xbb\xbf" "x", "---", "...", "!tag", "&a", "*a", "| x", "a very long title that a line "
        "of eighty characters cannot hold, so that emitters fold it: it has 127 bytes.............",
    };
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        struct scenario s = text_load("seed: 1\n", NULL);
        snprintf(s.title, sizeof s.title, "%s", titles[i]);
        survives(&s, NULL);
    }
}

TEST(test_comment_is_one_first_line)
{
    struct scenario s = text_load("seed: 1\n", NULL);
    survives(&s, "contraflow run a\nb: \x01\xff --set title=x");
    char line[128];
    FILE *f = fopen("again.yaml", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    assert_string_equal(line, "# contraflow run a b:  ? --set title=x\n");
}

TEST(test_every_default_is_spelt_out)
{
    static const char *const keys[] = {
        "title:", "engine: native\n", "seed: 1\n", "duration: 2s\n", "warmup: 600ms\n", "topology: star\n",
        "hosts: 4\n",
        "rate: 1Gbps\n", "delay: 50us\n", "queue: fifo\n", "limit: 20MB\n", "congestion: newreno\n", "window: 3MB\n",
        "initial_window: warm\n", "segment: 1448B\n", "delayed_ack: 2\n", "delayed_ack_timeout: 40ms\n",
        "min_rto: 200ms\n", "sack: true\n", "start_spread: 100us\n", "name: in1\n", "from: h1\n", "start: ",
    };
    struct scenario s = text_load("{}\n", NULL);
    survives(&s, NULL);
    char text[4096];
    FILE *f = fopen("again.yaml", "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!strstr(text, keys[i]))
            fail_msg("no '%s' in:\n%s", keys[i], text);
}

TEST(test_failure_leaves_no_file)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load("seed: 1\n", NULL);
    assert_false(scenario_save(&s, "absent/s.yaml", NULL, &err));
    assert_int_equal(err.code, ERROR_SYSTEM);
    assert_non_null(strstr(err.message, "absent/s.yaml"));
    remove("again.yaml");
    memcpy(s.title, "\xff", 2); /* no UTF-8: libyaml will not write it */
    assert_false(scenario_save(&s, "again.yaml", NULL, &err));
    assert_non_null(strstr(err.message, "again.yaml: the scenario cannot be written as YAML"));
    assert_int_equal(access("again.yaml", F_OK), -1);
    assert_int_equal(access("again.yaml.part", F_OK), -1);
}

CM_GROUP(text_enter, text_leave)
