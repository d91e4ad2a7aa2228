/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"
#include "model/window/window_rule.h"
#include "test/model/patterns.h"

#include "test/cm.h"

CM_OWNER(model_window_rule, model_window_rule_free)

#define S (1538.0 / 1448)      /* wire bytes per byte of payload */
#define A (84.0 / (2 * 1448))  /* of ACKs without timestamps, as the reference figures have them */

/* The law itself, from scratch: rates from the delays, loads from the rates, the complementarity residual. */
static double residual(const struct model_window_network *net, const struct model_window *w, const bool *active)
{
    const double *q = model_window_delays(w), *x = model_window_rates(w);
    double *load MEMORY_LOCAL = calloc(net->n_links, sizeof *load), *rtt = calloc(net->n_links, sizeof *rtt), worst = 0;
    MEMORY_LOCAL bool *data = calloc(net->n_links, sizeof *data);
    for (size_t l = 0; l < net->n_links; l++)
        rtt[l] = INFINITY;
    for (size_t f = 0; f < net->n_flows; f++)
        for (int i = 0; (!active || active[f]) && i < net->flows[f].n_data; i++)
            data[net->flows[f].data[i]] = true;
    for (size_t f = 0; f < net->n_flows; f++) {
        if (active && !active[f])
            continue;
        const struct model_window_flow *flow = &net->flows[f];
        double round = flow->base_rtt_s;
        for (int i = 0; i < flow->n_data; i++)
            round += q[flow->data[i]];
        for (int i = 0; i < flow->n_ack; i++)
            if (!net->links[flow->ack[i]].ack_first || !data[flow->ack[i]])
                round += q[flow->ack[i]];
        assert_near(x[f], 8 * flow->window_bytes / round, 1e-6 * x[f]);
        for (int i = 0; i < flow->n_data; i++) {
            load[flow->data[i]] += flow->wire_per_byte * x[f];
            rtt[flow->data[i]] = fmin(rtt[flow->data[i]], round);
        }
        for (int i = 0; i < flow->n_ack; i++) {
            load[flow->ack[i]] += flow->ack_wire_per_byte * x[f];
            if (!net->links[flow->ack[i]].ack_first || !data[flow->ack[i]])
                rtt[flow->ack[i]] = fmin(rtt[flow->ack[i]], round);
        }
    }
    for (size_t l = 0; l < net->n_links; l++) {
        double slack = 1 - load[l] / net->links[l].rate_bps;
        worst = fmax(worst, fabs(fmin(q[l] / rtt[l], slack)));
    }
    free(rtt);
    return worst;
}

static void pattern_rates(const struct model_platform *p, const struct model_transfer *t, size_t n, double *rate_bps)
{
    struct error err;
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    assert_true(model_routes_init(&routes, p, &(struct model_pattern){.transfers = t, .n = n}, &err));
    CM_OWNED(model_window_rule_free) struct model_window_rule *r = model_window_rule_new(&routes, &err);
    assert_non_null(r);
    assert_true(model_window_solve(model_window_rule_window(r), NULL, &err));
    memcpy(rate_bps, model_window_rates(model_window_rule_window(r)), n * sizeof *rate_bps);
}

/* The fixed points known of a star with 3 MB windows: one saturated direction carries its own data and the ACKs of
 * the other: x = C / (max(in, out) s + min(in, out) a), 1/1: 10^9 / (1.06215 + 0.02901) = 916 Mb/s. */
TEST(test_star_cases)
{
    static const struct {
        int in, out;
        double rate_mbps;
    } cases[] = {{1, 1, 916}, {2, 1, 464}, {3, 1, 311}, {1, 2, 464}, {4, 2, 232}, {12, 1, 78}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct model_transfer t[16];
        double rate[16];
        struct model_platform p = pattern_star_platform(cases[c].in, cases[c].out);
        p.ack_wire_bytes = 84;
        size_t n = pattern_star(t, cases[c].in, cases[c].out);
        pattern_rates(&p, t, n, rate);
        for (size_t i = 0; i < n; i++)
            assert_near(rate[i] / 1e6, cases[c].rate_mbps, 1);
    }
}

/* Zhu 2014, Fig. 1 with 500 kB windows, NICs and backbone of 1 Gb/s and a round trip of 0.4 ms for all. */
TEST(test_figure_1)
{
    struct model_platform p = pattern_figure1_platform();
    struct model_window_link links[16];
    struct model_window_flow flows[5];
    struct model_route route[5];
    int ack[5][MODEL_PLATFORM_HOPS];
    for (int l = 0; l < 16; l++)
        links[l] = (struct model_window_link){1e9, false};
    for (int i = 0; i < 5; i++) {
        route[i] = model_platform_route(&p, pattern_figure1[i].source, pattern_figure1[i].destination);
        for (int h = 0; h < route[i].n; h++)
            ack[i][h] = route[i].link[h] ^ 1;
        flows[i] = (struct model_window_flow){500e3, 0.4e-3, S, A, route[i].link, ack[i], route[i].n, route[i].n};
    }
    struct model_window_network net = {links, flows, 16, 5};
    struct model_window *w = model_window_new(&net, &err);
    assert_non_null(w);
    assert_true(model_window_solve(w, NULL, &err));
    static const double asked_mbps[5] = {264, 678, 264, 414, 678};
    for (int i = 0; i < 5; i++)
        assert_near(model_window_rates(w)[i] / 1e6, asked_mbps[i], 1);
    assert_true(residual(&net, w, NULL) < 1e-6);
    model_window_free(w);
}

/* Real Linux: windows 256K 256K in, 512K out gave 45.5 45.4 90.3 of 100 Mb/s: B/2 B/2 B. */
TEST(test_unequal_windows_share_in_proportion)
{
    struct model_transfer t[3];
    double rate[3];
    struct model_platform p = pattern_star_platform(2, 1);
    pattern_star(t, 2, 1);
    t[2].window_bytes = 6e6;
    pattern_rates(&p, t, 3, rate);
    assert_near(rate[0] / rate[2], 2070.0 / 4142, 1e-6); /* whole pairs of segments in 3 and 6 MB */
    assert_near(rate[1] / rate[2], 2070.0 / 4142, 1e-6);
    assert_true(rate[2] > 910e6);
}

/* ACKs before data in both queues: directions part, as in ns-3 (457 457 915, and 305 x 3 and 915). */
TEST(test_ack_first_gives_full_duplex_back)
{
    struct model_transfer t[4];
    double rate[4];
    for (int in = 2; in <= 3; in++) {
        struct model_platform p = pattern_star_platform(in, 1);
        p.nic_ack_first = p.switch_ack_first = true;
        size_t n = pattern_star(t, in, 1);
        pattern_rates(&p, t, n, rate);
        for (int i = 0; i < in; i++)
            assert_near(rate[i] / 1e6, 914.7 / in, 1);
        assert_near(rate[in] / 1e6, 914.7, 1);
    }
}

TEST(test_a_lone_small_window_runs_at_window_per_round_trip)
{
    struct model_transfer t[1];
    double rate[1];
    struct model_platform p = pattern_star_platform(1, 0);
    pattern_star(t, 1, 0);
    /* Empty: 4 * 50 us, a frame of 12.304 us and an ACK of 0.72 us on each of two cables: 226.048 us. Pairs of segments
     * take one frame's time more to leave, unless the first one's mate is at the receiver already. */
    static const struct {
        double window_bytes, flies_bytes, rtt_s;
    } cases[] = {
        {10e3, 6 * 1448, 238.352e-6}, {8688, 6 * 1448, 238.352e-6}, {8687, 4 * 1448, 226.048e-6},
        {2896, 2 * 1448, 238.352e-6}, {2895, 1448, 40226.048e-6},   {1000, 1000, 40226.048e-6},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        t[0].window_bytes = cases[c].window_bytes;
        pattern_rates(&p, t, 1, rate);
        assert_near(rate[0], 8 * cases[c].flies_bytes / cases[c].rtt_s, 1);
    }
    p.segments_per_ack = 1;
    t[0].window_bytes = 8687; /* five segments, an ACK each */
    pattern_rates(&p, t, 1, rate);
    assert_near(rate[0], 8 * 5 * 1448 / 226.048e-6, 1);
}

/* 2/1 of 3 MB: the way in is full and all of every round trip beyond the empty one is waited there, by the flows
 * in as data, by the flow out as ACKs. */
TEST(test_round_trips_split_into_their_parts)
{
    struct model_transfer t[3];
    struct model_platform p = pattern_star_platform(2, 1);
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = pattern_star(t, 2, 1)}, &err));
    CM_OWNED(model_window_rule_free) struct model_window_rule *r = model_window_rule_new(&routes, &err);
    struct model_window *w = model_window_rule_window(r);
    assert_true(model_window_solve(w, NULL, &err));
    for (size_t i = 0; i < 3; i++) {
        struct model_window_rtt rtt = model_window_flow_rtt(w, i);
        double wait_s = 8 * 2070 * 1448 / model_window_rates(w)[i] - 226.048e-6;
        assert_near(rtt.propagation_s, 226.048e-6, 1e-12);
        assert_all_near(1e-9, {rtt.data_wait_s, i < 2 ? wait_s : 0}, {rtt.ack_wait_s, i < 2 ? 0 : wait_s});
    }
    assert_near(model_window_loads(w)[1], 1e9, 1e3);
}

/* Two flows with 30 segments each, from two hosts into one port, over cables of 400 us: alone each has 30 * 1448 * 8
 * bits in 1600 + 3 * 12.304 + 2 * 0.72 us, and the port is busy with each one's data P = 22.5 % of the time. There one
 * meets the other's clump, 30 frames of 12.304 us long, and the pairs that ACKs let go. */
TEST(test_bursts_wait_where_links_are_busy_but_not_full)
{
    struct model_transfer t[2];
    double alone_s = 1638.352e-6, frame_s = 12.304e-6, share = 30 * frame_s / alone_s, rho = 2 * share;
    struct model_platform p = pattern_star_platform(2, 0);
    p.nic.delay_s = 400e-6;
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    pattern_star(t, 2, 0);
    t[0].window_bytes = t[1].window_bytes = 30 * 1448 + 99;
    assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = 2}, &err));
    CM_OWNED(model_window_rule_free) struct model_window_rule *r = model_window_rule_new(&routes, &err);
    struct model_window *w = model_window_rule_window(r);
    for (int times = 0; times <= 4; times++) {
        assert_true(model_window_rule_solve(r, NULL, times, &err));
        double wait_s = times * (rho * rho / 4 * share * 30 * frame_s + share * 2 * frame_s / 8);
        assert_near(model_window_flow_rtt(w, 0).burst_wait_s, wait_s, 1e-9);
        assert_near(model_window_rates(w)[1], 30 * 1448 * 8 / (alone_s + wait_s), 1);
    }
}

/* 3 MB on the same cables: the port is full, and what stands in it is longer than bursts wait there. */
TEST(test_bursts_do_not_wait_twice_where_a_queue_stands)
{
    struct model_transfer t[3];
    double without[3];
    struct model_platform p = pattern_star_platform(2, 1);
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = pattern_star(t, 2, 1)}, &err));
    CM_OWNED(model_window_rule_free) struct model_window_rule *r = model_window_rule_new(&routes, &err);
    struct model_window *w = model_window_rule_window(r);
    assert_true(model_window_rule_solve(r, NULL, 0, &err));
    memcpy(without, model_window_rates(w), sizeof without);
    assert_true(model_window_rule_solve(r, NULL, MODEL_WINDOW_BURSTS_EXPECTED, &err));
    for (int i = 0; i < 3; i++)
        assert_near(model_window_rates(w)[i], without[i], 1e-4 * without[i]);
}

/* Thousands of patterns, with equal and unequal windows, FIFO and ACK-first in any mixture, wide and narrow backbones.
 * The judge is residual() above. */
TEST(test_random_patterns_converge)
{
    static struct model_transfer t[PATTERN_MOST];
    static const struct {
        int nodes, d;
    } sizes[] = {{4, 3}, {10, 1}, {10, 3}, {20, 2}, {30, 3}, {30, 4}};
    int rack[30];
    for (uint64_t seed = 0; seed < 4000; seed += (uint64_t)cm_every()) {
        int nodes = sizes[seed % 6].nodes;
        struct model_platform p = pattern_two_racks(nodes, rack);
        p.nic_ack_first = seed / 6 % 5 == 1 || seed / 6 % 5 == 2;
        p.switch_ack_first = seed / 6 % 5 == 2 || seed / 6 % 5 == 3;
        if (seed % 7 < 2)
            p.backbone = p.nic;
        size_t n = pattern_random(t, nodes, sizes[seed % 6].d, seed % 2, seed);
        if (n == 0)
            continue;
        MEMORY_ENDS(model_routes_fini) struct model_routes routes;
        assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = n}, &err));
        CM_OWNED(model_window_rule_free) struct model_window_rule *r = model_window_rule_new(&routes, &err);
        struct model_window *w = model_window_rule_window(r);
        if (!model_window_solve(w, NULL, &err))
            fail_msg("seed %d: %s", (int)seed, err.message);
        double worst = residual(model_window_rule_network(r), w, NULL);
        if (!(worst < 1e-6))
            fail_msg("seed %d: residual %g", (int)seed, worst);
        assert_near(worst, model_window_residual(w), 1e-6);
    }
}

/* The same rates from a start elsewhere: half of the flows solved first. */
TEST(test_the_start_does_not_matter)
{
    static struct model_transfer t[PATTERN_MOST];
    static double cold[PATTERN_MOST];
    static bool half[PATTERN_MOST];
    int rack[30];
    for (uint64_t seed = 0; seed < 500; seed += (uint64_t)cm_every()) {
        struct model_platform p = pattern_two_racks(30, rack);
        size_t n = pattern_random(t, 30, 2, seed % 2, seed);
        MEMORY_ENDS(model_routes_fini) struct model_routes routes;
        assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = n}, &err));
        CM_OWNED(model_window_rule_free) struct model_window_rule *r = model_window_rule_new(&routes, &err);
        struct model_window *w = model_window_rule_window(r);
        assert_true(model_window_solve(w, NULL, &err));
        memcpy(cold, model_window_rates(w), n * sizeof *cold);
        for (size_t i = 0; i < n; i++)
            half[i] = (i + seed) % 2;
        assert_true(model_window_solve(w, half, &err));
        for (size_t i = 0; i < n; i++)
            assert_true(half[i] ? model_window_rates(w)[i] > 0 : !(model_window_rates(w)[i] > 0));
        assert_true(model_window_solve(w, NULL, &err));
        for (size_t i = 0; i < n; i++)
            if (!(fabs(model_window_rates(w)[i] - cold[i]) <= 1e-4 * cold[i]))
                fail_msg("seed %d, flow %zu: %g and %g", (int)seed, i, cold[i], model_window_rates(w)[i]);
    }
}

/* The law from nothing. */
static void solve_afresh(const struct model_routes *routes, const bool *active, double *rate_bps)
{
    struct error err;
    CM_OWNED(model_window_rule_free) struct model_window_rule *r = model_window_rule_new(routes, &err);
    if (!r || !model_window_rule_solve(r, active, 0, &err))
        fail_msg("%s", err.message);
    memcpy(rate_bps, model_window_rates(model_window_rule_window(r)), routes->pattern.n * sizeof *rate_bps);
}

static void assert_same_rates(const double *rate_bps, const double *afresh_bps, size_t n, double relative, int seed)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(rate_bps[i] - afresh_bps[i]) <= relative * afresh_bps[i]))
            fail_msg("seed %d, flow %zu: %.9g and %.9g", seed, i, rate_bps[i], afresh_bps[i]);
}

/* Networks drawn of some size, in which flows start and end. */
struct changing {
    int nodes;
    uint64_t first, last; /* seeds */
    int changes;          /* of one to three flows */
    double residual, rates; /* at most; rates: how far off one may be */
    size_t least;         /* flows, at least */
    size_t alone;         /* changes solved alone for each solution of everything, of which each network has one first */
};

/* Flows start and end, some at a time; what they reach is solved alone and must be what solving everything from nothing
 * gives: random networks, windows equal and not, FIFO and ACK-first (which can have two solutions, so that residual()
 * alone is the judge: seed 37 of 60 nodes has 891 and 862 Mb/s for flow 29). Of bursts, the same waits between the same
 * queues: once another number of them was asked for, they are found from all flows. */
static void changes_solved_alone(const struct changing *c)
{
    static struct model_transfer t[PATTERN_MOST];
    static double rate[PATTERN_MOST], afresh[PATTERN_MOST];
    static bool active[PATTERN_MOST];
    static int rack[1000];
    struct error err;
    size_t alone = 0, whole = 0;
    for (uint64_t seed = c->first; seed <= c->last; seed += (uint64_t)cm_every()) {
        struct model_platform p = pattern_two_racks(c->nodes, rack);
        p.nic_ack_first = seed / 2 % 5 == 1 || seed / 2 % 5 == 2;
        p.switch_ack_first = seed / 2 % 5 == 2 || seed / 2 % 5 == 3;
        bool fifo = !p.nic_ack_first && !p.switch_ack_first;
        if (seed % 7 < 2)
            p.backbone = p.nic;
        size_t n = pattern_random(t, c->nodes, 1 + (int)(seed % 3), seed % 2, seed);
        if (n < c->least)
            continue;
        MEMORY_ENDS(model_routes_fini) struct model_routes routes;
        assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = n}, &err));
        CM_OWNED(model_window_rule_free) struct model_window_rule *r = model_window_rule_new(&routes, &err);
        struct model_window *w = model_window_rule_window(r);
        struct random random = random_of(seed);
        for (size_t i = 0; i < n; i++)
            active[i] = seed % 3;
        for (int k = 0; k < c->changes; k++) {
            for (uint64_t flips = 1 + random_below(&random, 3); flips > 0; flips--)
                active[random_below(&random, n)] ^= true;
            active[k % 2] = true;
            assert_true(model_window_rule_solve(r, active, 0, &err));
            solve_afresh(&routes, active, afresh);
            if (fifo)
                assert_same_rates(model_window_rates(w), afresh, n, c->rates, (int)seed);
            assert_true(residual(model_window_rule_network(r), w, active) <= c->residual);
            struct model_window_cost before = model_window_costs(w);
            assert_true(model_window_add_bursts(w, 2896, MODEL_WINDOW_BURSTS_EXPECTED, &err));
            assert_true(model_window_residual(w) <= c->residual);
            memcpy(rate, model_window_rates(w), n * sizeof *rate);
            alone += model_window_costs(w).solved_near - before.solved_near;
            whole += model_window_costs(w).solved_whole - before.solved_whole;
            if (k % 4)
                continue;
            assert_true(model_window_add_bursts(w, 2896, MODEL_WINDOW_BURSTS_MOST, &err));
            assert_true(model_window_add_bursts(w, 2896, MODEL_WINDOW_BURSTS_EXPECTED, &err));
            if (fifo)
                assert_same_rates(rate, model_window_rates(w), n, c->rates, (int)seed);
        }
    }
    assert_true(alone > c->alone * whole);
}

TEST(test_changes_solved_alone_are_the_whole_solution)
{
    changes_solved_alone(&(struct changing){.nodes = 60, .last = 119, .changes = 40, .residual = 1e-6, .rates = 1e-3,
                                            .alone = 20});
}

/* The same where many flows have wider tolerances, over backbones that are not full: windows equal and not. Rates differ
 * by less than 1e-2: where a slow flow shares a full link with a fast one, little of the load tells what it waits. */
TEST(test_changes_among_many_solved_alone)
{
    changes_solved_alone(&(struct changing){.nodes = 1000, .first = 10, .last = 11, .changes = 9,
                                            .least = MODEL_WINDOW_FEW + 1, .alone = 7, .rates = 1e-2,
                                            .residual = 1.01 * MODEL_WINDOW_NEAR_OF_MANY});
}

static void refused(struct model_window_network net, const char *word)
{
    struct error err;
    assert_null(model_window_new(&net, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    if (!strstr(err.message, word))
        fail_msg("'%s' is not in '%s'", word, err.message);
}

TEST(test_a_bad_network_is_refused_by_what_is_wrong)
{
    const int path[] = {0}, far[] = {1};
    const struct model_window_link link = {1e9, false}, dead = {0, false};
    struct model_window_flow f = {1e6, 1e-3, S, A, path, path, 1, 1};
    refused((struct model_window_network){&link, &f, 1, 0}, "no flows");
    refused((struct model_window_network){&dead, &f, 1, 1}, "link 0: rate");
    f.window_bytes = NAN;
    refused((struct model_window_network){&link, &f, 1, 1}, "flow 0: window");
    f.window_bytes = 1e6;
    f.base_rtt_s = 0;
    refused((struct model_window_network){&link, &f, 1, 1}, "round trip");
    f.base_rtt_s = 1e-3;
    f.ack_wire_per_byte = -1;
    refused((struct model_window_network){&link, &f, 1, 1}, "ACK wire");
    f.ack_wire_per_byte = A;
    f.data = far;
    refused((struct model_window_network){&link, &f, 1, 1}, "data path: link 1");
    f.data = path;
    f.n_ack = 0;
    refused((struct model_window_network){&link, &f, 1, 1}, "ACK path: no links");
}

/* ACKs of a fast link fill one of 1 Mb/s that carries data too and serves ACKs first: the ACKs wait for nobody, so
 * nothing slows them, and the data behind them never move. */
TEST(test_acks_that_overload_a_link_that_serves_them_first_have_no_fixed_point)
{
    const int fast[] = {0}, slow[] = {1};
    const struct model_window_link links[] = {{10e9, false}, {1e6, true}};
    const struct model_window_flow flows[] = {{1e6, 1e-3, S, A, fast, slow, 1, 1}, {1e6, 1e-3, S, A, slow, fast, 1, 1}};
    struct model_window *w = model_window_new(&(struct model_window_network){links, flows, 2, 2}, &err);
    assert_non_null(w);
    assert_false(model_window_solve(w, NULL, &err));
    assert_non_null(strstr(err.message, "no fixed point"));
    model_window_free(w);
}
