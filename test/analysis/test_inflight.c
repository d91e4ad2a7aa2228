/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/inflight.h"

#include "test/cm.h"

/* The receiver's clock has ticked since it said this. */
static struct analysis_inflight after_handshake(uint32_t tsval)
{
    struct analysis_inflight f = {0};
    analysis_inflight_ack(&f, 0, tsval);
    return f;
}

TEST(test_data_that_echo_an_ack_measure_the_window)
{
    struct analysis_inflight f = after_handshake(49);
    int64_t bytes;
    analysis_inflight_ack(&f, 10000, 50);
    assert_false(analysis_inflight_data(&f, 30000, 49, &bytes)); /* sent before the ACK arrived */
    assert_true(analysis_inflight_data(&f, 60000, 50, &bytes));
    assert_int_equal(bytes, 50000);
    assert_false(analysis_inflight_data(&f, 61000, 50, &bytes)); /* once per ACK */
}

TEST(test_first_ack_of_a_tick_counts)
{
    struct analysis_inflight f = after_handshake(49);
    int64_t bytes;
    analysis_inflight_ack(&f, 10000, 50);
    analysis_inflight_ack(&f, 13000, 50);
    assert_true(analysis_inflight_data(&f, 60000, 50, &bytes));
    assert_int_equal(bytes, 50000);
}

TEST(test_a_later_echo_says_nothing_about_an_earlier_ack)
{
    struct analysis_inflight f = after_handshake(49);
    int64_t bytes;
    analysis_inflight_ack(&f, 10000, 50);
    assert_false(analysis_inflight_data(&f, 90000, 51, &bytes));
    assert_false(analysis_inflight_data(&f, 91000, 50, &bytes)); /* given up */
}

TEST(test_more_acks_than_room_cost_samples_not_correctness)
{
    struct analysis_inflight f = after_handshake(49);
    int64_t bytes;
    for (uint32_t i = 0; i < 10; i++)
        analysis_inflight_ack(&f, 1000 * (int64_t)i, 50 + i);
    for (uint32_t i = 0; i < ANALYSIS_INFLIGHT_PROBES; i++) {
        assert_true(analysis_inflight_data(&f, 20000 + 1000 * (int64_t)i, 50 + i, &bytes));
        assert_int_equal(bytes, 20000);
    }
    assert_false(analysis_inflight_data(&f, 30000, 55, &bytes));
}

TEST(test_timestamps_may_wrap)
{
    struct analysis_inflight f = after_handshake(UINT32_MAX - 1);
    int64_t bytes;
    analysis_inflight_ack(&f, 0, UINT32_MAX);
    analysis_inflight_ack(&f, 1000, 0);
    assert_true(analysis_inflight_data(&f, 7000, 0, &bytes)); /* the older probe is popped, not sampled */
    assert_int_equal(bytes, 6000);
}

/* The handshake ended in the same tick: ten segments were on their way when the first of them was acknowledged. */
TEST(test_the_first_stamp_may_be_the_handshakes)
{
    struct analysis_inflight f = {0};
    int64_t bytes;
    analysis_inflight_ack(&f, 1448, 50);
    assert_false(analysis_inflight_data(&f, 4344, 50, &bytes)); /* 2896 of 14480 bytes */
    analysis_inflight_ack(&f, 2896, 50);
    analysis_inflight_ack(&f, 4344, 51);
    assert_true(analysis_inflight_data(&f, 20272, 51, &bytes));
    assert_int_equal(bytes, 15928);
}
