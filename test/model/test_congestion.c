/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/congestion.h"

#include "model/rule.h"
#include "test/model/patterns.h"

#include "test/cm.h"

#define BETA (1 / 940e6)

static void figure1(struct model_routes *routes, double backbone_goodput_bps, double backbone_rate_bps)
{
    struct error err;
    struct model_platform p = pattern_figure1_platform();
    p.backbone.goodput_bps = backbone_goodput_bps;
    p.backbone.rate_bps = backbone_rate_bps;
    assert_true(model_routes_init(routes, &p, &(struct model_pattern){.transfers = pattern_figure1, .n = 5}, &err));
}

static struct model_congestion factors(const struct model_routes *routes, size_t transfer)
{
    int *count = calloc((size_t)routes->n_links, sizeof *count);
    assert_non_null(count);
    model_congestion_count(routes, NULL, count);
    struct model_congestion c = model_congestion_factors(routes, count, transfer);
    free(count);
    return c;
}

/* Section 4.4.1: S(e1) = < {e1, e3, e4}, {e1, e2}, {e1} >; section 4.2: E-(X3) = {e4}, delta-(rack X) = 3. e2 stays
 * inside rack X: in no backbone set. */
TEST(test_sets_are_as_large_as_the_papers)
{
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    figure1(&routes, 940e6, 1e9);
    const struct model_route *e1 = &routes.route[0]; /* X1's NIC, backbone, Y3's NIC */
    MEMORY_LOCAL int *count = calloc((size_t)routes.n_links, sizeof *count);
    assert_non_null(count);
    model_congestion_count(&routes, NULL, count);
    assert_ints({e1->n, 3}, {count[e1->link[1]], 3}, {count[e1->link[0]], 2}, {count[e1->link[2]], 1},
                {count[2 * 2], 1}, {count[2 * 7], 3}, {routes.route[1].n, 2});
}

/* k(e1) = max{3 beta_O, 2 beta_N, beta_N} with an optical backbone, 3 beta_E with an electrical one. */
TEST(test_congestion_factor_of_e1_depends_on_the_backbone)
{
    struct model_routes routes;
    figure1(&routes, 9.4e9, 10e9);
    assert_near(factors(&routes, 0).k, 2 * BETA, 1e-18);
    model_routes_fini(&routes);
    figure1(&routes, 940e6, 1e9);
    assert_near(factors(&routes, 0).k, 3 * BETA, 1e-18);
    assert_near(factors(&routes, 0).k_bar, 0, 0);        /* nothing comes the other way */
    assert_near(factors(&routes, 2).k_bar, BETA, 1e-18); /* e3 leaves X2, where e2 comes in */
    model_routes_fini(&routes);
}

static void star_rates(const struct model_rule *rule, int n_in, int n_out, double *rate_bps)
{
    struct error err;
    struct model_transfer t[64];
    struct model_platform p = pattern_star_platform(n_in, n_out);
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = pattern_star(t, n_in, n_out)}, &err));
    void *s = rule->new(&routes, rule->contra_flow, &err);
    assert_non_null(s);
    assert_true(rule->rates(s, NULL, rate_bps, &err));
    rule->free(s);
}

/* Section 5.2: with 12 in and 1 out the total is 13/12 of 940 Mb/s, with 2 and 1 all have 470. */
TEST(test_eq6_gives_the_totals_of_section_5_2)
{
    double rate[13], total = 0;
    star_rates(&model_rule_eq6, 12, 1, rate);
    for (int i = 0; i < 13; i++)
        total += rate[i];
    assert_near(total, 13.0 / 12 * 940e6, 1);
    star_rates(&model_rule_eq6, 2, 1, rate);
    for (int i = 0; i < 3; i++)
        assert_near(rate[i], 470e6, 1);
}

/* Section 5.2 names what full duplex would give: 470, 470 and 940. */
TEST(test_eq5_gives_a_lone_direction_everything)
{
    double rate[3];
    star_rates(&model_rule_eq5, 2, 1, rate);
    assert_all_near(1, {rate[0], 470e6}, {rate[1], 470e6}, {rate[2], 940e6});
}

/* Eq. 5 and 6, second line: up to 10 transfers over the optical backbone have 940 Mb/s each; 11 share 9.4 Gb/s. */
TEST(test_optical_backbone_carries_ten_at_full_rate)
{
    int rack[44];
    for (int n = 1; n <= 20; n++) {
        struct model_platform p = pattern_two_racks(44, rack);
        struct model_transfer t[20];
        for (int i = 0; i < n; i++)
            t[i] = (struct model_transfer){i, 22 + i, 10e6, 3e6, 0};
        MEMORY_ENDS(model_routes_fini) struct model_routes routes;
        assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = (size_t)n}, &err));
        void *s = model_rule_eq6.new(&routes, true, &err);
        double rate[20];
        assert_true(model_rule_eq6.rates(s, NULL, rate, &err));
        for (int i = 0; i < n; i++)
            assert_near(rate[i], n <= 10 ? 940e6 : 9.4e9 / n, 1);
        model_rule_eq6.free(s);
    }
}
