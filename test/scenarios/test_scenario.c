/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/save.h"
#include "test/scenarios/text.h"

/* All of a scenario but bytes between its fields. */
static char *written(const struct scenario *s)
{
    char *text = NULL;
    size_t size;
    struct error err = {0};
    FILE *f = open_memstream(&text, &size);
    assert_true(scenario_write(s, f, NULL, &err));
    fclose(f);
    return text;
}

TEST(test_point_is_the_star_of_its_numbers)
{
    static const char rest[] = "seed: 5\ntcp: {congestion: bic}\ncapture: [{at: h0, snaplen: 128}, {at: sw0-h0}]\n";
    char points[256], single[256];
    snprintf(points, sizeof points, "%straffic: {star: {points: [1/1, 2/1], outgoing_window: 6MB}}\n", rest);
    snprintf(single, sizeof single, "%straffic: {star: {incoming: 2, outgoing: 1, outgoing_window: 6MB}}\n", rest);
    struct scenario many = text_load(points, NULL), expected MEMORY_ENDS(scenario_fini) = text_load(single, NULL), point;
    scenario_at_point(&many, 1, &point);
    assert_int_equal(point.n_points, 0);
    assert_null(point.points);
    assert_ints({point.seed, 5}, {point.network.hosts, 4}, {point.n_flows, 3});
    char *as_point = written(&point), *alone = written(&expected);
    assert_string_equal(as_point, alone);
    free(as_point);
    free(alone);
    assert_ints({point.flows[2].tcp.send_buffer_bytes, 6000000}, {point.n_captures, 2});
    assert_memory_equal(point.captures, expected.captures, 2 * sizeof *point.captures);
    assert_ptr_not_equal(point.captures, many.captures);
    scenario_fini(&many); /* the point owns what it has */
    assert_string_equal(point.captures[1].at, "sw0-h0");
    scenario_fini(&point);
}

TEST(test_flow_tcp_covers_its_window_when_warm)
{
    struct scenario s = {.tcp = {.segment_bytes = 1000, .initial_window_segments = SCENARIO_WARM}};
    assert_int_equal(scenario_flow_tcp(&s, 3000).initial_window_segments, 3);
    assert_int_equal(scenario_flow_tcp(&s, 3001).initial_window_segments, 4);
    s.tcp.initial_window_segments = 10;
    assert_int_equal(scenario_flow_tcp(&s, 3001).initial_window_segments, 10);
    assert_int_equal(scenario_flow_tcp(&s, 3001).send_buffer_bytes, 3001);
}

/* A room for PAUSE grows with the largest frames: 52 bytes around a segment, 8 around a Go-Back-N packet. */
TEST(test_packets_are_an_ethernet_s_or_what_is_longer)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } rows[] = {
        {"seed: 1\n", 1500},
        {"tcp: {segment: 536}\n", 1500},
        {"tcp: {segment: 8948}\n", 9000},
        {"transport: gbn\ngbn: {packet: 4096}\ntraffic: {burst: {sources: [2], sinks: [1]}}\n", 4104},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(rows[i].text, NULL);
        assert_int_equal(scenario_packet_bytes(&s), rows[i].bytes);
    }
    text_rejects("engine: linux\nclock: wall\ntcp: {segment: 8948}\n", NULL,
                 "s.yaml:3: tcp.segment: in wall time frames are Ethernet's, a segment at most 1448; leave clock: virtual");
}

/* 1448 bytes of payload are 1538 byte times on the wire: 123.04 us at 100 Mb/s. A host behind an uplink of ten times the
 * rate gets a frame in a tenth of that. */
TEST(test_a_frame_is_late_when_another_could_have_come)
{
    static const char wall[] = "engine: linux\nclock: wall\nnetwork: {hosts: 4, link: {rate: 100Mbps}}\n";
    struct scenario s = text_load(wall, NULL);
    assert_int_equal(s.clock, SCENARIO_CLOCK_WALL);
    assert_true(s.late_share == 0.01);
    assert_int_equal(scenario_late_by_ps(&s), 123040000);
    scenario_fini(&s);
    s = text_load(wall, "network.uplinks=1");
    s.network.backbone.rate_bps = 1000000000;
    assert_int_equal(scenario_late_by_ps(&s), 12304000);
    scenario_fini(&s);
    s = text_load(wall, "wall.late_by=1ms");
    assert_int_equal(scenario_late_by_ps(&s), UNITS_PS_PER_MS);
    scenario_fini(&s);
}

/* What is saved is loaded again; on another engine, as --cross-check takes it, it is left out. */
TEST(test_wall_time_is_saved_where_it_means_something)
{
    struct scenario s = text_load("engine: linux\nclock: wall\nwall: {late_by: 20us, late_share: 5%}\n", NULL);
    char *text = written(&s);
    struct scenario again = text_load(text, NULL);
    assert_ints({again.clock, SCENARIO_CLOCK_WALL}, {again.late_by_ps, 20 * UNITS_PS_PER_US});
    assert_true(again.late_share == 0.05);
    scenario_fini(&again);
    free(text);
    s.engine = SCENARIO_ENGINE_NATIVE;
    text = written(&s);
    assert_null(strstr(text, "clock"));
    assert_null(strstr(text, "late_by"));
    free(text);
    scenario_fini(&s);
}

TEST(test_wall_time_is_refused_where_it_cannot_be)
{
    static const char wall[] = "engine: linux\nclock: wall\n";
    text_rejects("seed: 1\nclock: wall\n", NULL, "s.yaml:2: clock: is for engine: linux");
    text_rejects("engine: native\nclock: wall\n", NULL, "s.yaml:2: clock: is for engine: linux");
    text_rejects("engine: linux\nwall: {late_share: 2%}\n", NULL, "s.yaml:2: wall: is for clock: wall");
    text_rejects(wall, "wall.late_share=0", "--set wall.late_share=0: '0' is not a share above 0 and up to 1 (100%)");
    text_rejects(wall, "tcp.small_queues=1MB",
                 "--set tcp.small_queues=1MB: in wall time a frame no longer counts as its sender's once it waits in our "
                 "NIC, so that TCP Small Queues see none; leave clock: virtual");
    text_rejects(wall, "tcp.linux.gro=100us",
                 "--set tcp.linux.gro=100us: in wall time frames come one by one; leave clock: virtual");
    text_rejects(wall, "network.nic.qdisc=fq_codel", "--set network.nic.qdisc=fq_codel: in wall time there is no kernel of "
                 "ours to have it; leave clock: virtual");
    text_rejects(wall, "traffic.programs=[{host: h0, command: [id]}]", "--set traffic.programs=[{host: h0, command: [id]}]: in wall "
                 "time they would be programs of this system, in its time; leave clock: virtual");
    text_rejects(wall, "transport=gbn",
                 "s.yaml:2: clock: wall time is for a kernel's TCP, which this traffic has not; leave it virtual");
    text_rejects(wall, "traffic={uniform: {load: 0.5}}",
                 "s.yaml:2: clock: wall time is for a kernel's TCP, which this traffic has not; leave it virtual");
}

TEST(test_fini_is_safe_twice)
{
    struct scenario s = text_load("capture: [{at: h0}]\n", NULL);
    scenario_fini(&s);
    assert_int_equal(s.n_flows, 0);
    assert_null(s.flows);
    scenario_fini(&s);
}

CM_GROUP(text_enter, text_leave)
