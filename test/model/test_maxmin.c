/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/rule.h"
#include "test/model/patterns.h"

#include "test/cm.h"

static void rates(const struct model_routes *routes, const bool *active, double *rate_bps)
{
    struct error err;
    void *s = model_rule_maxmin.new(routes, false, &err);
    assert_non_null(s);
    assert_true(model_rule_maxmin.rates(s, active, rate_bps, &err));
    model_rule_maxmin.free(s);
}

/* a and b leave node 0, b and c arrive at node 2, c and d leave node 3: 470 each, all at once. With b away, a has
 * 940 to itself and c still shares with d. */
TEST(test_shares_are_filled_from_the_narrowest_link)
{
    struct model_platform p = pattern_platform();
    p.n_nodes = 6;
    p.nic.goodput_bps = 940e6;
    const struct model_transfer t[] = {
        {0, 1, 1e6, 1e6, 0}, {0, 2, 1e6, 1e6, 0}, {3, 2, 1e6, 1e6, 0}, {3, 4, 1e6, 1e6, 0}, {3, 5, 1e6, 1e6, 0}};
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = 5}, &err));
    double rate[5];
    rates(&routes, NULL, rate);
    assert_near(rate[2], 940e6 / 3, 1); /* three leave node 3 */
    assert_near(rate[1], 470e6, 1);     /* shares node 0; node 2 would give 626.7 */
    assert_near(rate[0], 470e6, 1);
    rates(&routes, (const bool[]){true, false, true, true, true}, rate);
    assert_near(rate[0], 940e6, 1);
}

/* What defines it: no link carries more than it can, and every transfer crosses a full link on which none has more. */
TEST(test_every_transfer_has_a_bottleneck)
{
    static struct model_transfer t[PATTERN_MOST];
    static double rate[PATTERN_MOST];
    int rack[30];
    for (uint64_t seed = 0; seed < 500; seed++) {
        int nodes = seed % 2 ? 10 : 30;
        struct model_platform p = pattern_two_racks(nodes, rack);
        size_t n = pattern_random(t, nodes, 1 + (int)(seed % 4), false, seed);
        if (n == 0)
            continue;
        MEMORY_ENDS(model_routes_fini) struct model_routes routes;
        assert_true(model_routes_init(&routes, &p, &(struct model_pattern){.transfers = t, .n = n}, &err));
        rates(&routes, NULL, rate);
        MEMORY_LOCAL double *load = calloc((size_t)routes.n_links, sizeof *load);
        MEMORY_LOCAL double *most = calloc((size_t)routes.n_links, sizeof *most);
        for (size_t i = 0; i < n; i++)
            for (int h = 0; h < routes.route[i].n; h++) {
                load[routes.route[i].link[h]] += rate[i];
                most[routes.route[i].link[h]] = fmax(most[routes.route[i].link[h]], rate[i]);
            }
        for (int l = 0; l < routes.n_links; l++)
            assert_true(load[l] <= routes.goodput_bps[l] * (1 + 1e-9));
        for (size_t i = 0; i < n; i++) {
            bool bottleneck = false;
            for (int h = 0; h < routes.route[i].n; h++) {
                int l = routes.route[i].link[h];
                bottleneck |= load[l] >= routes.goodput_bps[l] * (1 - 1e-9) && rate[i] >= most[l] * (1 - 1e-9);
            }
            assert_true(bottleneck);
        }
    }
}
