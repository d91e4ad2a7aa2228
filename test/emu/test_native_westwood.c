/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/congestion.h"
#include "test/cm.h"

#define SEGMENT 1448
#define WINDOW 1000000

static uint64_t state_words[NATIVE_CONGESTION_WORDS], now_us;

static void begin(void)
{
    memset(state_words, 0, sizeof state_words);
    now_us = 5000000;
}

/* ACKs of a segment each, `gap_us` apart. */
static void deliver(int n, uint64_t gap_us, uint64_t rtt_us)
{
    for (int i = 0; i < n; i++, now_us += gap_us)
        native_westwood.delivered(state_words, SEGMENT, &(struct native_ack){
                                                               .segment = SEGMENT, .acked = SEGMENT,
                                                               .now_us = now_us, .rtt_us = rtt_us});
}

static uint64_t lost(uint64_t cwnd, bool timeout)
{
    return native_westwood.lost(state_words, &(struct native_window){cwnd, UINT64_MAX, 0}, SEGMENT, cwnd, timeout);
}

/* 1448 bytes a millisecond and 20 ms at least: 28,960 bytes, whatever the window was and the queue is. Samples span
 * from one ACK to another, and the first counts an ACK more than its time: 52 in 51 ms, 2 %. */
TEST(test_a_loss_leaves_bandwidth_times_least_round_trip)
{
    begin();
    deliver(1, 1000, 20000);
    deliver(3000, 1000, 200000);
    uint64_t ssthresh = lost(WINDOW, false);
    assert_true(llabs((int64_t)ssthresh - 28960) < 290); /* 1 % */
    assert_int_equal(lost(WINDOW, false), ssthresh);
}

/* The first sample is the estimate: 1448 bytes a millisecond. Then the rate doubles, and
 * b'_k = 7/8 b'_(k-1) + 2896 / 8, BWE_k = 7/8 BWE_(k-1) + b'_k / 8: 1471, 1510, 1562, ... */
TEST(test_the_estimate_follows_twice_filtered)
{
    begin();
    deliver(102, 1000, 100000); /* more than a round trip: 102 ACKs in 101 ms end a sample */
    double first = (double)lost(WINDOW, false) / 100, once = first, twice = first; /* bytes a millisecond */
    assert_true(first > 1448 && first < 1448 * 1.011);
    for (int k = 0; k < 10; k++) {
        deliver(201, 500, 100000); /* 100.5 ms */
        once = 7 * once / 8 + 2896.0 / 8;
        twice = 7 * twice / 8 + once / 8;
        double seen = (double)lost(WINDOW, false) / 100;
        assert_true(seen > twice * 0.99 && seen < twice * 1.01);
    }
    assert_true(twice > 1.3 * first && twice < 1.7 * first); /* ten samples are not enough for the second filter */
}

TEST(test_short_samples_wait_for_50_ms)
{
    begin();
    deliver(51, 1000, 1000); /* the last is 50 ms after the first: no sample yet, so half of the window */
    assert_int_equal(lost(WINDOW, false), WINDOW / 2);
    deliver(1, 1000, 1000);
    assert_true(lost(WINDOW, false) == 2 * SEGMENT); /* 1448 bytes a ms for 1 ms are less than two segments */
}

TEST(test_a_timeout_forgets_the_least_round_trip)
{
    begin();
    deliver(1, 1000, 20000);
    deliver(1000, 1000, 80000);
    assert_true(llabs((int64_t)lost(WINDOW, true) - 28960) < 290);
    assert_int_equal(lost(WINDOW, false), WINDOW / 2); /* until there is another */
    deliver(1, 1000, 80000);
    assert_true(llabs((int64_t)lost(WINDOW, false) - 4 * 28960) < 4 * 290);
}

TEST(test_a_window_below_the_estimate_stays)
{
    begin();
    deliver(1001, 1000, 20000);
    assert_int_equal(lost(10 * SEGMENT, false), 10 * SEGMENT);
}
