/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/paused.h"
#include "test/cm.h"

#define GBPS UINT64_C(1000000000)
#define MS INT64_C(1000000)

static const uint8_t mac[3][6] = {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 3}};

/* 2 ms until 0 quanta, 3 ms until they are over: 3 ms are 5859.375 times of 512 bits at 1 Gb/s. */
TEST(test_a_stop_ends_by_a_frame_or_by_itself)
{
    struct capture_paused p = {.frames = 0};
    capture_paused_add(&p, mac[0], 65535, GBPS, 10 * MS);
    capture_paused_add(&p, mac[0], 0, GBPS, 12 * MS);
    assert_int_equal(capture_paused_ns(&p), 2 * MS);
    capture_paused_add(&p, mac[0], 0, GBPS, 15 * MS); /* once more says nothing */
    assert_int_equal(capture_paused_ns(&p), 2 * MS);
    capture_paused_add(&p, mac[0], 5859, GBPS, 20 * MS);
    capture_paused_add(&p, mac[0], 0, GBPS, 80 * MS);
    assert_int_equal(capture_paused_ns(&p), 2 * MS + 5859 * 512);
    assert_int_equal(p.frames, 5);
}

TEST(test_a_repeated_one_goes_on)
{
    struct capture_paused p = {.frames = 0};
    for (int i = 0; i < 4; i++)
        capture_paused_add(&p, mac[0], 65535, GBPS, i * 16 * MS); /* 33.5 ms each */
    assert_int_equal(capture_paused_ns(&p), 48 * MS);
}

TEST(test_an_unknown_rate_waits_for_the_end)
{
    struct capture_paused p = {.frames = 0};
    capture_paused_add(&p, mac[0], 1, 0, 0);
    assert_int_equal(capture_paused_ns(&p), 0);
    capture_paused_add(&p, mac[0], 0, 0, 5 * MS);
    assert_int_equal(capture_paused_ns(&p), 5 * MS);
}

/* Each stops its own peer; the one that stops most counts. */
TEST(test_senders_are_told_apart)
{
    struct capture_paused p = {.frames = 0};
    capture_paused_add(&p, mac[0], 65535, GBPS, 0);
    capture_paused_add(&p, mac[1], 65535, GBPS, 1 * MS);
    capture_paused_add(&p, mac[2], 0, GBPS, 2 * MS);
    capture_paused_add(&p, mac[0], 0, GBPS, 3 * MS);
    capture_paused_add(&p, mac[1], 0, GBPS, 8 * MS);
    assert_int_equal(capture_paused_ns(&p), 7 * MS);
}

TEST(test_more_senders_than_are_kept)
{
    struct capture_paused p = {.frames = 0};
    for (uint8_t i = 0; i < 2 * CAPTURE_PAUSED_SENDERS; i++)
        for (int off = 0; off < 2; off++)
            capture_paused_add(&p, (const uint8_t[6]){i}, off ? 0 : 65535, GBPS, i * MS + off * 1000);
    assert_int_equal(capture_paused_ns(&p), 1000);
    assert_int_equal(p.frames, 4 * CAPTURE_PAUSED_SENDERS);
}

TEST(test_any_clock_will_do)
{
    struct capture_paused p = {.frames = 0};
    const int64_t at[] = {INT64_MAX, INT64_MIN, INT64_MAX, 0, INT64_MAX, -1, 5, INT64_MIN};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        capture_paused_add(&p, mac[0], i % 3 ? 65535 : 0, i % 2, at[i]);
    assert_true(capture_paused_ns(&p) >= 0);
}
