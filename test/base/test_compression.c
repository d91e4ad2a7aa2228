/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/compression.h"
#include "test/cm.h"

static const struct compression_config exact = {.floor = 100};

static void add_spaced(struct compression *x, const struct compression_config *c, int n, int64_t left_gap,
                       int64_t came_gap)
{
    for (int i = 0; i < n; i++)
        compression_add(x, c, i * left_gap, 1000000 + i * came_gap);
}

TEST(test_three_make_a_group)
{
    struct compression x = {0};
    add_spaced(&x, &exact, 9, 50, 50);
    assert_ints({x.groups, 3}, {x.compressed, 0});
    x = (struct compression){0};
    add_spaced(&x, &exact, 9, 50, 37); /* xi = 0.74 */
    assert_int_equal(x.compressed, 3);
    x = (struct compression){0};
    add_spaced(&x, &exact, 9, 100, 75); /* 0.75 is not below it */
    assert_ints({x.groups, 3}, {x.compressed, 0});
}

TEST(test_group_grows_to_the_floor)
{
    struct compression x = {0};
    add_spaced(&x, &exact, 22, 10, 1); /* 11 ACKs span 100 */
    assert_ints({x.groups, 2}, {x.compressed, 2});
}

TEST(test_resolutions_speak_against_compression)
{
    const struct compression_config coarse = {.floor = 100, .left_resolution = 20, .came_resolution = 10};
    struct compression x = {0};
    add_spaced(&x, &coarse, 3, 100, 67); /* (134 + 10) / (200 - 20) = 0.8 */
    assert_ints({x.groups, 1}, {x.compressed, 0});
    x = (struct compression){0};
    add_spaced(&x, &coarse, 3, 100, 62); /* 134 / 180 = 0.744 */
    assert_int_equal(x.compressed, 1);
}

TEST(test_break_starts_anew)
{
    struct compression x = {0};
    for (int i = 0; i < 10; i++) {
        compression_add(&x, &exact, i * 100, i);
        if (i % 2)
            compression_break(&x);
    }
    assert_int_equal(x.groups, 0);
    assert_true(isnan(compression_share(&x, 0)));
}

TEST(test_share_needs_enough)
{
    struct compression x = {.groups = 19, .compressed = 19};
    assert_true(isnan(compression_share(&x, 20)));
    x = (struct compression){.groups = 20, .compressed = 5};
    assert_float_equal(compression_share(&x, 20), 0.25, 0);
}
