/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/timeline.h"

#include "test/model/patterns.h"

#include "test/cm.h"

static void run(const struct model_platform *p, const struct model_transfer *t, size_t n, const struct model_rule *rule,
                double *completion_s, void (*step)(void *, const struct model_step *), void *user)
{
    struct error err;
    struct model_routes routes;
    assert_true(model_routes_init(&routes, p, &(struct model_pattern){.transfers = t, .n = n}, &err));
    assert_true(model_timeline_run(&routes, rule, completion_s, step, user, &err));
    model_routes_fini(&routes);
}

/* Two transfers out of one node, 940 Mb/s. The first alone sends 47 MB in 0.4 s; from then on both have 470 Mb/s:
 * its other 23.5 MB take 0.4 s more (0.8 s). The second then has 23.5 of its 47 MB left, at 940 Mb/s: 1.0 s. */
TEST(test_a_later_start_changes_rates_when_it_comes)
{
    struct model_platform p = pattern_star_platform(0, 2);
    const struct model_transfer t[] = {{0, 1, 70.5e6, 1e6, 0}, {0, 2, 47e6, 1e6, 0.4}};
    double done[2];
    run(&p, t, 2, &model_rule_algorithm1, done, NULL, NULL);
    assert_all_near(1e-9, {done[0], 0.8}, {done[1], 1.0});
}

TEST(test_time_passes_before_the_first_start)
{
    struct model_platform p = pattern_star_platform(0, 2);
    const struct model_transfer t[] = {{0, 1, 11.75e6, 1e6, 2}, {0, 2, 11.75e6, 1e6, 5}};
    double done[2];
    run(&p, t, 2, &model_rule_maxmin, done, NULL, NULL);
    assert_all_near(1e-9, {done[0], 2.1}, {done[1], 5.1});
}

TEST(test_an_endless_transfer_never_completes)
{
    struct model_platform p = pattern_star_platform(0, 2);
    const struct model_transfer t[] = {{0, 1, INFINITY, 1e6, 0}, {0, 2, 5.875e6, 1e6, 0}};
    double done[2];
    run(&p, t, 2, &model_rule_eq6, done, NULL, NULL);
    assert_true(isinf(done[0]));
    assert_near(done[1], 0.1, 1e-9);
}

/* Far from 0 a step may be shorter than a double can add to the time: it must end all the same. */
TEST(test_tiny_messages_late_are_done)
{
    struct model_platform p = pattern_star_platform(0, 2);
    const struct model_transfer t[] = {{0, 1, 1, 1e6, 1e9}, {0, 2, 3, 1e6, 1e9}};
    double done[2];
    run(&p, t, 2, &model_rule_algorithm1, done, NULL, NULL);
    assert_all_near(1e-3, {done[0], 1e9}, {done[1], 1e9});
}

struct sums {
    double *bits;
    size_t n, steps;
    double end_s;
};

static void add_step(void *user, const struct model_step *step)
{
    struct sums *s = user;
    assert_int_equal(step->number, s->steps);
    assert_near(step->start_s, s->end_s, 0);
    assert_true(step->end_s > step->start_s);
    for (size_t i = 0; i < s->n; i++) {
        assert_true(step->active[i] ? step->rate_bps[i] > 0 : !(fabs(step->rate_bps[i]) > 0));
        s->bits[i] += (step->end_s - step->start_s) * step->rate_bps[i];
    }
    s->steps++;
    s->end_s = step->end_s;
}

TEST(test_every_rule_moves_every_byte_once)
{
    static struct model_transfer t[PATTERN_MOST];
    static double done[PATTERN_MOST], bits[PATTERN_MOST];
    static const struct model_rule *const rules[] = {&model_rule_eq5,      &model_rule_eq6,    &model_rule_algorithm1,
                                                     &model_rule_fairness, &model_rule_maxmin, &model_rule_window};
    int rack[20];
    for (uint64_t seed = 0; seed < 60; seed++)
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
            int nodes = seed % 2 ? 10 : 20;
            struct model_platform p = pattern_two_racks(nodes, rack);
            size_t n = pattern_random(t, nodes, 1 + (int)(seed % 3), true, seed);
            if (n == 0)
                continue;
            for (size_t i = 0; i < n; i++)
                t[i].bytes = 1e6 * (double)(1 + (i * 7 + seed) % 5);
            struct sums sums = {bits, n, 0, 0};
            for (size_t i = 0; i < n; i++)
                bits[i] = 0;
            run(&p, t, n, rules[k], done, add_step, &sums);
            assert_true(sums.steps <= n);
            double last = 0;
            for (size_t i = 0; i < n; i++) {
                assert_near(bits[i], 8 * t[i].bytes, 1e-6 * 8 * t[i].bytes);
                last = fmax(last, done[i]);
            }
            assert_near(last, sums.end_s, 0);
        }
}
