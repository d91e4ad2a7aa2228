/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"
#include "test/analysis/segment.h"

CM_OWNER(analysis_capacity, analysis_capacity_free)

#define FULL 1448     /* 1538 bytes on the wire with 40 + 12 + 38 around it */
#define FRAME_NS 123040 /* of those at 100 Mb/s */

static struct capture_segment full_segment(void)
{
    return stamped(A_TO_B, 0, FULL, 0, 1, 1);
}

static const struct analysis_capacity_host *host_of(const struct analysis_capacity *c, enum side side)
{
    struct capture_segment s = full_segment();
    return analysis_capacity_find(c, side == A_TO_B ? &s.src : &s.dst, 0);
}

TEST(test_back_to_back_frames_show_the_rate)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    double share;
    for (int i = 0; i < 1000; i++)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, i * (int64_t)FRAME_NS);
    const struct analysis_capacity_host *b = host_of(c, B_TO_A);
    assert_true(fabs(analysis_capacity_bps(&b->in, &share) / 1e8 - 1) < 1e-3);
    assert_true(share > 0.99);
    assert_true(isnan(analysis_capacity_bps(&b->out, &share))); /* nothing went that way */
    assert_true(isfinite(analysis_capacity_bps(&host_of(c, A_TO_B)->out, &share)));
}

/* Stamps of whole microseconds show 10 Gb/s by 12 frames, which take 14.8 us, and no 40 Gb/s; one frame of another stamp, or the
 * other way, shows that the clock is finer. */
TEST(test_frames_faster_than_the_clock_show_none)
{
    const double gbps[] = {10, 40, 40};
    for (int i = 0; i < 3; i++) {
        CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
        struct capture_segment s = full_segment(), back = stamped(B_TO_A, 0, 0, FULL, 1, 1);
        double share, unit_ns = i < 2 ? 1000 : 1;
        for (int k = 1; k <= 2000; k++)
            analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, (int64_t)(k * 12304 / gbps[i] / unit_ns) * (int64_t)unit_ns);
        const struct analysis_capacity_host *b = host_of(c, B_TO_A);
        double bps = analysis_capacity_bps(&b->in, &share);
        assert_true(i == 1 ? isnan(bps) : fabs(bps / (gbps[i] * 1e9) - 1) < 0.01);
        assert_true(fabs(analysis_capacity_stamp_s(b) - unit_ns * 1e-9) < 1e-15);
        assert_true(analysis_capacity_shows(unit_ns * 1e-9, gbps[i] * 1e9) == (i != 1));
        analysis_capacity_add(c, &back, ANALYSIS_CAPACITY_NO_SLOT, 0, 0, 123456789);
        assert_true(fabs(analysis_capacity_stamp_s(host_of(c, B_TO_A)) - 1e-9) < 1e-15);
    }
}

/* A fast link may have thousands of frames in a tick: the first stamp, which is the origin, tells nothing. */
TEST(test_one_stamp_shows_no_clock)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    for (int k = 0; k < 20000; k++)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, k / 6000 * MS);
    assert_true(fabs(analysis_capacity_stamp_s(host_of(c, B_TO_A)) - 1e-3) < 1e-12);
}

/* Ticks of 1/64 s: frames share stamps, so what these have in common is the clock's. Bursts each 15.625 ms that a finer clock
 * tells apart have a clock of whole microseconds, or less. */
TEST(test_a_clock_need_not_tick_in_decimal_units)
{
    for (int fine = 0; fine < 2; fine++) {
        CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
        struct capture_segment s = full_segment();
        for (int k = 1; k <= 2000; k++)
            analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, k / (fine ? 1 : 10) * INT64_C(15625000));
        assert_true(fabs(analysis_capacity_stamp_s(host_of(c, B_TO_A)) - (fine ? 1e-6 : 1.0 / 64)) < 1e-12);
    }
}

/* Frames of two sizes fill 100 Mb/s, and a NIC hands over what came within a millisecond, 300 ns apart: of a group of 12 most
 * come with one batch and some of the next, so that it seems a third faster. While all of 256 frames have that rate, as where
 * eight times as many fill a link of 800 Mb/s, it is none either. */
TEST(test_batches_show_no_rate_of_their_own)
{
    for (int64_t faster = 1; faster <= 8; faster *= 8) {
        CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
        struct random r = random_of(3);
        struct capture_segment full = full_segment(), small = stamped(A_TO_B, 0, 0, 0, 1, 1);
        int64_t end_ns = 0, last_ns = 0;
        double share;
        for (int k = 0; k < 20000; k++) {
            const bool is_small = random_below(&r, 4) == 0;
            end_ns += (is_small ? FRAME_NS * 90 / 1538 : FRAME_NS) / faster;
            const int64_t due_ns = (end_ns / MS + 1) * MS;
            last_ns = due_ns > last_ns ? due_ns : last_ns + 300;
            analysis_capacity_add(c, is_small ? &small : &full, ANALYSIS_CAPACITY_NO_SLOT, is_small ? 0 : FULL, 0, last_ns);
        }
        const double bps = analysis_capacity_bps(&host_of(c, B_TO_A)->in, &share);
        assert_true(isnan(bps) || fabs(bps / (1e8 * (double)faster) - 1) < 0.07);
    }
}

/* 44 frames each, as TSO leaves them to an interface and GRO merges them: each frame has its headers on the wire. */
TEST(test_super_segments_have_the_bytes_of_their_frames)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    double share;
    s.payload_bytes *= 44;
    for (int i = 0; i < 100; i++)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes / 44, 0, i * 44 * (int64_t)FRAME_NS);
    assert_true(fabs(analysis_capacity_bps(&host_of(c, B_TO_A)->in, &share) / 1e8 - 1) < 1e-3);
}

/* Trains of 30 frames at 100 Mb/s with gaps between: the mean is far below the rate, the trains show it. */
TEST(test_trains_show_the_rate_of_a_link_that_is_not_full)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    double share;
    for (int train = 0; train < 100; train++)
        for (int i = 0; i < 30; i++)
            analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, train * 20 * MS + i * (int64_t)FRAME_NS);
    assert_true(fabs(analysis_capacity_bps(&host_of(c, B_TO_A)->in, &share) / 1e8 - 1) < 1e-3);
}

/* Data and ACKs by turns, some after two data, stamped as they begin: by their ends they would show another rate. */
TEST(test_frames_of_two_sizes_show_the_rate_by_their_beginnings)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment data = full_segment(), ack = stamped(A_TO_B, 0, 0, 0, 1, 1);
    double share;
    int64_t t = 0;
    for (int i = 0; i < 3000; i++) {
        bool small = i * 7 % 13 < 5;
        analysis_capacity_add(c, small ? &ack : &data, ANALYSIS_CAPACITY_NO_SLOT, FULL, 0, t);
        t += small ? 90 * 80 : FRAME_NS; /* at 100 Mb/s */
    }
    const struct analysis_capacity_host *b = host_of(c, B_TO_A);
    assert_true(fabs(analysis_capacity_bps(&b->in, &share) / 1e8 - 1) < 1e-3);
    assert_true(share > 0.99);
}

/* A train of 300 frames in an hour of a few: the link is no slower than the train. */
TEST(test_a_long_train_shows_how_slow_the_link_is_not)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    for (int i = 0; i < 300; i++)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, i * (int64_t)FRAME_NS);
    for (int i = 1; i < 1000; i++)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, i * 1000 * MS);
    const struct analysis_capacity_way *in = &host_of(c, B_TO_A)->in;
    assert_true(fabs(analysis_capacity_least_bps(in) / 1e8 - 1) < 0.01);
    assert_true(analysis_capacity_peak_bps(in) < 0.4e8); /* of a tenth of a second */
}

/* Frames at random times are no trains: no rate has a quarter of the bytes. */
TEST(test_random_arrivals_show_none)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    double share;
    int64_t t = 0;
    struct random r = random_of(3);
    for (int i = 0; i < 5000; i++) {
        double u = ((double)random_below(&r, 1 << 30) + 1) / (1 << 30);
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, t += (int64_t)(-log(u) * 1e6));
    }
    assert_true(isnan(analysis_capacity_bps(&host_of(c, B_TO_A)->in, &share)));
}

/* What 100 ms carried is a floor: a slower pace than that, however common, is no capacity. */
TEST(test_a_pace_below_the_peak_is_no_rate)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    double share;
    int64_t t = 0;
    for (int i = 0; i < 2000; i++) /* 20 Mb/s all along, but 100 Mb/s for 300 ms */
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, t += (i > 500 && i < 2900 / 2 ? 1 : 5) * (int64_t)FRAME_NS);
    double bps = analysis_capacity_bps(&host_of(c, B_TO_A)->in, &share);
    assert_true(fabs(bps / 1e8 - 1) < 1e-3);
}

/* A frame each 2 FRAME_NS: half of 100 Mb/s, whatever comes after. What begins and what ends in the middle of a slot
 * does not count. */
TEST(test_a_mean_is_that_of_whole_slots_before_an_end)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    int64_t t = 7 * MS;
    for (; t < 2000 * MS; t += 2 * (int64_t)FRAME_NS)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, t);
    for (; t < 3000 * MS; t += FRAME_NS)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, t);
    const struct analysis_capacity_way *in = &host_of(c, B_TO_A)->in;
    assert_true(fabs(analysis_capacity_mean_bps(in, 0, 2) / 0.5e8 - 1) < 1e-3);
    assert_true(fabs(analysis_capacity_mean_bps(in, 2.1, 2.9) / 1e8 - 1) < 1e-3);
    assert_true(fabs(analysis_capacity_mean_bps(in, 0, 3) / (2e8 / 3) - 1) < 3e-3); /* 2 s of half, 1 s of all */
    assert_true(isnan(analysis_capacity_mean_bps(in, 0, 1e-9)));
    assert_true(isnan(analysis_capacity_mean_bps(&host_of(c, B_TO_A)->out, 0, 3)));
}

/* A host with one bulk flow, to one that shares: what it exchanges is counted there. Once it shares, too, it begins anew. */
TEST(test_hosts_that_share_nothing_are_passed_over)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment(), third = s;
    third.src.bytes[3] = 77;
    int64_t t = 0;
    analysis_capacity_bulk(c, &s);
    for (int i = 0; i < 1000; i++)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, t += FRAME_NS);
    assert_int_equal(host_of(c, A_TO_B)->out.frames, 1000); /* neither shares: both may yet */
    analysis_capacity_bulk(c, &third);
    for (int i = 0; i < 500; i++)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, t += FRAME_NS);
    assert_int_equal(host_of(c, A_TO_B)->out.frames, 1000);
    assert_int_equal(host_of(c, B_TO_A)->in.frames, 1500);
    third.dst = s.src;
    analysis_capacity_bulk(c, &third);
    for (int i = 0; i < 300; i++)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, t += FRAME_NS);
    assert_int_equal(host_of(c, A_TO_B)->out.frames, 300);
    assert_int_equal(host_of(c, B_TO_A)->in.frames, 1800);
}

/* A million frames, two thirds of them at 100 Mb/s, from the middle on at 50: shares and rates are those of all, though
 * most blocks are spared. */
TEST(test_blocks_that_are_spared_change_no_share)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    const int n = 1000000;
    int64_t t = 0;
    double share;
    for (int i = 0; i < n; i++)
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, t += (i < n / 3 || i >= 2 * n / 3 ? 1 : 2) * (int64_t)FRAME_NS);
    double bps = analysis_capacity_bps(&host_of(c, B_TO_A)->in, &share);
    assert_all(fabs(bps / 1e8 - 1) < 1e-3, fabs(share - 2.0 / 3) < 0.01);
}

/* Frames of a batch, of data and of their ACKs, 300 of each: taken together they count as one by one. */
TEST(test_a_batch_of_plain_frames_counts_as_one_by_one)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *alone = analysis_capacity_new();
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *batch = analysis_capacity_new();
    static struct analysis_frame frame[600];
    for (int i = 0; i < 600; i++) {
        const bool acks = i % 2;
        frame[i] = (struct analysis_frame){.time_ns = i * (int64_t)FRAME_NS, .segment = acks ? stamped(B_TO_A, 0, 0, FULL, 1, 1) : full_segment(),
                                           .frame_bytes = acks ? 0 : FULL, .slot = 6 + acks, .is = ANALYSIS_FRAME_COUNTS};
        analysis_capacity_add(alone, &frame[i].segment, frame[i].slot, frame[i].frame_bytes, 0, frame[i].time_ns);
    }
    for (int i = 0; i < 2; i++) { /* until a slot's hosts are known none of its frames is plain */
        assert_int_equal(analysis_capacity_add_plain(batch, &frame[i], 600 - (size_t)i), 0);
        analysis_capacity_add(batch, &frame[i].segment, frame[i].slot, frame[i].frame_bytes, 0, frame[i].time_ns);
    }
    assert_int_equal(analysis_capacity_add_plain(batch, frame + 2, 598), 598);
    for (int i = 0; i < 2; i++) {
        const struct analysis_capacity_host *one = host_of(alone, (enum side)i), *other = host_of(batch, (enum side)i);
        assert_int_equal(one->in.frames, 300);
        assert_memory_equal(&one->in, &other->in, sizeof one->in);
        assert_memory_equal(&one->out, &other->out, sizeof one->out);
    }
}

/* Nothing but a segment on the wire as it is, which counts, of a slot that may be known: the first that is not ends them. */
TEST(test_what_is_more_than_a_segment_is_not_plain)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    const struct analysis_frame plain = {.segment = full_segment(), .frame_bytes = FULL, .slot = 6, .is = ANALYSIS_FRAME_COUNTS};
    analysis_capacity_add(c, &plain.segment, plain.slot, FULL, 0, 0);
    const uint8_t is[] = {0, ANALYSIS_FRAME_COUNTS | ANALYSIS_FRAME_BULK, ANALYSIS_FRAME_COUNTS | ANALYSIS_FRAME_MORE,
                          ANALYSIS_FRAME_COUNTS, ANALYSIS_FRAME_COUNTS};
    const uint32_t slot[] = {6, 6, 6, ANALYSIS_CAPACITY_NO_SLOT, 7};
    for (int i = 0; i < 5; i++) {
        struct analysis_frame frame[3] = {plain, plain, plain};
        frame[1].is = is[i];
        frame[1].slot = slot[i];
        assert_int_equal(analysis_capacity_add_plain(c, frame, 3), 1);
    }
    assert_int_equal(host_of(c, B_TO_A)->in.frames, 6);
    analysis_capacity_bulk(c, &plain.segment); /* another flow's makes its hosts ones that share: slots are known no longer */
    analysis_capacity_bulk(c, &plain.segment);
    assert_int_equal(analysis_capacity_add_plain(c, &plain, 1), 0);
}

TEST(test_hosts_beyond_the_first_are_not_kept)
{
    CM_OWNED(analysis_capacity_free) struct analysis_capacity *c = analysis_capacity_new();
    struct capture_segment s = full_segment();
    for (int i = 0; i < 3 * ANALYSIS_CAPACITY_HOSTS; i++) {
        s.src.bytes[3] = (uint8_t)(i + 10);
        analysis_capacity_add(c, &s, ANALYSIS_CAPACITY_NO_SLOT, s.payload_bytes, 0, i * MS);
    }
    s.src.bytes[3] = 10;
    assert_non_null(analysis_capacity_find(c, &s.src, 0));
    s.src.bytes[3] = (uint8_t)(2 * ANALYSIS_CAPACITY_HOSTS + 10);
    assert_null(analysis_capacity_find(c, &s.src, 0));
    assert_null(analysis_capacity_find(c, &s.dst, 7)); /* another network */
}
