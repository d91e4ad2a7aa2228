/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"
#include "results/directory.h"
#include "results/directory_clear.h"
#include "results/summary.h"
#include "test/cm.h"

#include <sys/stat.h>

static char directory[] = "/tmp/contraflow-columns-XXXXXX";

static struct results_flow made_flow(struct random *r, int i)
{
    struct results_flow f;
    results_columns_clear(&results_flow_columns, &f);
    snprintf(f.name, sizeof f.name, "flow-%d", i);
    snprintf(f.src, sizeof f.src, "h%d", i);
    snprintf(f.dst, sizeof f.dst, "h0");
    f.bytes = (int64_t)(random_next(r) >> 20);
    f.start_ps = (int64_t)(random_next(r) >> 10); /* hours */
    f.end_ps = i % 3 ? f.start_ps + 1 : -1;
    f.goodput_bps = i % 2 ? (double)random_below(r, 1000000000) : NAN;
    f.retransmitted_segments = i;
    f.messages = i % 4 ? -1 : 7;
    f.message_s = i % 4 ? NAN : 0.125;
    return f;
}

/* Of either number both are unknown, or they are equal. */
static void assert_same(double a, double b)
{
    assert_true((isnan(a) && isnan(b)) || (a <= b && a >= b));
}

static void assert_same_row(const struct results_flow *a, const struct results_flow *b, unsigned in)
{
    for (size_t i = 0; i < results_flow_columns.n; i++) {
        const struct results_column *c = &results_flow_columns.column[i];
        if (!(c->in & in))
            continue;
        if (c->kind == RESULTS_TEXT)
            assert_string_equal((const char *)a + c->offset, (const char *)b + c->offset);
        else
            assert_same(results_columns_number(c, a), results_columns_number(c, b));
    }
}

TEST(test_flows_csv_is_read_back_to_the_picosecond)
{
    struct results_flow flow[20], *back MEMORY_LOCAL;
    struct outfile f;
    size_t n;
    struct random r = random_of(1);
    assert_true(results_directory_create(&f, directory, "flows.csv", &err));
    results_columns_csv_head(&results_flow_columns, f.stream);
    for (int i = 0; i < 20; i++) {
        flow[i] = made_flow(&r, i);
        results_columns_csv_row(&results_flow_columns, &flow[i], f.stream);
    }
    assert_true(outfile_commit(&f, &err));
    assert_true(results_flow_read(directory, &back, &n, &err));
    assert_int_equal(n, 20);
    for (int i = 0; i < 20; i++) {
        assert_same_row(&flow[i], &back[i], RESULTS_IN_CSV);
        assert_true(flow[i].start_ps == back[i].start_ps && flow[i].end_ps == back[i].end_ps);
    }
}

TEST(test_a_summary_is_read_back)
{
    struct random r = random_of(2);
    struct results_flow flow[] = {made_flow(&r, 0), made_flow(&r, 1)};
    flow[0].floor_s = 0.25;
    flow[0].ack_groups = 3;
    struct results_port port = {.name = "sw0-h1", .rate_bps = 1000000000, .dropped_frames = 5, .pauses_sent = -1,
                                .pauses_received = -1, .told_to_stop_ps = -1};
    struct results_capture capture = {"h0.pcap", "h0", 12};
    struct results_summary s = {.contraflow = "0.1.0", .engine = "native 0.1.0", .title = (char[]){"a \"title\""},
                                .seed = 3, .complete = true, .ended_ps = 2000000000000, .warmup_ps = 500000000000,
                                .benchmark = {0.02, 0.0125, 8, true}, .flows = flow, .ports = &port,
                                .captures = &capture, .n_flows = 2, .n_ports = 1, .n_captures = 1};
    MEMORY_ENDS(results_summary_fini) struct results_summary back;
    assert_true(results_summary_write(&s, directory, &err));
    assert_true(results_summary_read(&back, directory, &err));
    assert_strings({back.title, s.title}, {back.engine, s.engine});
    assert_true(back.complete && back.seed == 3 && back.ended_ps == s.ended_ps && back.warmup_ps == s.warmup_ps);
    assert_true(back.benchmark.converged && back.benchmark.messages == 8);
    assert_int_equal(back.n_flows, 2);
    assert_string_equal(back.flows[0].name, "flow-0");
    assert_same(back.flows[0].floor_s, 0.25);
    assert_int_equal(back.flows[0].ack_groups, 3);
    assert_true(isnan(back.flows[1].floor_s) && back.flows[1].bytes == flow[1].bytes);
    assert_ints({back.ports[0].dropped_frames, 5}, {back.ports[0].pauses_sent, -1});
    assert_string_equal(back.captures[0].file, "h0.pcap");
}

TEST(test_hostile_summaries_are_refused_or_harmless)
{
    static const char *const texts[] = {
        "", "[]", "{}", "{\"complete\": true, \"flows\": 1}", "{\"flows\": []}", "{\"complete\": 1, \"flows\": []}",
        "{\"complete\": true, \"flows\": [{}, {\"round_trip\": {\"rtt_s\": -1}}]}",
        "{\"complete\": true, \"flows\": [], \"ended_s\": 1e300}",
        "{\"complete\": true, \"flows\": [1, null, {\"flow\": 7, \"start_s\": 1e18}], \"seed\": -1}",
        "{\"complete\": false, \"flows\": [], \"captures\": [{\"file\": null}], \"ports\": {}, \"title\": 3}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        MEMORY_ENDS(results_summary_fini) struct results_summary s;
        struct outfile f;
        assert_true(results_directory_create(&f, directory, "summary.json", &err));
        fputs(texts[i], f.stream);
        assert_true(outfile_commit(&f, &err));
        bool ok = results_summary_read(&s, directory, &err);
        assert_true(ok == (i >= 8));
        if (i == 6)
            assert_non_null(strstr(err.message, "summary.json: flows 2: round_trip: rtt_s is -1; must be a number"));
        if (i == 8)
            assert_true(s.n_flows == 3 && s.flows[2].start_ps == -1 && !s.flows[2].name[0]);
    }
}

TEST(test_clearing_removes_what_the_summary_lists_and_no_more)
{
    struct results_capture captures[] = {{"h0.pcap", "h0", 1}, {"../precious.pcap", "h1", 1}};
    struct results_flow flow;
    results_columns_clear(&results_flow_columns, &flow);
    snprintf(flow.name, sizeof flow.name, "f0");
    struct results_summary s = {.flows = &flow, .n_flows = 1, .captures = captures, .n_captures = 2};
    static const char *const names[] = {"h0.pcap", "f0.events", "flows.csv", "queues.csv", "mine.txt"};
    assert_true(results_summary_write(&s, directory, &err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct outfile f;
        assert_true(results_directory_create(&f, directory, names[i], &err) && outfile_commit(&f, &err));
    }
    assert_true(results_directory_clear(directory, &err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(results_directory_has(directory, names[i]) == (i == 4));
    assert_false(results_directory_has(directory, "summary.json"));
    MEMORY_LOCAL char *mine = results_directory_path(directory, "mine.txt");
    unlink(mine);
}

int main(void)
{
    if (!mkdtemp(directory))
        return 1;
    int failed = cm_run(NULL);
    rmdir(directory);
    return failed;
}
