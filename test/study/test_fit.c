/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a fit with points made up so that their answers are known. */
#include "study/fit/fit_connections.h"
#include "study/fit/fit_engines.h"
#include "study/fit/fit_patterns.h"
#include "study/fit/fit_read.h"
#include "study/fit/fit_regimes.h"
#include "study/fit/fit_remedies.h"
#include "study/fit/fit_resources.h"
#include "study/fit/fit_signatures.h"
#include "study/fit/zhu2014.h"

#include "test/scenarios/text.h"

#define FLOWS 8
#define ONE_MESSAGE "network: {link: {rate: 1Gbps, goodput: 940Mbps}}\n" \
                    "traffic: {flows: [{from: h0, to: h1, bytes: 94MB}]}\n"
#define STAR "tcp: {window: 3MB}\ntraffic: {star: {incoming: 2, outgoing: 1}}\n"

/* What a part is shown: a run whose flows had these rates, and took this long where they end; or an exchange, that took
 * as long as the first time. */
struct made {
    const char *yaml, *axes, *engine;
    int64_t seed;
    double rate_bps[FLOWS], time_s[FLOWS];
};

static void show(enum study_fit_kind part, void *state, const struct made *made)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load(made->yaml, NULL);
    MEMORY_LOCAL struct results_flow *flows;
    json_t *axes = json_loads(made->axes, 0, NULL);
    struct error err = {0};
    assert_non_null(axes);
    flows = calloc((size_t)s.n_flows, sizeof *flows);
    assert_non_null(flows);
    for (int i = 0; i < s.n_flows && i < FLOWS; i++)
        flows[i] = (struct results_flow){
            .bytes = s.flows[i].bytes, .end_ps = made->time_s[i] > 0 ? (int64_t)(made->time_s[i] * 1e12) : -1,
            .goodput_bps = made->rate_bps[i], .steady_goodput_bps = made->rate_bps[i], .floor_s = NAN,
            .message_s = NAN, .message_sd_s = NAN, .message_ci95_s = NAN,
        };
    const struct sweep_result r = {
        .number = 1, .seed = made->seed, .axes = axes, .engine = made->engine, .scenario = &s,
        .operations = {s.traffic == SCENARIO_TRAFFIC_EXCHANGE || s.traffic == SCENARIO_TRAFFIC_COLLECTIVE ? 3 : 0, made->time_s[0], (double)NAN}, .flows = flows};
    if (!study_fit_parts[part]->take(state, "made.db", &r, &err))
        fail_msg("%s", err.message);
    json_decref(axes);
}

static size_t points(enum study_fit_kind part, const void *state)
{
    return *(const size_t *)(const void *)((const char *)state + study_fit_parts[part]->points);
}

static void end(enum study_fit_kind part, void *state)
{
    study_fit_parts[part]->fini(state);
    free(state);
}

/* A part after n points; for end(). */
static void *fitted(enum study_fit_kind part, const struct made *made, size_t n)
{
    void *state = calloc(1, study_fit_parts[part]->size);
    assert_non_null(state);
    for (size_t i = 0; i < n; i++)
        show(part, state, &made[i]);
    if (points(part, state) > 0)
        study_fit_parts[part]->fit(state);
    return state;
}

TEST(test_every_part_starts_empty_and_is_freed)
{
    for (int i = 0; i < STUDY_FIT_PARTS; i++) {
        void *part = fitted((enum study_fit_kind)i, NULL, 0);
        assert_int_equal(points((enum study_fit_kind)i, part), 0);
        end((enum study_fit_kind)i, part);
    }
}

/* 2 s against 1.6 s: native / ns-3 - 1 = 0.25. Rates of 300 against 400 Mb/s where there is no end: -0.25. A point that
 * one engine alone has run is no difference. */
TEST(test_engines_are_compared_by_time_or_else_by_rate)
{
    static const char endless[] = "traffic: {flows: [{from: h0, to: h1}]}\n";
    static const struct made made[] = {
        {ONE_MESSAGE, "{\"engine\":\"native\"}", "native 0.1.0", 1, {376e6}, {2}},
        {ONE_MESSAGE, "{\"engine\":\"ns3\"}", "ns3 3.37", 1, {470e6}, {1.6}},
        {ONE_MESSAGE, "{\"engine\":\"native\"}", "native 0.1.0", 2, {376e6}, {2}},
        {endless, "{\"engine\":\"native\"}", "native 0.1.0", 3, {300e6}, {0}},
        {endless, "{\"engine\":\"ns3\"}", "ns3 3.37", 3, {400e6}, {0}},
        {ONE_MESSAGE, "{\"other\":1}", "native 0.1.0", 4, {376e6}, {2}},
    };
    struct study_fit_engines *e = fitted(STUDY_FIT_ENGINES, made, 6);
    assert_int_equal(e->points, 5); /* the last varies no engine */
    assert_int_equal(e->n_differences, 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(fabs(e->differences[i].share - (e->differences[i].native->time_s > 0 ? 0.25 : -0.25)) < 1e-12);
    assert_true(fabs(e->mean - 0.25) < 1e-12 && fabs(e->largest - 0.25) < 1e-12);
    assert_int_equal(e->n_lossy, 0);
    end(STUDY_FIT_ENGINES, e);
}

/* Max-min predicts 8 * 94 MB / 940 Mb/s = 0.8 s. Measured 1 s: error -0.2; measured 0.8 s: 0; and a run that never
 * ended counts nowhere. The mean of |error| is 0.1, and one of two links is within 10 %. */
TEST(test_patterns_have_the_errors_of_every_model)
{
    static const struct made made[] = {
        {ONE_MESSAGE, "{\"d\":1}", "native 0.1.0", 1, {752e6}, {1}},
        {ONE_MESSAGE, "{\"d\":1}", "native 0.1.0", 2, {940e6}, {0.8}},
        {ONE_MESSAGE, "{\"d\":1}", "native 0.1.0", 3, {0}, {0}},
        {STAR, "{\"d\":1}", "native 0.1.0", 4, {1, 1, 1}, {0}},
    };
    struct study_fit_patterns *p = fitted(STUDY_FIT_PATTERNS, made, 4);
    assert_ints({p->n, 1}, {p->points, 3});
    const struct study_fit_patterns_cell *c = &p->cells[0];
    assert_ints({c->patterns, 3}, {c->unfinished, 1}, {c->patterns_both, 0}, {c->steps, 3});
    const struct study_fit_patterns_errors *maxmin = study_fit_patterns_of(p, c, "maxmin");
    assert_int_equal(maxmin->all.links, 2);
    assert_true(fabs(study_fit_patterns_mean(&maxmin->all) - 0.1) < 1e-9);
    assert_all(fabs(maxmin->bias - -0.2) < 1e-9, fabs(maxmin->worst - -0.2) < 1e-9);
    assert_int_equal(maxmin->near, 1);
    assert_true(isnan(study_fit_patterns_mean(&maxmin->both)));
    size_t counted = 0;
    for (int i = 0; i < STUDY_FIT_PATTERNS_BINS; i++)
        counted += maxmin->histogram[i];
    assert_int_equal(counted, 2);
    for (size_t m = 0; m < p->n_models; m++) {
        assert_ptr_equal(study_fit_patterns_of(p, c, p->model[m]->name), &c->model[m]);
        assert_ints({p->model[m]->fit_column, m + 1}, {c->model[m].all.links, 2});
    }
    end(STUDY_FIT_PATTERNS, p);
}

/* By hosts, d, bytes or windows, each of which is enough; cells that differ by what is none of these are not told apart. */
TEST(test_patterns_are_told_apart_by_what_differs)
{
    static const char *const rest[] = {"hosts: 2, link", "hosts: 3, link"}, *const bytes[] = {"94MB", "47MB"},
                      *const windows[] = {"3MB", "1MB"};
    for (int differs = 0; differs < 8; differs++) {
        char text[2][250];
        struct made made[2];
        for (int i = 0; i < 2; i++) {
            bool hosts = i & differs, other = i & differs >> 1, window = i & differs >> 2;
            snprintf(text[i], sizeof text[i], "tcp: {window: %s}\nnetwork: {%s: {rate: 1Gbps, goodput: 940Mbps}}\n"
                     "traffic: {flows: [{from: h0, to: h1, bytes: %s}]}\n", windows[window], rest[hosts], bytes[other]);
            made[i] = (struct made){text[i], i ? "{\"d\":1,\"a\":1}" : "{\"d\":1,\"a\":2}", "native 0.1.0", i, {752e6}, {1}};
        }
        struct study_fit_patterns *p = fitted(STUDY_FIT_PATTERNS, made, 2);
        assert_ints({p->n, 2}, {p->told_apart, differs != 0});
        end(STUDY_FIT_PATTERNS, p);
    }
}

/* A ratio of sums (Cochran 1977, section 2.11) by hand: errors of 0.2, 0.9 and 0.1 over 1, 3 and 2 links. m = 1.2 / 6;
 * e - m n are 0, 0.3 and -0.3; sqrt(0.18 3/2) / 6 = 0.0866 times 4.303, of two degrees of freedom. */
TEST(test_the_interval_of_a_mean_error_is_that_of_a_ratio)
{
    const struct study_fit_patterns_mean m = {.sum = 1.2, .squares = 0.04 + 0.81 + 0.01, .cross = 0.2 + 2.7 + 0.2,
                                              .counts = 1 + 9 + 4, .links = 6, .patterns = 3},
                                         lone = {.sum = 1, .squares = 1, .cross = 1, .counts = 1, .links = 1,
                                                 .patterns = 1};
    assert_true(fabs(study_fit_patterns_mean(&m) - 0.2) < 1e-12);
    assert_true(fabs(study_fit_patterns_ci95(&m) - 4.302653 * sqrt(0.27) / 6) < 1e-6);
    assert_true(isnan(study_fit_patterns_ci95(&lone)));
}

/* Errors of 0.1, 0.2 and 0.3 by hand: mean 0.2, deviation 0.1; 4.303 times 0.1 / sqrt 3 over 0.2. */
TEST(test_pi_is_the_half_interval_over_the_mean)
{
    const struct study_fit_patterns_mean m = {.sum = 0.6, .each = 0.01 + 0.04 + 0.09, .links = 3, .patterns = 1},
                                         lone = {.sum = 0.1, .each = 0.01, .links = 1, .patterns = 1},
                                         none = {.links = 3, .patterns = 1};
    assert_true(fabs(study_fit_patterns_precision(&m) - 4.302653 * 0.1 / sqrt(3) / 0.2) < 1e-6);
    assert_true(isnan(study_fit_patterns_precision(&lone)));
    assert_true(isnan(study_fit_patterns_precision(&none)));
}

/* Eq. 6 with B = 900 Mb/s: max(2, 1), max(3, 1), max(4, 2) and max(1, 3) flows share it. Eq. 5 would give the lone
 * outgoing flow of the first 900 Mb/s. */
TEST(test_resources_find_the_rule_their_points_obey)
{
    static char yaml[4][128];
    static const int degrees[4][2] = {{2, 1}, {3, 1}, {4, 2}, {1, 3}};
    struct made made[4];
    char axes[4][96];
    for (int i = 0; i < 4; i++) {
        int in = degrees[i][0], out = degrees[i][1], most = in > out ? in : out;
        snprintf(yaml[i], sizeof yaml[i], "tcp: {window: 3MB}\ntraffic: {star: {incoming: %d, outgoing: %d}}\n", in,
                 out);
        snprintf(axes[i], sizeof axes[i], "{\"traffic.star.incoming\":%d,\"traffic.star.outgoing\":%d}", in, out);
        made[i] = (struct made){yaml[i], axes[i], "native 0.1.0", 1, {0}, {0}};
        for (int k = 0; k < in + out; k++)
            made[i].rate_bps[k] = 900e6 / most;
    }
    struct study_fit_resources *r = fitted(STUDY_FIT_RESOURCES, made, 4);
    assert_int_equal(r->n, 4);
    const struct study_fit_outcome *o = NULL;
    for (size_t i = 0; i < r->n_groups; i++)
        if (r->groups[i].points > 0)
            o = &r->groups[i].all;
    if (!o)
        fail_msg("no group has points");
    assert_int_equal(o->n, 4);
    const struct analysis_fit *eq6 = o->fit;
    while (eq6->form != ANALYSIS_FIT_EQ6 || eq6->acks)
        eq6++;
    assert_all(eq6->applies, fabs(eq6->rate_bps.value / 900e6 - 1) < 1e-6, o->fit[0].rms_error < 1e-6);
    for (size_t i = 0; i < 4; i++) {
        int most = degrees[i][0] > degrees[i][1] ? degrees[i][0] : degrees[i][1];
        assert_all(fabs(o->eq6[i].in_bps * most / 900e6 - 1) < 1e-6, fabs(o->eq6[i].out_bps * most / 900e6 - 1) < 1e-6,
                   fabs(o->eq6[i].worst_error) < 1e-6 && fabs(o->best[i].worst_error) < 1e-6);
    }
    end(STUDY_FIT_RESOURCES, r);
}

TEST(test_resources_count_what_they_leave_out)
{
    static const struct made made[] = {
        {STAR, "{\"a\":1}", "native 0.1.0", 1, {450e6, 450e6, 450e6}, {0}},
        {STAR, "{\"a\":2}", "native 0.1.0", 1, {450e6, 0, 450e6}, {0}},
        {ONE_MESSAGE, "{\"a\":3}", "native 0.1.0", 1, {940e6}, {0.8}},
    };
    struct study_fit_resources *r = fitted(STUDY_FIT_RESOURCES, made, 3);
    assert_ints({r->n, 1}, {r->starved, 1});
    assert_int_equal(points(STUDY_FIT_RESOURCES, r), 2);
    end(STUDY_FIT_RESOURCES, r);
}

/* A host of a capture whose link is known to be full in neither direction is no point; one direction that is known is
 * enough to know that, and none is too little. */
TEST(test_hosts_whose_links_are_not_full_are_no_points)
{
    struct study_fit_resources *r = fitted(STUDY_FIT_RESOURCES, NULL, 0);
    struct analysis_resource host = {.host = "h0", .diagnosed = true, .diagnosis.cause = JUDGE_CAUSE_ACKS};
    const struct analysis_resources hosts = {.resource = &host, .n = 1};
    host.diagnosis.in.source = JUDGE_CAPACITY_DISPERSION;
    study_fit_resources_part.take_resources(r, "a.pcap", &hosts);
    assert_int_equal(r->n_diagnosed, 1);
    assert_true(r->diagnosed[0].empty);
    assert_int_equal(r->n, 0);
    host.diagnosis.in.saturated = true;
    study_fit_resources_part.take_resources(r, "b.pcap", &hosts);
    assert_false(r->diagnosed[1].empty);
    assert_int_equal(r->n, 1);
    host.diagnosis.in = (struct judge_way){.source = JUDGE_CAPACITY_UNKNOWN};
    study_fit_resources_part.take_resources(r, "c.pcap", &hosts);
    assert_false(r->diagnosed[2].empty);
    host.diagnosis.cause = JUDGE_CAUSE_WINDOW;
    study_fit_resources_part.take_resources(r, "d.pcap", &hosts);
    assert_true(r->diagnosed[3].empty);
    assert_ints({r->n, 2}, {r->measurements, 2});
    end(STUDY_FIT_RESOURCES, r);
}

/* Every cell of the paper's Table II, as test/data/papers has it. */
TEST(test_the_table_beside_ours_is_the_papers)
{
    FILE *f = fopen(TEST_PAPERS "/zhu2014_table2.csv", "r");
    char line[256];
    int cells = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        int nodes, d, links;
        double steps, x[6];
        if (sscanf(line, "%*[^,],%d,%d,%d,%lf,%*f,%lf,%lf,%lf,%*f,%lf,%lf,%lf", &nodes, &d, &links, &steps, &x[0],
                   &x[1], &x[2], &x[3], &x[4], &x[5]) != 10)
            continue;
        const struct study_zhu2014_table2 *z = study_zhu2014_cell(nodes, d);
        assert_non_null(z);
        assert_int_equal(z->links, links);
        const double ours[] = {z->err, z->err_both, z->fair_both, z->g5k_err, z->g5k_err_both, z->g5k_fair_both};
        assert_true(fabs(z->steps - steps) < 1e-9);
        for (int i = 0; i < 6; i++)
            assert_true(fabs(ours[i] - x[i]) < 1e-9);
        cells++;
    }
    fclose(f);
    assert_int_equal(cells, STUDY_ZHU2014_TABLE2);
    assert_null(study_zhu2014_cell(30, 4));
}

/* Windows that fill the link, ACKs behind data, no loss: the closed form is eq6, and two of three seeds show it. The
 * third has the outgoing flow at full rate: eq5. */
TEST(test_regimes_go_by_what_most_seeds_show)
{
    static const struct made made[] = {
        {STAR, "{\"tcp.window\":\"3MB\"}", "native 0.1.0", 1, {460e6, 460e6, 460e6}, {0}},
        {STAR, "{\"tcp.window\":\"3MB\"}", "native 0.1.0", 2, {460e6, 460e6, 460e6}, {0}},
        {STAR, "{\"tcp.window\":\"3MB\"}", "native 0.1.0", 3, {460e6, 460e6, 920e6}, {0}},
        /* varies the number of flows alone: not for this part */
        {STAR, "{\"traffic.star.incoming\":2}", "native 0.1.0", 1, {460e6, 460e6, 460e6}, {0}},
    };
    struct study_fit_regimes *r = fitted(STUDY_FIT_REGIMES, made, 4);
    assert_int_equal(r->n, 1);
    const struct study_fit_regimes_point *p = &r->point[0];
    assert_ints({p->runs, 3}, {p->incoming, 2}, {p->outgoing, 1}, {p->predicted.regime, MODEL_REGIME_EQ6},
                {p->observed[MODEL_REGIME_EQ6], 2}, {p->observed[MODEL_REGIME_EQ5], 1});
    assert_int_equal(study_fit_regimes_most(p), MODEL_REGIME_EQ6);
    assert_ints({r->known, 1}, {r->agree, 1}, {r->one_verdict, 0}, {r->count[MODEL_REGIME_EQ6][MODEL_REGIME_EQ6], 1});
    end(STUDY_FIT_REGIMES, r);
    r = fitted(STUDY_FIT_REGIMES, made, 2); /* without the third, all seeds agree */
    assert_ints({r->one_verdict, 1}, {r->runs, 2});
    end(STUDY_FIT_REGIMES, r);
}

/* Two pairs of 1 MB: 10 ms alone, 20 and 40 ms together. beta_F = 10 ns, beta_C = 40 ns, and the mean of 30 ns is two
 * thirds of the way (Steffenel 2006, Eq. 3). A connection that never ended counts nowhere, nor does another sweep. */
TEST(test_connections_show_the_two_gaps)
{
    static const char one[] = "network: {hosts: 8}\ntraffic: {pairs: {count: 1, bytes: 1MB}}\n";
    static const char three[] = "network: {hosts: 8}\ntraffic: {pairs: {count: 3, bytes: 1MB}}\n";
    static const struct made made[] = {
        {one, "{\"traffic.pairs.count\":1}", "native 0.1.0", 1, {8e8}, {0.01}},
        {three, "{\"traffic.pairs.count\":3}", "native 0.1.0", 1, {4e8, 2e8, 0}, {0.02, 0.04, 0}},
        {one, "{\"tcp.window\":1}", "native 0.1.0", 1, {8e8}, {0.001}},
    };
    struct study_fit_connections *f = fitted(STUDY_FIT_CONNECTIONS, made, 3);
    assert_int_equal(f->n, 2);
    assert_int_equal(study_fit_connections_end(f, 0), 2);
    assert_int_equal(f->points[1].n, 2);
    assert_all(fabs(f->points[1].mean_s - 0.03) < 1e-12, fabs(f->points[1].sd_s - 0.01 * sqrt(2)) < 1e-12,
               fabs(f->points[0].gaps.free_s_per_byte - 10e-9) < 1e-18,
               fabs(f->points[1].gaps.contended_s_per_byte - 40e-9) < 1e-18, fabs(f->points[0].gaps.rho) < 1e-9,
               fabs(f->points[1].gaps.rho - 2.0 / 3) < 1e-9);
    end(STUDY_FIT_CONNECTIONS, f);
}

#define SIZES 5

/* A point of n processes with messages of m bytes at 1 Gb/s. */
static struct made alltoall_made(char yaml[static 160], int n, int m, double time_s)
{
    snprintf(yaml, 160, "network: {hosts: %d, link: {rate: 1Gbps}}\ntraffic: {exchange: {bytes: %dB}}\n", n, m);
    return (struct made){.yaml = yaml, .axes = "{\"network.hosts\":1,\"traffic.exchange.bytes\":2}",
                         .engine = "native 0.1.0", .seed = 1, .time_s = {time_s}};
}

static struct study_fit_signatures *signatures_of(double delta_s, double whole_s)
{
    static const int processes[] = {8, 16, 32};
    char yaml[160];
    struct study_fit_signatures *f = calloc(1, sizeof *f);
    assert_non_null(f);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < SIZES; k++) {
            double m = 65536 << k, n = processes[i];
            /* alpha and beta as study_workload_link() has them: a frame of 1538 bytes, two cables of 50 us */
            double alpha_s = 100e-6 + 1538 * 8e-9, beta_s = 1538 * 8e-9 / 1448;
            double wobble = 1 + (k % 2 ? 1e-4 : -1e-4);
            struct made made = alltoall_made(yaml, processes[i], (int)m,
                                             wobble * ((n - 1) * ((alpha_s + beta_s * m) * 2 + delta_s) + whole_s));
            show(STUDY_FIT_SIGNATURES, f, &made);
        }
    study_fit_signatures_part.fit(f);
    return f;
}

/* Times by Eq. 5 are predicted by it at all other numbers of processes, times with one wait of 200 ms for all by the
 * other reading; each is far off where the other holds. */
TEST(test_signatures_tell_a_cost_of_messages_from_one_of_all)
{
    struct study_fit_signatures *f = signatures_of(10e-3, 0);
    assert_int_equal(f->n_rows, 4);
    for (size_t i = 0; i < 3; i++) {
        const struct study_fit_signatures_row *r = &f->rows[i];
        assert_null(r->refused);
        assert_true(fabs(r->fit.gamma.value - 2) < 0.01 && fabs(r->fit.signature.delta_s - 10e-3) < 1e-4);
        assert_ints({r->eq5.n, 2 * SIZES}, {r->eq5.within, 2 * SIZES});
        assert_true(r->eq5.worst < 0.01 && r->own.worst < 0.01 && r->once.worst > 0.2);
        assert_int_equal(r->n_others, 2);
    }
    assert_ints({f->rows[3].processes, 0}, {f->rows[3].points, 3 * SIZES}, {f->rows[3].eq5.n, 0});
    assert_true(f->rows[3].own.n == 3 * SIZES && f->rows[3].own.worst < 0.01); /* each by its own number of processes */
    end(STUDY_FIT_SIGNATURES, f);
    f = signatures_of(0, 0.2);
    for (size_t i = 0; i < 3; i++) {
        assert_all(fabs(f->rows[i].startup_s - 0.2) < 2e-3, f->rows[i].once.worst < 0.01 && f->rows[i].eq5.worst > 0.2);
    }
    end(STUDY_FIT_SIGNATURES, f);
}

#define QUEUES(nic, port) STAR "network: {nic: {queue: " nic "}, switch: {queue: " port "}}\n"

/* With ACKs first everywhere 180 Mb/s pass. FIFO has 120, a third less, and 40 of 90 out; ACKs first at the ports alone
 * 150. What has no such run beside it is no point: another seed, another window, another axis. */
TEST(test_queues_are_held_against_acks_first_everywhere)
{
    static const struct made made[] = {
        {QUEUES("fifo", "fifo"), "{\"network.switch.queue\":\"fifo\"}", "native 0.1.0", 1, {40e6, 40e6, 40e6}, {0}},
        {QUEUES("fifo", "ack-first"), "{\"network.switch.queue\":\"ack-first\"}", "native 0.1.0", 1,
         {45e6, 45e6, 60e6}, {0}},
        {QUEUES("fifo", "fifo"), "{\"network.switch.queue\":\"fifo\"}", "native 0.1.0", 2, {10e6, 10e6, 10e6}, {0}},
        {QUEUES("ack-first", "ack-first"), "{\"network\":\"all\"}", "native 0.1.0", 1, {45e6, 45e6, 90e6}, {0}},
        {QUEUES("fifo", "fifo") "title: x\n", "{\"title\":\"x\"}", "native 0.1.0", 1, {1e6, 1e6, 1e6}, {0}},
        {"traffic: {star: {incoming: 2, outgoing: 0}}\n", "{}", "native 0.1.0", 1, {1e6, 1e6}, {0}}, /* one way */
        {QUEUES("fifo", "codel, target: 3ms, ecn: true"), "{\"network.switch.queue\":\"codel\"}", "native 0.1.0", 1,
         {45e6, 45e6, 75e6}, {0}},
    };
    struct study_fit_remedies *m = fitted(STUDY_FIT_REMEDIES, made, 7);
    assert_ints({m->n, 4}, {m->n_rows, 4});
    const struct study_fit_remedies_row *fifo = &m->rows[0], *port = &m->rows[1], *all = &m->rows[3];
    assert_string_equal(m->rows[2].queues, "codel 20MB target 3ms ecn"); /* what it is told is a part of its name */
    assert_strings({fifo->queues, "fifo 20MB"}, {port->queues, "ack-first 20MB"}, {all->queues, "ack-first 20MB, all"});
    assert_true(fabs(fifo->lost - 1.0 / 3) < 1e-12 && fabs(fifo->lost_most - 5.0 / 9) < 1e-12);
    assert_true(fabs(port->lost - 1.0 / 6) < 1e-12 && fabs(port->lost_most - 1.0 / 3) < 1e-12);
    assert_true(all->lost == 0 && all->suffer == 0 && fifo->suffer == 1);
    assert_string_equal(fifo->worst->stack, "newreno, 3MB, no small queues");
    end(STUDY_FIT_REMEDIES, m);
}

#define RING(nic, port) "network: {hosts: 4, link: {rate: 1Gbps, delay: 1us}, nic: {queue: " nic "}, switch: {queue: " \
                        port "}}\ntcp: {window: 64kB}\ntraffic: {collective: {algorithm: ring-allreduce, bytes: 1448kB}}\n"

/* Of S = 1448 kB among 4 a host sends 2 3/4 S: 1500 segments. 1500 1538 bytes of wire at 1 Gb/s and six rounds' 2 us of
 * cables and a frame of 12.304 us behind the NIC: 18.541824 ms without ACKs. */
TEST(test_rings_are_held_against_acks_first_and_against_none)
{
    static const struct made made[] = {
        {RING("fifo", "fifo"), "{\"network\":\"a\"}", "native 0.1.0", 1, {0}, {25e-3}},
        {RING("ack-first", "ack-first"), "{\"network\":\"b\"}", "native 0.1.0", 1, {0}, {20e-3}},
        {RING("ack-first", "fifo"), "{\"network\":\"c\"}", "native 0.1.0", 1, {0}, {20.2e-3}},
    };
    struct study_fit_remedies *m = fitted(STUDY_FIT_REMEDIES, made, 3);
    assert_int_equal(m->n_rows, 3);
    const struct study_fit_remedies_row *fifo = &m->rows[0], *nic = &m->rows[1];
    assert_strings({fifo->queues, "fifo 20MB"}, {nic->queues, "fifo 20MB, NIC ack-first"},
                   {fifo->worst->panel, "newreno, 64kB, no small queues"}, {fifo->worst->row, "4 hosts, 1448kB"});
    assert_true(fabs(fifo->worst->in_bps / (8 * 1448e3 / 25e-3 * 1.5) - 1) < 1e-9); /* 2 (n - 1) / n */
    assert_true(fabs(fifo->lost - 0.2) < 1e-9 && fabs(nic->lost - (1 - 20 / 20.2)) < 1e-9);
    assert_true(fabs(fifo->lacks - (1 - 18.541824 / 25)) < 1e-6);
    char *sentence = study_fit_remedies_sentence(m);
    assert_string_equal(sentence, "Over FIFOs that drop nothing a ring-allreduce loses 20.0 % of its bus bandwidth to ACKs "
                        "behind data on average, and more than 5 % at 1 of 1 points, at worst 20 % (newreno, 64kB, no small queues, 4 "
                        "hosts, 1448kB, 1Gbps); 'fifo 20MB, NIC ack-first' leaves 1.0 % of that at most.");
    free(sentence);
    end(STUDY_FIT_REMEDIES, m);
}

CM_GROUP(text_enter, text_leave)
