/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/timers.h"

#include "test/cm.h"

/* Fast Ethernet: a full packet takes 1538 bytes, 123.04 us. */
static struct model_timers_port fast_ethernet(double hosts, double buffer_packets, double rtt_s)
{
    return (struct model_timers_port){100e6, rtt_s, 1538, buffer_packets, hosts};
}

static struct model_timers timers_of(const struct model_timers_port *port)
{
    struct error err;
    struct model_timers t;
    if (!model_timers(port, &t, &err))
        fail_msg("%s", err.message);
    return t;
}

TEST(test_timeouts_of_his_switches)
{
    /* Section 4.3.4, by hand with e = 2.7182818 and e^2 = 7.3890561. Tables 4.1 and 4.2 have TO = 400 and 1600 g_r on
     * both switches: 400 lies within B_L e = 258.237 and B_L e^2 = 701.960 (IBM 8275-416, B_L 95) and within 347.940
     * and 945.799 (Cisco 2980G, 128); 1600 lies above both, where he finds little more to gain. */
    const double rows[][3] = {{95, 258.2368, 701.9603}, {128, 347.9401, 945.7992}};
    for (int i = 0; i < 2; i++) {
        struct model_timers_port port = fast_ethernet(15, rows[i][0], 300e-6);
        struct model_timers t = timers_of(&port);
        assert_near(t.gap_s, 123.04e-6, 1e-12);
        assert_all_near(1e-3, {t.output_low_s / 123.04e-6, rows[i][1]}, {t.output_high_s / 123.04e-6, rows[i][2]});
        assert_true(t.output_low_s < 400 * t.gap_s && 400 * t.gap_s <= t.output_high_s);
        assert_true(1600 * t.gap_s > t.output_high_s);
        assert_true(t.output_low_s >= 2 * rows[i][0] * t.gap_s); /* section 4.3.3: TO >= 2 B_L */
    }
    struct model_timers_port port = fast_ethernet(15, 43, 300e-6); /* IBM 8275-326: 2 * 43 * 15, 3 * 43 * 15 */
    struct model_timers t = timers_of(&port);
    assert_all_near(1e-9, {t.input_low_s, 1290 * 123.04e-6}, {t.input_high_s, 1935 * 123.04e-6});
}

TEST(test_no_timer_is_shorter_than_a_full_buffer)
{
    /* 10 packets drain in 1.2304 ms: B_L e^2 is 9.1 ms, the round trip 101.2304. */
    struct model_timers_port port = fast_ethernet(4, 10, 0.1);
    struct model_timers t = timers_of(&port);
    assert_near(t.drained_s, 0.1012304, 1e-9);
    assert_all_near(0, {t.least_s, t.drained_s}, {t.most_s, t.drained_s});
    port.rtt_s = 5e-3; /* 6.2304 ms lies between 3.34 and 9.09 */
    t = timers_of(&port);
    assert_near(t.least_s, 6.2304e-3, 1e-9);
    assert_near(t.most_s, 9.0915e-3, 1e-7);
}

TEST(test_windows_fit_at_once_and_later)
{
    /* T = 10 g_r. n = 15, B = 95: at once 95 / 14 = 6.79, later 105 / 15 = 7; n = 3: 47.5 and 35. */
    struct model_timers_port port = fast_ethernet(15, 95, 1230.4e-6);
    struct model_timers t = timers_of(&port);
    assert_near(t.burst_packets, 6.7857, 1e-4);
    assert_near(t.steady_packets, 7, 1e-9);
    assert_near(t.window_packets, t.burst_packets, 0);
    assert_near(model_timers_peak(&port, 15, 7), 98, 1e-9); /* 14 * 7, and 15 * 7 - 10 = 95 */
    assert_near(model_timers_peak(&port, 3, 36), 98, 1e-9); /* 3 * 36 - 10, and 2 * 36 */
    assert_near(model_timers_peak(&port, 1, 1e6), 0, 0);
    assert_near(model_timers_fit(&port, 7), 14, 0);  /* 13 * 7 = 91 fits, 98 does not */
    assert_near(model_timers_fit(&port, 36), 2, 0);  /* 72 - 10 fits, 98 does not */
    assert_near(model_timers_fit(&port, 500), 1, 0); /* one host always does */
    port.hosts = 3;
    assert_near(timers_of(&port).window_packets, 35, 1e-9);
    port.hosts = 1;
    assert_true(isinf(timers_of(&port).window_packets));
}

TEST(test_values_out_of_range_are_refused)
{
    const struct model_timers_port wrong[] = {{0, 1, 1538, 95, 2}, {1e8, -1, 1538, 95, 2}, {1e8, 1, 0, 95, 2},
                                              {1e8, 1, 1538, 0, 2}, {1e8, 1, 1538, 95, 0}, {1e8, 1, 1538, 95, 2.5},
                                              {INFINITY, 1, 1538, 95, 2}, {1e8, NAN, 1538, 95, 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct model_timers t;
        assert_false(model_timers(&wrong[i], &t, &err));
        assert_int_equal(err.code, ERROR_INPUT);
    }
}
