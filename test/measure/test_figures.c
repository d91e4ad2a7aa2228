/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/figures.h"
#include "test/cm.h"

/* A flow in over 10 s, a sample a second: the receiver reads 1 MB/s for 5 s, then 3 MB/s, and answers 100 segments a
 * second; the sender waits for the receiver a quarter of the time, and every 50th segment is sent again. */
static struct measure_sample near[11], far[11];
static struct measure_echo echoes[4] = {{4.5, 5.010, -4.980}, {5.5, 5.030, -4.980}, {6.5, 5.500, -4.980}, {9.5, 5, -5}};

static void fill(struct measure_test *t)
{
    for (int i = 0; i <= 10; i++) {
        near[i] = (struct measure_sample){.at_s = i, .bytes = i <= 5 ? i * 1000000 : 5000000 + (i - 5) * 3000000,
                                          .rtt_s = NAN, .least_rtt_s = NAN, .segments = 100 * i};
        far[i] = (struct measure_sample){.at_s = i, .rtt_s = i < 5 ? 0.1 : 0.3, .least_rtt_s = 0.08, .cwnd_bytes = 1e5,
                                         .busy_s = i, .rwnd_limited_s = i / 4.0, .segments = 1000 * i,
                                         .retransmitted = 20 * i};
    }
    far[0].rtt_s = far[0].least_rtt_s = NAN; /* before the first round trip */
    *t = (struct measure_test){.in = 1, .out = 1, .hosts = 1, .n = 1, .there_s = {5}, .back_s = {-5}};
    t->phase[0] = (struct measure_phase){.kind = MEASURE_IN, .from_s = 4, .to_s = 8, .n = 1};
    t->phase[0].end[0] = (struct measure_end){.incoming = true, .near = {near, 11, 0}, .far = {far, 11, 0}};
    t->phase[0].echo[0] = echoes;
    t->phase[0].n_echoes[0] = 4;
}

TEST(test_a_phase_in_numbers)
{
    struct measure_test t;
    struct measure_figures f;
    fill(&t);
    measure_figures_of(&t, &t.phase[0], &f);
    assert_int_equal(f.in.flows, 1);
    assert_true(fabs(f.in.rate_bps - 20e6) <= 1);  /* 1 MB and 9 MB in 4 s */
    assert_true(fabs(f.in.early_bps - 16e6) <= 1); /* 1 and 3 MB in 2 s */
    assert_all(fabs(f.in.late_bps - 24e6) <= 1, fabs(f.in.acks_bps - (100 * 90 * 8)) <= 1e-6,
               fabs(f.in.rtt_s - ((0.1 + 4 * 0.3) / 5)) <= 1e-12, fabs(f.in.busy - 1) <= 1e-12,
               fabs(f.in.rwnd_limited - 0.25) <= 1e-12, fabs(f.in.retransmitted - 0.02) <= 1e-12);
    assert_int_equal(f.out.flows, 0);
    assert_true(fabs(measure_figures_floor_s(&t, true) - 0.08) <= 0);
    assert_true(isnan(measure_figures_floor_s(&t, false)));
}

/* Each way two flows: rates, windows and ACKs add up, round trips and shares of time and of segments are means. */
TEST(test_flows_of_a_direction_add_up)
{
    static const bool incoming[] = {true, true, false, false};
    struct measure_sample fast[11], slow[11], sender[11];
    struct measure_test t;
    struct measure_figures f;
    fill(&t);
    for (int i = 0; i <= 10; i++) {
        fast[i] = near[i];
        slow[i] = near[i];
        sender[i] = far[i];
        fast[i].bytes *= 2;
        fast[i].segments *= 3;
        sender[i].rtt_s *= 2;
        sender[i].cwnd_bytes *= 3;
        sender[i].busy_s /= 2;
        sender[i].sndbuf_limited_s = i / 8.0;
        sender[i].rwnd_limited_s = i / 16.0;
        sender[i].retransmitted = 40 * i;
    }
    for (int i = 0; i < 4; i++) {
        struct measure_samples receives = {i % 2 ? fast : slow, 11, 0}, sends = {i % 2 ? sender : far, 11, 0};
        t.phase[0].end[i] = (struct measure_end){.incoming = incoming[i], .near = incoming[i] ? receives : sends,
                                                 .far = incoming[i] ? sends : receives};
    }
    t.phase[0].n = 4;
    measure_figures_of(&t, &t.phase[0], &f);
    for (int way = 0; way < 2; way++) {
        const struct measure_way *w = way ? &f.out : &f.in;
        assert_int_equal(w->flows, 2);
        assert_all_near(1e-6, {w->rate_bps, 20e6 + 40e6}, {w->early_bps, 16e6 + 32e6}, {w->late_bps, 24e6 + 48e6},
                        {w->acks_bps, (100 + 300) * 90 * 8}, {w->window_bytes, 1e5 + 3e5});
        double rtt_s = (0.1 + 4 * 0.3) / 5; /* as above, and twice that */
        assert_all_near(1e-12, {w->rtt_s, 1.5 * rtt_s}, {w->busy, 0.75}, {w->sndbuf_limited, (0 + 0.125) / 2},
                        {w->rwnd_limited, (0.25 + 0.0625) / 2}, {w->retransmitted, (0.02 + 0.04) / 2});
    }
}

/* A phase of 300 segments with 30 again, one of 5 that waited for a timer with none: 30 of 305, not a twentieth. */
TEST(test_segments_are_sent_again_as_a_share_of_all)
{
    struct measure_way all = {0}, none = {0}, most = {.segments = 300, .retransmitted = 0.1}, few = {.segments = 5};
    measure_figures_again(&all, &none);
    assert_true(fabs(all.retransmitted) <= 0);
    measure_figures_again(&all, &most);
    measure_figures_again(&all, &few);
    assert_all_near(1e-12, {all.segments, 305}, {all.retransmitted, 30.0 / 305});
}

/* Of 10, 30 and 500 ms; clocks that differ by 5 s do not matter, nor does a word of another time. */
TEST(test_waits_are_medians_beyond_the_least)
{
    struct measure_test t;
    struct measure_figures f;
    fill(&t);
    measure_figures_of(&t, &t.phase[0], &f);
    assert_all(fabs(f.out.wait_s - 0.03) <= 1e-9, fabs(f.in.wait_s - 0.02) <= 1e-9);
    assert_true(fabs(f.out.most_wait_s - 0.5) <= 1e-9); /* of three nine of ten are all */
    t.phase[0].n_echoes[0] = 0;
    measure_figures_of(&t, &t.phase[0], &f);
    assert_true(isnan(f.in.wait_s));
}

/* Of a flow that loses a segment its receiver reads nothing until that comes again, and its sender knows better: 2 MB/s
 * have been delivered all along. */
TEST(test_what_waits_for_one_segment_has_been_carried)
{
    struct measure_test t;
    struct measure_figures f;
    fill(&t);
    for (int i = 0; i <= 10; i++)
        far[i].delivered_bytes = i * 2000000;
    for (int i = 5; i <= 8; i++)
        near[i].bytes = near[4].bytes;
    measure_figures_of(&t, &t.phase[0], &f);
    assert_all(fabs(f.in.rate_bps - 16e6) <= 1, fabs(f.in.early_bps - 16e6) <= 1);
    assert_true(fabs(f.in.acks_bps - (100 * 90 * 8)) <= 1e-6); /* the receiver's, still */
    assert_true(fabs(measure_figures_bytes(&t.phase[0].end[0].far, 2.5) - 5e6) <= 1);
}

TEST(test_bytes_between_samples)
{
    struct measure_test t;
    fill(&t);
    const struct measure_samples *s = &t.phase[0].end[0].near;
    assert_true(fabs(measure_figures_bytes(s, 2.5) - 2.5e6) <= 1);
    assert_true(fabs(measure_figures_bytes(s, -1) - 0) <= 0);
    assert_true(fabs(measure_figures_bytes(s, 99) - 20e6) <= 0);
    assert_true(fabs(measure_figures_bytes(&(struct measure_samples){0}, 1) - 0) <= 0);
}
