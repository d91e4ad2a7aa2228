/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Losses told apart by what SACK says (RFC 2018, RFC 2883), fed through the flow table. */
#include "test/analysis/segment.h"

#include "base/random.h"

#define MSS 1000

/* a has sent its bytes 1001 to 1001 + n * MSS, one segment a millisecond from 1 ms on. */
static struct analysis_flows *sent(int n)
{
    struct analysis_flows *f = new_flows();
    struct capture_segment open = syn(A_TO_B, 1000), reply = syn_ack(B_TO_A, 5000, 1001);
    open.has_mss = reply.has_mss = true;
    open.mss = reply.mss = MSS;
    feed(f, 0, open);
    feed(f, 0, reply);
    feed(f, 0, segment(A_TO_B, 1001, 0, 5001));
    for (int i = 0; i < n; i++)
        feed(f, (1 + i) * MS, segment(A_TO_B, 1001 + (uint32_t)i * MSS, MSS, 5001));
    return f;
}

static struct capture_segment sack(uint32_t ack, uint32_t start, uint32_t end)
{
    struct capture_segment s = segment(B_TO_A, 5001, 0, ack);
    s.n_sack = 1;
    s.sack[0] = (struct capture_sack){start, end};
    return s;
}

TEST(test_dsack_of_a_retransmission_tells_it_was_spurious)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = sent(10);
    feed(f, 20 * MS, segment(A_TO_B, 3001, 2 * MSS, 5001));
    assert_int_equal(flow_at(f, 0).retransmitted_segments, 2);
    assert_int_equal(flow_at(f, 0).spurious_segments, 0);
    feed(f, 21 * MS, sack(11001, 3001, 5001)); /* below the acknowledgement */
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.spurious_segments, 2}, {flow.network_duplicates, 0});
}

TEST(test_dsack_above_the_acknowledgement_is_inside_the_second_block)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = sent(10);
    feed(f, 20 * MS, segment(A_TO_B, 5001, MSS, 5001));
    struct capture_segment s = sack(2001, 5001, 6001);
    s.n_sack = 2;
    s.sack[1] = (struct capture_sack){4001, 8001};
    feed(f, 21 * MS, s);
    assert_int_equal(flow_at(f, 0).spurious_segments, 1);
    feed(f, 22 * MS, sack(2001, 4001, 8001)); /* an ordinary block */
    assert_int_equal(flow_at(f, 0).spurious_segments, 1);
}

TEST(test_dsack_without_a_retransmission_is_a_copy_of_the_networks)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = sent(10);
    feed(f, 20 * MS, sack(11001, 3001, 4001));
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.network_duplicates, 1}, {flow.spurious_segments, 0}, {flow.retransmitted_segments, 0});
}

TEST(test_probe_of_a_byte_is_neither)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = sent(10);
    feed(f, 20 * MS, sack(11001, 11000, 11001)); /* Linux answers a keep-alive so */
    assert_int_equal(flow_at(f, 0).network_duplicates, 0);
}

TEST(test_sent_again_after_its_acknowledgement_is_spurious_without_sack)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = sent(10);
    feed(f, 15 * MS, segment(B_TO_A, 5001, 0, 4001));
    feed(f, 20 * MS, segment(A_TO_B, 3001, MSS, 5001)); /* acknowledged */
    feed(f, 20 * MS, segment(A_TO_B, 4001, MSS, 5001)); /* not */
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.retransmitted_segments, 2}, {flow.spurious_segments, 1});
}

TEST(test_gap_that_closes_by_itself_was_overtaken)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = sent(10);
    feed(f, 12 * MS, sack(3001, 5001, 6001)); /* two segments late */
    feed(f, 13 * MS, segment(B_TO_A, 5001, 0, 11001));
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.overtaken_segments, 2}, {flow.retransmitted_segments, 0});
}

TEST(test_gap_that_a_retransmission_closes_was_lost)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = sent(10);
    feed(f, 12 * MS, sack(3001, 4001, 6001));
    feed(f, 13 * MS, segment(A_TO_B, 3001, MSS, 5001));
    feed(f, 14 * MS, segment(B_TO_A, 5001, 0, 11001));
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.overtaken_segments, 0}, {flow.retransmitted_segments, 1}, {flow.spurious_segments, 0});
}

/* Beside the receiver the gap shows as a hole, and what fills it is counted when it comes. */
TEST(test_gap_before_the_tap_is_counted_once)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = sent(2);
    struct capture_segment late = segment(A_TO_B, 3001, MSS, 5001);
    feed(f, 10 * MS, segment(A_TO_B, 4001, MSS, 5001));
    feed(f, 10 * MS + 1, sack(3001, 4001, 5001));
    feed(f, 10 * MS + 2, late);
    feed(f, 10 * MS + 3, segment(B_TO_A, 5001, 0, 5001));
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.reordered_segments, 1}, {flow.overtaken_segments, 0});
}

TEST(test_contradicting_signs_are_ambiguous)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    struct capture_segment s[] = {segment(A_TO_B, 1001, MSS, 5001), segment(A_TO_B, 3001, MSS, 5001),
                                  segment(A_TO_B, 2001, MSS, 5001)};
    feed(f, 0, syn(A_TO_B, 1000));
    for (int i = 0; i < 3; i++) {
        s[i].ip_id = 0; /* and no timestamps */
        feed(f, (i == 2 ? 9 : 1) * MS + i, s[i]); /* 8 ms late, and nobody complained */
    }
    struct analysis_flow flow = flow_at(f, 0);
    assert_ints({flow.retransmitted_segments, 1}, {flow.ambiguous_segments, 1});
}

/* Many retransmissions of which DSACK reports some: the ring may forget, and never takes one for the network's. */
TEST(test_random_dsacks_never_exceed_retransmissions)
{
    struct random r = random_of(11);
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = sent(200);
    uint32_t spurious = 0;
    for (int i = 0; i < 100; i++) {
        uint32_t start = 1001 + MSS * (uint32_t)(2 * i);
        feed(f, (300 + i) * MS, segment(A_TO_B, start, MSS, 5001));
        if (random_below(&r, 3) == 0) {
            feed(f, (300 + i) * MS + 1, sack(201001, start, start + MSS));
            spurious++;
        }
    }
    struct analysis_flow flow = flow_at(f, 0);
    assert_int_equal(flow.retransmitted_segments, 100);
    assert_true(flow.spurious_segments >= spurious); /* after the first, each is below the acknowledgement */
    assert_int_equal(flow.network_duplicates, 0);
}
