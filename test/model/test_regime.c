/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/regime.h"

#include "base/random.h"
#include "model/window/window.h"

#include "test/cm.h"

#define TOLERANCE 0.05

/* star.yaml: two in, one out, 1 Gb/s, 3 MB windows, 20 MB queues. */
static struct model_regime_setup star(void)
{
    return (struct model_regime_setup){
        .incoming = 2, .outgoing = 1, .incoming_window_bytes = 3e6, .outgoing_window_bytes = 3e6,
        .link = model_link_default(), .delay_s = 50e-6, .nic_limit_bytes = 20e6, .port_limit_bytes = 20e6,
    };
}

static struct model_regime_answer answer(const struct model_regime_setup *s)
{
    struct model_regime_answer a;
    assert_true(model_regime(s, TOLERANCE, &a));
    assert_true((a.regime == MODEL_REGIME_UNKNOWN) == (a.why != NULL));
    return a;
}

static enum model_regime regime(const struct model_regime_setup *s)
{
    return answer(s).regime;
}

TEST(test_deep_fifos_and_equal_windows_are_eq6)
{
    /* s = 1538/1448, a = 90/2896; B = 1 Gb/s / (s + a/2) = 927.9 Mb/s, half of it each: 464, as ns-3 has it. */
    struct model_regime_setup s = star();
    struct model_regime_answer a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_EQ6);
    assert_near(a.in_bps, 463.95e6, 0.01e6);
    assert_near(a.out_bps, a.in_bps, 1);
    s.incoming = 3;
    a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_EQ6);
    assert_near(a.out_bps, 310.8e6, 0.1e6);
}

TEST(test_windows_less_the_pipe_stand_in_the_port)
{
    /* 2070 segments each go round, one stays at the receiver; d = 200 us + (2 * 1538 + 2 * 90) * 8 ns = 226.048 us, and
     * of a pair that has no mate there 12.304 us more. All three take one round trip T =
     * 8 (s 2 W + a W) / C = 8 * 1448 * 2070 * (2 * 1.062155 + 0.031077) ns = 51.68 ms; q = T - d. In the port, per
     * second of wait, 2 W / T of data, 1518 bytes a segment, and W / T acknowledged with 70 bytes for two. */
    struct model_regime_setup s = star();
    struct model_regime_answer a = answer(&s);
    double w = 1448.0 * 2070, t = 8e-9 * w * (2 * 1538.0 / 1448 + 90.0 / 2896);
    assert_near(model_regime_round_trip_s(&s), 238.352e-6, 1e-12);
    assert_near(a.port_s, t - 226.048e-6, 1e-9);
    assert_near(a.port_need_bytes, (t - 226.048e-6) / t * (2 * w * 1518 / 1448 + w * 70 / 2896), 1);
    assert_near(a.margin_bytes, 20e6 - a.port_need_bytes, 1e-6);
    assert_near(a.nic_need_bytes, 0, 1e-9);
}

TEST(test_a_port_that_cannot_hold_them_loses)
{
    struct model_regime_setup s = star();
    double need = answer(&s).port_need_bytes;
    s.port_limit_bytes = 500e3; /* 49 125 936 Mb/s with ns-3's NewReno */
    struct model_regime_answer a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_LOSS);
    assert_near(a.margin_bytes, 500e3 - need, 1e-6);
    assert_true(isnan(a.in_bps));
    s.nic_limit_bytes = 1.5e6; /* 738 190 465 */
    s.port_limit_bytes = 2e6;
    assert_int_equal(regime(&s), MODEL_REGIME_LOSS);
    s = star();
    s.port_limit_bytes = need - 1;
    assert_int_equal(regime(&s), MODEL_REGIME_LOSS);
    s.port_limit_bytes = need + 1; /* the pairs of two flows may meet */
    assert_int_equal(regime(&s), MODEL_REGIME_UNKNOWN);
    s.port_limit_bytes = need + 4 * 1518 + 1;
    assert_int_equal(regime(&s), MODEL_REGIME_EQ6);
}

TEST(test_acks_that_pass_data_bring_full_duplex_back)
{
    /* ns-3: 457 457 915 and 305 305 305 915 with ACKs first in both; Linux: fair at the port alone does it, at the
     * NIC alone nothing. */
    struct model_regime_setup s = star();
    s.nic_acks = s.port_acks = MODEL_REGIME_ACKS_FIRST;
    struct model_regime_answer a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_EQ5);
    assert_all_near(0.2e6, {a.in_bps, 457.4e6}, {a.out_bps, 914.7e6});
    s.incoming = 3;
    assert_int_equal(regime(&s), MODEL_REGIME_EQ5);
    s = star();
    s.port_acks = MODEL_REGIME_ACKS_TURN;
    assert_int_equal(regime(&s), MODEL_REGIME_EQ5);
    s.port_acks = MODEL_REGIME_ACKS_WAIT;
    s.nic_acks = MODEL_REGIME_ACKS_TURN;
    assert_int_equal(regime(&s), MODEL_REGIME_EQ6);
    s.incoming = 1; /* 1/2: here the NIC is the right place */
    s.outgoing = 2;
    assert_int_equal(regime(&s), MODEL_REGIME_EQ5);
}

TEST(test_unequal_windows_set_the_rates)
{
    /* Linux, 100 Mb/s: half the window out gave 46.7 46.5 22.9. */
    struct model_regime_setup s = star();
    s.link.rate_bps = 100e6;
    s.incoming_window_bytes = 256 * 1024;
    s.outgoing_window_bytes = 128 * 1024;
    struct model_regime_answer a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_WINDOW);
    assert_all_near(0.2e6, {a.in_bps, 46.7e6}, {a.out_bps, 23.35e6});
}

TEST(test_small_queues_keep_data_out_of_the_nic)
{
    /* small-queues.yaml: Linux gives 91 40-46 46-51, and 46 46 46 without. */
    struct model_regime_setup s = star();
    s.incoming = 1;
    s.outgoing = 2;
    s.link.rate_bps = 100e6;
    s.incoming_window_bytes = s.outgoing_window_bytes = 300e3;
    assert_int_equal(regime(&s), MODEL_REGIME_EQ6);
    s.small_queue_bytes = 10e3;
    struct model_regime_answer a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_EQ5);
    assert_near(a.nic_s, 8 * 2 * (10e3 + 1518) / 100e6, 1e-9); /* each its 10 kB and the frame that crosses the line */
    /* A backlog of 53, 144 and 223 kB against a window of 100 KiB: 91.5, 63.5 and 43.2 Mb/s of single runs. */
    static const double backlog[] = {53e3, 144e3, 223e3}, measured[] = {91.5e6, 63.5e6, 43.2e6};
    s.incoming_window_bytes = 100 * 1024;
    s.outgoing_window_bytes = 4e6;
    for (int i = 0; i < 3; i++) {
        s.small_queue_bytes = backlog[i] / 2 - 1518;
        assert_near(answer(&s).in_bps / measured[i], 1, 0.15);
    }
}

TEST(test_windows_below_the_pipe_leave_it_unsaturated)
{
    struct model_regime_setup s = star();
    s.delay_s = 5e-3; /* 20 ms: 2.5 MB of wire */
    s.incoming_window_bytes = s.outgoing_window_bytes = 300e3;
    struct model_regime_answer a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_UNSATURATED);
    /* 207 segments, one of which stays at the receiver */
    assert_near(a.in_bps, 8 * 206 * 1448 / (model_regime_round_trip_s(&s) - 12.304e-6), 1e-3);
    assert_near(a.port_need_bytes, 0, 1e-9);
}

TEST(test_two_full_fifos_are_known_by_their_sum_alone)
{
    struct model_regime_setup s = star();
    s.outgoing_window_bytes = 2 * 2071 * 1448;
    s.incoming_window_bytes = 2071 * 1448;
    assert_int_equal(regime(&s), MODEL_REGIME_WINDOW); /* either holds it all */
    s.port_limit_bytes = 3e6;
    assert_int_equal(regime(&s), MODEL_REGIME_UNKNOWN);
    s.nic_limit_bytes = 3e6;
    assert_int_equal(regime(&s), MODEL_REGIME_LOSS); /* 3 + 3 < 6.5 */
}

TEST(test_a_start_that_overflows_decides_nothing)
{
    struct model_regime_setup s = star();
    s.nic_limit_bytes = 1e6; /* 3 MB at once; nothing stands there later */
    assert_int_equal(regime(&s), MODEL_REGIME_UNKNOWN);
    s.small_queue_bytes = 10e3;
    assert_int_equal(regime(&s), MODEL_REGIME_EQ6);
}

/* Ten flows whose ACKs come back two segments at a time: a burst of 20 frames of 1518 bytes must find room besides what
 * stands in the NIC, and finds it where there is exactly that much. */
TEST(test_a_burst_needs_room_besides_what_stands)
{
    struct model_regime_setup s = star();
    s.incoming = 1;
    s.outgoing = 10;
    s.outgoing_window_bytes = 100 * 1448;
    s.incoming_window_bytes = 1000 * 1448;
    s.delay_s = 0;
    enum model_regime deep = regime(&s);
    assert_int_not_equal(deep, MODEL_REGIME_UNKNOWN);
    s.nic_limit_bytes = answer(&s).nic_need_bytes + 20 * 1518;
    assert_int_equal(regime(&s), deep);
    s.nic_limit_bytes -= 1;
    struct model_regime_answer a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_UNKNOWN);
    assert_non_null(strstr(a.why, "no room for a burst"));
}

TEST(test_pause_acts_only_where_more_than_xoff_would_stand)
{
    /* pause.yaml: 463 463 463 when everybody stops, 457 457 915 when senders do. */
    struct model_regime_setup s = star();
    s.delay_s = 5e-6;
    s.port_limit_bytes = 128e3;
    s.xoff_bytes = 104287;
    s.xon_bytes = 78213;
    s.pause = MODEL_REGIME_PAUSE_EVERYBODY;
    assert_int_equal(regime(&s), MODEL_REGIME_EQ6);
    s.outgoing_window_bytes = 4.5e6; /* the incoming flows' ACKs wait behind it */
    assert_int_equal(regime(&s), MODEL_REGIME_WINDOW);
    s.pause = MODEL_REGIME_PAUSE_SENDERS;
    assert_int_equal(regime(&s), MODEL_REGIME_EQ5);
    s.pause = MODEL_REGIME_PAUSE_OFF;
    assert_int_equal(regime(&s), MODEL_REGIME_LOSS);
    s = star();
    s.pause = MODEL_REGIME_PAUSE_SENDERS;
    s.xoff_bytes = 19e6;
    s.xon_bytes = 14e6;
    struct model_regime_answer a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_EQ6); /* it never does */
    assert_near(a.margin_bytes, 19e6 - a.port_need_bytes, 1e-6);
}

static void unknown_because(const struct model_regime_setup *s, const char *word)
{
    struct model_regime_answer a = answer(s);
    assert_int_equal(a.regime, MODEL_REGIME_UNKNOWN);
    if (!strstr(a.why, word))
        fail_msg("'%s' is not in '%s'", word, a.why);
}

/* pause.yaml has an answer (above); each bound of the forms takes it away. */
TEST(test_pause_is_unknown_where_its_ends_differ)
{
    struct model_regime_setup base = star(), s;
    base.delay_s = 5e-6;
    base.port_limit_bytes = 128e3;
    base.xoff_bytes = 104287;
    base.xon_bytes = 78213;
    base.pause = MODEL_REGIME_PAUSE_SENDERS;
    assert_int_equal(regime(&base), MODEL_REGIME_EQ5);
    s = base;
    s.xon_bytes = 95e3; /* 9287 bytes are six frames; one of two senders gets every seventh */
    unknown_because(&s, "frame more in each cycle");
    s = base;
    s.xon_bytes = 2e3; /* 2 * 5 us at 1 Gb/s are 1250 bytes, and a frame is on its way */
    unknown_because(&s, "runs empty");
    s = base;
    s.nic_acks = s.port_acks = MODEL_REGIME_ACKS_FIRST;
    s.outgoing_window_bytes = 35e3; /* 280 us; a stop of 229 us and half as much comes to the round trip of 58 us */
    unknown_because(&s, "ACKs of outgoing flows");
    s = base;
    s.incoming_window_bytes = s.outgoing_window_bytes = 10e6; /* 170 ms */
    unknown_because(&s, "retransmission timers");
    s = base;
    s.pause = MODEL_REGIME_PAUSE_EVERYBODY;
    s.outgoing_window_bytes = 5.7e6; /* 95 % of what comes in */
    unknown_because(&s, "nearly full");
    s.outgoing_window_bytes = 6.5e6;
    unknown_because(&s, "start alone makes PAUSE act");
    s = base;
    s.xoff_bytes = answer(&s).port_need_bytes + 3000; /* two pairs are 6072 */
    s.xon_bytes = s.xoff_bytes / 2;
    s.port_limit_bytes = 20e6;
    unknown_because(&s, "burst decides whether PAUSE acts");
    s.pause = MODEL_REGIME_PAUSE_EVERYBODY; /* `none`, as below, where it acts all the time, and else full duplex */
    s.incoming = 3;
    s.nic_acks = s.port_acks = MODEL_REGIME_ACKS_FIRST;
    s.xoff_bytes = answer(&s).port_need_bytes - 100e3;
    s.xon_bytes = s.xoff_bytes - 500e3;
    unknown_because(&s, "PAUSE acts part of the time");
}

TEST(test_a_window_below_a_pair_is_for_the_timer)
{
    struct model_regime_setup s = star();
    s.outgoing_window_bytes = 2895;
    unknown_because(&s, "delayed ACK timer");
    s.link.segments_per_ack = 1;
    assert_null(answer(&s).why);
}

TEST(test_everybody_stopped_undoes_ack_priority)
{
    /* X sends a third of the time and pays for its ACKs: (s / 3 - a) B / s = 0.304 B beside 0.333 B. */
    struct model_regime_setup s = star();
    s.incoming = 3;
    s.nic_acks = s.port_acks = MODEL_REGIME_ACKS_FIRST;
    s.port_limit_bytes = 1e6;
    s.xoff_bytes = 0.9e6;
    s.xon_bytes = 0.6e6;
    s.pause = MODEL_REGIME_PAUSE_EVERYBODY;
    struct model_regime_answer a = answer(&s);
    assert_int_equal(a.regime, MODEL_REGIME_NONE);
    assert_near(a.out_bps / a.in_bps, 3 * (1.0 / 3 - 90.0 / 2896 / (1538.0 / 1448)), 1e-6);
}

/* The four cases against the fixed point on any topology (model/window/window.h). */
TEST(test_rates_are_the_window_laws_fixed_point)
{
    struct random random = random_of(7);
    int compared = 0;
    for (int i = 0; i < 500; i++) {
        struct model_regime_setup s = star();
        s.incoming = 1 + (int)random_below(&random, 4);
        s.outgoing = 1 + (int)random_below(&random, 4);
        s.incoming_window_bytes = 1448.0 * (double)(1 + random_below(&random, 300));
        s.outgoing_window_bytes = 1448.0 * (double)(1 + random_below(&random, 300));
        s.delay_s = 1e-6 * (double)random_below(&random, 1000);
        s.nic_acks = random_below(&random, 2) ? MODEL_REGIME_ACKS_FIRST : MODEL_REGIME_ACKS_WAIT;
        s.port_acks = random_below(&random, 2) ? MODEL_REGIME_ACKS_FIRST : MODEL_REGIME_ACKS_WAIT;
        const struct model_window_link links[] = {{s.link.rate_bps, s.nic_acks == MODEL_REGIME_ACKS_FIRST},
                                                  {s.link.rate_bps, s.port_acks == MODEL_REGIME_ACKS_FIRST}};
        static const int nic[] = {0}, port[] = {1};
        struct model_window_flow flows[8];
        int n = s.incoming + s.outgoing;
        for (int f = 0; f < n; f++) {
            bool in = f < s.incoming;
            struct model_window_flight flight = model_window_flight(
                in ? s.incoming_window_bytes : s.outgoing_window_bytes, s.link.segment_bytes, 2);
            flows[f] = (struct model_window_flow){
                .window_bytes = flight.bytes,
                .base_rtt_s = model_regime_round_trip_s(&s) - (1 - flight.mates) * 12.304e-6,
                .wire_per_byte = 1538.0 / 1448,
                .ack_wire_per_byte = 90.0 / 2896, .data = in ? port : nic, .ack = in ? nic : port,
                .n_data = 1, .n_ack = 1,
            };
        }
        struct model_window *w = model_window_new(&(struct model_window_network){links, flows, 2, (size_t)n}, &err);
        assert_non_null(w);
        assert_true(model_window_solve(w, NULL, &err));
        struct model_regime_answer a = answer(&s);
        const double *rate = model_window_rates(w), *wait = model_window_delays(w);
        if (isfinite(a.in_bps)) {
            assert_all_near(1e-5, {a.in_bps / rate[0], 1}, {a.out_bps / rate[n - 1], 1});
            assert_near(a.nic_s + a.port_s, wait[0] + wait[1], 1e-5 * model_regime_round_trip_s(&s));
            compared++;
        }
        model_window_free(w);
    }
    assert_true(compared > 450);
}

TEST(test_refuses_what_is_no_star)
{
    struct model_regime_answer a = {.regime = MODEL_REGIME_LOSS};
    struct model_regime_setup s = star();
    s.outgoing = 0;
    assert_false(model_regime(&s, TOLERANCE, &a));
    s = star();
    s.incoming_window_bytes = 1447;
    assert_false(model_regime(&s, TOLERANCE, &a));
    s = star();
    s.delay_s = NAN;
    assert_false(model_regime(&s, TOLERANCE, &a));
    s = star();
    s.pause = MODEL_REGIME_PAUSE_SENDERS; /* without thresholds */
    assert_false(model_regime(&s, TOLERANCE, &a));
    assert_int_equal(a.regime, MODEL_REGIME_LOSS);
}
