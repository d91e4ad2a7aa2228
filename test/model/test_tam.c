/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/exchange/tam.h"

#include "base/random.h"
#include "test/cm.h"

#define US 1e-6

/* Uniform in [low, high). */
static double uniform(struct random *r, double low, double high)
{
    return low + (high - low) * random_share(r);
}

static struct model_tam any_parameters(struct random *r)
{
    return (struct model_tam){.send_overhead_s = uniform(r, 0, 50 * US),
                              .send_gap_s = uniform(r, 1 * US, 130 * US),
                              .receive_overhead_s = uniform(r, 0, 50 * US),
                              .receive_gap_s = uniform(r, 1 * US, 130 * US),
                              .user_overhead_s = uniform(r, 0, 20 * US),
                              .latency_s = uniform(r, 0, 300 * US),
                              .latency_per_process_s = uniform(r, 0, 1 * US),
                              .packet_bytes = uniform(r, 64, 9000),
                              .buffer_packets = 43};
}

TEST(test_point_to_point_is_eq_2_6_on_fast_ethernet)
{
    /* Table 5.2, 8275-326, p = 16, k = 10: O_s + 9 g + L + O_r + U_r
     * = 12.5 + 9 * 123 + (149 + 0.3387 * 16) + 20 + 7 = 1300.9192 us. */
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326);
    struct model_tam_cost cost;
    assert_true(model_tam_is_full_duplex(&t, 16));
    assert_true(model_tam_point_to_point(&t, 16, 10, &cost, &err));
    assert_near(cost.time_s, 1300.9192 * US, 1e-12);
    assert_int_equal(cost.stage, MODEL_TAM_NETWORK);
}

TEST(test_full_duplex_exchange_costs_what_one_way_costs)
{
    /* Eq. 2.6 and 2.7 are the same expression when O_s + O_r + U_r < g < L. */
    struct random r = random_of(1);
    int full = 0;
    for (int i = 0; i < 5000; i++) {
        struct model_tam t = any_parameters(&r);
        size_t p = 2 + random_below(&r, 63), k = 1 + random_below(&r, 1000);
        struct model_tam_cost one, both;
        assert_true(model_tam_point_to_point(&t, p, k, &one, &err));
        assert_true(model_tam_exchange(&t, p, k, &both, &err));
        assert_true(both.time_s >= one.time_s);
        if (!model_tam_is_full_duplex(&t, p))
            continue;
        full++;
        assert_near(both.time_s, one.time_s, 0);
        assert_int_equal(both.stage, MODEL_TAM_NETWORK);
        assert_near(one.gap_s, fmax(t.send_gap_s, t.receive_gap_s), 0);
    }
    assert_true(full > 500); /* the property was tried */
}

/* Section 3.2: Directed Point over Gigabit Ethernet on a uniprocessor kernel, packets of 1500 bytes. */
static struct model_tam gigabit_uniprocessor(void)
{
    return (struct model_tam){.send_overhead_s = 6.5 * US,
                              .send_gap_s = 18.76 * US,
                              .receive_overhead_s = 19.7 * US,
                              .receive_gap_s = 12.6 * US,
                              .user_overhead_s = 0.06 * US,
                              .latency_s = 7 * US,
                              .packet_bytes = 1500};
}

TEST(test_slow_receiver_is_eq_3_1)
{
    /* T = O_s + L + k (O_r + U_r): 6.5 + 7 + 100 * 19.76 = 1989.5 us. */
    struct model_tam t = gigabit_uniprocessor();
    struct model_tam_cost cost;
    assert_true(model_tam_point_to_point(&t, 2, 100, &cost, &err));
    assert_int_equal(cost.stage, MODEL_TAM_RECEIVE);
    assert_near(cost.time_s, 1989.5 * US, 1e-12);
    assert_string_equal(model_tam_stage_name(cost.stage), "receive");
}

TEST(test_slow_receiver_bounds_gigabit_at_76_megabytes_a_second)
{
    /* Section 3.2.2: the receive overhead bounds the throughput by 76 MB/s; 75.2 were measured. 10 MB as there. */
    struct model_tam t = gigabit_uniprocessor();
    struct model_tam_cost cost;
    size_t k;
    assert_true(model_tam_packets(&t, 10e6, &k, &err));
    assert_int_equal(k, 6667);
    assert_true(model_tam_point_to_point(&t, 2, k, &cost, &err));
    assert_near(10e6 / cost.time_s, 76e6, 0.5e6);
    assert_true(10e6 / cost.time_s > 75.2e6);
}

TEST(test_fast_ethernet_carries_12_megabytes_a_second_each_way)
{
    /* Section 3.2: g_s = 122.75, g_r = 122.84 us for 1500 bytes; 12.2 MB/s one way, 12.1 each way were measured. */
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326);
    t.send_gap_s = 122.75 * US;
    t.receive_gap_s = 122.84 * US;
    t.packet_bytes = 1500;
    struct model_tam_cost one, both;
    assert_true(model_tam_point_to_point(&t, 2, 6667, &one, &err));
    assert_true(model_tam_exchange(&t, 2, 6667, &both, &err));
    assert_near(10e6 / one.time_s, 12.2e6, 0.05e6);
    assert_near(10e6 / both.time_s, 12.1e6, 0.15e6);
}

TEST(test_slow_sender_bounds_one_way)
{
    /* O_s = 30 > g = 18.76 and > O_r + U_r = 19.76: k = 5: 5 * 30 + 7 + 19.76. */
    struct model_tam t = gigabit_uniprocessor();
    t.send_overhead_s = 30 * US;
    struct model_tam_cost cost;
    assert_true(model_tam_point_to_point(&t, 2, 5, &cost, &err));
    assert_int_equal(cost.stage, MODEL_TAM_SEND);
    assert_near(cost.time_s, 176.76 * US, 1e-12);
}

TEST(test_exchange_adds_both_overheads_of_a_slow_processor)
{
    /* O_s + O_r + U_r = 26.26 > g = 18.76: each of 99 further packets takes 26.26, after 26.26 + L. */
    struct model_tam t = gigabit_uniprocessor();
    struct model_tam_cost cost;
    assert_false(model_tam_is_full_duplex(&t, 2));
    assert_true(model_tam_exchange(&t, 2, 100, &cost, &err));
    assert_int_equal(cost.stage, MODEL_TAM_HOST);
    assert_near(cost.time_s, (100 * 26.26 + 7) * US, 1e-12);
}

TEST(test_parameters_are_lines_of_the_size)
{
    /* Fast Ethernet's wire, 38 bytes a frame at 80 ns: 3.04 + 0.08 * 1500 = 123.04 us, as section 3.2.1 has it; and
     * lines of one's own: 2 + 0.01 * 1500 = 17, 5 + 0.02 * 1500 = 35, 1 + 0.004 * 1500 = 7, 10 + 0.1 * 1500 = 160. */
    const struct model_tam_lines lines = {.send_overhead = {2 * US, 0.01 * US}, .send_gap = {3.04 * US, 0.08 * US},
                                          .latency = {10 * US, 0.1 * US}, .receive_gap = {3 * US, 0.08 * US},
                                          .receive_overhead = {5 * US, 0.02 * US},
                                          .user_overhead = {1 * US, 0.004 * US}};
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326);
    assert_true(model_tam_of_size(&lines, 1500, &t, &err));
    const double got[] = {t.send_overhead_s, t.send_gap_s, t.latency_s, t.receive_gap_s, t.receive_overhead_s,
                          t.user_overhead_s}, want[] = {17, 123.04, 160, 123, 35, 7};
    for (int i = 0; i < 6; i++)
        assert_near(got[i], want[i] * US, 1e-15);
    assert_near(t.packet_bytes, 1500, 0);
    assert_near(t.latency_per_process_s, 0.3387 * US, 0); /* left */
    assert_false(model_tam_of_size(&lines, 0, &t, &err));
    assert_non_null(strstr(err.message, "packet: 0 bytes"));
}

/* Fig. 2.3 in units of a microsecond; Fig. 2.4 is the same with g = 1. */
static struct model_tam figure_2_3(void)
{
    return (struct model_tam){.send_overhead_s = 1 * US,
                              .send_gap_s = 2 * US,
                              .receive_overhead_s = 1.5 * US,
                              .receive_gap_s = 2 * US,
                              .user_overhead_s = 0.5 * US,
                              .latency_s = 4 * US,
                              .packet_bytes = 1500};
}

TEST(test_broadcast_of_figure_2_3_is_bound_by_the_root)
{
    /* T0 = 3 < 2 g = 4: Eq. 2.8 with p = 16, k = 3: 4 * (2 * 2 + 4 + 1.5 + 0.5 + 1) = 44. */
    struct model_tam t = figure_2_3();
    struct model_tam_broadcast b;
    assert_true(model_tam_broadcast(&t, 16, 3, &b, &err));
    assert_int_equal(b.bottleneck, MODEL_TAM_BROADCAST_ROOT);
    assert_near(b.time_s, 44 * US, 1e-12);
}

TEST(test_broadcast_of_figure_2_4_interferes)
{
    /* T0 = 3 >= 2 g = 2: Eq. 2.9 in its last form, (4 + 3 - 1) * 3 + 4 * 4 + 2 * (4 - 2) * 1 = 38. */
    struct model_tam t = figure_2_3();
    t.send_gap_s = t.receive_gap_s = 1 * US;
    struct model_tam_broadcast b;
    assert_true(model_tam_broadcast(&t, 16, 3, &b, &err));
    assert_int_equal(b.bottleneck, MODEL_TAM_BROADCAST_INTERFERENCE);
    assert_near(b.time_s, 38 * US, 1e-12);
    assert_near(b.root_s, 36 * US, 1e-12); /* 4 * (2 * 1 + 4 + 3) */
}

TEST(test_broadcast_of_a_slow_sender_goes_at_its_pace)
{
    /* O_s = 2 > g = 1, O_r + U_r = 1 < O_s: his rule picks Eq. 2.8, and the root cannot send more often than every 2:
     * p = 4, k = 3: 2 * (2 * 2 + 4 + 1 + 2) = 22. */
    struct model_tam t = figure_2_3();
    t.send_overhead_s = 2 * US;
    t.send_gap_s = t.receive_gap_s = 1 * US;
    t.receive_overhead_s = t.user_overhead_s = 0.5 * US;
    struct model_tam_broadcast b;
    assert_true(model_tam_broadcast(&t, 4, 3, &b, &err));
    assert_int_equal(b.bottleneck, MODEL_TAM_BROADCAST_ROOT);
    assert_near(b.time_s, 22 * US, 1e-12);
}

TEST(test_full_duplex_needs_little_overhead_and_a_long_network)
{
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326); /* 39.5 < 123 < 149 + 0.3387 p */
    assert_true(model_tam_is_full_duplex(&t, 2));
    t.latency_s = 120e-6; /* L = 122.7 us for 8, 123.4 us for 10 */
    assert_false(model_tam_is_full_duplex(&t, 8));
    assert_true(model_tam_is_full_duplex(&t, 10));
    t.user_overhead_s = 91e-6; /* 123.5 us of processor */
    assert_false(model_tam_is_full_duplex(&t, 10));
}

TEST(test_broadcast_copies_the_message_once)
{
    /* 3 packets of 1500 bytes at 1 ns a byte: 4.5 us more than 44. */
    struct model_tam t = figure_2_3();
    t.copy.cache_to_memory_s_per_byte = 1e-9;
    struct model_tam_broadcast b;
    assert_true(model_tam_broadcast(&t, 16, 3, &b, &err));
    assert_near(b.time_s, 48.5 * US, 1e-12);
}

TEST(test_broadcast_depth_rounds_up)
{
    /* One packet, L + T0 = 7: 1, 2, 2, 3, 4, 5 levels for 2, 3, 4, 5, 16, 17 processes. */
    const size_t processes[] = {2, 3, 4, 5, 16, 17}, depth[] = {1, 2, 2, 3, 4, 5};
    struct model_tam t = figure_2_3();
    for (int i = 0; i < 6; i++) {
        struct model_tam_broadcast b;
        assert_true(model_tam_broadcast(&t, processes[i], 1, &b, &err));
        assert_near(b.time_s, 7 * US * (double)depth[i], 1e-12);
    }
}

TEST(test_broadcast_rule_takes_the_slower_bottleneck)
{
    /* Whatever the parameters, the part that needs longer decides: root - interference = (k - 1) (2 s - T0). */
    struct random r = random_of(2);
    int picked[2] = {0, 0};
    for (int i = 0; i < 5000; i++) {
        struct model_tam t = any_parameters(&r);
        struct model_tam_broadcast b;
        assert_true(model_tam_broadcast(&t, 2 + random_below(&r, 200), 1 + random_below(&r, 500), &b, &err));
        assert_near(b.time_s, fmax(b.root_s, b.interference_s), 1e-12);
        picked[b.bottleneck]++;
    }
    assert_true(picked[0] > 100 && picked[1] > 100);
}

TEST(test_packets_round_up)
{
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326); /* 1492 bytes */
    size_t k;
    assert_true(model_tam_packets(&t, 1, &k, &err));
    assert_int_equal(k, 1);
    assert_true(model_tam_packets(&t, 1492, &k, &err));
    assert_int_equal(k, 1);
    assert_true(model_tam_packets(&t, 1493, &k, &err));
    assert_int_equal(k, 2);
    assert_false(model_tam_packets(&t, 0, &k, &err));
    assert_false(model_tam_packets(&t, NAN, &k, &err));
    assert_false(model_tam_packets(&t, 1e300, &k, &err));
}

TEST(test_bad_parameter_is_an_error_that_names_it)
{
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326);
    const struct {
        const char *name;
        double *value;
        bool zero_is_bad;
    } rows[] = {
        {"O_s", &t.send_overhead_s, false},  {"g_s", &t.send_gap_s, true},
        {"O_r", &t.receive_overhead_s, false}, {"g_r", &t.receive_gap_s, true},
        {"U_r", &t.user_overhead_s, false},  {"L", &t.latency_s, false},
        {"packet", &t.packet_bytes, true},   {"B_L", &t.buffer_packets, false},
        {"M_ctm", &t.copy.cache_to_memory_s_per_byte, false},
    };
    const double bad[] = {NAN, INFINITY, -INFINITY, -1e-9};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double kept = *rows[i].value;
        for (int j = 0; j < 4; j++) {
            *rows[i].value = bad[j];
            assert_false(model_tam_check(&t, &err));
            assert_int_equal(err.code, ERROR_INPUT);
            assert_memory_equal(err.message, rows[i].name, strlen(rows[i].name));
            assert_int_equal(err.message[strlen(rows[i].name)], ':');
        }
        *rows[i].value = 0;
        assert_int_equal(model_tam_check(&t, &err), !rows[i].zero_is_bad);
        *rows[i].value = kept;
        assert_true(model_tam_check(&t, &err));
    }
}

TEST(test_lone_process_or_no_packet_is_an_error)
{
    struct model_tam t = model_tam_default(MODEL_TAM_IBM_326);
    struct model_tam_cost cost;
    struct model_tam_broadcast b;
    assert_false(model_tam_exchange(&t, 1, 1, &cost, &err));
    assert_non_null(strstr(err.message, "processes: 1"));
    assert_false(model_tam_point_to_point(&t, 2, 0, &cost, &err));
    assert_non_null(strstr(err.message, "packets: 0"));
    assert_false(model_tam_broadcast(&t, 0, 1, &b, &err));
    assert_false(model_tam_exchange(&t, 2, SIZE_MAX, &cost, &err));
}
