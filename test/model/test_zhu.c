/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/zhu.h"

#include "base/random.h"
#include "model/timeline.h"
#include "test/model/patterns.h"

#include "test/cm.h"

static size_t rates(const struct model_platform *p, const struct model_transfer *t, size_t n, bool contra_flow,
                    double *rate_bps)
{
    struct error err;
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    assert_true(model_routes_init(&routes, p, &(struct model_pattern){.transfers = t, .n = n}, &err));
    struct model_zhu *z = model_zhu_new(&routes, contra_flow);
    assert_non_null(z);
    size_t rounds = model_zhu_rates(z, NULL, rate_bps);
    model_zhu_free(z);
    return rounds;
}

struct table1 {
    double rate_bps[2][5];
    size_t steps;
};

static void keep_step(void *user, const struct model_step *step)
{
    struct table1 *t = user;
    assert_true(step->number < 2);
    memcpy(t->rate_bps[step->number], step->rate_bps, sizeof t->rate_bps[0]);
    t->steps = step->number + 1;
}

/* The paper cuts its digits off: 626.67 is printed as 626.6, 0.42553 as 0.425. */
static double cut(double value, double digits)
{
    return floor(value * digits * (1 + 1e-12)) / digits;
}

TEST(test_table_1_to_the_digits_printed)
{
    struct model_platform p = pattern_figure1_platform();
    struct model_routes routes;
    assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = pattern_figure1, .n = 5}, &err));
    struct table1 table = {.steps = 0};
    double completion_s[5];
    assert_true(model_timeline_run(&routes, &model_rule_algorithm1, completion_s, keep_step, &table, &err));
    assert_int_equal(table.steps, 2);
    model_routes_fini(&routes);

    FILE *f = fopen(TEST_PAPERS "/zhu2014_table1.csv", "r");
    assert_non_null(f);
    char line[256];
    int checked = 0;
    while (fgets(line, sizeof line, f)) {
        int e;
        double size_mb, step1, step2, time_s;
        if (sscanf(line, "e%d,%*[^,],%*[^,],%lf,%lf,%lf,%lf", &e, &size_mb, &step1, &step2, &time_s) != 5) {
            step2 = 0; /* done after the first step */
            if (sscanf(line, "e%d,%*[^,],%*[^,],%lf,%lf,,%lf", &e, &size_mb, &step1, &time_s) != 4)
                continue;
        }
        assert_near(pattern_figure1[e - 1].bytes, size_mb * 1e6, 0);
        assert_near(cut(table.rate_bps[0][e - 1] / 1e6, 10), step1, 1e-9);
        assert_near(cut(table.rate_bps[1][e - 1] / 1e6, 10), step2, 1e-9);
        assert_near(cut(completion_s[e - 1], 1000), time_s, 1e-9);
        checked++;
    }
    fclose(f);
    assert_int_equal(checked, 5);
}

TEST(test_two_in_one_out_have_half_each)
{
    struct model_transfer t[3];
    double rate[3];
    struct model_platform p = pattern_star_platform(2, 1);
    rates(&p, t, pattern_star(t, 2, 1), true, rate);
    for (int i = 0; i < 3; i++)
        assert_near(rate[i], 470e6, 1);
    rates(&p, t, 3, false, rate); /* fairness: the way out has its direction to itself */
    assert_near(rate[2], 940e6, 1);
}

/* Node 0 has two transfers in, which their senders' NICs (three out each) hold at 940/3: 626.7 of 940 Mb/s do not
 * fill the cable, so the transfer out of node 0 is sent back and settled by with-flow traffic alone: 940. */
TEST(test_contra_flow_that_fills_no_cable_is_struck)
{
    struct model_platform p = pattern_platform();
    p.n_nodes = 8;
    p.nic.goodput_bps = 940e6;
    const struct model_transfer t[] = {
        {1, 0, 1e6, 1e6, 0}, {1, 3, 1e6, 1e6, 0}, {1, 4, 1e6, 1e6, 0}, {2, 0, 1e6, 1e6, 0},
        {2, 5, 1e6, 1e6, 0}, {2, 6, 1e6, 1e6, 0}, {0, 7, 1e6, 1e6, 0},
    };
    double rate[7];
    size_t rounds = rates(&p, t, 7, true, rate);
    assert_all_near(1, {rate[0], 940e6 / 3}, {rate[3], 940e6 / 3}, {rate[6], 940e6});
    assert_int_equal(rounds, 8); /* one more than transfers */
}

/* Node 3's cable in carries a, b and c. Hub 2 takes in ten at 94 each, four of node 0 and three of node 1. a (node 0
 * has five out) is given what those leave, 940 - 4 * 94 = 564; b (node 1 has four out) 940 - 3 * 94 = 658: neither
 * looks at node 3, where k is only 3. For c that leaves -282: it has the fair share of 940/3. */
TEST(test_an_overbooked_cable_gives_its_fair_share)
{
    struct model_platform p = pattern_platform();
    p.n_nodes = 8;
    p.nic.goodput_bps = 940e6;
    struct model_transfer t[13];
    for (int i = 0; i < 10; i++)
        t[i] = (struct model_transfer){i < 4 ? 0 : i < 7 ? 1 : i - 3, 2, 1e6, 1e6, 0};
    t[10] = (struct model_transfer){0, 3, 1e6, 1e6, 0};
    t[11] = (struct model_transfer){1, 3, 1e6, 1e6, 0};
    t[12] = (struct model_transfer){7, 3, 1e6, 1e6, 0};
    double rate[13];
    rates(&p, t, 13, true, rate);
    assert_all_near(1, {rate[0], 94e6}, {rate[10], 564e6}, {rate[11], 658e6}, {rate[12], 940e6 / 3});
}

static const struct {
    int nodes, d;
} sizes[] = {{4, 3}, {10, 1}, {10, 3}, {20, 2}, {30, 3}};

TEST(test_the_order_of_the_pattern_does_not_matter)
{
    static struct model_transfer t[PATTERN_MOST], shuffled[PATTERN_MOST];
    static double rate[PATTERN_MOST], again[PATTERN_MOST];
    static size_t at[PATTERN_MOST];
    int rack[30];
    struct random r = random_of(1);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        int nodes = sizes[seed % 5].nodes;
        struct model_platform p = pattern_two_racks(nodes, rack);
        size_t n = pattern_random(t, nodes, sizes[seed % 5].d, false, seed);
        if (n == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            at[i] = i;
        for (size_t i = n; i-- > 1;) {
            size_t j = random_below(&r, i + 1), keep = at[i];
            at[i] = at[j];
            at[j] = keep;
        }
        for (size_t i = 0; i < n; i++)
            shuffled[i] = t[at[i]];
        rates(&p, t, n, true, rate);
        rates(&p, shuffled, n, true, again);
        for (size_t i = 0; i < n; i++)
            assert_near(again[i], rate[at[i]], 1e-9 * rate[at[i]]);
    }
}

TEST(test_it_ends_in_twice_as_many_rounds_as_transfers)
{
    static struct model_transfer t[PATTERN_MOST];
    static double rate[PATTERN_MOST];
    int rack[30];
    for (uint64_t seed = 0; seed < 5000; seed++) {
        int nodes = sizes[seed % 5].nodes;
        struct model_platform p = pattern_two_racks(nodes, rack);
        if (seed % 3 == 0)
            p.backbone = p.nic; /* electrical */
        size_t n = pattern_random(t, nodes, sizes[seed % 5].d, false, seed);
        if (n == 0)
            continue;
        assert_true(rates(&p, t, n, true, rate) <= 2 * n);
        for (size_t i = 0; i < n; i++)
            assert_true(rate[i] > 0 && rate[i] <= p.nic.goodput_bps * (1 + 1e-9));
    }
}

/* The algorithm as model/zhu.h has it, transfer by transfer: no levels, no queue, every sum anew. */
#define SLOW_MOST 200
#define SAME 1e-9

struct slow {
    const struct model_routes *r;
    bool settled[SLOW_MOST], struck[SLOW_MOST][16];
    double rate[SLOW_MOST];
};

/* Members of the set of a link: all, settled ones, what these take, and the fastest of them. */
struct slow_set {
    double all, settled, used_bps, fastest_bps;
};

static struct slow_set slow_set(const struct slow *s, int link)
{
    struct slow_set set = {0};
    for (size_t i = 0; i < s->r->pattern.n; i++)
        for (int h = 0; h < s->r->route[i].n; h++) {
            if (s->r->route[i].link[h] != link)
                continue;
            set.all++;
            set.settled += s->settled[i];
            set.used_bps += s->settled[i] ? s->rate[i] : 0;
            set.fastest_bps = s->settled[i] ? fmax(set.fastest_bps, s->rate[i]) : set.fastest_bps;
        }
    return set;
}

static double slow_factor(const struct slow *s, int link)
{
    return slow_set(s, link).all / s->r->goodput_bps[link];
}

static void slow_factors(const struct slow *s, size_t i, double *k, double *k_bar)
{
    *k = *k_bar = 0;
    for (int h = 0; h < s->r->route[i].n; h++) {
        *k = fmax(*k, slow_factor(s, s->r->route[i].link[h]));
        *k_bar = s->struck[i][h] ? *k_bar : fmax(*k_bar, slow_factor(s, s->r->route[i].link[h] ^ 1));
    }
}

static int slow_order(double a, double b)
{
    return a > b * (1 + SAME) ? 1 : b > a * (1 + SAME) ? -1 : 0;
}

/* Lines 7-10. */
static double slow_with_flow(const struct slow *s, size_t i, double k)
{
    double rate = s->r->platform.nic.goodput_bps;
    for (int h = 0; h < s->r->route[i].n; h++) {
        int link = s->r->route[i].link[h];
        struct slow_set set = slow_set(s, link);
        double left_bps = s->r->goodput_bps[link] - set.used_bps;
        if (slow_order(slow_factor(s, link), k) == 0)
            rate = fmin(rate, left_bps > SAME * s->r->goodput_bps[link] ? left_bps / (set.all - set.settled)
                                                                        : s->r->goodput_bps[link] / set.all);
    }
    return rate;
}

/* Lines 11-20; 0: sets were struck. */
static double slow_contra_flow(struct slow *s, size_t i, double k_bar)
{
    double rate = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int h = 0; h < s->r->route[i].n; h++) {
            int link = s->r->route[i].link[h] ^ 1;
            struct slow_set set = slow_set(s, link);
            if (s->struck[i][h] || slow_order(slow_factor(s, link), k_bar) != 0)
                continue;
            if (pass == 0 && set.used_bps >= (1 - 1e-6) * s->r->goodput_bps[link])
                rate = fmin(rate, set.fastest_bps);
            s->struck[i][h] = pass == 1 && isinf(rate);
        }
    return isfinite(rate) ? rate : 0;
}

static void slow_rates(struct slow *s)
{
    for (;;) {
        double key[3] = {0}, share = INFINITY, k, k_bar;
        size_t first = SIZE_MAX;
        for (size_t i = 0; i < s->r->pattern.n; i++) {
            if (s->settled[i])
                continue;
            slow_factors(s, i, &k, &k_bar);
            double mine[3] = {fmax(k, k_bar), k, k_bar};
            int order = first == SIZE_MAX ? 1 : 0;
            for (int j = 0; order == 0 && j < 3; j++)
                order = slow_order(mine[j], key[j]);
            double its = order >= 0 && slow_order(k, k_bar) >= 0 ? slow_with_flow(s, i, k) : 0;
            if (order > 0 || (order == 0 && its < share)) {
                memcpy(key, mine, sizeof key);
                share = its;
                first = i;
            }
        }
        if (first == SIZE_MAX)
            return;
        double rate = slow_order(key[1], key[2]) >= 0 ? share : slow_contra_flow(s, first, key[2]);
        s->settled[first] = rate > 0;
        s->rate[first] = rate;
    }
}

TEST(test_rates_are_those_of_the_algorithm_transfer_by_transfer)
{
    static struct model_transfer t[PATTERN_MOST];
    static double rate[PATTERN_MOST];
    int rack[30], contra_decides = 0;
    for (uint64_t seed = 0; seed < 600; seed += (uint64_t)cm_every()) {
        int nodes = sizes[seed % 4].nodes; /* the largest take minutes */
        struct model_platform p = pattern_two_racks(nodes, rack);
        if (seed % 3 == 0)
            p.backbone = p.nic; /* electrical */
        size_t n = pattern_random(t, nodes, sizes[seed % 4].d, false, seed);
        if (n == 0 || n > SLOW_MOST)
            continue;
        MEMORY_ENDS(model_routes_fini) struct model_routes routes;
        assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = n}, &err));
        struct slow s = {.r = &routes}, fair = {.r = &routes};
        memset(fair.struck, true, sizeof fair.struck);
        slow_rates(&s);
        slow_rates(&fair);
        rates(&p, t, n, true, rate);
        for (size_t i = 0; i < n; i++) {
            assert_near(rate[i], s.rate[i], 1e-6 * s.rate[i]);
            contra_decides += fabs(s.rate[i] - fair.rate[i]) > 1e-3 * s.rate[i];
        }
        rates(&p, t, n, false, rate);
        for (size_t i = 0; i < n; i++)
            assert_near(rate[i], fair.rate[i], 1e-6 * fair.rate[i]);
    }
    assert_true(contra_decides > 100);
}
