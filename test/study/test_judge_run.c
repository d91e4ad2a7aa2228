/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs judged from their directories; flows.csv is written by hand. */
#include "study/verdict/judge.h"
#include "study/verdict/judge_run.h"
#include "study/verdict/judge_run_evidence.h"

#include "test/scenarios/text.h"

#define HEAD "flow,src,dst,bytes,start_s,end_s,goodput_bps,steady_goodput_bps,steady_ci95_bps,retransmitted_segments\n"
#define STAR "network: {topology: star, hosts: 4}\n"                                                                \
             "traffic: {flows: [{name: a, from: h1, to: h0}, {name: b, from: h2, to: h0}, "                        \
             "{name: c, from: h0, to: h3}]}\n"

static void write_run(const char *scenario, const char *flows)
{
    text_write("scenario.yaml", scenario, strlen(scenario));
    text_write("flows.csv", flows, strlen(flows));
    static const char summary[] = "{\"complete\": true, \"ended_s\": 2, \"flows\": []}";
    text_write("summary.json", summary, strlen(summary));
}

static struct analysis_resources judge(const char *scenario, const char *flows)
{
    struct analysis_resources r;
    struct error err;
    write_run(scenario, flows);
    assert_true(study_judge_run_exists("."));
    assert_true(study_judge_run_directory(".", ANALYSIS_CHECK_TOLERANCE, NULL, &r, &err));
    return r;
}

TEST(test_flows_of_one_rate_are_eq6)
{
    struct analysis_resources r = judge(STAR, HEAD "a,h1,h0,100000000,0.1,2,1e8,460e6,1e6,0\n"
                                                   "b,h2,h0,100000000,0.2,2,1e8,460e6,1e6,0\n"
                                                   "c,h0,h3,100000000,0.1,2,1e8,460e6,1e6,0\n");
    assert_int_equal(r.n, 1);
    assert_string_equal(r.resource[0].host, "h0");
    const struct analysis_judgement *j = &r.resource[0].judgement;
    assert_ints({j->verdict, MODEL_REGIME_EQ6}, {j->indegree, 2}, {j->outdegree, 1});
    assert_true(fabs(j->fitted_rate_bps - 920e6) < 1); /* B / max(2, 1) = 460 Mb/s */
    assert_true(fabs(r.resource[0].start_s - 0.2) < 1e-9); /* all three from here on */
    analysis_resources_fini(&r);
}

/* An ACK a segment: B = 1e9 / (1538/1448 + 50/300 * 90/1448) = 1448e9 / 1553 = 932.4 Mb/s; two segments an ACK would
 * give 936.9. */
TEST(test_what_a_link_can_carry_depends_on_the_scenarios_acks)
{
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources r = judge(STAR "tcp: {delayed_ack: 1}\n", HEAD
                                                                             "a,h1,h0,100000000,0,2,1e8,100e6,1e5,0\n"
                                                                             "b,h2,h0,100000000,0,2,1e8,200e6,1e5,0\n"
                                                                             "c,h0,h3,100000000,0,2,1e8,50e6,1e5,0\n");
    assert_int_equal(r.n, 1);
    const struct analysis_judgement *j = &r.resource[0].judgement;
    assert_int_equal(j->verdict, MODEL_REGIME_UNSATURATED);
    assert_non_null(strstr(j->why, "300.0 of 932.4 Mb/s"));
}

TEST(test_flows_that_end_apart_have_rates_of_other_times)
{
    struct analysis_resources r = judge(STAR, HEAD "a,h1,h0,100000000,0,1,800e6,,,0\n"
                                                   "b,h2,h0,100000000,0,1,800e6,,,0\n"
                                                   "c,h0,h3,100000000,0,2,400e6,,,0\n");
    assert_ints({r.n, 1}, {r.resource[0].judgement.verdict, MODEL_REGIME_NONE});
    assert_non_null(strstr(r.resource[0].judgement.why, "flows ended at different times"));
    analysis_resources_fini(&r);
}

TEST(test_segments_lost_and_no_rule_are_losses)
{
    struct analysis_resources r = judge(STAR, HEAD "a,h1,h0,100000000,0,2,1e8,300e6,1e5,7\n"
                                                   "b,h2,h0,100000000,0,2,1e8,600e6,1e5,0\n"
                                                   "c,h0,h3,100000000,0,2,1e8,450e6,1e5,0\n");
    assert_ints({r.n, 1}, {r.resource[0].judgement.verdict, MODEL_REGIME_LOSS});
    assert_int_equal(analysis_check_rule_of(MODEL_REGIME_LOSS), ANALYSIS_RULES);
    analysis_resources_fini(&r);
}

TEST(test_a_trees_backbone_is_seen_from_rack_0)
{
    struct analysis_resources r = judge(
        "network: {topology: tree, racks: [3, 3], backbone: {rate: 100Mbps}}\n"
        "traffic: {flows: [{name: a, from: h0, to: h3}, {name: b, from: h1, to: h4}, {name: c, from: h5, to: h2}]}\n",
        HEAD "a,h0,h3,10000000,0,2,1e7,46e6,1e5,0\n"
             "b,h1,h4,10000000,0,2,1e7,46e6,1e5,0\n"
             "c,h5,h2,10000000,0,2,1e7,46e6,1e5,0\n");
    assert_int_equal(r.n, 1); /* every host has one flow */
    assert_string_equal(r.resource[0].host, "sw0-sw1");
    assert_ints({r.resource[0].judgement.indegree, 1}, {r.resource[0].judgement.outdegree, 2});
    assert_int_equal(r.resource[0].judgement.verdict, MODEL_REGIME_EQ6); /* 92 of its 100 Mb/s, not of hosts' 1 Gb/s */
    analysis_resources_fini(&r);
}

TEST(test_flows_that_never_meet_share_nothing)
{
    struct analysis_resources r = judge(STAR, HEAD "a,h1,h0,100000000,0,1,8e8,,,0\n"
                                                   "c,h0,h3,100000000,1.5,2,8e8,,,0\n");
    assert_int_equal(r.n, 0);
    analysis_resources_fini(&r);
}

/* The summary lists the first of three flows: of the others the table's rates are known, and nothing else. */
TEST(test_a_summary_may_list_fewer_flows)
{
    static const char summary[] = "{\"complete\": true, \"ended_s\": 2, \"flows\": [{\"flow\": \"a\"}]}";
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources r;
    write_run(STAR, HEAD "a,h1,h0,100000000,0.1,2,1e8,460e6,1e6,0\nb,h2,h0,100000000,0.2,2,1e8,460e6,1e6,0\n"
                         "c,h0,h3,100000000,0.1,2,1e8,460e6,1e6,0\n");
    text_write("summary.json", summary, strlen(summary));
    assert_true(study_judge_run_directory(".", ANALYSIS_CHECK_TOLERANCE, NULL, &r, &err));
    assert_ints({r.n, 1}, {r.resource[0].judgement.verdict, MODEL_REGIME_EQ6});
}

/* "-" is standard input, and has no directory; what lies beside a run's files is that run's. */
TEST(test_a_file_belongs_to_the_run_it_lies_in)
{
    char directory[PATH_MAX];
    write_run(STAR, HEAD);
    assert_null(study_judge_run_of("-", directory));
    assert_string_equal(study_judge_run_of("h0.pcap", directory), ".");
    assert_string_equal(study_judge_run_of("././h0.pcap", directory), "./.");
    assert_null(study_judge_run_of("elsewhere/h0.pcap", directory));
}

/* A host's links: towards it from its switch, away from it one a NIC. A cable's: what either end sends. */
TEST(test_the_rate_of_a_host_is_that_of_its_own_links)
{
    MEMORY_ENDS(scenario_fini) struct scenario s;
    static struct results_port port[] = {{.name = "h1", .rate_bps = 100000000},
                                         {.name = "h1.1", .rate_bps = 10000000},
                                         {.name = "h10", .rate_bps = 7},
                                         {.name = "sw0-h1", .rate_bps = 40000000},
                                         {.name = "sw1-h1", .rate_bps = 9},
                                         {.name = "sw0-sw1", .rate_bps = 3},
                                         {.name = "sw1-sw0", .rate_bps = 5}};
    const struct results_summary summary = {.ports = port, .n_ports = 7, .ended_ps = 1};
    MEMORY_ENDS(study_run_links_fini) struct study_run_links l;
    assert_true(scenario_load_text(&s, "s.yaml",
                                   "network: {links: [{from: h0, to: sw0}, {from: h1, to: sw0}, {from: sw0, to: sw1},\n"
                                   "  {from: h1, to: sw1}]}\ntraffic: {flows: [{from: h0, to: h1}]}\n", &err));
    study_run_links_init(&l, &s, &summary);
    assert_true(fabs(study_run_links_rate_bps(&l, "h1", false) - 110e6) < 1);
    assert_true(fabs(study_run_links_rate_bps(&l, "h1", true) - 40e6 - 9) < 1e-9);
    assert_true(fabs(study_run_links_rate_bps(&l, "sw0-sw1", false) - 3) < 1e-9);
    assert_true(fabs(study_run_links_rate_bps(&l, "sw0-sw1", true) - 5) < 1e-9);
    assert_true(isnan(study_run_links_rate_bps(&l, "h2", true)));
}

/* a from h1 to h0, c from h0 to h2, both over a cable between switches: what each puts on which wire, who uses what, and
 * where ACKs wait: where data pass, and the port sends for nine tenths of the time. */
#define BOTH_WAYS "network: {links: [{from: h0, to: sw0}, {from: sw0, to: sw1}, {from: h1, to: sw1}, {from: h2, to: sw1}]}\n"  \
                  "traffic: {flows: [{name: a, from: h1, to: h0}, {name: c, from: h0, to: h2}]}\n"

TEST(test_links_carry_data_one_way_and_acks_the_other)
{
    static const struct {
        const char *name;
        double data_of[2], acks_of[2]; /* a, c */
    } rows[] = {{"h0", {0, 1}, {1, 0}},      {"h1", {1, 0}, {0, 0}},      {"h2", {0, 0}, {0, 1}},     {"sw0-h0", {1, 0}, {0, 1}},
                {"sw0-sw1", {0, 1}, {1, 0}}, {"sw1-sw0", {1, 0}, {0, 1}}, {"sw1-h1", {0, 0}, {1, 0}}, {"sw1-h2", {0, 1}, {0, 0}}};
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load(BOTH_WAYS, NULL);
    struct results_port port[8] = {0};
    for (size_t i = 0; i < 8; i++) {
        snprintf(port[i].name, sizeof port[i].name, "%s", rows[i].name);
        port[i].rate_bps = 1000000000;
    }
    /* ACKs' waits of 2 ms, of 4: without them twice as much. */
    struct results_flow row[2];
    for (int i = 0; i < 2; i++)
        row[i] = (struct results_flow){.steady_goodput_bps = i ? 200e6 : 400e6, .floor_s = 1e-3, .steady_data_wait_s = 1e-3,
                                       .steady_ack_wait_s = 2e-3};
    const struct study_run_flow a = {.flow = &s.flows[0], .row = &row[0]}, c = {.flow = &s.flows[1], .row = &row[1]};
    static const struct {
        double host, cable;                           /* shares of the time for which h0 and sw0-sw1 send */
        const char *of_h1, *of_h0, *of_cable; /* where a's ACKs wait, seen from these */
    } busy[] = {{0.92, 0.95, "sw0-sw1", "", ""}, {0.95, 0.92, "h0", "", ""}, {0.8, 0.95, "sw0-sw1", "sw0-sw1", ""}, {0.89, 0.8, "", "", ""}};
    for (size_t k = 0; k < 4; k++) {
        port[0].sent_wire_bytes = (int64_t)(busy[k].host * 125e6);
        port[4].sent_wire_bytes = (int64_t)(busy[k].cable * 125e6);
        port[6].sent_wire_bytes = 124000000; /* fuller than both, without data */
        const struct results_summary summary = {.ports = port, .n_ports = 8, .ended_ps = UNITS_PS_PER_S};
        MEMORY_ENDS(study_run_links_fini) struct study_run_links l;
        study_run_links_init(&l, &s, &summary);
        for (int again = 0; again < 2; again++) {
            study_run_links_empty(&l);
            study_run_links_add(&l, &a, 0, 1);
            study_run_links_add(&l, &c, 0, 1);
        }
        for (size_t i = 0; i < 8; i++)
            for (size_t at = 0; at < l.n; at++) {
                if (strcmp(l.link[at].name, rows[i].name) != 0)
                    continue;
                double goodput = 400e6 * rows[i].data_of[0] + 200e6 * rows[i].data_of[1];
                double answered = 400e6 * rows[i].acks_of[0] + 200e6 * rows[i].acks_of[1];
                /* segments of 1448 bytes in 1538, an ACK of 90 for two */
                assert_all_near(1, {l.link[at].data_bps, goodput * 1538 / 1448}, {l.link[at].ack_bps, answered * 90 / 2896},
                                {l.link[at].wanted_bps, 2 * goodput * 1538 / 1448});
            }
        assert_strings({study_run_links_place(&l, &a, "h1"), busy[k].of_h1}, {study_run_links_place(&l, &a, "h0"), busy[k].of_h0},
                       {study_run_links_place(&l, &a, "sw0-sw1"), busy[k].of_cable});
        assert_all_near(1e-9, {study_run_links_busy(&l, "h0", false), busy[k].host}, {study_run_links_busy(&l, "h0", true), 0},
                        {study_run_links_busy(&l, "sw0-sw1", false), busy[k].cable}, {study_run_links_busy(&l, "h1", true), 0.992},
                        {study_run_links_busy(&l, "sw1-sw0", true), busy[k].cable});
        bool in[5];
        assert_all(study_run_links_use(&l, &a, "h0", &in[0]), study_run_links_use(&l, &a, "h1", &in[1]), !study_run_links_use(&l, &a, "h2", &in[4]),
                   study_run_links_use(&l, &a, "sw0-sw1", &in[2]), study_run_links_use(&l, &c, "sw0-sw1", &in[3]), !study_run_links_use(&l, &c, "sw1-h1", &in[4]));
        assert_ints({in[0], true}, {in[1], false}, {in[2], true}, {in[3], false});
    }
}

/* 3 MB in 2 s, with 0.2 s of thinking after the first and 0.1 s after the second: two cycles of 1 s. Chunks of 1.5 MB are ten
 * windows, each of which waits 10 ms for its ACKs. At half the rate the 2 s saw one pause, which counts from 5 % of them on. */
TEST(test_an_application_that_thinks_has_cycles)
{
    static const struct {
        const char *pauses;
        double rate_bps, cycle_s, cycle_wait_s;
        enum judge_cause known;
    } rows[] = {{"200ms after 1MB, 100ms after 2MB", 12e6, 1, 0.1, JUDGE_CAUSE_APPLICATION},
                {"200ms after 1MB, 100ms after 2MB", 6e6, 2, 0.1, JUDGE_CAUSE_WINDOW},
                {"200ms after 1MB, 101ms after 2MB", 6e6, 2, 0.1, JUDGE_CAUSE_APPLICATION},
                {"1s after 1MB, 998ms after 2MB", 12e6, 1, 0.0009, JUDGE_CAUSE_APPLICATION}}; /* 0.9 of 1 ms that it sends */
    struct results_port port = {.name = "h0", .rate_bps = 1000000000};
    const struct results_summary summary = {.ports = &port, .n_ports = 1, .ended_ps = UNITS_PS_PER_S};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[320];
        snprintf(yaml, sizeof yaml, "network: {topology: star, hosts: 2}\ntcp: {window: 150kB}\n"
                 "traffic: {flows: [{from: h0, to: h1, bytes: 3MB, pauses: [%s]}]}\n", rows[i].pauses);
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(yaml, NULL);
        const struct results_flow row = {.bytes = 3000000, .end_ps = 2 * UNITS_PS_PER_S, .floor_s = 1e-3, .ack_wait_s = 0.01,
                                         .steady_data_wait_s = NAN, .steady_ack_wait_s = NAN};
        const struct study_run_flow f = {.flow = s.flows, .row = &row};
        struct judge_flow e = {.rate_bps = rows[i].rate_bps, .clocked = 1};
        MEMORY_ENDS(study_run_links_fini) struct study_run_links l;
        study_run_links_init(&l, &s, &summary);
        study_run_evidence(&l, &f, "h0", 0, 2, &e);
        assert_int_equal(e.known, rows[i].known);
        assert_all_near(1e-9, {e.cycle_s, rows[i].cycle_s}, {e.cycle_wait_s, rows[i].cycle_wait_s}, {e.clocked, 0}, {e.ack_wait_s, 0.01});
    }
}

/* 1,000 segments a second come in and 500 ACKs go out, 200 and 100 the other way: 1,800 frames of 1 us, of which 1,100 come
 * in and take h0 2 us more, and 1,200 * 1,500 + 600 * 52 bytes of IP packets at 1 Gb/s: 1.8 + 2.2 + 14.6496 ms. */
TEST(test_a_host_is_busy_with_its_frames)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load(
        "network: {topology: star, hosts: 3, host: {processor: 1us, copy: 1Gbps}, host_times: [2us]}\n"
        "traffic: {flows: [{from: h1, to: h0}, {from: h0, to: h2}]}\n", NULL);
    const struct judge_flow flow[] = {{.incoming = true, .rate_bps = 8 * 1448e3}, {.rate_bps = 8 * 1448e3 / 5}};
    const struct judge_facts set = {.flow = flow, .n = 2, .full_bytes = 1448, .segments_per_ack = 2};
    assert_all_near(1e-9, {study_run_host_busy(&s, "h0", &set), 18.6496e-3}, {study_run_host_busy(&s, "h2", &set), 16.4496e-3},
                    {study_run_host_busy(&s, "sw0-sw1", &set), 0});
}

static int leave(void **state)
{
    remove("scenario.yaml");
    remove("flows.csv");
    remove("summary.json");
    return text_leave(state);
}

CM_GROUP(text_enter, leave)
