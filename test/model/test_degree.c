/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/degree.h"

#include "test/cm.h"

#define IN(w) {.incoming = true, .window_bytes = (w)}
#define OUT(w) {.incoming = false, .window_bytes = (w)}

TEST(test_fairness_divides_each_direction_alone)
{
    const struct model_flow flows[] = {IN(0), IN(0), OUT(0)};
    double share[3];
    model_degree_fairness(flows, 3, share);
    assert_all_near(1e-12, {share[0], 0.5}, {share[1], 0.5});
    assert_near(share[2], 1.0, 1e-12); /* alone in its direction */
}

TEST(test_asymmetric_divides_by_the_larger_degree)
{
    /* Zhu 2014, section 5.2: with 2 in and 1 out all three links have 470 of 940 Mb/s. */
    const struct model_flow flows[] = {IN(0), IN(0), OUT(0)};
    double share[3];
    model_degree_asymmetric(flows, 3, share);
    for (int i = 0; i < 3; i++)
        assert_near(share[i] * 940e6, 470e6, 1e-3);
}

TEST(test_asymmetric_and_fairness_agree_on_equal_degrees)
{
    const struct model_flow flows[] = {IN(0), OUT(0), OUT(0), IN(0)};
    double fair[4], asymmetric[4];
    model_degree_fairness(flows, 4, fair);
    model_degree_asymmetric(flows, 4, asymmetric);
    for (int i = 0; i < 4; i++)
        assert_near(fair[i], asymmetric[i], 1e-12);
}

TEST(test_window_law_with_equal_windows_is_eq6)
{
    const struct model_flow flows[] = {IN(3e6), IN(3e6), IN(3e6), OUT(3e6)};
    double share[4];
    assert_true(model_degree_window(flows, 4, share));
    for (int i = 0; i < 4; i++)
        assert_near(share[i], 1.0 / 3, 1e-12);
}

TEST(test_window_law_follows_unequal_windows)
{
    /* Real Linux in mechanism.md: 512K 256K in, 256K out of 100 Mb/s gave 61.8 30.9 31.0:
     * sums 768 and 256, so 2/3, 1/3 and 1/3. */
    const struct model_flow flows[] = {IN(512e3), IN(256e3), OUT(256e3)};
    double share[3];
    assert_true(model_degree_window(flows, 3, share));
    assert_all_near(1e-12, {share[0], 2.0 / 3}, {share[1], 1.0 / 3}, {share[2], 1.0 / 3});
}

TEST(test_window_law_needs_every_window)
{
    const struct model_flow flows[] = {IN(512e3), OUT(NAN)};
    double share[2] = {7, 7};
    assert_false(model_degree_window(flows, 2, share));
    assert_near(share[0], 7, 0);
}

TEST(test_goodput_of_a_lone_direction_is_the_segment_share)
{
    struct model_link link = model_link_default();
    /* 1448 / 1538 of 1 Gb/s */
    assert_near(model_degree_goodput_bps(&link, 0), 1e9 * 1448 / 1538, 1);
}

TEST(test_goodput_pays_for_the_acks_of_the_other_direction)
{
    struct model_link link = model_link_default();
    /* Reverse goodput half of ours: one ACK of 90 wire bytes per 2 segments of theirs is 90/4 of
     * a byte per segment of ours: 1448 / (1538 + 22.5). */
    assert_near(model_degree_goodput_bps(&link, 0.5), 1e9 * 1448 / 1560.5, 1);
    link.segments_per_ack = 1; /* twice the ACKs */
    assert_near(model_degree_goodput_bps(&link, 0.5), 1e9 * 1448 / 1583, 1);
}

TEST(test_goodput_rejects_an_impossible_link)
{
    struct model_link link = model_link_default();
    link.segments_per_ack = 0;
    assert_true(isnan(model_degree_goodput_bps(&link, 0)));
    link = model_link_default();
    assert_true(isnan(model_degree_goodput_bps(&link, -1)));
}
