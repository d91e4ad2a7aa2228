/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/analysis/segment.h"

TEST(test_goodput_is_payload_over_first_to_last_data_packet)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    for (uint32_t i = 0; i < 11; i++)
        feed(f, (100 + 10 * (int64_t)i) * MS, segment(A_TO_B, 1001 + 1000 * i, 1000, 1));
    feed(f, 900 * MS, segment(B_TO_A, 1, 0, 12001)); /* an ACK is no data */
    struct analysis_flow flow = flow_at(f, 0);
    assert_all_near(1e-9, {flow.start_s, 0.1}, {flow.end_s, 0.2});
    assert_near(flow.goodput_bps, 11000 * 8 / 0.1, 1e-3);
    assert_true(isnan(flow.steady_goodput_bps.value)); /* 11 packets */
    assert_null(flow.bins);
}

TEST(test_steady_goodput_leaves_the_start_out)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    uint32_t seq = 1001;
    for (int64_t us = 0; us < 200000; us += 500) { /* 20 ms at 100 bytes, then 1000 bytes a half-millisecond */
        uint32_t payload = us < 20000 ? 100 : 1000;
        feed(f, us * 1000, segment(A_TO_B, seq, payload, 1));
        seq += payload;
    }
    struct analysis_flow look, flow;
    assert_true(analysis_flows_look(f, 0, &look)); /* which knows no interval, as nobody asked for it so far */
    flow = flow_at(f, 0);
    assert_all(look.steady_goodput_bps.value == flow.steady_goodput_bps.value, isnan(look.steady_goodput_bps.ci95),
               look.steady_start_s == flow.steady_start_s, look.steady_loss_events == flow.steady_loss_events);
    assert_near(flow.steady_goodput_bps.value, 1000 * 8 / 500e-6, 1e-3); /* 16 Mb/s */
    /* every bin has the same, so the rate is known to a segment of 1448 bytes over 175 ms, 66 kb/s */
    assert_near(flow.steady_goodput_bps.ci95, 1448 * 8 / 175e-3, 1e-3);
    /* 199 bins of 1 ms: 28 batches of 7 behind the first 3, so cuts lie at 3 + 7 b; the first behind 20 is 24 */
    assert_near(flow.steady_start_s, 0.024, 1e-9);
    assert_near(flow.steady_end_s, 0.199, 1e-9); /* the last packet passes at 199.5 ms */
    assert_true(flow.goodput_bps < flow.steady_goodput_bps.value);
}

TEST(test_times_that_step_back_do_not_make_time_negative)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    analysis_flows_set_origin(f, 1000 * MS);
    for (uint32_t i = 0; i < 40; i++)
        feed(f, (i == 20 ? 990 : 1000 + (int64_t)i) * MS, segment(A_TO_B, 1 + 10 * i, 10, 1));
    struct analysis_flow flow = flow_at(f, 0);
    assert_all_near(1e-9, {flow.start_s, 0}, {flow.end_s, 0.039});
    assert_int_equal(flow.payload_bytes, 400);
}

TEST(test_window_is_measured_from_timestamps_at_the_receiver)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    /* The tap is beside b: data pass, are acknowledged at once, and the data an ACK released pass one
     * round trip of 10 ms later. Window 10 segments of 1000 bytes, one a millisecond. */
    for (uint32_t ms = 0; ms < 50; ms++) {
        uint32_t echo = ms < 10 ? 0 : 500 + ms - 10;
        feed(f, ms * MS, stamped(A_TO_B, 1001 + 1000 * ms, 1000, 1, 9000 + ms, echo));
        feed(f, ms * MS, stamped(B_TO_A, 1, 0, 2001 + 1000 * ms, 500 + ms, 9000 + ms));
    }
    struct analysis_flow flow = flow_at(f, 0);
    assert_int_equal(flow.window_source, ANALYSIS_WINDOW_TIMESTAMPS);
    assert_near(flow.window_bytes, 10000, 1e-6); /* the tap itself never sees more than 1000 outstanding */
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Of few segments and ACKs the table keeps these alone, of more what analysis_round_trip.h keeps: either says what that
 * says of the same ones. Data each ms, echoes and ACKs 3 ms later. */
TEST(test_explanations_of_few_segments_are_those_of_their_round_trips)
{
    for (uint32_t n = 1; n <= 24; n++) {
        CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
        struct analysis_round_trip *trip = analysis_round_trip_new(-1);
        struct analysis_round_trip_figures x, expected;
        analysis_flows_keep_explanations(f);
        feed(f, 0, syn(A_TO_B, 1000));
        for (uint32_t i = 0; i < n; i++) {
            uint32_t k = i / 2;
            int64_t t = (10 + k + (i % 2 ? 3 : 0)) * MS + (i % 2 ? 1000 * k : 0);
            struct capture_segment s = i % 2 ? stamped(B_TO_A, 1, 0, 2001 + 1000 * k, 500 + k + 3, 9000 + k)
                                             : stamped(A_TO_B, 1001 + 1000 * k, 1000, 1, 9000 + k, k > 2 ? 500 + k : 0);
            feed(f, t, s);
            if (i % 2)
                analysis_round_trip_ack(trip, &s, 1000 * (k + 1), t);
            else
                analysis_round_trip_data(trip, &s, 1000 * (k + 1), t);
        }
        analysis_round_trip_get(trip, &expected);
        analysis_round_trip_free(trip);
        assert_true(analysis_flows_explain(f, 0, &x));
        for (int leg = 0; leg < ANALYSIS_LEGS; leg++)
            assert_true(same(x.wait_s[leg], expected.wait_s[leg]));
        for (int loop = 0; loop < ANALYSIS_LOOPS; loop++)
            assert_true(same(x.loop_least_s[loop], expected.loop_least_s[loop]) &&
                        same(x.stamped_least_s[loop], expected.stamped_least_s[loop]));
        assert_true(same(x.floor_s, expected.floor_s) && same(x.hold_s, expected.hold_s) &&
                    same(x.tick_s, expected.tick_s));
        assert_true(n < 2 || isfinite(x.hold_s)); /* there is something to compare */
    }
}

/* A handshake at a tap `near_ns` from a (there and back) and `far_ns` from b, then 5 segments of 1000 bytes
 * of which 2 are acknowledged; no timestamps. */
static struct analysis_flow tapped(int64_t near_ns, int64_t far_ns)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, far_ns, syn_ack(B_TO_A, 5000, 1001));
    feed(f, far_ns + near_ns, segment(A_TO_B, 1001, 0, 5001));
    feed(f, 10 * MS, segment(B_TO_A, 5001, 0, 1001));
    for (uint32_t i = 0; i < 4; i++)
        feed(f, 10 * MS, segment(A_TO_B, 1001 + 1000 * i, 1000, 5001)); /* 1, 2, 3, 4 kB in flight */
    struct analysis_flow flow = flow_at(f, 0);
    return flow;
}

TEST(test_window_without_timestamps_needs_a_tap_at_the_sender)
{
    struct analysis_flow flow = tapped(1000, 200000);
    assert_int_equal(flow.window_source, ANALYSIS_WINDOW_TAP);
    assert_near(flow.window_bytes, 2500, 1e-6); /* mean of 1000 2000 3000 4000 */
    flow = tapped(200000, 1000);
    assert_int_equal(flow.window_source, ANALYSIS_WINDOW_UNKNOWN);
    assert_true(isnan(flow.window_bytes));
    flow = tapped(100000, 100000);
    assert_int_equal(flow.window_source, ANALYSIS_WINDOW_UNKNOWN);
}

/* What a handshake shows: from the SYN to its answer the server's side of the tap, from there to the ACK the client's, either
 * of which may pass within a tick. Which of two SYNs was answered, or which of two answers, it does not. */
TEST(test_a_handshake_times_both_sides_of_the_tap)
{
    static const struct {
        int64_t syn_ms, again_ms, answer_ms, answer_again_ms, ack_ms; /* 0: not again */
        double client_s, server_s;
    } rows[] = {{5, 0, 105, 0, 305, 0.2, 0.1},          {5, 0, 305, 0, 305, 0, 0.3},
                {5, 0, 5, 0, 305, 0.3, 0},              {5, 900, 1005, 0, 2005, 1, NAN},
                {5, 0, 1005, 1900, 2005, NAN, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
        analysis_flows_set_origin(f, 0);
        feed(f, rows[i].syn_ms * MS, syn(A_TO_B, 1000));
        if (rows[i].again_ms)
            feed(f, rows[i].again_ms * MS, syn(A_TO_B, 1000));
        feed(f, rows[i].answer_ms * MS, syn_ack(B_TO_A, 5000, 1001));
        if (rows[i].answer_again_ms)
            feed(f, rows[i].answer_again_ms * MS, syn_ack(B_TO_A, 5000, 1001));
        feed(f, rows[i].ack_ms * MS, segment(A_TO_B, 1001, 0, 5001));
        feed(f, 2006 * MS, segment(A_TO_B, 1001, 100, 5001));
        feed(f, 2007 * MS, segment(B_TO_A, 5001, 100, 1101));
        double both_s = rows[i].client_s + rows[i].server_s;
        for (size_t way = 0; way < 2; way++) {
            struct analysis_flow flow = flow_at(f, way);
            const double pairs[][2] = {{flow.sender_side_s, way ? rows[i].server_s : rows[i].client_s},
                                       {flow.receiver_side_s, way ? rows[i].client_s : rows[i].server_s},
                                       {flow.rtt_floor_s, both_s},
                                       {flow.handshake_s, isnan(both_s) ? (double)NAN : 0.005}};
            for (size_t k = 0; k < 4; k++)
                if (!(isnan(pairs[k][1]) ? isnan(pairs[k][0]) : fabs(pairs[k][0] - pairs[k][1]) < 1e-9))
                    fail_msg("handshake %zu, way %zu, %zu: %g, not %g", i, way, k, pairs[k][0], pairs[k][1]);
        }
    }
}

TEST(test_advertised_window_is_scaled_by_the_receivers_syn)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    struct capture_segment s = syn(A_TO_B, 1000), r = syn_ack(B_TO_A, 5000, 1001);
    s.has_window_scale = r.has_window_scale = true;
    s.window_scale = 2;
    r.window_scale = 3;
    feed(f, 0, s);
    feed(f, 0, r);
    feed(f, 1 * MS, segment(A_TO_B, 1001, 10, 5001));
    feed(f, 2 * MS, segment(B_TO_A, 5001, 0, 1011)); /* 60000 << 3 */
    assert_near(flow_at(f, 0).advertised_bytes, 480000, 0);
}

/* A snap length that ends in the options of a SYN leaves out its scale: no window is known, rather than one 128 times smaller. */
TEST(test_a_window_scale_that_was_cut_off_is_unknown)
{
    for (int cut = 0; cut < 3; cut++) { /* of both SYNs, of the reply, or of none */
        CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
        struct capture_segment s = syn(A_TO_B, 1000), r = syn_ack(B_TO_A, 5000, 1001);
        s.options_cut = cut == 0;
        s.has_window_scale = cut == 1;
        r.options_cut = cut < 2;
        feed(f, 0, s);
        feed(f, 0, r);
        feed(f, 1 * MS, segment(A_TO_B, 1001, 10, 5001));
        feed(f, 2 * MS, segment(B_TO_A, 5001, 0, 1011)); /* 60000 */
        double bytes = flow_at(f, 0).advertised_bytes;
        assert_true(cut < 2 ? isnan(bytes) : bytes == 60000);
    }
}

TEST(test_endpoints_of_ipv6_have_brackets)
{
    struct capture_address a = {.family = 6};
    a.bytes[15] = 1;
    char text[ANALYSIS_ENDPOINT_TEXT];
    analysis_flows_endpoint(&a, 80, text);
    assert_string_equal(text, "[::1]:80");
}

/* Every flow of a real capture against what tshark read off it: see test/data/captures/README.md. */
static void compare_with_tshark(const char *name)
{
    char path[512], line[256];
    struct error err;
    struct analysis_capture capture;
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = analysis_flows_new();
    snprintf(path, sizeof path, "%s/%s.pcap.gz", TEST_CAPTURES, name);
    assert_true(analysis_flows_read(f, path, NULL, NULL, &capture, &err));
    assert_false(capture.truncated);
    snprintf(path, sizeof path, "%s/%s.wire.csv", TEST_CAPTURES, name);
    FILE *csv = fopen(path, "r");
    assert_non_null(csv);
    size_t compared = 0;
    while (fgets(line, sizeof line, csv)) {
        char src[16], dst[16];
        unsigned sport, dport, packets;
        long long unique, seen;
        double first, last;
        if (sscanf(line, "%15[0-9.],%u,%15[0-9.],%u,%lld,%lld,%u,%lf,%lf", src, &sport, dst, &dport, &unique, &seen,
                   &packets, &first, &last) != 9)
            continue;
        struct capture_address a, b;
        assert_true(capture_address_parse(src, &a) && capture_address_parse(dst, &b));
        for (size_t i = 0; i < flow_count(f); i++) {
            struct analysis_flow flow = flow_at(f, i);
            if (flow.src_port != sport || flow.dst_port != dport || memcmp(&flow.src, &a, sizeof a) != 0 ||
                memcmp(&flow.dst, &b, sizeof b) != 0)
                continue;
            compared++;
            assert_ints({flow.payload_bytes, unique}, {flow.seen_payload_bytes, seen}, {flow.data_packets, packets});
            assert_all_near(1e-9, {flow.start_s, first}, {flow.end_s, last});
        }
    }
    fclose(csv);
    assert_int_equal(compared, 9);
    assert_int_equal(flow_count(f), 9);
}

TEST(test_real_captures_have_the_bytes_tshark_counts)
{
    compare_with_tshark("fifo-2in-1out");
    compare_with_tshark("ackprio-2in-1out");
    compare_with_tshark("shallow-2in-1out");
}

TEST(test_retransmissions_are_those_the_kernel_counted)
{
    struct analysis_capture capture;
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = analysis_flows_new();
    assert_true(analysis_flows_read(f, TEST_CAPTURES "/shallow-2in-1out.pcap.gz", NULL, NULL, &capture, &err));
    for (size_t i = 0; i < flow_count(f); i++) {
        struct analysis_flow flow = flow_at(f, i);
        if (flow.src_port == 51916) /* tapped at its sender: iperf3 says 73 */
            assert_int_equal(flow.retransmitted_segments, 73);
        if (flow.src_port == 39702 || flow.src_port == 47542) /* at the receiver: 41 and 40 */
            assert_in_range(flow.retransmitted_segments, 38, 41);
    }
}

/* A handshake from one end of 64-bit time to the other: a clock gone mad, or a forged capture. */
TEST(test_times_apart_by_centuries_count_as_decades)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = analysis_flows_new();
    feed(f, INT64_MIN, syn(A_TO_B, 1000));
    feed(f, INT64_MAX - 2, syn_ack(B_TO_A, 5000, 1001));
    feed(f, INT64_MAX - 1, segment(A_TO_B, 1001, 1000, 5001));
    for (int i = 1; i < 40; i++)
        feed(f, INT64_MAX, segment(A_TO_B, 1001 + 1000u * (unsigned)i, 1000, 5001));
    struct analysis_flow flow = flow_at(f, 0);
    assert_int_equal(flow.payload_bytes, 40000);
    assert_true(flow.start_s == flow.end_s && flow.end_s > 36 * 365.0 * 86400 && flow.end_s < 37 * 365.0 * 86400);
}

/* In that capture every connection opens with a handshake, which scales its windows. */
TEST(test_packets_are_kept_when_asked_for)
{
    struct analysis_capture capture;
    struct analysis_flow flow;
    int end, shift[2];
    uint32_t again = 0, packets = 0;
    struct analysis_flows *f = analysis_flows_new();
    analysis_flows_keep_packets(f);
    assert_true(analysis_flows_read(f, TEST_CAPTURES "/shallow-2in-1out.pcap.gz", NULL, NULL, &capture, &err));
    for (size_t i = 0; i < analysis_flows_slots(f); i++) {
        const struct analysis_packets *p = analysis_flows_packets(f, i, &end, shift);
        assert_non_null(p);
        assert_true(shift[0] >= 0 && shift[0] <= 14 && shift[1] >= 0 && shift[1] <= 14);
        packets += p->end[end].acks;
        if (!analysis_flows_get(f, i, &flow))
            continue;
        const struct analysis_packets_end *e = &p->end[end];
        assert_in_range(e->data, flow.data_packets + 1, flow.data_packets + 2); /* SYN, and FIN unless it has data */
        assert_true(e->again <= flow.retransmitted_segments); /* a packet may have several segments */
        assert_int_equal(e->again > 0, flow.retransmitted_segments > 0);
        assert_in_range(e->first_frame, 1, e->last_frame - 1);
        assert_in_range(e->last_frame, 1, capture.frames);
        for (uint32_t k = 1; k < e->again && k < ANALYSIS_PACKETS_AGAIN; k++)
            assert_true(e->again_frame[k] > e->again_frame[k - 1]);
        again += e->again;
    }
    assert_true(again > 100);
    assert_in_range(packets, capture.frames - (int64_t)analysis_flows_slots(f), capture.frames); /* a SYN has no ACK */
    assert_int_equal(analysis_flows_packets_cut(f), 0);
    analysis_flows_free(f);
    f = analysis_flows_new();
    assert_true(analysis_flows_read(f, TEST_CAPTURES "/shallow-2in-1out.pcap.gz", NULL, NULL, &capture, &err));
    assert_null(analysis_flows_packets(f, 0, &end, shift));
    analysis_flows_free(f);
}

TEST(test_a_missing_file_is_an_error)
{
    struct analysis_capture capture;
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = analysis_flows_new();
    assert_false(analysis_flows_read(f, "/nonexistent.pcap", NULL, NULL, &capture, &err));
    assert_int_equal(err.code, ERROR_INPUT);
}
