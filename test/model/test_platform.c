/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/cm.h"
#include "test/model/patterns.h"

static struct model_platform racks(int n_racks, const int *rack, int nodes)
{
    struct model_platform p = pattern_platform();
    p.n_nodes = nodes;
    p.n_racks = n_racks;
    p.rack = rack;
    return p;
}

TEST(test_goodput_of_1_gbps_is_the_segment_share)
{
    /* 1448 / (1448 + 52 + 38) of 10^9. */
    assert_true(fabs(pattern_platform().nic.goodput_bps - 941.482445e6) < 1);
}

TEST(test_route_in_a_rack_crosses_two_cables)
{
    struct model_platform p = racks(2, (const int[]){0, 0, 1}, 3);
    struct model_route r = model_platform_route(&p, 0, 1);
    assert_int_equal(r.n, 2);
    assert_int_equal(r.link[0], 0); /* out of node 0 */
    assert_int_equal(r.link[1], 3); /* towards node 1 */
}

TEST(test_two_racks_share_one_backbone_cable)
{
    struct model_platform p = racks(2, (const int[]){0, 0, 1}, 3);
    assert_int_equal(model_platform_link_count(&p), 8);
    struct model_route there = model_platform_route(&p, 0, 2), back = model_platform_route(&p, 2, 1);
    assert_ints({there.n, 3}, {back.n, 3}, {there.link[1], back.link[1] ^ 1});
}

TEST(test_more_racks_cross_a_cable_out_and_one_in)
{
    struct model_platform p = racks(3, (const int[]){0, 1, 2}, 3);
    assert_int_equal(model_platform_link_count(&p), 12);
    struct model_route r = model_platform_route(&p, 0, 2);
    assert_int_equal(r.n, 4);
    assert_int_equal(r.link[1], 6);  /* out of rack 0 */
    assert_int_equal(r.link[2], 11); /* into rack 2 */
}

TEST(test_base_rtt_is_delays_and_store_and_forward)
{
    struct model_platform p = racks(1, NULL, 2);
    p.nic.delay_s = 50e-6;
    struct model_route r = model_platform_route(&p, 0, 1);
    /* Four times 50 us; a frame of 1538 and an ACK of 90 bytes twice at 1 Gb/s: 2 * 13.024 us. */
    assert_true(fabs(model_platform_base_rtt_s(&p, &r) - 226.048e-6) < 1e-12);
}

static void refused(const struct model_platform *p, const char *word)
{
    struct error err;
    assert_false(model_platform_check(p, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    if (!strstr(err.message, word))
        fail_msg("'%s' is not in '%s'", word, err.message);
}

TEST(test_a_bad_platform_is_refused_by_what_is_wrong)
{
    struct model_platform p = racks(1, NULL, 1);
    refused(&p, "1 nodes");
    p = racks(3, NULL, 2);
    refused(&p, "3 racks");
    p = racks(2, (const int[]){0, 2}, 2);
    refused(&p, "rack 2");
    const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        p = racks(1, NULL, 2);
        p.nic.rate_bps = bad[i];
        refused(&p, "NIC rate");
        p = racks(1, NULL, 2);
        p.nic.goodput_bps = bad[i];
        refused(&p, "NIC goodput");
        p = racks(2, (const int[]){0, 1}, 2);
        p.backbone.goodput_bps = bad[i];
        refused(&p, "backbone goodput");
        p = racks(1, NULL, 2);
        p.segments_per_ack = bad[i];
        refused(&p, "segments per ACK");
    }
    p = racks(1, NULL, 2);
    p.nic.goodput_bps = 2 * p.nic.rate_bps;
    refused(&p, "more than the wire");
    p = racks(1, NULL, 2);
    p.nic.delay_s = -1;
    refused(&p, "delay");
}

static void bad_transfer(struct model_transfer t, const char *word)
{
    struct model_platform p = racks(1, NULL, 3);
    struct model_transfer two[2] = {{0, 1, 1e6, 1e6, 0}, t};
    struct model_pattern pattern = {.transfers = two, .n = 2};
    struct model_routes routes;
    struct error err;
    assert_false(model_routes_init(&routes, &p, &pattern, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_null(routes.route);
    assert_non_null(strstr(err.message, "transfer 1: "));
    if (!strstr(err.message, word))
        fail_msg("'%s' is not in '%s'", word, err.message);
}

TEST(test_a_bad_transfer_is_refused_by_number)
{
    bad_transfer((struct model_transfer){3, 0, 1e6, 1e6, 0}, "source 3");
    bad_transfer((struct model_transfer){0, -1, 1e6, 1e6, 0}, "destination -1");
    bad_transfer((struct model_transfer){2, 2, 1e6, 1e6, 0}, "itself");
    bad_transfer((struct model_transfer){0, 1, 0, 1e6, 0}, "0 bytes");
    bad_transfer((struct model_transfer){0, 1, -5, 1e6, 0}, "-5 bytes");
    bad_transfer((struct model_transfer){0, 1, NAN, 1e6, 0}, "bytes");
    bad_transfer((struct model_transfer){0, 1, 1e6, 0, 0}, "window");
    bad_transfer((struct model_transfer){0, 1, 1e6, INFINITY, 0}, "window");
    bad_transfer((struct model_transfer){0, 1, 1e6, 1e6, -1}, "start");
}

TEST(test_an_empty_pattern_is_refused)
{
    struct model_platform p = racks(1, NULL, 3);
    assert_false(model_pattern_check(&p, &(struct model_pattern){.transfers = NULL, .n = 0}, &err));
    assert_non_null(strstr(err.message, "no transfers"));
}
