/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fluid.h"

#include "model/timeline.h"
#include "model/window/window_rule.h"
#include "test/model/patterns.h"

#include "test/cm.h"

#define MOST 64
#define S (1538.0 / 1448) /* wire bytes per byte of payload */
#define assert_within(a, b, relative) assert_true(fabs((a) - (b)) <= (relative) * fabs(b))

static struct model_fluid_cost cost; /* of the latest */

/* Completion times of a pattern, and a flow's empty round trip. */
static double completion(const struct model_platform *p, const struct model_transfer *t, size_t n, const size_t *order,
                         double *end_s)
{
    struct error err;
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    double bytes[MOST], start_s[MOST];
    assert_true(n <= MOST && model_routes_init(&routes, p, &(struct model_pattern){.transfers = t, .n = n}, &err));
    struct model_window_rule *r = model_window_rule_new(&routes, &err);
    assert_non_null(r);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = t[i].bytes;
        start_s[i] = t[i].start_s;
    }
    cost = model_fluid_run(model_window_rule_network(r), bytes, start_s, order, end_s, NULL, NULL);
    double trip_s = model_window_rule_network(r)->flows[0].base_rtt_s;
    model_window_rule_free(r);
    return trip_s;
}

/* Alone: the window once a round trip, or the wire without a pause; and half an empty round trip to arrive. */
TEST(test_alone)
{
    struct model_platform p = pattern_star_platform(1, 0);
    struct model_transfer t = {1, 0, 10e6, 3e6, 0.5};
    double end_s;
    double trip_s = completion(&p, &t, 1, NULL, &end_s);
    assert_within(end_s - 0.5, 8 * 10e6 * S / 1e9 + trip_s / 2, 0.003);
    t.window_bytes = 10e3; /* six segments in 0.28 ms: far from 1 Gb/s */
    trip_s = completion(&p, &t, 1, NULL, &end_s);
    assert_within(end_s - 0.5, 10e6 / 8688 * trip_s, 0.01);
}

/* However long, it takes no more steps, at the rates of a tenth of it: at most 20 turns after each of three starts and
 * three ends, a turn being the three windows one behind the other, and one before. Three flows through a star settle at the rates of the window law,
 * B / 2 each (README.md). */
TEST(test_time_of_running_does_not_grow_with_bytes)
{
    struct model_platform p = pattern_star_platform(2, 1);
    double earlier_s = 0;
    for (double bytes = 1e9; bytes < 1e19; bytes *= 10) {
        struct model_transfer t[] = {{1, 0, bytes, 3e6, 0}, {2, 0, bytes, 3e6, 1e-4}, {0, 3, bytes, 3e6, 2e-4}};
        double end_s[3];
        completion(&p, t, 3, NULL, end_s);
        for (int i = 0; i < 3; i++)
            assert_within(end_s[i], 2 * 8 * bytes * S / 1e9, 0.02);
        if (earlier_s > 0)
            assert_within(end_s[1], 10 * earlier_s, 1e-4);
        double step_s = 8 * 2070 * 1448 * S / 1e9 / 200; /* a 200th of a window's time */
        assert_all((double)cost.steps < 6 * 21 * 3 * 8 * 3e6 * S / 1e9 / step_s, cost.jumps > 0);
        earlier_s = end_s[1];
    }
}

#define TICKS 4000
#define TICK_S 0.002

/* Completion times of a pattern of n among 10 hosts of 12; `ticking`: all the while two more hosts send one window after
 * the other, which nobody shares a queue with, so that the fluid never leaves a step out. */
static void completion_beside(const struct model_platform *p, const struct model_transfer *t, size_t n, bool ticking,
                              double *end_s)
{
    static struct model_transfer all[MOST + TICKS];
    static double bytes[MOST + TICKS], start_s[MOST + TICKS], ends_s[MOST + TICKS];
    struct error err;
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    size_t most = n + (ticking ? TICKS : 1);
    memcpy(all, t, n * sizeof *t);
    for (size_t i = n; i < most; i++)
        all[i] = (struct model_transfer){10, 11, 25e3, 250e3, TICK_S * (double)(i - n)};
    assert_true(model_routes_init(&routes, p, &(struct model_pattern){.transfers = all, .n = most}, &err));
    struct model_window_rule *r = model_window_rule_new(&routes, &err);
    assert_non_null(r);
    for (size_t i = 0; i < most; i++) {
        bytes[i] = all[i].bytes;
        start_s[i] = all[i].start_s;
    }
    cost = model_fluid_run(model_window_rule_network(r), bytes, start_s, NULL, ends_s, NULL, NULL);
    memcpy(end_s, ends_s, n * sizeof *end_s);
    model_window_rule_free(r);
}

/* Steps left out cost next to nothing: random patterns with messages of 60 to 180 MB, windows equal and not, against the
 * same with every step. */
TEST(test_steps_left_out_change_nothing)
{
    size_t links = 0, jumps = 0;
    double sum = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct model_transfer t[PATTERN_MOST];
        int rack[12];
        double with[MOST], without[MOST];
        struct model_platform p = pattern_two_racks(12, rack);
        size_t n = pattern_random(t, 10, 1, seed % 2, seed);
        for (size_t i = 0; i < n; i++)
            t[i].bytes = 60e6 * (double)(1 + (i + seed) % 3);
        completion_beside(&p, t, n, true, without);
        assert_int_equal(cost.jumps, 0);
        completion_beside(&p, t, n, false, with);
        jumps += cost.jumps;
        for (size_t i = 0; i < n; i++) {
            assert_true(without[i] < TICKS * TICK_S);
            assert_within(with[i], without[i], 0.02);
            sum += fabs(with[i] / without[i] - 1);
        }
        links += n;
    }
    assert_all(jumps > 20 && links > 40, sum / (double)links < 1e-3);
}

/* A pattern too long to be stepped through is the law's, and close to what steps say of a tenth of it. */
TEST(test_long_transfers_are_the_laws)
{
    size_t links = 0;
    double sum = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct model_transfer t[PATTERN_MOST];
        int rack[10];
        double steps[MOST], law[MOST];
        struct model_platform p = pattern_two_racks(10, rack);
        size_t n = pattern_random(t, 10, 2, seed % 2, seed);
        for (size_t i = 0; i < n; i++)
            t[i].bytes = 400e6;
        completion(&p, t, n, NULL, steps);
        assert_true(cost.steps > 0);
        for (size_t i = 0; i < n; i++)
            t[i].bytes = 400e9;
        completion(&p, t, n, NULL, law);
        assert_true(cost.steps == 0);
        for (size_t i = 0; i < n; i++)
            sum += fabs(law[i] / steps[i] / 1000 - 1);
        links += n;
    }
    assert_all(links > 40, sum / (double)links < 0.01);
}

/* Windows that hold the whole message stand in the sender's queue one behind the other: the first of two is done after
 * its own time, the second after both. */
TEST(test_order_of_a_burst)
{
    struct model_platform p = pattern_star_platform(0, 2);
    struct model_transfer t[2];
    double end_s[2], one_s = 8 * 3e6 * S / 1e9;
    assert_int_equal(pattern_star(t, 0, 2), 2);
    t[0].bytes = t[1].bytes = 3e6;
    for (int turned = 0; turned < 2; turned++) {
        size_t order[] = {(size_t)turned, (size_t)!turned};
        completion(&p, t, 2, order, end_s);
        assert_within(end_s[turned], one_s, 0.01);
        assert_within(end_s[!turned], 2 * one_s, 0.01);
    }
}

/* Two rates of one transfer: between messages of one size and twice the size it is the steady one. */
static void steady_rates(const struct model_platform *p, struct model_transfer *t, size_t n, double bytes, double *rate)
{
    double once[MOST], twice[MOST];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            t[k].bytes = k == i ? bytes : INFINITY;
        completion(p, t, n, NULL, once);
        assert_true(n == 1 || isinf(once[(i + 1) % n])); /* endless */
        t[i].bytes = 2 * bytes;
        completion(p, t, n, NULL, twice);
        rate[i] = 8 * bytes / (twice[i] - once[i]);
    }
}

static void law_rates(const struct model_platform *p, const struct model_transfer *t, size_t n, double *rate)
{
    struct error err;
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    assert_true(model_routes_init(&routes, p, &(struct model_pattern){.transfers = t, .n = n}, &err));
    struct model_window_rule *r = model_window_rule_new(&routes, &err);
    assert_true(r && model_window_solve(model_window_rule_window(r), NULL, &err));
    memcpy(rate, model_window_rates(model_window_rule_window(r)), n * sizeof *rate);
    model_window_rule_free(r);
}

/* What it settles at is the window law's fixed point: stars, windows equal and not, ACKs first. */
TEST(test_settles_at_the_window_law)
{
    static const struct {
        int in, out;
        double lone_window;
        bool ack_first;
    } cases[] = {{1, 1, 0, false}, {2, 1, 0, false}, {3, 1, 0, false}, {1, 2, 0, false},
                 {2, 1, 500e3, false}, {2, 1, 125e3, false}, {2, 1, 0, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct model_transfer t[8];
        double fluid[8], law[8];
        struct model_platform p = pattern_star_platform(cases[c].in, cases[c].out);
        p.nic_ack_first = p.switch_ack_first = cases[c].ack_first;
        size_t n = pattern_star(t, cases[c].in, cases[c].out);
        for (size_t i = 0; i < n; i++)
            t[i].window_bytes = i == n - 1 && cases[c].lone_window > 0 ? cases[c].lone_window : 250e3;
        law_rates(&p, t, n, law);
        steady_rates(&p, t, n, 40e6, fluid);
        for (size_t i = 0; i < n; i++)
            assert_within(fluid[i], law[i], 0.02);
    }
}

/* Messages long against the windows: Algorithm 2 with the law's rates gives nearly the same times. */
TEST(test_long_messages_over_random_patterns)
{
    double sum = 0;
    size_t links = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct model_transfer t[PATTERN_MOST];
        struct model_routes routes;
        int rack[10];
        double fluid[MOST], law[MOST];
        struct model_platform p = pattern_two_racks(10, rack);
        size_t n = pattern_random(t, 10, 2, false, seed);
        for (size_t i = 0; i < n; i++)
            t[i].bytes = 40e6;
        completion(&p, t, n, NULL, fluid);
        assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = n}, &err));
        assert_true(model_timeline_run(&routes, &model_rule_window, law, NULL, NULL, &err));
        model_routes_fini(&routes);
        for (size_t i = 0; i < n; i++)
            sum += fabs(fluid[i] / law[i] - 1);
        links += n;
    }
    assert_all(links > 40, sum / (double)links < 0.02);
}
