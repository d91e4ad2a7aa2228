/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sides with figures chosen here: each figure of a comparison follows by arithmetic on paper. */
#include "results/progress.h"
#include "study/compare/compare_interval.h"
#include "study/compare/compare_sweeps.h"
#include "sweep/db.h"
#include "test/cm.h"

#include <sys/stat.h>

static char directory[] = "/tmp/contraflow-compare-XXXXXX";

static int enter(void **state)
{
    return mkdtemp(directory) && chdir(directory) == 0 && mkdir("before", 0700) == 0 && mkdir("after", 0700) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    static const char *const files[] = {"before/summary.json", "after/summary.json", "before/progress.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        remove(files[i]);
    return rmdir("before") == 0 && rmdir("after") == 0 && chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

CM_GROUP(enter, leave)

static void write_summary(const char *side, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/summary.json", side);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static struct study_compare_value value(double before, double before_ci95, double after, double after_ci95)
{
    return (struct study_compare_value){.mean = {before, after}, .ci95 = {before_ci95, after_ci95}};
}

/* sqrt(3^2 + 4^2) = 5: a change of 5 is within its interval, one of 5.1 is not. */
TEST(test_a_change_beyond_its_interval_is_one)
{
    struct study_compare_value same = value(20, 3, 25, 4), more = value(20, 3, 25.1, 4), less = value(20, 3, 14.9, 4);
    assert_near(study_compare_ci95(&same), 5, 1e-12);
    assert_near(study_compare_change(&same), 5, 1e-12);
    assert_near(study_compare_share(&same), 0.25, 1e-12);
    assert_int_equal(study_compare_judge(&same), STUDY_COMPARE_SAME);
    assert_int_equal(study_compare_judge(&more), STUDY_COMPARE_MORE);
    assert_int_equal(study_compare_judge(&less), STUDY_COMPARE_LESS);
    same.paired = true; /* then it is that of the changes */
    same.change_ci95 = 4.9;
    assert_int_equal(study_compare_judge(&same), STUDY_COMPARE_MORE);
}

TEST(test_what_is_unknown_has_no_answer)
{
    struct study_compare_value open = value(20, (double)NAN, 30, 1), nothing = value(0, 0, 1, 0);
    assert_int_equal(study_compare_judge(&open), STUDY_COMPARE_OPEN);
    assert_true(isnan(study_compare_share(&nothing))); /* of nothing */
    assert_int_equal(study_compare_judge(&nothing), STUDY_COMPARE_MORE);
}

#define FLOW(src, dst, way, rate, ci95, data, ack, again)                                                              \
    "{\"src\": \"" src "\", \"dst\": \"" dst "\", \"direction\": \"" way "\", \"rate_bps\": " rate ", \"ci95_bps\": " ci95   \
    ", \"data_wait_s\": " data ", \"ack_wait_s\": " ack ", \"retransmitted_segments\": " again ", \"window_bytes\": null}"
#define HOST(name, lost, ci95, flows)                                                                                  \
    "{\"host\": \"" name "\", \"end_s\": 10, \"measured\": {}, \"diagnosis\": {\"asymmetry\": \"yes\", "                       \
    "\"lost_share\": {\"total\": " lost ", \"ci95\": " ci95 "}}, \"flows\": [" flows "]}"

static void make(struct study_compare *c, const char *before, const char *after)
{
    static const char *const path[] = {"before", "after"};
    struct error err = {0};
    write_summary("before", before);
    write_summary("after", after);
    if (!study_compare_make(c, path, NULL, NULL, &err))
        fail_msg("%s", err.message);
}

/* 40 and 10 Mb/s become 50 and 30, and there is one more of 5. Waits weigh by rate: (40 * 10 + 10 * 30) / 50 = 14 ms of
 * data, (40 * 20 + 10 * 40) / 50 = 24 ms of ACKs. Intervals of a sum add up: 3 + 1, and 4 + 2 + 1. */
TEST(test_a_host_s_sums_are_those_of_its_flows)
{
    MEMORY_ENDS(study_compare_fini) struct study_compare c;
    make(&c, "{\"resources\": [" HOST("a", "0.2", "0.03",
         FLOW("x:1000", "a:1", "in", "40e6", "3e6", "0.01", "0.02", "3") ","
         FLOW("a:5", "x:9", "out", "10e6", "1e6", "0.03", "0.04", "4")) "]}",
         "{\"resources\": [" HOST("a", "0.05", "0.04",
         FLOW("a:6", "x:9", "out", "30e6", "2e6", "0.001", "0.002", "0") ","
         FLOW("x:1000", "a:1", "in", "50e6", "4e6", "0.001", "0.002", "1") ","
         FLOW("a:7", "y:9", "out", "5e6", "1e6", "0.001", "0.002", "2")) "]}");
    assert_int_equal(c.n, 1);
    assert_true(c.live[0] && c.live[1] && !c.simulated[0] && !c.simulated[1]);
    const struct study_compare_host *h = c.host;
    const double mean[STUDY_COMPARE_WAYS][2] = {{40e6, 50e6}, {10e6, 35e6}, {50e6, 85e6}};
    const double ci95[STUDY_COMPARE_WAYS][2] = {{3e6, 4e6}, {1e6, 3e6}, {4e6, 7e6}};
    for (int way = 0; way < STUDY_COMPARE_WAYS; way++)
        for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
            assert_near(h->rate_bps[way].mean[side], mean[way][side], 1e-3);
            assert_near(h->rate_bps[way].ci95[side], ci95[way][side], 1e-3);
        }
    assert_near(h->data_wait_s[STUDY_COMPARE_BOTH].mean[0], 0.014, 1e-12);
    assert_near(h->ack_wait_s[STUDY_COMPARE_BOTH].mean[0], 0.024, 1e-12);
    assert_near(h->data_wait_s[STUDY_COMPARE_IN].mean[0], 0.01, 1e-12);
    assert_near(h->ack_wait_s[STUDY_COMPARE_OUT].mean[0], 0.04, 1e-12);
    assert_near(h->retransmitted.mean[0], 7, 0);
    assert_near(h->retransmitted.mean[1], 3, 0);
    assert_near(study_compare_change(&h->lost_share), -0.15, 1e-12);
    assert_near(study_compare_ci95(&h->lost_share), 0.05, 1e-12);
    assert_int_equal(study_compare_judge(&h->lost_share), STUDY_COMPARE_LESS);
    /* One with the same ports, one between the same hosts, and one that was not there. */
    assert_int_equal(h->n, 3);
    assert_near(h->flow[0].rate_bps.mean[1], 50e6, 1e-3);
    assert_near(h->flow[1].rate_bps.mean[1], 30e6, 1e-3);
    assert_string_equal(h->flow[1].src, "a:5");
    assert_true(isnan(h->flow[2].rate_bps.mean[0]) && !h->flow[2].incoming);
    assert_near(h->flow[2].rate_bps.mean[1], 5e6, 1e-3);
    bool more = false;
    for (size_t i = 0; i < h->n_differences; i++)
        more = more || (strcmp(h->difference[i].what, "flows out") == 0 && strcmp(h->difference[i].side[0], "1") == 0 &&
                        strcmp(h->difference[i].side[1], "2") == 0 && h->difference[i].unlike);
    assert_true(more);
}

/* The same ports come before the same hosts, whatever the order; and a direction has none of the other's. */
TEST(test_a_flow_s_partner_is_the_one_with_its_ports)
{
    MEMORY_ENDS(study_compare_fini) struct study_compare c;
    make(&c, "{\"resources\": [" HOST("a", "0", "0", FLOW("x:1", "a:1", "in", "1e6", "0", "0", "0", "0") ","
         FLOW("x:2", "a:1", "in", "2e6", "0", "0", "0", "0") "," FLOW("xx:2", "a:1", "in", "4e6", "0", "0", "0", "0")) "]}",
         "{\"resources\": [" HOST("a", "0", "0", FLOW("x:2", "a:1", "in", "20e6", "0", "0", "0", "0") ","
         FLOW("x:7", "a:1", "in", "10e6", "0", "0", "0", "0") "," FLOW("xx:2", "a:1", "out", "40e6", "0", "0", "0", "0"))
         "]}");
    const struct study_compare_host *h = c.host;
    assert_int_equal(h->n, 4);
    assert_near(h->flow[0].rate_bps.mean[1], 10e6, 1e-3);
    assert_near(h->flow[1].rate_bps.mean[1], 20e6, 1e-3);
    assert_true(isnan(h->flow[2].rate_bps.mean[1]));
    assert_near(h->flow[3].rate_bps.mean[1], 40e6, 1e-3);
}

/* Of two hosts each the one that both have is a pair; who is alone comes last, before first. */
TEST(test_hosts_are_paired_by_name)
{
    MEMORY_ENDS(study_compare_fini) struct study_compare c;
    make(&c, "{\"resources\": [" HOST("a", "0", "0", FLOW("x:1", "a:1", "in", "1e6", "0", "0", "0", "0")) ","
         HOST("b", "0", "0", FLOW("x:1", "b:1", "in", "2e6", "0", "0", "0", "0")) "]}",
         "{\"resources\": [" HOST("b", "0", "0", FLOW("x:1", "b:1", "in", "3e6", "0", "0", "0", "0")) ","
         HOST("c", "0", "0", FLOW("x:1", "c:1", "in", "4e6", "0", "0", "0", "0")) "]}");
    assert_int_equal(c.n, 3);
    assert_near(study_compare_change(&c.host[0].rate_bps[STUDY_COMPARE_BOTH]), 1e6, 1e-3);
    assert_true(c.host[1].side[0] && !c.host[1].side[1] && !c.host[2].side[0] && c.host[2].side[1]);
    assert_string_equal(c.host[1].side[0]->host, "a");
    assert_string_equal(c.host[2].side[1]->host, "c");
    assert_true(isnan(c.host[1].rate_bps[STUDY_COMPARE_BOTH].mean[1]));
}

/* Seen from 1 s to 11, steady from 3: 8 s. With two cuts of a window 29 are wanted, 14.5 times as many; with none it is a
 * series too short by a factor of five at most. */
TEST(test_how_long_would_do)
{
    struct analysis_check_flow flow[2] = {{.ci95_bps = NAN, .loss_events = 2}, {.ci95_bps = 1}};
    struct analysis_resource r = {.flows = flow, .n = 2, .start_s = 1, .steady_start_s = 3, .end_s = 11};
    struct study_compare_host h = {.side = {NULL, &r}};
    double seen_s, would_do_s;
    assert_true(study_compare_interval_lacks(&r, &seen_s, &would_do_s));
    assert_near(seen_s, 10, 1e-12);
    assert_near(would_do_s, 2 + 14.5 * 8, 1e-9);
    assert_true(study_compare_short(&h, &seen_s, &would_do_s));
    assert_near(would_do_s, 118, 1e-9);
    flow[0].loss_events = 0;
    assert_true(study_compare_interval_lacks(&r, &seen_s, &would_do_s));
    assert_near(would_do_s, 2 + 5 * 8, 1e-9);
    flow[0].ci95_bps = 0;
    assert_false(study_compare_interval_lacks(&r, &seen_s, &would_do_s));
    assert_false(study_compare_short(&h, &seen_s, &would_do_s));
}

#define TIMES 200

/* Of two flows, 0.1 s apart, what was new: 1000 bytes and up to 200 more by chance; the other twice as many. A third has the ends of
 * the second, and not its rate. */
TEST(test_a_run_s_progress_says_how_sure_its_rates_are)
{
    struct results_flow rows[2] = {{.name = "a"}, {.name = "b"}};
    struct results_progress p = {.flows = 2};
    double series[TIMES], bytes = 0;
    uint32_t chance = 1;
    write_summary("before",
        "{\"complete\": true, \"ended_s\": 20, \"flows\": ["
        "{\"flow\": \"a\", \"src\": \"h1:1\", \"dst\": \"h0:1\", \"start_s\": 0, \"end_s\": 20, \"steady_loss_events\": 0},"
        "{\"flow\": \"b\", \"src\": \"h2:1\", \"dst\": \"h0:1\", \"start_s\": 0, \"end_s\": 20, \"steady_loss_events\": 0}]}");
    for (int i = 0; i < TIMES; i++) {
        chance = chance * 1103515245 + 12345; /* as of rand() in C17, 7.22.2.2 */
        double now = 1000 + (chance >> 16) % 201;
        bytes += now;
        series[i] = now * 8 / 0.1;
        struct results_progress_point *point = results_progress_add(&p, 0.1 * (i + 1));
        point[0] = (struct results_progress_point){.bytes = bytes, .data_frames = bytes / 100};
        point[1] = (struct results_progress_point){.bytes = 2 * bytes, .data_frames = bytes / 100};
    }
    assert_true(results_progress_write(&p, rows, "before", &err));
    struct estimate_series s = {.samples = series, .n = TIMES, .step = 800 / 0.1};
    struct estimate want = estimate_steady(&s);
    assert_true(isfinite(want.ci95) && want.ci95 > 0);
    struct analysis_check_flow flow[3] = {{.src = "h1:1", .dst = "h0:1", .rate_bps = want.value, .ci95_bps = NAN},
                                          {.src = "h2:1", .dst = "h0:1", .rate_bps = 2 * want.value, .ci95_bps = NAN},
                                          {.src = "h2:1", .dst = "h0:1", .rate_bps = 4 * want.value, .ci95_bps = NAN}};
    struct analysis_resource r = {.flows = flow, .n = 3, .start_s = 0, .steady_start_s = 0, .end_s = 20.00001};
    study_compare_interval_fill("before", &r);
    assert_near(flow[0].ci95_bps, want.ci95, 0.001 * want.ci95);
    assert_near(flow[1].ci95_bps, 2 * want.ci95, 0.002 * want.ci95);
    assert_true(isnan(flow[2].ci95_bps)); /* its rate is not that of the progress */
    results_progress_fini(&p);
}

/* A point of a sweep: what comes in and goes out, in Mb/s, 1 % of which are their intervals; data wait as many ms as either has
 * Mb/s, and ACKs twice that. */
struct made {
    char side;
    int number;
    const char *q;
    int seed;
    double in, out;
};

static const struct made made[] = {
    {'a', 1, "x", 1, 10, 30}, {'a', 2, "x", 2, 12, 32}, {'a', 3, "y", 1, 10, 30}, {'a', 4, "w", 1, 1, 1},
    {'b', 2, "y", 1, 20, 30}, {'b', 4, "x", 1, 14, 30}, {'b', 5, "x", 2, 12, 38}, {'b', 6, "z", 1, 1, 1}};

static bool fill(struct sweep_db *d, void *user, struct error *err)
{
    bool ok = sweep_db_do(d, "INSERT INTO sweep VALUES('', '', '', '', -1, 6, 1, 1)", err);
    for (size_t i = 0; ok && i < sizeof made / sizeof *made; i++) {
        const struct made *m = &made[i];
        if (m->side != *(const char *)user)
            continue;
        MEMORY_LOCAL char *point = memory_text("INSERT INTO point(number, axes, scenario, seed, state, program, engine) VALUES(%d, "
                                               "'{\"q\": \"%s\", \"n\": 1}', 'traffic: {star: {incoming: 1, outgoing: 1}}', %d, "
                                               "'done', '', 'native')", m->number, m->q, m->seed);
        ok = sweep_db_do(d, point, err);
        for (int out = 0; ok && out < 2; out++) {
            double rate = out ? m->out : m->in;
            MEMORY_LOCAL char *flow = memory_text("INSERT INTO flow(point, name, src, dst, bytes, steady_goodput_bps, steady_ci95_bps, "
                                                  "retransmitted_segments, data_wait_s, ack_wait_s) VALUES(%d, '%s', '', '', 1, %.1f, "
                                                  "%.1f, %d, %f, %f)", m->number, out ? "out1" : "in1", rate * 1e6, rate * 1e4, 1 + out,
                                                  rate * 1e-3, rate * 2e-3);
            ok = sweep_db_do(d, flow, err);
        }
    }
    return ok;
}

/* x: 40 and 44 Mb/s before, 44 and 50 after: changes of 4 and 6, of which t(1) = 12.706 makes 5 +- 12.706 (sd sqrt(2), by
 * sqrt(2)). y: 40 +- 0.4 and 50 +- 0.5 Mb/s with one seed. w and z stand on one side alone. */
TEST(test_sweeps_are_compared_point_by_point)
{
    const char *const path[] = {"before/a.db", "after/b.db"};
    struct study_compare_sweeps c;
    assert_true(sweep_db_make(path[0], fill, (char[]){'a'}, &err) && sweep_db_make(path[1], fill, (char[]){'b'}, &err));
    if (!study_compare_sweeps_make(&c, path, &err))
        fail_msg("%s", err.message);
    assert_ints({c.n, 4}, {c.n_both, 2}, {c.only[0], 1}, {c.only[1], 1}, {c.main, STUDY_COMPARE_SWEEPS_GOODPUT}, {c.n_levels, 2});
    const struct study_compare_sweeps_point *x = &c.point[0], *y = &c.point[1];
    const struct study_compare_value *v = &x->value[STUDY_COMPARE_SWEEPS_GOODPUT];
    assert_ints({x->runs[0], 2}, {x->runs[1], 2}, {x->number[0], 1}, {x->number[1], 4}, {v->paired, 1}, {c.point[2].number[0], 4},
                {c.point[3].number[1], 6}, {c.point[2].runs[1], 0}, {c.point[3].runs[0], 0});
    assert_all_near(1e3, {v->mean[0], 42e6}, {v->mean[1], 47e6}, {v->change_ci95, 12.706e6}, {v->ci95[0], 2 * 12.706e6},
                    {v->ci95[1], 3 * 12.706e6});
    v = &y->value[STUDY_COMPARE_SWEEPS_GOODPUT];
    assert_all_near(1e-3, {v->mean[0], 40e6}, {v->mean[1], 50e6}, {v->ci95[0], 0.4e6}, {v->ci95[1], 0.5e6});
    assert_false(v->paired);
    /* means by rates: (10 * 10 + 30 * 30) / 40 ms; (20 * 20 + 30 * 30) / 50 */
    v = &y->value[STUDY_COMPARE_SWEEPS_DATA_WAIT];
    assert_all_near(1e-9, {v->mean[0], 25e-3}, {v->mean[1], 26e-3}, {y->value[STUDY_COMPARE_SWEEPS_ACK_WAIT].mean[1], 52e-3},
                    {y->value[STUDY_COMPARE_SWEEPS_RETRANSMITTED].mean[1], 3});
    assert_true(isnan(y->value[STUDY_COMPARE_SWEEPS_MESSAGE].mean[0]) && isnan(y->value[STUDY_COMPARE_SWEEPS_OPERATION].mean[0]));
    v = &c.all.value[STUDY_COMPARE_SWEEPS_GOODPUT]; /* sqrt(sum of squares) / 2 */
    assert_all_near(1e3, {v->mean[0], 41e6}, {v->mean[1], 48.5e6}, {v->change_ci95, hypot(12.706e6, hypot(0.4e6, 0.5e6)) / 2});
    assert_ints({c.all.n, 2}, {c.all.known[STUDY_COMPARE_SWEEPS_GOODPUT], 2}, {c.all.known[STUDY_COMPARE_SWEEPS_MESSAGE], 0},
                {c.all.answers[STUDY_COMPARE_MORE], 1}, {c.all.answers[STUDY_COMPARE_SAME], 1}, {c.level[1].answers[STUDY_COMPARE_MORE], 1});
    assert_string_equal(c.level[0].level, "x");
    assert_string_equal(c.level[1].level, "y");
    assert_near(c.level[1].value[STUDY_COMPARE_SWEEPS_GOODPUT].mean[1], 50e6, 1e-3);
    study_compare_sweeps_fini(&c);
    remove(path[0]);
    remove(path[1]);
}
