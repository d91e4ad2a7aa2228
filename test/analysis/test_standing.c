/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/standing.h"
#include "test/analysis/segment.h"

#define FULL 1448       /* 1538 bytes on the wire */
#define FRAME_NS 123040 /* of those at 100 Mb/s */
#define FRAME_S (FRAME_NS * 1e-9)
#define LOOP_S 50e-3

static struct analysis_told described[2];
static struct analysis_evidence flow[2];

/* A flow in, whose far loop is LOOP_S, and one out; neither has a handshake. */
static struct analysis_evidence_set set_of(double out_loop_s)
{
    for (int i = 0; i < 2; i++) {
        described[i].incoming = i == 0;
        flow[i] = (struct analysis_evidence){.flow = &described[i], .near_s = NAN, .far_s = NAN, .near_least_s = 1e-6,
                                             .far_least_s = i == 0 ? LOOP_S : out_loop_s};
    }
    return (struct analysis_evidence_set){.flow = flow, .n = 2, .to_s = 2, .full_bytes = FULL, .frame_s = FRAME_S};
}

/* 2 s of frames back to back at 100 Mb/s, but for a rest of so long after 1 s, and after every fortieth for so
 * many frames' time. */
static struct analysis_capacity *frames_with_rest(int64_t rest_ns, int pause_frames)
{
    struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = stamped(A_TO_B, 0, FULL, 0, 1, 1);
    int i = 0;
    for (int64_t t = 0; t < 2 * (int64_t)1e9; t += FRAME_NS * (++i % 40 ? 1 : 1 + pause_frames))
        if (t < (int64_t)1e9 || t >= (int64_t)1e9 + rest_ns)
            analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, t);
    return c;
}

static void take_of(struct analysis_evidence_set *s, int64_t rest_ns, int pause_frames, double p, double perhaps)
{
    struct analysis_capacity *c = frames_with_rest(rest_ns, pause_frames);
    struct capture_segment segment = stamped(A_TO_B, 0, FULL, 0, 1, 1);
    analysis_standing_take(s, analysis_capacity_find(c, &segment.dst, 0),
                           &(struct analysis_standing){.sure = p, .perhaps = perhaps});
    analysis_capacity_free(c);
}

static void take(struct analysis_evidence_set *s, int64_t rest_ns, double p)
{
    take_of(s, rest_ns, 0, p, 0);
}

/* With log d even from a frame's time to L, half of all d are below sqrt(d0 L) = sqrt(0.12304 * 50) = 2.480 ms. */
TEST(test_half_of_what_may_stand_is_above_the_median)
{
    struct analysis_evidence_set s = set_of(LOOP_S);
    take(&s, 0, 0.5);
    assert_all(s.stands && !s.stands_there, fabs(flow[0].far_least_s - 2.4803e-3) < 1e-6);
    assert_true(fabs(flow[1].far_least_s - flow[0].far_least_s) < 1e-12); /* as long: the same queue */
}

/* Without timestamps what comes in has no loop of its own: the one of the data that go out, whose ACKs come that way. */
TEST(test_what_stood_shows_in_loops_of_acks)
{
    struct analysis_evidence_set s = set_of(LOOP_S);
    flow[0].far_least_s = INFINITY;
    take(&s, 0, 0.5);
    assert_true(s.stands && fabs(flow[1].far_least_s - 2.4803e-3) < 1e-6);
}

TEST(test_more_may_stand_than_is_likely)
{
    double before_s = LOOP_S;
    for (int i = 1; i <= 20; i++) {
        struct analysis_evidence_set s = set_of(LOOP_S);
        take(&s, 0, i / 20.0);
        assert_true(flow[0].far_least_s < before_s && flow[0].far_least_s > FRAME_S - 1e-9);
        before_s = flow[0].far_least_s;
    }
    assert_true(fabs(before_s - FRAME_S) < 1e-9); /* at most all but a frame's time */
}

/* A loop that is a tenth longer shares the queue with p = 1 / (1 + 0.1 / 1.1) = 0.917: not in the lowest 8 %. */
TEST(test_a_loop_of_another_length_may_pass_another_queue)
{
    struct analysis_evidence_set s = set_of(1.1 * LOOP_S);
    take(&s, 0, 0.05);
    assert_true(flow[1].far_least_s == 1.1 * LOOP_S);
    s = set_of(1.1 * LOOP_S);
    take(&s, 0, 0.1);
    assert_true(flow[1].far_least_s < 1.1 * LOOP_S);
}

/* A link that rests for 20 ms of a round trip of 50 has run empty: what was least then is the floor. */
TEST(test_a_queue_that_ran_empty_does_not_stand)
{
    struct analysis_evidence_set s = set_of(LOOP_S);
    take(&s, 20 * MS, 0.5);
    assert_true(!s.stands && flow[0].far_least_s == LOOP_S);
}

/* A rest of 5 ms is 8 % of six slots of 10.24 ms: a queue that lets these frames go had run empty; one that they join after
 * the tap need not have. */
TEST(test_what_joins_a_queue_is_less_even_than_what_leaves)
{
    struct analysis_capacity *c = frames_with_rest(5 * MS, 0);
    struct capture_segment segment = stamped(A_TO_B, 0, FULL, 0, 1, 1);
    for (int out = 0; out < 2; out++) {
        struct analysis_evidence_set s = set_of(LOOP_S);
        analysis_standing_take(&s, analysis_capacity_find(c, out ? &segment.src : &segment.dst, 0),
                               &(struct analysis_standing){.sure = 0.5});
        assert_true(s.stands == out);
    }
    analysis_capacity_free(c);
}

/* What rests at the tap may have stood in a queue after it all the time: waits that follow the bytes say so. */
TEST(test_a_queue_that_waits_follow_stands)
{
    struct analysis_capacity *c = frames_with_rest(20 * MS, 0);
    struct capture_segment segment = stamped(A_TO_B, 0, FULL, 0, 1, 1);
    for (int followed = 0; followed < 2; followed++) {
        struct analysis_evidence_set s = set_of(LOOP_S);
        s.followed_bps = followed ? 95e6 : (double)NAN;
        analysis_standing_take(&s, analysis_capacity_find(c, &segment.src, 0), &(struct analysis_standing){.sure = 0.5});
        assert_true(s.stands == followed && !s.may_stand);
    }
    analysis_capacity_free(c);
}

TEST(test_a_handshake_before_the_data_met_an_empty_queue)
{
    struct analysis_evidence_set s = set_of(LOOP_S);
    flow[0].near_s = 1e-6;
    flow[0].far_s = LOOP_S;
    take(&s, 0, 0.5);
    assert_true(!s.stands && flow[0].far_least_s == LOOP_S);
}

/* 40 frames back to back of each 50 that fit: in 50 ms always as much, but a fifth below the rate of frames. It may be
 * full, at what it carries, or not: then nothing stood. */
TEST(test_what_only_may_be_full_is_a_case_of_its_own)
{
    struct analysis_evidence_set s = set_of(LOOP_S);
    take_of(&s, 0, 10, 0.5, 0);
    assert_true(s.may_stand && !s.either_may && !s.stands && !s.stood[0] && !s.stood[1]);
    assert_true(flow[0].far_least_s == LOOP_S && flow[0].stood_s == 0);
    s = set_of(LOOP_S);
    take_of(&s, 0, 10, 0, 0.5);
    assert_true(s.may_stand && !s.stands && s.stood[0] && !s.stood[1]);
    assert_true(fabs(flow[0].far_least_s - 2.4803e-3) < 1e-6); /* the median, as above */
    assert_true(fabs(flow[0].stood_s - (LOOP_S - 2.4803e-3)) < 1e-6);
    s = set_of(LOOP_S);
    take_of(&s, 0, 0, 0, 0.5); /* this one is full, without doubt */
    assert_true(s.stands && !s.may_stand && !s.stood[0] && flow[0].far_least_s == LOOP_S);
    take_of(&s, 0, 0, 0.5, 0.5);
    assert_true(s.stands && !s.stood[0] && flow[0].far_least_s < LOOP_S);
}

/* 100 Mb/s of UDP each way, which may stand before either link: both, or the other than the one named. */
TEST(test_of_two_links_that_may_be_full_one_is_a_case_of_its_own)
{
    for (unsigned but = ANALYSIS_STANDING_EACH; but <= ANALYSIS_STANDING_NOT_OUT; but++) {
        struct analysis_capacity *c = analysis_capacity_new();
        struct capture_segment there = stamped(A_TO_B, 0, 0, 0, 1, 1), back = stamped(B_TO_A, 0, 0, 0, 1, 1);
        for (int64_t t = 0; t < 2000 * MS; t += FRAME_NS) {
            analysis_capacity_add(c, &there, ANALYSIS_CAPACITY_NO_SLOT, 0, 1514, t);
            analysis_capacity_add(c, &back, ANALYSIS_CAPACITY_NO_SLOT, 0, 1514, t);
        }
        struct analysis_evidence_set set = set_of(LOOP_S);
        analysis_standing_take(&set, analysis_capacity_find(c, &there.dst, 0),
                               &(struct analysis_standing){.perhaps = 0.5, .but = but});
        assert_true(set.may_stand && set.either_may && !set.stands);
        assert_int_equal(set.stood[0], but != ANALYSIS_STANDING_NOT_IN);
        assert_int_equal(set.stood[1], but != ANALYSIS_STANDING_NOT_OUT);
        analysis_capacity_free(c);
    }
}

/* 100 Mb/s of UDP in from 20 ms on, and a flow out alone, whose ACKs come that way, with a handshake so long after its
 * start or none: its loop may hold what stood, unless the handshake came first. Nobody is sure: what is not TCP has a pace of its own. */
TEST(test_what_others_filled_stands_in_loops_of_outgoing_flows)
{
    const double shake_s[] = {NAN, 1, 0};
    for (int i = 0; i < 3; i++) {
        struct analysis_capacity *c = analysis_capacity_new();
        struct capture_segment s = stamped(A_TO_B, 0, 0, 0, 1, 1);
        for (int64_t t = 20 * MS; t < 2000 * MS; t += FRAME_NS)
            analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, 0, 1514, t);
        struct analysis_evidence_set set = set_of(LOOP_S);
        flow[0] = flow[1];
        flow[0].flow = &described[1];
        set.n = 1;
        flow[0].start_s = shake_s[i];
        flow[0].near_s = i > 0 ? 1e-6 : NAN;
        flow[0].far_s = i > 0 ? LOOP_S : NAN;
        analysis_standing_take(&set, analysis_capacity_find(c, &s.dst, 0), &(struct analysis_standing){.perhaps = 0.5});
        assert_true(!set.stands);
        assert_int_equal(set.may_stand, i < 2);
        assert_true(fabs(flow[0].far_least_s - (i < 2 ? 2.4803e-3 : LOOP_S)) < 1e-6);
        analysis_capacity_free(c);
    }
}

/* ACKs alone come in, of a flow out: evenly, as after a queue that they fill, or four at once of each four. Those of a flow
 * whose handshake shows met no queue. */
TEST(test_acks_alone_may_stand_where_they_come_evenly)
{
    for (int i = 0; i < 3; i++) {
        struct analysis_capacity *c = analysis_capacity_new();
        struct capture_segment ack = stamped(A_TO_B, 0, 0, 0, 1, 1);
        for (int64_t k = 0; k * FRAME_NS < 2000 * MS; k++)
            analysis_capacity_add(c, &ack, ANALYSIS_CAPACITY_NO_SLOT, 0, 0, (i == 1 ? k / 4 * 4 : k) * FRAME_NS);
        struct analysis_evidence_set set = set_of(LOOP_S);
        flow[0] = flow[1];
        set.n = 1;
        flow[0].near_s = i == 2 ? 1e-6 : NAN;
        flow[0].far_s = i == 2 ? LOOP_S : NAN;
        analysis_standing_take(&set, analysis_capacity_find(c, &ack.dst, 0),
                               &(struct analysis_standing){.perhaps = 0.5});
        assert_true(!set.stands);
        assert_int_equal(set.may_stand, i == 0);
        assert_true(fabs(flow[0].far_least_s - (i == 0 ? 2.4803e-3 : LOOP_S)) < 1e-6);
        analysis_capacity_free(c);
    }
}

/* No way takes two seconds: a queue stood after the tap though frames came unevenly, and its median is that of ways up to
 * 0.7 s, sqrt(0.12304 ms x 0.7 s) = 9.2806 ms. */
TEST(test_a_loop_longer_than_any_way_holds_what_stood)
{
    struct analysis_evidence_set s = set_of(2);
    flow[0].far_least_s = 2;
    s.to_s = 10;
    take_of(&s, 20 * MS, 0, 0.5, 0);
    assert_true(s.stands && !s.may_stand && !s.stood[1] && s.stands_there);
    assert_true(fabs(flow[0].far_least_s - 9.2806e-3) < 1e-6 && fabs(flow[1].far_least_s - 9.2806e-3) < 1e-6);
    s = set_of(0.6);
    flow[0].far_least_s = 0.6;
    take_of(&s, 300 * MS, 0, 0, 0.5);
    assert_true(!s.may_stand && flow[0].far_least_s == 0.6);
}
