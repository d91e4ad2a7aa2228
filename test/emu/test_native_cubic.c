/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/cubic.h"

#include "test/cm.h"

/* Up to 63 by a table: (v + 35) / 64. Beyond, 10^6 is 30 in base 8 with five digits after it: 207 << 5 >> 6 = 103, and
 * (2 * 103 + 10^6 / (103 * 102)) * 341 >> 10 = 301 * 341 >> 10 = 100. */
TEST(test_cube_roots_are_linux)
{
    assert_int_equal(native_cubic_root(0), 0);
    assert_int_equal(native_cubic_root(7), 2);  /* (118 + 35) / 64 */
    assert_int_equal(native_cubic_root(63), 4); /* (254 + 35) / 64 */
    assert_int_equal(native_cubic_root(1000000), 100);
    assert_int_equal(native_cubic_root((UINT64_C(1) << 40) / 410 * 10), 2991); /* K of ten segments: 2.92 s; it is 2993 */
    for (uint64_t segments = 1; segments < 100000; segments += 7) {
        uint64_t a = (UINT64_C(1) << 40) / 410 * segments;
        assert_true(fabs((double)native_cubic_root(a) / cbrt((double)a) - 1) < 0.0016);
    }
    for (uint64_t a = 1; a < UINT64_C(1) << 50; a += 1 + a / 50) /* each digit of the table, of small numbers rounded somehow */
        assert_true(fabs((double)native_cubic_root(a) - cbrt((double)a)) < fmax(1, 0.01 * cbrt((double)a)));
}

/* A window of w_max is lost; then every round trip of rtt acknowledges the window. Between losses the window is
 * C (t - K)^3 + W_max with K = cbrt(W_max (1 - beta) / C) (RFC 9438, equations 1 and 2). */
static void follow_curve(uint32_t w_max, uint64_t rtt_us)
{
    struct native_cubic c;
    native_cubic_init(&c, false);
    uint32_t ssthresh = native_cubic_on_loss(&c, w_max), cwnd = ssthresh;
    assert_int_equal(ssthresh, w_max * 717 / 1024); /* Linux's beta */
    uint64_t now_us = 1000000;
    native_cubic_on_sample(&c, &(struct native_cubic_sample){.now_us = now_us, .rtt_us = (uint32_t)rtt_us}, cwnd, false);
    double k = cbrt((w_max - cwnd) / 0.4), worst = 0;
    for (double t = 0; t < 2 * k; t += (double)rtt_us / 1e6, now_us += rtt_us) {
        double curve = 0.4 * pow(t - k, 3) + w_max;
        worst = fmax(worst, fabs(cwnd - curve) / curve);
        for (uint32_t acked = 0, all = cwnd; acked < all; acked += 2)
            cwnd = native_cubic_on_ack(&c, 2, now_us + (uint64_t)acked * rtt_us / all, cwnd, ssthresh);
    }
    print_message("W_max %u, %u ms: within %.2f %% of the curve\n", w_max, (unsigned)(rtt_us / 1000), 100 * worst);
    assert_true(worst < 0.02);
}

TEST(test_the_window_follows_the_curve)
{
    follow_curve(2000, 100000);
    follow_curve(2000, 50000);
    follow_curve(20000, 20000);
    follow_curve(500, 200000);
}

/* Where Reno is faster - short round trips - the window grows as Reno's with beta 0.7: 0.529 segments a round trip
 * (section 4.3), 8/15 in Linux. */
TEST(test_short_round_trips_are_renos)
{
    struct native_cubic c;
    native_cubic_init(&c, false);
    uint32_t ssthresh = native_cubic_on_loss(&c, 100), cwnd = ssthresh, at = cwnd;
    uint64_t now_us = 1000000;
    for (int round = 0; round < 50; round++) {
        for (uint32_t acked = 0, all = cwnd; acked < all; acked++)
            cwnd = native_cubic_on_ack(&c, 1, now_us, cwnd, ssthresh);
        now_us += 10000;
    }
    assert_true(fabs((cwnd - at) - 50 * 8 / 15.0) <= 3);
}

TEST(test_fast_convergence_gives_up_room)
{
    struct native_cubic c;
    native_cubic_init(&c, false);
    native_cubic_on_loss(&c, 1000);
    assert_true(c.w_max == 1000);
    native_cubic_on_loss(&c, 800); /* below: 800 (1 + 0.7) / 2 = 680 */
    assert_true(c.w_max == 680);
    assert_int_equal(native_cubic_on_loss(&c, 2), 2);
    assert_int_equal(native_cubic_on_loss(&c, 5), 3); /* 0.7 times 5 is 3.5, of 6 it is 4.2: whole segments */
    assert_int_equal(native_cubic_on_loss(&c, 6), 4);
}

/* Slow start goes to the threshold and no further; what is acknowledged beyond it counts for the first window of a
 * connection that has lost nothing: one segment for 20, and from 29 on, more than 15/8 of the window, as Reno's for 15
 * (bictcp_update(), tcp_cong_avoid_ai()). */
TEST(test_slow_start_ends_at_its_threshold)
{
    static const uint32_t grows[][2] = {{1, 11}, {4, 14}, {5, 15}, {6, 15}, {24, 15}, {25, 16}, {34, 16}, {35, 17}};
    for (size_t i = 0; i < sizeof grows / sizeof *grows; i++) {
        struct native_cubic c;
        native_cubic_init(&c, false);
        assert_int_equal(native_cubic_on_ack(&c, grows[i][0], 1000000, 10, 15), grows[i][1]);
        assert_int_equal(native_cubic_on_ack(&c, 0, 1000000, 10, 10), 10);
    }
}

/* The window 9 s after an epoch began, of which nothing was out for 8, is that after 1 s. */
TEST(test_an_idle_time_is_no_growth)
{
    struct native_cubic c[2];
    uint32_t cwnd[2];
    for (int idles = 0; idles < 2; idles++) {
        native_cubic_init(&c[idles], false);
        uint32_t ssthresh = native_cubic_on_loss(&c[idles], 2000);
        uint64_t now_us = 1000000;
        cwnd[idles] = native_cubic_on_ack(&c[idles], 1, now_us, ssthresh, ssthresh);
        if (idles)
            native_cubic_on_resume(&c[idles], now_us += 8000000, 1000000);
        for (uint32_t acked = 0; acked < 10000; acked++)
            cwnd[idles] = native_cubic_on_ack(&c[idles], 1, now_us + acked * 100, cwnd[idles], ssthresh);
        assert_in_range(cwnd[idles], ssthresh + 100, 1999);
    }
    assert_int_equal(cwnd[0], cwnd[1]);
}

/* The round trip grows as the queue does in slow start, 200 us a segment beyond the 100 that fill the pipe of 20 ms.
 * `gap_us`: what is between two ACKs; 0: as the bottleneck lets them. */
static uint32_t slow_start_until(bool hystart, uint32_t buffer, uint64_t gap_us)
{
    struct native_cubic c;
    native_cubic_init(&c, hystart);
    uint32_t cwnd = 10, ssthresh = UINT32_MAX;
    uint64_t now_us = 1, una = 0;
    while (cwnd < 100 + buffer && cwnd < ssthresh) {
        uint64_t rtt_us = 20000 + (cwnd > 100 ? (cwnd - 100) * 200 : 0);
        for (uint32_t acked = 0, all = cwnd; acked < all && cwnd < ssthresh; acked++) {
            una++;
            struct native_cubic_sample s = {now_us + acked * (gap_us ? gap_us : rtt_us / all), (uint32_t)rtt_us, una,
                                            una + all, 0};
            if (native_cubic_on_sample(&c, &s, cwnd, true))
                ssthresh = cwnd;
            cwnd = native_cubic_on_ack(&c, 1, s.now_us, cwnd, ssthresh);
        }
        now_us += rtt_us > cwnd * gap_us ? rtt_us : cwnd * gap_us;
    }
    return cwnd;
}

TEST(test_hystart_leaves_when_the_delay_grows)
{
    assert_in_range(slow_start_until(true, 2000, 2001), 100, 400); /* ACKs too far apart for a train */
    assert_true(slow_start_until(false, 2000, 2001) >= 2100);
}

/* A round of 80 is the first whose ACKs, 200 us apart, last half of the 20 ms (Linux, hystart_update()). It begins with
 * its fourth ACK, the first of what was not out when the last round began; the 51st after that is more than 10 ms later,
 * when 54 have let the window grow. */
TEST(test_hystart_leaves_after_a_train_of_acks)
{
    assert_int_equal(slow_start_until(true, 2000, 200), 80 + 54);
}
