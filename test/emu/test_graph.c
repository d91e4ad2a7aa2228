/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/network.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define MOST 40 /* nodes of a random graph */

static struct emu_network_config config_of(enum emu_topology topology)
{
    return (struct emu_network_config){.topology = topology,
                                       .link = {.rate_bps = 1000000000, .delay_ps = 1000000},
                                       .backbone = {.rate_bps = 10000000000, .delay_ps = 5000000},
                                       .nic = emu_queue_config_default(),
                                       .sw = emu_switch_config_default()};
}

static void build(struct emu_network_config *c, struct emu_graph *g)
{
    struct error err;
    c->hosts = emu_topology_hosts(c);
    assert_true(emu_topology_build(c, g, &err));
}

static int hops(const struct emu_graph *g, int from, int to)
{
    struct emu_graph_port path[16];
    return emu_graph_path(g, from, to, 0, 16, path);
}

/* Al-Fares et al. 2008, section 3.1: k^3/4 hosts, 5/4 k^2 switches, 3 k^3/4 cables; (k/2)^2 shortest paths between
 * hosts of different pods. */
TEST(test_a_fat_tree_is_that_of_its_paper)
{
    for (int k = 2; k <= 8; k += 2) {
        struct emu_network_config c = config_of(EMU_TOPOLOGY_FAT_TREE);
        MEMORY_ENDS(emu_graph_fini) struct emu_graph g;
        c.k = k;
        build(&c, &g);
        assert_ints({g.hosts, k * k * k / 4}, {g.n_switches, 5 * k * k / 4}, {g.n_links, 3 * k * k * k / 4});
        for (int s = 0; s < g.n_switches; s++)
            assert_int_equal(g.nodes[g.hosts + s].n_ports, k);
        assert_int_equal(hops(&g, 0, g.hosts - 1), 6);
        if (k > 2) {
            assert_int_equal(hops(&g, 0, 1), 2);
            assert_int_equal(hops(&g, 0, k / 2), 4);
        }
    }
}

/* Each flow keeps to one path, and many take all of them alike: chi-square with 15 degrees of freedom is above 37.7 once
 * in a thousand. */
TEST(test_flows_spread_over_paths_alike)
{
    enum { K = 8, FLOWS = 16000 };
    struct emu_network_config c = config_of(EMU_TOPOLOGY_FAT_TREE);
    MEMORY_ENDS(emu_graph_fini) struct emu_graph g;
    int count[K * K / 4] = {0};
    double chi2 = 0, expected = (double)FLOWS / (K * K / 4);
    c.k = K;
    build(&c, &g);
    assert_true(g.loops);
    for (uint32_t flow = 0; flow < FLOWS; flow++) {
        struct emu_graph_port path[6], again[6];
        char name[EMU_PORT_NAME];
        int core;
        assert_int_equal(emu_graph_path(&g, 0, g.hosts - 1, flow, 6, path), 6);
        assert_int_equal(emu_graph_path(&g, 0, g.hosts - 1, flow, 6, again), 6);
        assert_memory_equal(path, again, sizeof path);
        emu_graph_port_name(&g, path[3], name);
        assert_int_equal(sscanf(name, "core%d-", &core), 1);
        count[core]++;
    }
    for (int i = 0; i < K * K / 4; i++)
        chi2 += (count[i] - expected) * (count[i] - expected) / expected;
    assert_true(chi2 < 37.7);
}

TEST(test_ports_side_by_side_are_counted)
{
    struct emu_network_config c = config_of(EMU_TOPOLOGY_LEAF_SPINE);
    MEMORY_ENDS(emu_graph_fini) struct emu_graph g;
    struct emu_graph_port port;
    c.n_racks = 2;
    c.racks[0] = 1, c.racks[1] = 2;
    c.spines = 2, c.cables = 2;
    build(&c, &g);
    assert_int_equal(g.n_links, 3 + 2 * 2 * 2);
    assert_true(emu_graph_find(&g, "sw1-spine1.1", &port));
    assert_int_equal(emu_graph_far(&g, port), 3 + 2 + 1);
    assert_true(emu_graph_find(&g, "h2", &port));
    assert_true(emu_graph_find(&g, "sw1-h2", &port));
    assert_false(emu_graph_find(&g, "sw0-h2", &port));
}

static void link_of(struct emu_network_link *l, const char *from, const char *to)
{
    *l = (struct emu_network_link){.link = {.rate_bps = 1000000000}};
    snprintf(l->from, sizeof l->from, "%s", from);
    snprintf(l->to, sizeof l->to, "%s", to);
}

TEST(test_hosts_that_cannot_reach_each_other_are_told)
{
    struct emu_network_config c = config_of(EMU_TOPOLOGY_GRAPH);
    struct emu_network_link links[4];
    MEMORY_ENDS(emu_graph_fini) struct emu_graph g;
    link_of(&links[0], "h0", "a");
    link_of(&links[1], "h1", "a");
    link_of(&links[2], "h1", "b"); /* h1 passes nothing on */
    link_of(&links[3], "b", "h2");
    c.links = links;
    c.n_links = 4;
    c.hosts = emu_topology_hosts(&c);
    assert_int_equal(c.hosts, 3);
    assert_false(emu_topology_build(&c, &g, &err));
    assert_string_equal(err.message, "no cables lead from h0 to h2");
}

/* From a to h0, which is on b, one cable is nearest; to h1, on d, it is one of two, whoever was asked for first. */
TEST(test_a_way_alone_is_no_way_of_several)
{
    static const char *const cables[][2] = {{"h0", "b"}, {"h1", "d"}, {"h2", "a"}, {"a", "b"}, {"a", "c"}, {"b", "d"},
                                            {"c", "d"}};
    enum { CABLES = sizeof cables / sizeof *cables };
    struct emu_network_config c = config_of(EMU_TOPOLOGY_GRAPH);
    struct emu_network_link links[CABLES];
    MEMORY_ENDS(emu_graph_fini) struct emu_graph g;
    int by_b = 0;
    for (int i = 0; i < CABLES; i++)
        link_of(&links[i], cables[i][0], cables[i][1]);
    c.links = links;
    c.n_links = CABLES;
    build(&c, &g);
    for (uint32_t flow = 0; flow < 100; flow++) {
        struct emu_graph_port path[8];
        char name[EMU_PORT_NAME];
        assert_int_equal(emu_graph_path(&g, 2, 1, flow, 8, path), 4);
        emu_graph_port_name(&g, path[1], name);
        by_b += strcmp(name, "a-b") == 0;
        assert_int_equal(emu_graph_path(&g, 2, 0, flow, 8, path), 3);
    }
    assert_in_range(by_b, 20, 80);
}

static void node_name(char *name, size_t size, int node, int hosts)
{
    snprintf(name, size, node < hosts ? "h%d" : "s%d", node < hosts ? node : node - hosts);
}

/* A random connected graph: each switch but the first hangs on one before it, each host on some switch, and further
 * cables anywhere between switches. Returns how many cables. */
static int draw_graph(struct random *r, int hosts, int switches, int more, struct emu_network_link *links,
                      int distance[MOST][MOST])
{
    int n = 0, nodes = hosts + switches;
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++)
            distance[a][b] = a == b ? 0 : 1000;
    for (int i = 1; i < switches + hosts + more; i++) {
        int a = i < switches ? hosts + i : i < switches + hosts ? i - switches
                                                                : hosts + (int)random_below(r, (uint64_t)switches);
        int b = hosts + (int)random_below(r, (uint64_t)(i < switches ? i : switches));
        char from[EMU_GRAPH_NAME], to[EMU_GRAPH_NAME];
        if (a == b)
            continue;
        node_name(from, sizeof from, a, hosts);
        node_name(to, sizeof to, b, hosts);
        link_of(&links[n++], from, to);
        distance[a][b] = distance[b][a] = 1;
    }
    for (int k = hosts; k < nodes; k++) /* Floyd 1962; hosts pass nothing on */
        for (int a = 0; a < nodes; a++)
            for (int b = 0; b < nodes; b++)
                if (distance[a][k] + distance[k][b] < distance[a][b])
                    distance[a][b] = distance[a][k] + distance[k][b];
    return n;
}

static struct emu_network net;
static int received[MOST];

static void deliver(void *user, int host, const struct emu_frame *frame)
{
    received[host] += frame->dst == EMU_FRAME_BROADCAST || frame->dst == (uint32_t)host;
    if (frame->dst != EMU_FRAME_BROADCAST && net.graph.loops)
        assert_int_equal(frame->dst, host); /* others flood what they have not learnt */
    fake_ops.release(frame->packet);
}

/* Paths are as short as can be; what is sent to one host reaches it, and where there are loops nobody else, and what is sent to all reaches
 * each once, however many loops there are. */
TEST(test_random_graphs_lead_where_they_should)
{
    static int distance[MOST][MOST];
    struct emu_network_link links[2 * MOST];
    struct random r = random_of(19);
    for (int round = 0; round < 300; round++) {
        int hosts = 2 + (int)random_below(&r, 15), switches = 1 + (int)random_below(&r, 15);
        struct emu_network_config c = config_of(EMU_TOPOLOGY_GRAPH);
        struct emu_clock clock = fake_clock();
        c.links = links;
        c.n_links = draw_graph(&r, hosts, switches, (int)random_below(&r, 20), links, distance);
        c.hosts = emu_topology_hosts(&c);
        fake_reset();
        memset(received, 0, sizeof received);
        emu_network_init(&net, &c, &clock, &fake_ops, deliver, NULL);
        for (int from = 0; from < hosts; from++) {
            struct emu_frame all = fake_frame(from, -1, 100, 0);
            all.src = (uint32_t)from;
            emu_network_transmit(&net, from, &all);
            fake_run();
            for (int to = 0; to < hosts; to++) {
                if (to == from)
                    continue;
                assert_int_equal(received[to], 1);
                received[to] = 0;
                assert_int_equal(hops(&net.graph, from, to), distance[from][to]);
                struct emu_frame one = fake_frame(from, to, 100, 0);
                one.src = (uint32_t)from;
                one.dst = (uint32_t)to;
                emu_network_transmit(&net, from, &one);
                fake_run();
                assert_int_equal(received[to], 1);
                received[to] = 0;
            }
            assert_int_equal(received[from], 0);
        }
        assert_true(emu_network_audit(&net, &err));
        emu_network_fini(&net);
    }
}

/* tc-cake(8): the packet, the overhead, not less than the mpu, in cells. A packet of 1500 bytes with PPPoE over LLC/SNAP
 * (40) takes 33 cells of 53 bytes, one of 40 (an ACK without options) 2. PTM: 65 bytes for 64. IEEE 802.1Q: 4 bytes more,
 * and the least frame stays 64 bytes, 84 on the wire. */
TEST(test_framings_take_what_cake_says)
{
    static const struct {
        struct emu_framing framing;
        uint16_t packet;
        int64_t bytes;
    } rows[] = {
        {{.on = false}, 1500, 1538},
        {{.on = false}, 40, 84},
        {{.on = true, .overhead_bytes = 38, .least_bytes = 84}, 1500, 1538},
        {{.on = true, .overhead_bytes = 38, .least_bytes = 84}, 40, 84},
        {{.on = true, .overhead_bytes = 40, .cells = EMU_CELLS_ATM}, 1500, 33 * 53},
        {{.on = true, .overhead_bytes = 40, .cells = EMU_CELLS_ATM}, 40, 2 * 53},
        {{.on = true, .overhead_bytes = 18, .least_bytes = 64}, 40, 64},
        {{.on = true, .overhead_bytes = 30, .cells = EMU_CELLS_PTM}, 1500, 1530 + 24},
        {{.on = true, .overhead_bytes = 38, .least_bytes = 84, .vlan = 7}, 1500, 1542},
        {{.on = true, .overhead_bytes = 38, .least_bytes = 84, .vlan = 7}, 40, 84},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct emu_link_config link = {.rate_bps = 1000000000, .framing = rows[i].framing};
        struct emu_frame frame = {.payload_bytes = rows[i].packet};
        assert_int_equal(emu_port_frame_bytes(&link, &frame), rows[i].bytes);
    }
}

/* h0 to h1 over a cable that sends 1 Gb/s there and 10 Mb/s back, after 1 us and 7 us: 1526 byte times of 8 ns, or of
 * 800 ns, on it, and 1526 of 8 ns on the other cable, which takes no time otherwise. */
static int64_t last_time;

static void deliver_timed(void *user, int host, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    last_time = emu_clock_now(&clock);
    deliver(user, host, frame);
}

TEST(test_each_end_of_a_cable_has_its_own_rate_and_delay)
{
    struct emu_network_config c = config_of(EMU_TOPOLOGY_GRAPH);
    struct emu_network_link links[2];
    struct emu_clock clock = fake_clock();
    link_of(&links[0], "h0", "a");
    link_of(&links[1], "a", "h1");
    links[0].link.delay_ps = 1000000;
    links[0].back = (struct emu_network_way){.on = true, .rate_bps = 10000000, .delay_ps = 7000000};
    c.links = links;
    c.n_links = 2;
    c.hosts = 2;
    for (int from = 0; from < 2; from++) {
        struct emu_frame f = fake_frame(from, 1 - from, 1500, 0);
        fake_reset();
        f.src = (uint32_t)from;
        f.dst = (uint32_t)(1 - from);
        emu_network_init(&net, &c, &clock, &fake_ops, deliver_timed, NULL);
        emu_network_transmit(&net, from, &f);
        fake_run();
        assert_int_equal(last_time, from == 0 ? 1526 * (8000 + 8000) + 1000000 : 1526 * (8000 + 800000) + 7000000);
        emu_network_fini(&net);
    }
}
