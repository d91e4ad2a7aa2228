/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/scenarios/text.h"

#define FLOWS "traffic:\n  flows:\n"

TEST(test_star_flows_have_a_peer_each)
{
    struct scenario s = text_load("traffic: {star: {incoming: 2, outgoing: 1}}\n", "traffic.star.incoming=3");
    static const struct {
        const char *name;
        int from, to;
    } expected[] = {{"in1", 1, 0}, {"in2", 2, 0}, {"in3", 3, 0}, {"out1", 0, 4}};
    assert_ints({s.network.hosts, 5}, {s.n_flows, 4});
    for (int i = 0; i < 4; i++) {
        assert_string_equal(s.flows[i].name, expected[i].name);
        assert_ints({s.flows[i].from, expected[i].from}, {s.flows[i].to, expected[i].to}, {s.flows[i].bytes, 0});
        /* warm: ceil(3000000 / 1448) = 2072 */
        assert_int_equal(s.flows[i].tcp.initial_window_segments, 2072);
    }
    scenario_fini(&s);
}

TEST(test_star_flows_wrap_round_over_fewer_hosts)
{
    struct scenario s = text_load("network: {hosts: 3}\ntraffic: {star: {incoming: 3, outgoing: 1}}\n", NULL);
    assert_ints({s.network.hosts, 3}, {s.flows[1].from, 2}, {s.flows[2].from, 1}, {s.flows[3].to, 2});
    scenario_fini(&s);
}

TEST(test_star_sides_have_windows_of_their_own)
{
    struct scenario s = text_load("tcp: {window: 1MB}\ntraffic: {star: {incoming: 2, outgoing: 1, "
                                  "outgoing_window: 2MB}}\n", NULL);
    assert_ints({s.flows[0].tcp.receive_buffer_bytes, 1000000}, {s.flows[1].tcp.send_buffer_bytes, 1000000},
                {s.flows[2].tcp.receive_buffer_bytes, 2000000}, {s.flows[2].tcp.send_buffer_bytes, 2000000});
    scenario_fini(&s);
    text_rejects("traffic:\n  star: {incoming: 1, incoming_window: 1}\n", NULL,
                 "s.yaml:2: traffic.star.incoming_window: a window of '1' is smaller than one segment of 1448 bytes");
}

TEST(test_star_counts_are_checked)
{
    text_rejects("traffic:\n  star:\n    incoming: 0\n", NULL,
                 "s.yaml:3: traffic.star.incoming: 0 incoming and 0 outgoing flows; 1 to 100000 together can run");
    text_rejects("traffic:\n  star:\n    incoming: -1\n", NULL,
                 "s.yaml:3: traffic.star.incoming: '-1' is outside 0 to 100000");
    text_rejects("traffic: {star: {incoming: 2}}\n", "traffic.star.outgoing=99999",
                 "--set traffic.star.outgoing=99999: 2 incoming and 99999 outgoing flows; 1 to 100000 together can run");
    text_rejects("traffic:\n  star: {incoming: 10000}\n", NULL,
                 "s.yaml:2: traffic.star: needs 10001 hosts of at most 10000; with network.hosts given, flows share "
                 "hosts");
    text_rejects("traffic:\n  star: {incoming: 2}\n  flows:\n    - {from: h1, to: h0}\n", NULL,
                 "s.yaml:3: traffic.flows: traffic is one of star, pairs, random, exchange, tree, collective, goal, requests, burst, "
                 "pingpong, uniform, flows, csv and programs");
    text_rejects("traffic:\n  flows:\n    - {from: h1, to: h0}\n", "traffic.star.incoming=3",
                 "--set traffic.star.incoming=3: traffic.star: traffic is one of star, pairs, random, exchange, tree, collective, goal, requests, burst, "
                 "pingpong, uniform, flows, csv and programs");
}

TEST(test_a_random_pattern_is_drawn_by_the_seed)
{
    const char *text = "network: {hosts: 20}\ntraffic: {random: {d: 3, bytes: 40MB}}\n";
    struct scenario s = text_load(text, NULL), again = text_load(text, NULL), other = text_load(text, "seed=2");
    /* 60 draws with probability 1/2: 30 expected, standard deviation 3.9. */
    assert_in_range(s.n_flows, 15, 45);
    assert_int_equal(s.n_flows, again.n_flows);
    bool differs = s.n_flows != other.n_flows;
    for (int i = 0; i < s.n_flows; i++) {
        assert_int_not_equal(s.flows[i].from, s.flows[i].to);
        assert_ints({s.flows[i].from, again.flows[i].from}, {s.flows[i].to, again.flows[i].to},
                    {s.flows[i].bytes, 40000000});
        differs |= i < other.n_flows && s.flows[i].to != other.flows[i].to;
    }
    assert_string_equal(s.flows[0].name, "e1");
    assert_true(differs);
    scenario_fini(&s);
    scenario_fini(&again);
    scenario_fini(&other);
    s = text_load("network: {hosts: 7}\ntraffic: {random: {d: 4, probability: 1}}\n", NULL);
    assert_int_equal(s.n_flows, 28);
    scenario_fini(&s);
}

/* All with all, each of a size of its own: MPI_Alltoallv. */
TEST(test_sizes_are_drawn_too)
{
    const char *text = "network: {hosts: 4}\ntraffic: {random: {d: all, probability: 1, bytes: 10MB..60MB}}\n";
    struct scenario s MEMORY_ENDS(scenario_fini) = text_load(text, NULL), other = text_load(text, "seed=2");
    double sum = 0;
    bool differ = false;
    assert_int_equal(s.n_flows, 12);
    for (int i = 0; i < 12; i++) {
        int k = i % 3;
        assert_ints({s.flows[i].from, i / 3}, {s.flows[i].to, k + (k >= i / 3)});
        assert_true(s.flows[i].bytes >= 10000000 && s.flows[i].bytes <= 60000000);
        sum += (double)s.flows[i].bytes;
        differ = differ || s.flows[i].bytes != other.flows[i].bytes;
    }
    assert_true(differ && sum > 12 * 20e6 && sum < 12 * 50e6);
    scenario_fini(&other);
}

TEST(test_a_bad_random_pattern_is_refused)
{
    text_rejects("traffic:\n  random: {d: 3}\n", NULL,
                 "s.yaml:2: traffic.random: needs to know how many hosts there are: give network.hosts");
    text_rejects("network: {hosts: 5}\ntraffic: {random: {probability: 1.5}}\n", NULL,
                 "s.yaml:2: traffic.random.probability: '1.5' is outside 0 to 1");
    text_rejects("network: {hosts: 5}\ntraffic: {random: {probability: half}}\n", NULL,
                 "s.yaml:2: traffic.random.probability: 'half' is not a number");
    text_rejects("network: {hosts: 5}\ntraffic: {random: {bytes: 6MB..1MB}}\n", NULL,
                 "s.yaml:2: traffic.random.bytes: '6MB..1MB' is backwards");
    text_rejects("network: {hosts: 5}\ntraffic: {random: {bytes: 1MB..many}}\n", NULL,
                 "s.yaml:2: traffic.random.bytes: 'many' is not a size; try 3MB, 500kB or 64KiB");
    text_rejects("network: {hosts: 5}\ntraffic: {random: {d: 0}}\n", NULL,
                 "s.yaml:2: traffic.random.d: '0' is outside 1 to 1000");
    text_rejects("network: {hosts: 101}\ntraffic: {random: {d: 1000, probability: 1}}\n", NULL,
                 "s.yaml:2: traffic.random: 101000 transfers were drawn; at most 100000 can run");
    text_rejects("network: {hosts: 5}\ntraffic: {random: {probability: 0}}\n", NULL,
                 "s.yaml:2: traffic.random: no transfer was drawn with probability 0; try another seed");
    text_rejects("network: {hosts: 5}\ntraffic: {random: {d: 1}, star: {incoming: 1}}\n", NULL,
                 "s.yaml:2: traffic.star: traffic is one of star, pairs, random, exchange, tree, collective, goal, requests, burst, "
                 "pingpong, uniform, flows, csv and programs");
}

TEST(test_pairs_send_back_from_hosts_of_their_own)
{
    /* 2 there: h0, h1 to the last two; 1 back: from the host before those to the one behind these. */
    static const int ends[][2] = {{0, 6}, {1, 7}, {5, 2}};
    const char *text = "network: {topology: tree, racks: [4, 4]}\ntraffic:\n  pairs: {count: 2, back: 1}\n";
    struct scenario s = text_load(text, NULL);
    assert_int_equal(s.n_flows, 3);
    for (int i = 0; i < 3; i++) {
        assert_ints({s.flows[i].from, ends[i][0]}, {s.flows[i].to, ends[i][1]}, {s.flows[i].bytes, 0});
    }
    scenario_fini(&s);
    s = text_load(text, "traffic.pairs.count=0");
    assert_ints({s.n_flows, 1}, {s.flows[0].from, 7}, {s.flows[0].to, 0});
    scenario_fini(&s);
    text_rejects(text, "traffic.pairs.back=3", "s.yaml:3: traffic.pairs: needs 10 hosts; there are 8");
    text_rejects(text, "traffic.pairs.both_ways=true",
                 "s.yaml:3: traffic.pairs.back: does not go with both_ways, which sends back within each pair");
    text_rejects("network: {hosts: 4}\ntraffic:\n  pairs: {count: 0, back: 0}\n", NULL,
                 "s.yaml:3: traffic.pairs.count: no pair: count and back are both 0");
    text_rejects("network: {hosts: 4}\ntraffic:\n  pairs: {count: 0}\n", NULL,
                 "s.yaml:3: traffic.pairs.count: '0' is outside 1 to 5000");
}

/* Who sends to whom, where a program says when; hosts, where nobody says how many, are those that it needs. */
TEST(test_programs_have_their_flows)
{
    static const struct {
        const char *yaml;
        int hosts, n, ends[8][2];
    } rows[] = {{"transport: gbn\ntraffic: {pingpong: {pairs: [2, 1]}}\n", 4, 4, {{0, 2}, {2, 0}, {1, 3}, {3, 1}}},
                {"transport: gbn\nnetwork: {hosts: 7}\ntraffic: {pingpong: {pairs: [1, 2]}}\n", 7, 4, {{0, 3}, {3, 0}, {1, 4}, {4, 1}}},
                {"network: {hosts: 3}\ntraffic: {exchange: {bytes: 1kB}}\n", 3, 6, {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}},
                {"network: {hosts: 5}\ntraffic: {tree: {}}\n", 5, 8,
                 {{1, 0}, {0, 1}, {2, 0}, {0, 2}, {3, 2}, {2, 3}, {4, 0}, {0, 4}}}, /* the parent lacks the lowest bit */
                {"network: {hosts: 5}\ntraffic: {pairs: {both_ways: true}}\n", 5, 4, {{0, 3}, {3, 0}, {1, 4}, {4, 1}}},
                {"transport: gbn\ntraffic: {burst: {sources: [1, 4], sinks: [2, 1]}}\n", 6, 0, {{0}}},
                {"transport: gbn\ntraffic: {uniform: {ports: 3}}\n", 6, 0, {{0}}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(rows[k].yaml, NULL);
        assert_ints({s.network.hosts, rows[k].hosts}, {s.n_flows, rows[k].n});
        for (int i = 0; i < rows[k].n; i++)
            assert_ints({s.flows[i].from, rows[k].ends[i][0]}, {s.flows[i].to, rows[k].ends[i][1]});
    }
}

TEST(test_pauses_are_checked)
{
    text_rejects("traffic: {flows: [{from: h1, to: h0, pauses: [soon]}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.pauses.0: 'soon' is not a pause; write such as 200ms after 1MB");
    text_rejects("traffic: {flows: [{from: h1, to: h0, pauses: [1s after 1MB please]}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.pauses.0: '1s after 1MB please' is not a pause; write such as "
                 "200ms after 1MB");
    text_rejects("traffic: {flows: [{from: h1, to: h0, bytes: 1MB, pauses: [1s after 1MB]}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.pauses.0: '1MB' is outside 1B to 999999B");
    text_rejects("traffic: {flows: [{from: h1, to: h0, bytes: 9B, pauses: [1s after49B]}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.pauses.0: '49B' is outside 1B to 8B");
    text_rejects("traffic: {flows: [{from: h1, to: h0, pauses: [1s after 1MB, 1s after 500kB]}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.pauses.1: '1s after 500kB' does not come after the pause before it");
    text_rejects("traffic: {flows: [{from: h1, to: h0, bytes: 1MB, repeat: 2, pauses: [1s after 1kB]}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.pauses: do not go with repeat or duplex, which wait for the other end");
    text_rejects("transport: gbn\ntraffic: {flows: [{from: h1, to: h0, pauses: [1s after 1kB]}]}\n", NULL,
                 "s.yaml:2: traffic.flows: flow f0: pauses are for TCP; the transport is gbn");
    text_rejects("traffic: {flows: [{from: h1, to: h0, pauses: [1s after 1kB]}]}\n", "engine=ns3",
                 "--set engine=ns3: ns3 has no pauses of applications; use native or linux");
}

TEST(test_an_application_may_have_a_rate)
{
    struct scenario s = text_load("traffic: {flows: [{from: h1, to: h0, rate: 4Mbps}]}\n", NULL);
    assert_ints({s.flows[0].rate_bps, 4000000}, {s.engine, SCENARIO_ENGINE_NATIVE});
    scenario_fini(&s);
    text_rejects("traffic: {flows: [{from: h1, to: h0, bytes: 1MB, repeat: 2, rate: 4Mbps}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.rate: does not go with repeat or duplex, which wait for the other end");
    text_rejects("transport: gbn\ntraffic: {flows: [{from: h1, to: h0, rate: 4Mbps}]}\n", NULL,
                 "s.yaml:2: traffic.flows: flow f0: rate is for TCP; the transport is gbn");
    text_rejects("traffic: {flows: [{from: h1, to: h0, rate: 4Mbps}]}\n", "engine=ns3",
                 "--set engine=ns3: ns3 has no applications with a rate; use native or linux");
}

TEST(test_messages_are_listed_and_checked)
{
    struct scenario s = text_load("traffic: {barrier: true, flows: [{from: h1, to: h0, bytes: 1MB, repeat: 7, "
                                  "duplex: true}]}\n", NULL);
    assert_int_equal(s.flows[0].repeat, 7);
    assert_true(s.flows[0].duplex && s.barrier);
    scenario_fini(&s);
    text_rejects("traffic: {flows: [{from: h1, to: h0, repeat: 2}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.repeat: 2 messages of what size? give bytes, too");
    text_rejects("traffic: {flows: [{from: h1, to: h0, bytes: 1, repeat: 0}]}\n", NULL,
                 "s.yaml:1: traffic.flows.0.repeat: '0' is outside 1 to 1000000");
    text_rejects("traffic: {barrier: true, flows: [{from: h1, to: h0}]}\n", NULL,
                 "s.yaml:1: traffic.barrier: there are flows without bytes: they would never come to it");
}

TEST(test_every_kind_of_flow_repeats_its_messages)
{
    static const char *const kinds[] = {"star: {incoming: 2, outgoing: 1, bytes: 1MB, repeat: 7}",
                                        "random: {d: 2, probability: 1, bytes: 1MB, repeat: 7}",
                                        "pairs: {count: 2, bytes: 1MB, repeat: 7}"};
    for (int k = 0; k < 3; k++) {
        char yaml[128];
        snprintf(yaml, sizeof yaml, "network: {hosts: 4}\ntraffic: {%s}\n", kinds[k]);
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(yaml, NULL);
        assert_true(s.n_flows > 1);
        for (int i = 0; i < s.n_flows; i++) {
            assert_ints({s.flows[i].bytes, 1000000}, {s.flows[i].repeat, 7});
        }
    }
    text_rejects("traffic: {star: {incoming: 1, outgoing: 1, repeat: 2}}\n", NULL,
                 "s.yaml:1: traffic.star.repeat: 2 messages of what size? give bytes, too");
    text_rejects("engine: ns3\ntraffic: {star: {points: [1/1], bytes: 1MB, repeat: 2}}\n", NULL,
                 "s.yaml:1: engine: ns3 has no repeated messages; use native or linux");
}

#define PRECISE "traffic: {precision: 2%, flows: [{from: h1, to: h0, bytes: 1MB"

TEST(test_precision_repeats_behind_a_barrier)
{
    struct scenario s = text_load(PRECISE "}, {from: h2, to: h0, bytes: 2MB}]}\n", NULL);
    assert_true(s.barrier);
    assert_float_equal(s.precision, 0.02, 1e-15);
    assert_ints({s.flows[0].repeat, 2000}, {s.flows[1].repeat, 2000}, {s.duration_ps, 3600 * UNITS_PS_PER_S},
                {s.warmup_ps, 0});
    scenario_fini(&s);
    s = text_load("duration: 5s\n" PRECISE ", repeat: 5}], barrier: true}\n", "traffic.precision=0.5");
    assert_float_equal(s.precision, 0.5, 0);
    assert_ints({s.flows[0].repeat, 5}, {s.duration_ps, 5 * UNITS_PS_PER_S});
    scenario_fini(&s);
}

TEST(test_precision_is_checked)
{
    static const struct {
        const char *text, *why;
    } bad[] = {{"0", "'0' is not a share above 0 and up to 1 (100%)"},
               {"2", "'2' is not a share above 0 and up to 1 (100%)"},
               {"101%", "'101%' is not a share above 0 and up to 1 (100%)"},
               {"-1%", "'-1%' is not a share above 0 and up to 1 (100%)"},
               {"nan", "'nan' is not a share; write such as 2% or 0.02"},
               {"%", "'%' is not a share; write such as 2% or 0.02"},
               {"2 percent", "'2 percent' is not a share; write such as 2% or 0.02"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char set[64], sentence[128];
        snprintf(set, sizeof set, "traffic.precision=%s", bad[i].text);
        snprintf(sentence, sizeof sentence, "--set %s: %s", set, bad[i].why);
        text_rejects(PRECISE "}]}\n", set, sentence);
    }
    text_rejects(PRECISE "}]}\n", "traffic.barrier=false",
                 "--set traffic.barrier=false: precision has all flows start together, which is the barrier");
    text_rejects("traffic: {precision: 2%, star: {incoming: 1, outgoing: 1}}\n", NULL,
                 "s.yaml:1: traffic.precision: there are flows without bytes: they would never come to the barrier");
    text_rejects("traffic: {precision: 2%, star: {points: [1/1]}}\n", NULL,
                 "s.yaml:1: traffic.precision: there are flows without bytes: they would never come to the barrier");
    text_rejects("transport: gbn\n" PRECISE "}]}\n", NULL,
                 "s.yaml:2: traffic.precision: is for messages over TCP: star, pairs, random or flows");
    text_rejects("network: {hosts: 4}\ntraffic: {precision: 2%, exchange: {bytes: 1kB}}\n", NULL,
                 "s.yaml:2: traffic.precision: is for messages over TCP: star, pairs, random or flows");
    text_rejects(PRECISE ", repeat: 4}]}\n", NULL, "s.yaml:1: traffic.flows.0.repeat: '4' is outside 5 to 1000000");
    text_rejects(PRECISE "}, {from: h2, to: h0, bytes: 1MB, repeat: 9}]}\n", NULL,
                 "s.yaml:1: traffic.precision: flows f0 and f1 repeat 2000 and 9 times; all send equally many");
    text_rejects("engine: ns3\n" PRECISE "}]}\n", NULL,
                 "s.yaml:1: engine: ns3 has no messages repeated until their mean time is known well enough "
                 "(traffic.precision); use native or linux");
}

TEST(test_points_are_listed_and_checked)
{
    struct scenario s = text_load("traffic: {star: {points: [1/1, 2/1, 0/3], incoming_window: 1MB}}\n", NULL);
    assert_ints({s.n_points, 3}, {s.n_flows, 0}, {s.points[1].incoming, 2}, {s.points[2].outgoing, 3},
                {s.network.hosts, 0}, {s.incoming_window_bytes, 1000000}, {s.outgoing_window_bytes, 3000000});
    scenario_fini(&s);
    text_rejects("traffic:\n  star:\n    points:\n      - 1/1\n      - 2-1\n", NULL,
                 "s.yaml:5: traffic.star.points.1: '2-1' is not a point; write in/out, such as 2/1");
    text_rejects("traffic: {star: {points: [1/1x]}}\n", NULL,
                 "s.yaml:1: traffic.star.points.0: '1/1x' is not a point; write in/out, such as 2/1");
    text_rejects("traffic: {star: {points: [-1/1]}}\n", NULL,
                 "s.yaml:1: traffic.star.points.0: '-1/1' is not a point; write in/out, such as 2/1");
    text_rejects("traffic: {star: {points: [0/0]}}\n", NULL,
                 "s.yaml:1: traffic.star.points.0: '0/0' has 0 flows; 1 to 100000 can run");
    text_rejects("traffic: {star: {points: [1/1, 1/1]}}\n", NULL,
                 "s.yaml:1: traffic.star.points.1: '1/1' is there twice");
    text_rejects("traffic: {star: {points: []}}\n", NULL,
                 "s.yaml:1: traffic.star.points: 0 points; give 1 to 1000, each a point, in/out such as 2/1");
    text_rejects("traffic: {star: {points: [1/1]}}\n", "traffic.star.incoming=2",
                 "--set traffic.star.incoming=2: does not go with points: each point, such as 2/1, says both numbers");
}

TEST(test_flows_take_what_they_are_given)
{
    struct scenario s = text_load(
        "network: {hosts: 4}\ntcp: {window: 1MB}\n" FLOWS
        "    - {name: bulk.1, from: h1, to: h0, bytes: 10MB, window: 2MB, congestion: cubic, start: 12.5ns}\n"
        "    - {from: h0, to: h3}\n",
        NULL);
    const struct scenario_flow *f = s.flows;
    assert_int_equal(s.n_flows, 2);
    assert_string_equal(f[0].name, "bulk.1");
    assert_ints({f[0].from, 1}, {f[0].to, 0}, {f[0].bytes, 10000000}, {f[0].tcp.send_buffer_bytes, 2000000},
                {f[0].tcp.receive_buffer_bytes, 2000000});
    assert_int_equal(f[0].tcp.initial_window_segments, 1382); /* ceil(2000000 / 1448) */
    assert_ints({f[0].tcp.congestion, EMU_CONGESTION_CUBIC}, {f[0].start_ps, 12500});
    assert_string_equal(f[1].name, "f1");
    assert_ints({f[1].bytes, 0}, {f[1].tcp.receive_buffer_bytes, 1000000});
    assert_int_equal(f[1].tcp.initial_window_segments, 691); /* ceil(1000000 / 1448) */
    assert_int_equal(f[1].tcp.congestion, EMU_CONGESTION_NEWRENO);
    scenario_fini(&s);
    s = text_load(FLOWS "    - {from: h7, to: h2}\n", NULL); /* hosts left out: h0 to the highest named */
    assert_int_equal(s.network.hosts, 8);
    scenario_fini(&s);
}

TEST(test_flow_values_are_checked)
{
    text_rejects("network: {hosts: 4}\n" FLOWS "    - {from: h9, to: h0}\n", NULL,
                 "s.yaml:4: traffic.flows.0.from: 'h9' is not in this network; hosts are h0 to h3");
    text_rejects("network: {topology: tree, racks: [2, 2]}\n" FLOWS "    - {from: h0, to: h4}\n", NULL,
                 "s.yaml:4: traffic.flows.0.to: 'h4' is not in this network; hosts are h0 to h3");
    text_rejects(FLOWS "    - {from: X1, to: h0}\n", NULL,
                 "s.yaml:3: traffic.flows.0.from: 'X1' is not a host; hosts are h0, h1, ... h9999");
    text_rejects(FLOWS "    - {from: h1, to: ''}\n", NULL,
                 "s.yaml:3: traffic.flows.0.to: '' is not a host; hosts are h0, h1, ... h9999");
    text_rejects(FLOWS "    - {from: h1, to: h0}\n    - from: h1\n", NULL,
                 "s.yaml:4: traffic.flows.1.to: is missing; a flow goes {from: h1, to: h0}");
    text_rejects(FLOWS "    - {from: h1, to: h1}\n", NULL,
                 "s.yaml:3: traffic.flows.0.to: 'h1' is also where the flow comes from");
    text_rejects(FLOWS "    - {from: h1, to: h0, bytes: 0}\n", NULL,
                 "s.yaml:3: traffic.flows.0.bytes: '0' is outside 1B to 9223372036854775807B");
    text_rejects(FLOWS "    - {from: h1, to: h0, bytes: -5}\n", NULL,
                 "s.yaml:3: traffic.flows.0.bytes: '-5' is negative; a size is at least 0, such as 3MB, 500kB or "
                 "64KiB");
    text_rejects(FLOWS "    - {from: h1, to: h0, window: 0}\n", NULL,
                 "s.yaml:3: traffic.flows.0.window: a window of '0' is smaller than one segment of 1448 bytes");
    text_rejects_name(FLOWS "    - {from: h1, to: h0, congestion: x}\n", NULL,
                      "s.yaml:3: traffic.flows.0.congestion: 'x' is not a congestion control", emu_congestion_names);
    text_rejects(FLOWS "    - {from: h1, to: h0, start: 2s}\n", NULL,
                 "s.yaml:3: traffic.flows.0.start: a start at 2s is not before the end of the run at 2s");
    text_rejects(FLOWS "    - {from: h1, to: h0, start: 1s}\n", "duration=1s",
                 "--set duration=1s: a start at 1s is not before the end of the run at 1s");
    text_rejects(FLOWS "    - {from: h1, to: h0, name: 'a b'}\n", NULL,
                 "s.yaml:3: traffic.flows.0.name: 'a b' is not a name: 1 to 31 of the characters A-Z a-z 0-9 _ . -");
    text_rejects(FLOWS "    - {from: h1, to: h0, name: abcdefghijklmnopqrstuvwxyz012345}\n", NULL,
                 "s.yaml:3: traffic.flows.0.name: 'abcdefghijklmnopqrstuvwxyz012345' is not a name: 1 to 31 of the "
                 "characters A-Z a-z 0-9 _ . -");
    text_rejects(FLOWS "    - {from: h1, to: h0, name: f1}\n    - {from: h2, to: h0}\n", NULL,
                 "s.yaml:4: traffic.flows.1.name: 'f1' is also the name of flow 0");
    text_rejects("traffic:\n  flows: []\n", NULL, "s.yaml:2: traffic.flows: 0 flows; give 1 to 100000");
    text_rejects("traffic:\n  start_spread: 3s\n", NULL,
                 "s.yaml:2: traffic.start_spread: starts spread over 3s do not fit into a run of 2s");
    text_rejects("warmup: 0\n", "duration=50us",
                 "--set duration=50us: starts spread over 100us do not fit into a run of 50us");
}

TEST(test_a_hundred_thousand_flows_load_and_one_more_does_not)
{
    MEMORY_LOCAL char *yaml = NULL;
    size_t size;
    FILE *f = memory_stream(&yaml, &size);
    fputs(FLOWS, f);
    for (int i = 0; i < 100000; i++)
        fprintf(f, "  - {from: h%d, to: h0}\n", 1 + i % 999);
    memory_stream_end(f, &yaml);
    struct scenario s = text_load(yaml, NULL);
    assert_ints({s.n_flows, 100000}, {s.network.hosts, 1000});
    assert_string_equal(s.flows[99999].name, "f99999");
    scenario_fini(&s);
    MEMORY_LOCAL char *more = memory_text("%s  - {from: h1, to: h0}\n", yaml);
    text_rejects(more, NULL, "s.yaml:2: traffic.flows: 100001 flows; give 1 to 100000");
}

TEST(test_starts_follow_the_seed_and_stay_in_the_spread)
{
    static const char yaml[] = "traffic: {star: {incoming: 500, outgoing: 400}, start_spread: 1us}\n";
    struct scenario a = text_load(yaml, NULL), b = text_load(yaml, NULL), c = text_load(yaml, "seed=2");
    int same = 0;
    int64_t least = INT64_MAX, most = 0;
    for (int i = 0; i < a.n_flows; i++) {
        int64_t start = a.flows[i].start_ps;
        assert_ints({start, b.flows[i].start_ps}, {start % UNITS_PS_PER_NS, 0});
        same += start == c.flows[i].start_ps;
        least = start < least ? start : least;
        most = start > most ? start : most;
    }
    /* 900 draws of the 1001 values 0..1000 ns: both ends are reached within 20 ns but for 0.98^900. */
    assert_in_range(least, 0, 20000);
    assert_in_range(most, 980000, 1000000);
    assert_in_range(same, 0, 20); /* expected 0.9 */
    scenario_fini(&a);
    scenario_fini(&b);
    scenario_fini(&c);
}

TEST(test_giving_one_start_leaves_the_others)
{
    static const char yaml[] = FLOWS "  - {from: h1, to: h0}\n  - {from: h2, to: h0}\n  - {from: h3, to: h0}\n";
    struct scenario a MEMORY_ENDS(scenario_fini) = text_load(yaml, NULL), b = text_load(yaml, "traffic.flows.1.start=0s");
    assert_ints({a.flows[0].start_ps, b.flows[0].start_ps}, {b.flows[1].start_ps, 0});
    assert_int_not_equal(a.flows[1].start_ps, 0);
    assert_int_equal(a.flows[2].start_ps, b.flows[2].start_ps);
    scenario_fini(&b);
}

CM_GROUP(text_enter, text_leave)
