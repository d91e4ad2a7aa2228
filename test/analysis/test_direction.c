/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one direction makes of its segments, fed through the flow table. */
#include "test/analysis/segment.h"

#define MSS 1000

/* A handshake: a's first payload byte is 1001, b's 5001. */
static struct analysis_flows *connected(void)
{
    struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, 0, syn_ack(B_TO_A, 5000, 1001));
    feed(f, 0, segment(A_TO_B, 1001, 0, 5001));
    return f;
}

TEST(test_syn_and_fin_are_not_payload)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, segment(A_TO_B, 1001, 500, 5001));
    struct capture_segment fin = segment(A_TO_B, 1501, 0, 5001);
    fin.flags |= CAPTURE_TCP_FIN;
    feed(f, 2 * MS, fin);
    feed(f, 3 * MS, segment(B_TO_A, 5001, 0, 1502));
    assert_int_equal(flow_count(f), 1);
    assert_int_equal(flow_at(f, 0).payload_bytes, 500);
    assert_int_equal(flow_at(f, 0).data_packets, 1);
}

/* 9000 bytes of packet less 40 of headers, 12 of timestamps; 8688 are six segments of 1448, that a NIC cuts. */
TEST(test_jumbo_frames_show_without_a_handshake)
{
    struct analysis_flows *f = new_flows();
    for (uint32_t i = 0; i < 7; i++)
        feed(f, i * MS, stamped(A_TO_B, 1 + i * 8948, 8948, 1, 10, 1));
    assert_int_equal(flow_at(f, 0).segment_bytes, 1448); /* chance */
    feed(f, 7 * MS, stamped(A_TO_B, 1 + 7 * 8948, 8948, 1, 10, 1));
    assert_int_equal(flow_at(f, 0).segment_bytes, 8948);
    analysis_flows_free(f);
    f = new_flows();
    for (uint32_t i = 0; i < 20; i++)
        feed(f, i * MS, stamped(A_TO_B, 1 + i * 8688, 8688, 1, 10, 1));
    assert_int_equal(flow_at(f, 0).segment_bytes, 1448);
    analysis_flows_free(f);
    f = new_flows();
    struct capture_segment hello = syn(A_TO_B, 0), answer = syn_ack(B_TO_A, 0, 1);
    hello.mss = answer.mss = 1460;
    hello.has_mss = answer.has_mss = true;
    feed(f, 0, hello);
    feed(f, 0, answer);
    for (uint32_t i = 0; i < 20; i++)
        feed(f, i * MS, stamped(A_TO_B, 1 + i * 8948, 8948, 1, 10, 1)); /* the handshake knows better */
    assert_int_equal(flow_at(f, 0).segment_bytes, 1448);
    analysis_flows_free(f);
}

/* Six segments of 1448 that a NIC cuts are one of 8688; nothing cuts 100 MB, whatever a header claims. */
TEST(test_super_segments_are_counted_but_for_those_that_nobody_makes)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, stamped(A_TO_B, 1, 1448, 1, 10, 1));
    assert_int_equal(flow_at(f, 0).longest_bytes, 0);
    feed(f, 1 * MS, stamped(A_TO_B, 1449, 8688, 1, 11, 1));
    feed(f, 2 * MS, stamped(A_TO_B, 10137, 100000000, 1, 12, 1));
    assert_int_equal(flow_at(f, 0).long_bytes, 8688);
    assert_int_equal(flow_at(f, 0).longest_bytes, 8688);
}

TEST(test_payload_of_a_reset_is_ignored)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, segment(A_TO_B, 1001, 500, 5001));
    struct capture_segment rst = segment(A_TO_B, 1501, 30, 5001);
    rst.flags |= CAPTURE_TCP_RST;
    feed(f, 2 * MS, rst);
    assert_int_equal(flow_at(f, 0).payload_bytes, 500);
    assert_int_equal(flow_at(f, 0).seen_payload_bytes, 500);
}

TEST(test_data_on_a_syn_begin_behind_it)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    struct capture_segment s = syn(A_TO_B, 1000); /* TCP Fast Open */
    s.payload_bytes = 100;
    feed(f, 0, s);
    feed(f, 1 * MS, segment(A_TO_B, 1101, 50, 5001));
    assert_int_equal(flow_at(f, 0).payload_bytes, 150);
    assert_int_equal(flow_at(f, 0).missing_bytes, 0);
}

TEST(test_sequence_numbers_may_wrap_any_number_of_times)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, UINT32_MAX - 10));
    uint32_t seq = UINT32_MAX - 9;
    const uint32_t step = 60000; /* super-frames: larger than any MTU */
    const int64_t n = 200000;    /* 12 GB: wraps twice */
    for (int64_t i = 0; i < n; i++, seq += step)
        feed(f, i * 1000, segment(A_TO_B, seq, step, 1));
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.payload_bytes, n * step}, {flow.seen_payload_bytes, n * step}, {flow.missing_bytes, 0},
                {flow.retransmitted_segments, 0});
}

TEST(test_bytes_the_capture_missed_are_payload_and_missing)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, segment(A_TO_B, 1001, MSS, 5001));
    feed(f, 2 * MS, segment(A_TO_B, 4001, MSS, 5001));
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.payload_bytes, 4000}, {flow.seen_payload_bytes, 2000}, {flow.missing_bytes, 2000},
                {flow.retransmitted_segments, 0});
}

TEST(test_without_handshake_the_lowest_byte_seen_is_the_first)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, segment(B_TO_A, 9000, 0, 70000)); /* an ACK of bytes nobody saw */
    feed(f, 1 * MS, segment(A_TO_B, 81000, MSS, 9000));
    feed(f, 2 * MS, segment(A_TO_B, 80000, MSS, 9000)); /* overtaken */
    feed(f, 3 * MS, segment(A_TO_B, 77000, MSS, 9000)); /* and another, with a gap behind it */
    struct analysis_flow flow = flow_at(f, 0);
    assert_int_equal(flow.payload_bytes, 5000); /* 77000 .. 82000 */
    assert_int_equal(flow.missing_bytes, 2000); /* 78000 .. 80000 */
    assert_int_equal(flow.retransmitted_segments, 0);
}

TEST(test_bytes_seen_before_are_retransmitted)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, segment(A_TO_B, 1001, MSS, 5001));
    feed(f, 2 * MS, segment(A_TO_B, 2001, MSS, 5001));
    feed(f, 3 * MS, segment(A_TO_B, 1001, MSS, 5001));
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.retransmitted_segments, 1}, {flow.loss_events, 1});
    assert_int_equal(flow.reordered_segments, 0); /* it fills no hole */
    assert_ints({flow.payload_bytes, 2000}, {flow.seen_payload_bytes, 3000});
}

TEST(test_a_retransmitted_super_frame_is_several_segments)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected(); /* MSS option 1460, no timestamps */
    feed(f, 1 * MS, segment(A_TO_B, 1001, 14600, 5001));
    feed(f, 2 * MS, segment(A_TO_B, 1001, 4381, 5001)); /* 3 * 1460 + 1 */
    assert_int_equal(flow_at(f, 0).retransmitted_segments, 4);
}

TEST(test_a_hole_filled_by_an_older_timestamp_was_reordered)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, stamped(A_TO_B, 1001, MSS, 5001, 10, 1));
    feed(f, 2 * MS, stamped(A_TO_B, 3001, MSS, 5001, 12, 1));
    feed(f, 50 * MS, stamped(A_TO_B, 2001, MSS, 5001, 11, 1)); /* late, but sent before */
    assert_int_equal(flow_at(f, 0).reordered_segments, 1);
    assert_int_equal(flow_at(f, 0).retransmitted_segments, 0);
}

TEST(test_a_hole_filled_by_a_newer_timestamp_was_retransmitted)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, stamped(A_TO_B, 1001, MSS, 5001, 10, 1));
    feed(f, 2 * MS, stamped(A_TO_B, 3001, MSS, 5001, 12, 1));
    feed(f, 2 * MS, stamped(A_TO_B, 2001, MSS, 5001, 13, 1)); /* at once, but sent after */
    assert_int_equal(flow_at(f, 0).reordered_segments, 0);
    assert_int_equal(flow_at(f, 0).retransmitted_segments, 1);
    assert_int_equal(flow_at(f, 0).missing_bytes, 0);
}

TEST(test_within_one_tick_the_ip_identification_tells)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    struct capture_segment early = stamped(A_TO_B, 2001, MSS, 5001, 10, 1); /* made first: smaller identification */
    feed(f, 1 * MS, stamped(A_TO_B, 1001, MSS, 5001, 10, 1));
    feed(f, 1 * MS, stamped(A_TO_B, 3001, MSS, 5001, 10, 1));
    feed(f, 1 * MS, early);
    assert_int_equal(flow_at(f, 0).reordered_segments, 1);
    feed(f, 1 * MS, stamped(A_TO_B, 5001, MSS, 5001, 10, 1));
    feed(f, 1 * MS, stamped(A_TO_B, 4001, MSS, 5001, 10, 1)); /* made last */
    assert_int_equal(flow_at(f, 0).reordered_segments, 1);
    assert_int_equal(flow_at(f, 0).retransmitted_segments, 1);
}

static struct capture_segment bare(struct capture_segment s)
{
    s.ip_id = 0;
    return s;
}

/* Sent again is what fills a hole more than 3 ms after it opened, or after three duplicate ACKs; where one says so and the
 * other does not that is a guess, unless the hole is older than the least timeout of 200 ms. */
TEST(test_without_marks_duplicate_acks_or_time_tell)
{
    static const int ages_ms[] = {1, 3, 4, 200, 201};
    for (size_t i = 0; i < 5; i++)
        for (int dups = 0; dups <= 3; dups++) {
            CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
            const int64_t opened = 1000 * MS;
            feed(f, opened - 2 * MS, bare(segment(A_TO_B, 1001, MSS, 5001)));
            feed(f, opened - MS, bare(segment(B_TO_A, 5001, 0, 2001)));
            feed(f, opened, bare(segment(A_TO_B, 3001, MSS, 5001)));
            for (int k = 0; k < dups; k++)
                feed(f, opened, segment(B_TO_A, 5001, 0, 2001));
            feed(f, opened + ages_ms[i] * MS, bare(segment(A_TO_B, 2001, MSS, 5001)));
            const bool asked = dups == 3, late = ages_ms[i] > 3;
            const struct analysis_flow flow = flow_at(f, 0);
            assert_ints({flow.retransmitted_segments, asked || late}, {flow.reordered_segments, !asked && !late},
                        {flow.ambiguous_segments, asked != late && ages_ms[i] <= 200});
        }
}

TEST(test_losses_of_one_window_are_one_event)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    for (uint32_t i = 0; i < 10; i++)
        feed(f, 1 * MS, segment(A_TO_B, 1001 + MSS * i, MSS, 5001));
    feed(f, 20 * MS, segment(A_TO_B, 1001, MSS, 5001)); /* recovery point: 11001 */
    feed(f, 21 * MS, segment(A_TO_B, 4001, MSS, 5001));
    assert_int_equal(flow_at(f, 0).loss_events, 1);
    for (uint32_t i = 10; i < 20; i++)
        feed(f, 30 * MS, segment(A_TO_B, 1001 + MSS * i, MSS, 5001));
    feed(f, 50 * MS, segment(A_TO_B, 12001, MSS, 5001)); /* beyond it */
    assert_int_equal(flow_at(f, 0).loss_events, 2);
    assert_int_equal(flow_at(f, 0).retransmitted_segments, 3);
}

TEST(test_a_frame_captured_twice_is_neither_payload_nor_loss)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    struct capture_segment s = segment(A_TO_B, 1001, MSS, 5001);
    feed(f, 1 * MS, s);
    feed(f, 1 * MS + 5, s);
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.seen_payload_bytes, 1000}, {flow.data_packets, 1}, {flow.duplicate_frames, 1},
                {flow.retransmitted_segments, 0});
}

/* A tap before a queue and one after it, in one capture: 20 segments in between. What passes the second one is no loss;
 * neither is it if others come in between, nor hides it what is sent again, which has the timestamp of then. */
TEST(test_a_copy_after_a_queue_is_neither_payload_nor_loss)
{
    for (int lost = 0; lost < 2; lost++) {
        CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
        struct capture_segment data[100], ack[100];
        for (uint32_t k = 0; k < 140; k++) {
            if (k < 100)
                feed(f, k * MS, data[k] = stamped(A_TO_B, 1 + k * MSS, MSS, 1, 50 + k / 4, 7));
            if (k >= 20 && k < 120) {
                feed(f, k * MS + 1, data[k - 20]);
                feed(f, k * MS + 2, ack[k - 20] = stamped(B_TO_A, 1, 0, 1 + (k - 19) * MSS, 7 + k, 30 + k));
            }
            if (k >= 40)
                feed(f, k * MS + 3, ack[k - 40]);
            if (k == 90 && lost)
                feed(f, k * MS + 4, stamped(A_TO_B, 1 + 75 * MSS, MSS, 1, 50 + k / 4, 7));
        }
        const struct analysis_flow flow = flow_at(f, 0);
        assert_ints({flow.retransmitted_segments, lost}, {flow.reordered_segments, 0}, {flow.duplicate_frames, 100},
                    {flow.seen_payload_bytes, (100 + lost) * (int64_t)MSS});
    }
}

/* What comes late fills a hole: nobody saw it before. */
TEST(test_a_segment_that_others_overtook_is_no_copy)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    for (uint32_t k = 0; k < 50; k++)
        if (k != 25)
            feed(f, k * MS, stamped(A_TO_B, 1 + k * MSS, MSS, 1, 50 + k, 7));
    feed(f, 50 * MS, stamped(A_TO_B, 1 + 25 * MSS, MSS, 1, 75, 7));
    const struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.payload_bytes, 50 * (int64_t)MSS}, {flow.missing_bytes, 0}, {flow.duplicate_frames, 0});
}

TEST(test_the_same_header_without_marks_is_a_copy_only_at_once)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    struct capture_segment s = bare(segment(A_TO_B, 1001, MSS, 5001));
    feed(f, 10 * MS, s);
    feed(f, 10 * MS + 20000, s);
    assert_int_equal(flow_at(f, 0).duplicate_frames, 1);
    feed(f, 300 * MS, s); /* a retransmission looks the same */
    assert_int_equal(flow_at(f, 0).retransmitted_segments, 1);
}

TEST(test_keepalives_are_not_payload)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, segment(A_TO_B, 1001, 500, 5001));
    feed(f, 2 * MS, segment(B_TO_A, 5001, 0, 1501));
    feed(f, 5000 * MS, segment(A_TO_B, 1500, 1, 5001));
    feed(f, 5001 * MS, segment(B_TO_A, 5001, 0, 1501));
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.keepalives, 1}, {flow.retransmitted_segments, 0}, {flow.data_packets, 1});
    assert_true(flow.end_s < 0.002);
}

/* One byte, acknowledged before it passes again 200 ms later: a retransmission that came too late, as of iperf3's
 * one-byte messages whose ACK waits in a queue. */
TEST(test_a_byte_sent_again_is_no_keepalive)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, segment(A_TO_B, 1001, 1, 5001));
    feed(f, 2 * MS, segment(B_TO_A, 5001, 0, 1002));
    struct capture_segment again = segment(A_TO_B, 1001, 1, 5001);
    again.ip_id = 77;
    feed(f, 201 * MS, again);
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.keepalives, 0}, {flow.retransmitted_segments, 1}, {flow.seen_payload_bytes, 2},
                {flow.payload_bytes, 1});
}

TEST(test_zero_window_probes_are_counted_once_taken)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, segment(A_TO_B, 1001, 500, 5001));
    struct capture_segment closed = segment(B_TO_A, 5001, 0, 1501);
    closed.window = 0;
    feed(f, 2 * MS, closed);
    feed(f, 300 * MS, segment(A_TO_B, 1501, 1, 5001));
    feed(f, 600 * MS, segment(A_TO_B, 1501, 1, 5001)); /* refused before, sent again */
    assert_int_equal(flow_at(f, 0).payload_bytes, 500);
    feed(f, 700 * MS, segment(B_TO_A, 5001, 0, 1502)); /* taken, window open */
    feed(f, 701 * MS, segment(A_TO_B, 1502, 99, 5001));
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.payload_bytes, 600}, {flow.missing_bytes, 0}, {flow.retransmitted_segments, 0},
                {flow.keepalives, 2});
}

TEST(test_a_stray_segment_adds_no_gigabytes)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, segment(A_TO_B, 1001, MSS, 5001));
    feed(f, 2 * MS, segment(A_TO_B, 1001 + (UINT32_C(3) << 29), MSS, 5001)); /* 1.5 GB ahead: beyond any window */
    feed(f, 3 * MS, segment(A_TO_B, 2001, MSS, 5001));
    assert_int_equal(flow_at(f, 0).payload_bytes, 2000);
}

TEST(test_a_capture_that_paused_for_more_than_a_window_goes_on)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = connected();
    feed(f, 1 * MS, segment(A_TO_B, 1001, MSS, 5001));
    uint32_t far = 1001 + (UINT32_C(3) << 29);
    for (uint32_t i = 0; i < 5; i++) {
        feed(f, 2000 * MS, segment(A_TO_B, far + MSS * i, MSS, 5001));
        if (i < 2) /* one or two are strays, three in a row the stream */
            assert_int_equal(flow_at(f, 0).payload_bytes, MSS);
        else
            assert_int_equal(flow_at(f, 0).payload_bytes, (INT64_C(3) << 29) + (i + 1) * MSS);
    }
}
