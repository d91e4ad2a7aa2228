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

static int leave(void **state)
{
    remove("scenario.yaml");
    remove("flows.csv");
    remove("summary.json");
    return text_leave(state);
}

CM_GROUP(text_enter, leave)
