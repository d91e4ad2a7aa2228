/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs judged from files written by hand. */
#include "study/verdict/workload.h"

#include "test/scenarios/text.h"

static void write_file(const char *name, const char *text)
{
    text_write(name, text, strlen(text));
}

static struct study_workload judged(const char *scenario)
{
    struct study_workload w;
    MEMORY_ENDS(study_workload_signature_fini) struct study_workload_signature signature = {0};
    struct error err = {0};
    write_file("scenario.yaml", scenario);
    if (!study_workload_judge(".", 0.05, &w, &signature, &err))
        fail_msg("%s", err.message);
    assert_int_equal(signature.n, 0);
    return w;
}

/* 1492 bytes in 1538 on the wire: 97.01 Mb/s of 100, 9.701 of 10. h0 is the one host at the backbone's rate; h1, the
 * first that is not, gets 48.5 Mb/s: half. */
TEST(test_goodput_is_a_share_of_the_receivers_own_link)
{
    write_file("flows.csv",
               "flow,src,dst,bytes,start_s,end_s,goodput_bps,steady_goodput_bps,steady_ci95_bps,retransmitted_segments\n"
               "a,h1,h0,0,0,,4.85e6,4.850455e6,1e4,0\nb,h2,h1,0,0,,4.85e7,4.850455e7,1e4,0\n");
    /* Eq. 4.1: h0's link delivered 8 packets, 6 of them in order; h1 sends, its link carries Packs, too. */
    write_file("summary.json", "{\"complete\": true, \"ports\": [{\"port\": \"sw0-h0\", \"delivered_frames\": 8}, "
               "{\"port\": \"sw0-h1\", \"delivered_frames\": 9}, {\"port\": \"h0\", \"delivered_frames\": 5}], "
               "\"flows\": [{\"flow\": \"a\", \"delivered_bytes\": 8952}, "
               "{\"flow\": \"b\", \"delivered_bytes\": 8952}]}");
    struct study_workload w =
        judged("transport: gbn\ngbn: {packet: 1492B}\n"
               "network: {topology: star, hosts: 4, link: {rate: 100Mbps}, uplinks: 1, backbone: {rate: 10Mbps}}\n"
               "traffic: {flows: [{name: a, from: h1, to: h0}, {name: b, from: h2, to: h1}]}\n");
    assert_ints({w.kind, STUDY_WORKLOAD_LOSSES}, {w.losses.n, 2});
    for (int i = 0; i < 2; i++) {
        const struct study_workload_receiver *r = &w.losses.receiver[i];
        assert_ints({r->receiver, i}, {r->senders, 1});
        assert_all(fabs(r->efficiency - 0.5) < 1e-5, isnan(r->predicted) && r->holds);
    }
    assert_all(fabs(w.losses.receiver[0].in_order_share - 0.75) < 1e-12, isnan(w.losses.receiver[1].in_order_share));
    study_workload_fini(&w);
}

/* Tam 2001, section 4.3.4: who sends from another rack shares its uplink's input with others, which is a buffer at one place;
 * so is one at outputs. 151.8 kB are 100 frames of 1492 + 8 + 18 bytes. */
TEST(test_an_input_buffer_is_the_senders_own_where_they_are_at_home)
{
    static const struct {
        const char *network;
        bool input[2]; /* of h0, to which its neighbour sends, and of h3, to which h0 does */
    } rows[] = {{"topology: tree, racks: [2, 2], switch: {architecture: input, limit: 151800B}", {true, false}},
                {"topology: star, hosts: 4, switch: {architecture: input, limit: 100p}", {true, true}},
                {"topology: tree, racks: [2, 2], switch: {architecture: output, limit: 100p}", {false, false}}};
    write_file("flows.csv",
               "flow,src,dst,bytes,start_s,end_s,goodput_bps,steady_goodput_bps,steady_ci95_bps,retransmitted_segments\n"
               "a,h1,h0,0,0,,4.85e7,4.85e7,1e4,0\nb,h0,h3,0,0,,4.85e7,4.85e7,1e4,0\n");
    write_file("summary.json", "{\"complete\": true, \"ports\": [], \"flows\": [{\"flow\": \"a\"}, {\"flow\": \"b\"}]}");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[320];
        snprintf(text, sizeof text, "transport: gbn\ngbn: {packet: 1492B}\nnetwork: {%s, link: {rate: 100Mbps}}\n"
                 "traffic: {flows: [{name: a, from: h1, to: h0}, {name: b, from: h0, to: h3}]}\n", rows[k].network);
        struct study_workload w = judged(text);
        assert_int_equal(w.losses.n, 2);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(w.losses.receiver[i].input, rows[k].input[i]);
            assert_near(w.losses.receiver[i].buffer, 100, 1e-9);
        }
        study_workload_fini(&w);
    }
}

/* Two operations of two processes: 1 and 2 s, 1 and 3 s. An operation is through with its last process. */
TEST(test_an_operation_ends_with_its_last_process)
{
    write_file("operations.csv", "operation,process,start_s,end_s\n0,0,0,1\n0,1,0,2\n1,0,2,3\n1,1,2,5\n");
    struct study_workload w = judged("traffic: {flows: [{from: h0, to: h1, bytes: 1MB, repeat: 2}]}\n");
    assert_ints({w.kind, STUDY_WORKLOAD_OPERATIONS}, {w.operations.n_processes, 4}, {w.operations.n_whole, 2});
    assert_all(fabs(w.operations.whole.value - 2.5) < 1e-12, fabs(w.operations.processes.mean_s.value - 1.75) < 1e-12);
    assert_string_equal(w.operations.timer, "minimum RTO");
    assert_false(w.operations.has_optimum);
    study_workload_fini(&w);
}

/* Three operations of three processes within 4 ms, but for process 2, which waits for a timer of 200 ms twice: 2 of 3 of
 * its times are late, and 2 of 3 operations have somebody late. Of a file with a process that cannot be none is taken. */
TEST(test_who_is_late_is_told_apart)
{
    static const char scenario[] = "network: {hosts: 3}\ntraffic: {tree: {repeat: 3}}\n";
    write_file("operations.csv", "operation,process,start_s,end_s\n0,0,0,0.002\n0,1,0,0.003\n0,2,0,0.2\n"
                                 "1,1,1,1.002\n1,0,1,1.003\n1,2,1,1.004\n2,0,2,2.002\n2,1,2,2.002\n2,2,2,2.21\n");
    struct study_workload w = judged(scenario);
    const struct study_workload_operations *o = &w.operations;
    assert_ints({o->n_own, 3}, {o->late_whole, 2});
    for (size_t i = 0; i < 3; i++) {
        assert_ints({o->process[i].n, 3}, {o->process[i].late, i == 2 ? 2 : 0});
    }
    assert_true(fabs(o->process[2].mean_s - (0.2 + 0.004 + 0.21) / 3) < 1e-12);
    assert_true(fabs(o->whole.value - (0.2 + 0.004 + 0.21) / 3) < 1e-12);
    study_workload_fini(&w);
    /* a third of the timer is 66.7 ms: who took 67 ms longer is late, and who took 66 ms longer is not */
    for (int apart_ms = 66; apart_ms < 68; apart_ms++) {
        char text[192];
        snprintf(text, sizeof text, "operation,process,start_s,end_s\n0,0,0,0.002\n0,1,0,0.003\n0,2,0,0.0%d\n", 3 + apart_ms);
        write_file("operations.csv", text);
        w = judged(scenario);
        assert_int_equal(w.operations.late_whole, apart_ms - 66);
        study_workload_fini(&w);
    }
    static const char *const processes[] = {"-1", "100000", "1e300", ""};
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        char text[96];
        struct study_workload_signature signature = {0};
        snprintf(text, sizeof text, "operation,process,start_s,end_s\n0,%s,0,1\n", processes[i]);
        write_file("operations.csv", text);
        assert_false(study_workload_judge(".", 0.05, &w, &signature, &err));
        assert_int_equal(err.code, ERROR_INPUT);
        if (i == 1) /* SCENARIO_FLOWS */
            assert_non_null(strstr(err.message, "process is '100000'; must be a number from 0 to 99999"));
        study_workload_fini(&w);
    }
}

/* A short segment that waits under Nagle's rule waits for a delayed ACK (RFC 1122, 4.2.3.2), if that is shorter. */
TEST(test_nagle_makes_the_delayed_ack_the_timer)
{
    static const struct {
        const char *tcp, *timer;
        double timer_s;
    } cases[] = {
        {"nagle: true", "delayed ACK", 0.04},
        {"nagle: true, delayed_ack: 1", "minimum RTO", 0.2},
        {"nagle: true, min_rto: 30ms", "minimum RTO", 0.03},
        {"nagle: false", "minimum RTO", 0.2},
    };
    write_file("operations.csv", "operation,process,start_s,end_s\n0,0,0,0.002\n0,1,0,0.003\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char scenario[128];
        snprintf(scenario, sizeof scenario, "network: {hosts: 2}\ntcp: {%s}\ntraffic: {tree: {}}\n", cases[i].tcp);
        MEMORY_ENDS(study_workload_fini) struct study_workload w = judged(scenario);
        assert_string_equal(w.operations.timer, cases[i].timer);
        assert_true(fabs(w.operations.timer_s - cases[i].timer_s) < 1e-12);
    }
}

/* Tam 2001, Eq. A.2: of bursts of k packets k R / S + B arrive. 4 sources into one sink show B = 172, 6 into two 258: 43
 * packets a source each. */
TEST(test_bursts_show_an_input_buffer)
{
    struct study_workload w = {.kind = STUDY_WORKLOAD_BURSTS};
    write_file("bursts.csv", "sources,sinks,packets,received,send_gap_s,receive_gap_s\n"
                             "4,1,1000,422,1e-4,1e-4\n4,1,2000,672,1e-4,1e-4\n4,1,4000,1172,1e-4,1e-4\n"
                             "6,2,1200,658,1e-4,1e-4\n6,2,2400,1058,1e-4,1e-4\n6,2,3600,1458,1e-4,1e-4\n");
    if (!study_workload_bursts(".", &w.bursts, &err))
        fail_msg("%s", err.message);
    assert_int_equal(w.bursts.n, 2);
    assert_true(fabs(w.bursts.series[1].fit.buffer_packets - 258) < 1e-6);
    assert_int_equal(w.bursts.reading.architecture, MODEL_BUFFER_INPUT);
    assert_true(fabs(w.bursts.reading.buffer_packets - 43) < 1e-6);
    study_workload_fini(&w);
    w = (struct study_workload){.kind = STUDY_WORKLOAD_BURSTS};
    write_file("bursts.csv", "sources,sinks,packets,received,send_gap_s,receive_gap_s\n"
                             "4,1,1000,422,1e-4,1e-4\n4,1,2000,672,1e-4,1e-4\n4,1,4000,1172,1e-4,1e-4\n");
    assert_false(study_workload_bursts(".", &w.bursts, &err)); /* one series tells no architecture */
    assert_int_equal(err.code, ERROR_INPUT);
    assert_string_equal(err.message, ".: 1 signatures; an architecture shows in two at least");
    study_workload_fini(&w);
}

/* Tam 2001, Eq. A.4: half a round trip less what hosts take, over 2 processes a pair. 20 us and 1.5 us a process; 7 us of the
 * hosts'. Where all have as many pairs there is no slope. */
TEST(test_round_trips_show_a_latency_and_its_growth)
{
    const struct scenario s = {.gbn = {.send_overhead_ps = 1000000, .receive_overhead_ps = 2000000, .user_overhead_ps = 4000000}};
    struct study_workload_latency l;
    write_file("pingpong.csv", "pairs,rtt_s\n1,60e-6\n2,66e-6\n4,78e-6\n5,84e-6\n");
    assert_true(study_workload_pingpong(".", &s, &l, &err));
    assert_all_near(1e-12, {l.constant_s, 20e-6}, {l.per_process_s, 1.5e-6}, {l.mean_s, 29e-6});
    write_file("pingpong.csv", "pairs,rtt_s\n3,60e-6\n3,64e-6\n");
    assert_true(study_workload_pingpong(".", &s, &l, &err));
    assert_all_near(1e-12, {l.constant_s, 24e-6}, {l.per_process_s, 0}, {l.mean_s, 24e-6});
    write_file("pingpong.csv", "pairs,rtt_s\n");
    assert_false(study_workload_pingpong(".", &s, &l, &err));
    assert_string_equal(err.message, "./pingpong.csv: no round trip");
    remove("pingpong.csv");
}

/* Karol, Hluchyj and Morgan 1987, Table I: 0.75 of 2 ports with a FIFO at each input, 0.6184 of 8, 2 - sqrt 2 of many; a queue
 * for each output, or at it, has no such bound, nor has less load. */
TEST(test_uniform_traffic_is_held_against_the_known_bound)
{
    static const struct {
        const char *architecture;
        int ports;
        double load, known;
        bool fifo, table;
    } rows[] = {{"input", 2, 1, 0.75, true, true},   {"input", 8, 1, 0.6184, true, true}, {"input", 9, 1, 0.585786437627, true, false},
                {"input", 2, 0.5, 0.5, false, true}, {"output", 2, 1, 1, false, true},         {"voq", 2, 1, 1, false, true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[256];
        struct study_workload_uniform u;
        snprintf(text, sizeof text, "transport: gbn\nnetwork: {switch: {architecture: %s}}\ntraffic: {uniform: {ports: %d, load: %g}}\n",
                 rows[k].architecture, rows[k].ports, rows[k].load);
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(text, NULL);
        write_file("uniform.csv", rows[k].ports == 2 ? "utilization\n0.5\n0.7\n0.9\n" : "utilization\n0.5\n0.7\n");
        assert_true(study_workload_uniform(".", &s, &u, &err));
        assert_ints({u.ports, rows[k].ports}, {u.fifo, rows[k].fifo}, {u.table, rows[k].table});
        assert_all_near(1e-9, {u.known, rows[k].known}, {u.load, rows[k].load}, {u.throughput.value, 0.6}); /* of as many rows as ports */
    }
    remove("uniform.csv");
}

static int leave(void **state)
{
    static const char *const files[] = {"scenario.yaml", "flows.csv", "operations.csv", "bursts.csv", "summary.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        remove(files[i]);
    return text_leave(state);
}

CM_GROUP(text_enter, leave)
