/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/collective.h"

#include "test/cm.h"

/* 1 Gb/s, segments of 1448 bytes in 1538 of wire, 10 us of cables, one switch; ACKs cost nothing. */
static const struct model_collective_link plain = {1e9, 10e-6, 1, 1448, 90, 0, 84, 0};
#define FRAME_S 12.304e-6

static double time_of(const struct model_collective_link *l, enum model_collective a, int ranks, int64_t bytes)
{
    struct model_collective_call c = {.algorithm = a, .ranks = ranks, .bytes = bytes};
    struct error err = {0};
    double time_s = -1;
    assert_true(model_collective_time(l, &c, &time_s, &err));
    return time_s;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12))
        fail_msg("%.12g is not %.12g", a, b);
}

/* A message of k full segments: k frames on the first link, one on the second, the cables. */
TEST(test_a_message_is_its_frames)
{
    near(model_collective_wire_s(&plain, 1448 * 10), 10 * FRAME_S);
    near(model_collective_wire_s(&plain, 1448 * 10 + 10), 10 * FRAME_S + 100 * 8e-9);
    near(model_collective_message_s(&plain, 1448 * 10), 11 * FRAME_S + 10e-6);
    near(model_collective_message_s(&plain, 10), 2 * 100 * 8e-9 + 10e-6);
    struct model_collective_link bare = plain;
    bare.gap_bytes = 12; /* on two links; the frame is there before it */
    near(model_collective_message_s(&bare, 1448 * 10), 11 * FRAME_S + 10e-6 - 2 * 12 * 8e-9);
    bare.overhead_bytes = 38;
    near(model_collective_wire_s(&bare, 1), 84 * 8e-9); /* IEEE 802.3: no shorter frame */
}

/* Thakur, Rabenseifner and Gropp 2005, section 4, with alpha = 10 us + a frame and beta = a frame a segment. */
TEST(test_formulas_of_the_papers)
{
    const double alpha = 10e-6 + FRAME_S;
    const int64_t s = 1448 * 48;
    near(time_of(&plain, MODEL_COLLECTIVE_RING_ALLREDUCE, 8, s), 14 * (alpha + 6 * FRAME_S));
    near(time_of(&plain, MODEL_COLLECTIVE_RING_ALLGATHER, 8, s), 7 * (alpha + 6 * FRAME_S));
    near(time_of(&plain, MODEL_COLLECTIVE_PAIRWISE_REDUCE_SCATTER, 8, s), 7 * (alpha + 6 * FRAME_S));
    near(time_of(&plain, MODEL_COLLECTIVE_BRUCK_ALLGATHER, 8, s), 3 * alpha + 7 * 6 * FRAME_S);
    near(time_of(&plain, MODEL_COLLECTIVE_BRUCK_ALLGATHER, 6, s), 3 * alpha + 5 * 8 * FRAME_S);
    near(time_of(&plain, MODEL_COLLECTIVE_DOUBLING_ALLREDUCE, 8, s), 3 * (alpha + 48 * FRAME_S));
    near(time_of(&plain, MODEL_COLLECTIVE_DOUBLING_ALLREDUCE, 11, s), 5 * (alpha + 48 * FRAME_S));
    near(time_of(&plain, MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE, 8, s), 6 * alpha + 2 * (24 + 12 + 6) * FRAME_S);
    near(time_of(&plain, MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE, 9, s),
         8 * alpha + 2 * (24 + 12 + 6) * FRAME_S + 2 * 48 * FRAME_S);
    near(time_of(&plain, MODEL_COLLECTIVE_BINOMIAL_BROADCAST, 8, s), 3 * (alpha + 48 * FRAME_S));
    near(time_of(&plain, MODEL_COLLECTIVE_BINOMIAL_REDUCE, 9, s), 4 * (alpha + 48 * FRAME_S));
    near(time_of(&plain, MODEL_COLLECTIVE_DISSEMINATION_BARRIER, 9, 1), 4 * (10e-6 + 2 * 91 * 8e-9));
    struct model_collective_call halo = {MODEL_COLLECTIVE_HALO, 8, 1448, {2, 4, 1}};
    double time_s;
    assert_true(model_collective_time(&plain, &halo, &time_s, &(struct error){0}));
    near(time_s, alpha + 4 * FRAME_S);
}

/* An ACK of 90 bytes every 2 segments. Rounds of 600 frames have 300: 216 us, of which alpha hides 22.304; the first
 * round of 14 begins with none. */
TEST(test_acks_behind_data_delay_the_next_round)
{
    struct model_collective_link l = plain;
    const double alpha = 10e-6 + FRAME_S, round = alpha + 600 * FRAME_S;
    l.segments_per_ack = 2;
    near(time_of(&l, MODEL_COLLECTIVE_RING_ALLREDUCE, 8, 8 * 600 * 1448), 14 * round + 13 * (300 * 0.72e-6 - alpha));
    /* short rounds: all ACKs are gone before the next data come */
    near(time_of(&l, MODEL_COLLECTIVE_RING_ALLREDUCE, 8, 8 * 10 * 1448), 14 * (alpha + 10 * FRAME_S));
    /* one way nobody's data are in the way */
    near(time_of(&l, MODEL_COLLECTIVE_BINOMIAL_BROADCAST, 8, 600 * 1448), 3 * round);
}

/* nccl-tests, doc/PERFORMANCE.md. */
TEST(test_bus_bandwidths_are_those_of_nccl_tests)
{
    near(model_collective_bus(MODEL_COLLECTIVE_RING_ALLREDUCE, 8), 2 * 7 / 8.0);
    near(model_collective_bus(MODEL_COLLECTIVE_RABENSEIFNER_ALLREDUCE, 2), 1);
    near(model_collective_bus(MODEL_COLLECTIVE_BRUCK_ALLGATHER, 8), 7 / 8.0);
    near(model_collective_bus(MODEL_COLLECTIVE_RING_REDUCE_SCATTER, 4), 3 / 4.0);
    near(model_collective_bus(MODEL_COLLECTIVE_BINOMIAL_BROADCAST, 4), 1);
    near(model_collective_bus(MODEL_COLLECTIVE_BINOMIAL_REDUCE, 4), 1);
    near(model_collective_bus_alltoall(4), 3 / 4.0);
    near(model_collective_bus(MODEL_COLLECTIVE_HALO, 4), 0);
}

TEST(test_blocks_are_the_vector)
{
    assert_int_equal(model_collective_blocks_bytes(10, 4, 0, 4), 10);
    assert_int_equal(model_collective_blocks_bytes(10, 4, 0, 1), 3);
    assert_int_equal(model_collective_blocks_bytes(10, 4, 3, 2), 2 + 3);
    assert_int_equal(model_collective_blocks_bytes(1, 4, 1, 3), 0);
}

TEST(test_what_is_out_of_range_is_refused)
{
    struct model_collective_call c = {.algorithm = MODEL_COLLECTIVE_RING_ALLREDUCE, .ranks = 1, .bytes = 1};
    double time_s = 5;
    assert_false(model_collective_time(&plain, &c, &time_s, &err));
    c.ranks = 2;
    c.bytes = 0;
    assert_false(model_collective_time(&plain, &c, &time_s, &err));
    c.bytes = 1;
    struct model_collective_link still = plain;
    still.rate_bps = 0;
    assert_false(model_collective_time(&still, &c, &time_s, &err));
    near(time_s, 5);
}
