/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measurements from CSV and from iperf3's JSON, and what is wrong with others. */
#include "study/infer/measurement.h"

#include "foreign/read.h"

#include "test/scenarios/text.h"

static struct study_measurement csv(const char *text)
{
    struct study_measurement m = {.n = 0};
    struct error err;
    text_write("m.csv", text, strlen(text));
    if (!study_measurement_read_csv(&m, "m.csv", &err))
        fail_msg("%s", err.message);
    remove("m.csv");
    return m;
}

static void csv_rejects(const char *text, const char *message)
{
    MEMORY_ENDS(study_measurement_fini) struct study_measurement m = {.n = 0};
    struct error err;
    text_write("m.csv", text, strlen(text));
    assert_false(study_measurement_read_csv(&m, "m.csv", &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_string_equal(err.message, message);
    remove("m.csv");
}

TEST(test_a_row_is_a_flow)
{
    struct study_measurement m = csv("flow,from,to,bytes,seconds\n# a comment\ne1,X1,Y1,10MB,0.5\ne2,X1,Y2,20000000,1\n");
    assert_ints({m.n, 1}, {m.flows, 2}, {m.n_hosts, 3});
    const struct study_measurement_flow *f = m.patterns[0].flows;
    assert_string_equal(f[0].name, "e1");
    assert_ints({f[0].bytes, 10000000}, {f[1].bytes, 20000000});
    assert_string_equal(m.hosts[f[1].to], "Y2");
    assert_near(exp(f[0].log.mean), 0.5, 1e-12);
    study_measurement_fini(&m);
}

TEST(test_rows_that_differ_by_their_values_alone_are_repeats_and_so_are_columns)
{
    struct study_measurement m = csv("from,to,bytes,seconds,seconds2,seconds3\na,b,1MB,1,2,4\na,b,1MB,8,,\nb,a,1MB,3,,\n");
    assert_ints({m.flows, 2}, {m.patterns[0].flows[0].log.n, 4});
    assert_near(exp(m.patterns[0].flows[0].log.mean), pow(1.0 * 2 * 4 * 8, 0.25), 1e-12);
    assert_near(study_measurement_share(&m.patterns[0].flows[0]), 0.5, 1e-12);
    double degrees, step = log(2); /* logarithms 0, 1, 2, 3 times log 2: squares about their mean are 5 */
    assert_near(study_measurement_pooled(&m, &degrees), step * sqrt(5.0 / 3), 1e-12);
    assert_near(degrees, 3, 0);
    study_measurement_fini(&m);
}

TEST(test_a_rate_of_a_flow_with_an_end_is_a_time)
{
    struct study_measurement m = csv("from,to,bytes,bits_per_second\na,b,1MB,8e6\na,c,,5e6\n");
    assert_near(exp(m.patterns[0].flows[0].log.mean), 1, 1e-12);
    assert_int_equal(m.patterns[0].flows[1].bytes, 0);
    assert_near(exp(-m.patterns[0].flows[1].log.mean), 5e6, 1e-3);
    study_measurement_fini(&m);
}

TEST(test_patterns_have_names_and_may_be_mixed)
{
    struct study_measurement m = csv("pattern,from,to,bytes,seconds\np,a,b,1MB,1\nq,a,b,1MB,2\np,b,a,1MB,1\n");
    assert_ints({m.n, 2}, {m.patterns[0].n, 2}, {m.patterns[1].n, 1});
    study_measurement_fini(&m);
}

static int64_t start_ps(const struct study_measurement_pattern *p, size_t flow)
{
    return study_measurement_start_ps(&p->flows[flow], study_measurement_first_s(p));
}

TEST(test_starts_count_from_the_first_flow_of_a_pattern)
{
    struct study_measurement m = csv("pattern,from,to,bytes,start,seconds\np,a,b,1MB,700.25,1\np,b,a,1MB,700,1\nq,a,b,1MB,3,1\n");
    assert_true(start_ps(&m.patterns[0], 0) == INT64_C(250000000000));
    assert_true(start_ps(&m.patterns[0], 1) == 0);
    assert_true(start_ps(&m.patterns[1], 0) == 0);
    study_measurement_fini(&m);
}

TEST(test_windows_count_where_every_flow_has_one)
{
    struct study_measurement m = csv("pattern,from,to,bits_per_second,window\np,a,b,1e6,400kB\np,a,b,2e6,\nq,b,a,1e6,5000\n");
    assert_true(study_measurement_windows(&m));
    assert_ints({m.flows, 2}, {m.patterns[0].flows[0].window_bytes, 400000},
                {m.patterns[1].flows[0].window_bytes, 5000});
    struct scenario base = {.tcp = {.segment_bytes = 1448, .receive_buffer_bytes = 70000}}, s;
    const int host[1][2] = {{0, 1}};
    study_measurement_scenario(&m.patterns[1], host, &base, &s);
    assert_ints({s.flows[0].tcp.receive_buffer_bytes, 5000}, {s.flows[0].tcp.send_buffer_bytes, 5000});
    free(s.flows);
    study_measurement_fini(&m);
    m = csv("pattern,from,to,bits_per_second,window\np,a,b,1e6,400kB\nq,b,a,1e6,\n");
    assert_false(study_measurement_windows(&m));
    assert_int_equal(m.patterns[0].flows[0].window_bytes, 0);
    study_measurement_scenario(&m.patterns[0], host, &base, &s);
    assert_int_equal(s.flows[0].tcp.receive_buffer_bytes, 70000);
    free(s.flows);
    study_measurement_fini(&m);
    csv_rejects("from,to,bits_per_second,window\na,b,1e6,0\n",
                "m.csv:2: window is '0'; must be a size from 1B to 1073725440, such as 400kB or 400000");
    csv_rejects("from,to,bits_per_second,window\na,b,1e6,1073725441\n",
                "m.csv:2: window is '1073725441'; must be a size from 1B to 1073725440, such as 400kB or 400000");
}

TEST(test_errors_name_row_and_column)
{
    csv_rejects("from,seconds\na,1\n", "m.csv:1: no column 'to'; the first line names from,to");
    csv_rejects("from,to,bytes,seconds\na,b,1MB,1\na,b,1MB,fast\n",
                "m.csv:3: seconds is 'fast'; must be a number from 0 to 1e+19");
    csv_rejects("from,to,bytes,seconds\na,b,1MB,0\n", "m.csv:2: seconds is '0'; must be above 0");
    csv_rejects("from,to,bytes,seconds\na,b,many,1\n",
                "m.csv:2: bytes is 'many'; must be a size from 1B, such as 10MB or 10000000");
    csv_rejects("from,to,seconds\na,b,1\n", "m.csv:2: seconds without bytes: a flow that ends has a number of them");
    csv_rejects("from,to,bytes,seconds\na,a,1MB,1\n", "m.csv:2: to is 'a', which is also where the flow comes from");
    csv_rejects("from,to,bytes,seconds\n,b,1MB,1\n", "m.csv:2: from is empty");
    csv_rejects("from,to,bytes,seconds\na,b,1MB,\n", "m.csv:2: neither seconds nor bits_per_second has a value");
    csv_rejects("from,to,bytes,seconds,spread\na,b,1MB,1,200%\n",
                "m.csv:2: spread is '200%'; must be a share such as 2% or 0.02");
    csv_rejects("from,to,bytes,seconds,start\na,b,1MB,1,1e8\n",
                "m.csv:2: start is '1e8'; must be seconds up to 1000, since flows of a pattern run at the same time");
    csv_rejects("from,to,bytes,seconds\n", "m.csv:1: no flow after the first line");
}

TEST(test_placements_move_flows)
{
    struct study_measurement m = csv("flow,from,to,bytes,seconds\ne1,h0,h1,1MB,1\ne2,h2,h3,1MB,1\n");
    const char *text = "placement,flow,from,to\nas it is,e1,h0,h1\nshared,e2,h2,h1\n", *bad = "placement,flow,from,to\nx,e9,h0,h1\n";
    text_write("p.csv", text, strlen(text));
    assert_true(study_measurement_read_placements(&m, "p.csv", &err));
    assert_int_equal(m.n_placements, 2);
    assert_strings({m.hosts[m.placements[0].at[1][1]], "h3"}, {m.hosts[m.placements[1].at[1][1]], "h1"},
                   {m.hosts[m.placements[1].at[0][1]], "h1"});
    text_write("p.csv", bad, strlen(bad));
    assert_false(study_measurement_read_placements(&m, "p.csv", &err));
    assert_string_equal(err.message, "p.csv:2: flow 'e9' was not measured");
    remove("p.csv");
    study_measurement_fini(&m);
}

static void hosts_are(const char *yaml, const char *text, const int *expected, const char *message)
{
    MEMORY_ENDS(study_measurement_fini) struct study_measurement m = csv(text);
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load(yaml, NULL);
    struct error err = {0};
    MEMORY_LOCAL int *number = NULL;
    assert_int_equal(study_measurement_hosts(&m, NULL, &s, &number, &err), message == NULL);
    for (size_t i = 0; expected && i < m.n_hosts; i++)
        assert_int_equal(number[i], expected[i]);
    if (message)
        assert_string_equal(err.message, message);
}

/* h5 is in the star of one pattern, and not among the four of the other, which does not use it. */
TEST(test_patterns_may_have_scenarios_of_their_own)
{
    struct study_measurement m = csv("pattern,scenario,from,to,bytes,seconds\na,s.yaml,h0,h3,1MB,1\na,,h3,h0,1MB,1\n"
                                     "b,,h5,h0,1MB,1\n");
    struct scenario s = text_load("network: {topology: tree, racks: [2, 2]}\ntraffic: {flows: [{from: h0, to: h3}]}\n", NULL);
    int *number = NULL;
    assert_string_equal(m.patterns[0].scenario_path, "s.yaml");
    assert_null(m.patterns[1].scenario_path);
    assert_true(study_measurement_hosts(&m, &m.patterns[0], &s, &number, &err));
    free(number);
    assert_false(study_measurement_hosts(&m, &m.patterns[1], &s, &number, &err));
    free(number);
    assert_ptr_equal(study_measurement_base(&m.patterns[0], &s), &s); /* nobody has read it yet */
    scenario_fini(&s);
    study_measurement_fini(&m);
    csv_rejects("pattern,scenario,from,to,bytes,seconds\na,s.yaml,h0,h1,1MB,1\na,t.yaml,h1,h0,1MB,1\n",
                "m.csv:3: scenario is 't.yaml', but the pattern's other flows have another");
}

TEST(test_hosts_are_numbers_or_any_names_of_a_star)
{
    const char *tree = "network: {topology: tree, racks: [2, 2]}\ntraffic: {flows: [{from: h0, to: h3}]}\n";
    const char *star = "traffic: {star: {incoming: 1}}\n";
    hosts_are(star, "from,to,bytes,seconds\nh5,h2,1MB,1\n", (const int[]){5, 2}, NULL);
    hosts_are(star, "from,to,bytes,seconds\nred,h2,1MB,1\n", (const int[]){0, 1}, NULL);
    hosts_are(tree, "from,to,bytes,seconds\nh3,h0,1MB,1\n", (const int[]){3, 0}, NULL);
    hosts_are(tree, "from,to,bytes,seconds\nh4,h0,1MB,1\n", NULL,
              "'h4' is not in the network, whose hosts are h0 to h3");
    hosts_are(tree, "from,to,bytes,seconds\nred,h0,1MB,1\n", NULL,
              "hosts such as 'red' have no place in a tree: call them h0 to h3");
}

/* As 'iperf3 --json --bidir' of version 3.12 writes it, cut down to what is read. */
#define IPERF3(extra, streams)                                                                                        \
    "{\"start\":{\"connected\":[{\"socket\":5,\"local_host\":\"10.0.0.1\",\"local_port\":40000,"                          \
    "\"remote_host\":\"10.0.0.2\",\"remote_port\":5201},{\"socket\":7,\"local_host\":\"10.0.0.1\",\"local_port\":40002," \
    "\"remote_host\":\"10.0.0.2\",\"remote_port\":5201}],\"timestamp\":{\"timesecs\":1700000000},"                        \
    "\"test_start\":{\"duration\":10,\"reverse\":0" extra "}},\"intervals\":[{\"streams\":["                              \
    "{\"socket\":5,\"seconds\":1.0,\"bits_per_second\":4e8,\"omitted\":false,\"sender\":true},"                           \
    "{\"socket\":7,\"seconds\":1.0,\"bits_per_second\":9e8,\"omitted\":false,\"sender\":false}]},{\"streams\":["          \
    "{\"socket\":5,\"seconds\":1.0,\"bits_per_second\":5e8,\"omitted\":false,\"sender\":true},"                           \
    "{\"socket\":7,\"seconds\":1.0,\"bits_per_second\":9e8,\"omitted\":false,\"sender\":false}]},{\"streams\":["          \
    "{\"socket\":5,\"seconds\":0.1,\"bits_per_second\":1e3,\"omitted\":false,\"sender\":true}]}],"                        \
    "\"end\":{\"streams\":[" streams "]}}\n"
#define STREAM(socket, sender)                                                                                        \
    "{\"sender\":{\"socket\":" socket ",\"bits_per_second\":4.5e8,\"sender\":" sender "},"                                \
    "\"receiver\":{\"socket\":" socket ",\"bits_per_second\":4.4e8,\"sender\":" sender "}}"

TEST(test_iperf3_has_a_flow_a_stream_and_a_value_an_interval)
{
    MEMORY_ENDS(study_measurement_fini) struct study_measurement m = {.n = 0};
    const char *text = IPERF3(",\"bidir\":1", STREAM("5", "true") "," STREAM("7", "false"));
    text_write("i.json", text, strlen(text));
    assert_true(foreign_read_is("i.json"));
    if (!study_measurement_read_foreign(&m, "i.json", true, &err))
        fail_msg("%s", err.message);
    assert_ints({m.n, 1}, {m.flows, 2});
    const struct study_measurement_flow *f = m.patterns[0].flows;
    assert_strings({m.hosts[f[0].from], "10.0.0.1"}, {m.hosts[f[0].to], "10.0.0.2"});
    assert_string_equal(m.hosts[f[1].from], "10.0.0.2"); /* the way back */
    assert_int_equal(f[0].log.n, 2); /* the rest of an interval at the end is none */
    assert_near(exp(-f[0].log.mean), sqrt(4e8 * 5e8), 1);
    assert_near(exp(-f[1].log.mean), 9e8, 1);
    remove("i.json");
}

static void iperf3_rejects(const char *text, const char *message)
{
    MEMORY_ENDS(study_measurement_fini) struct study_measurement m = {.n = 0};
    struct error err;
    text_write("i.json", text, strlen(text));
    assert_false(study_measurement_read_foreign(&m, "i.json", true, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    if (!strstr(err.message, message))
        fail_msg("'%s' has no '%s'", err.message, message);
    remove("i.json");
}

TEST(test_other_json_is_refused)
{
    iperf3_rejects("{\"start\":", "i.json:1: not JSON");
    iperf3_rejects("{\"error\":\"unable to connect\"}", "i.json: the test failed");
    iperf3_rejects("{}", "no start.timestamp.timesecs, or no end.streams");
    iperf3_rejects(IPERF3("", STREAM("9", "true")), "is not among start.connected");
}

CM_GROUP(text_enter, text_leave)
