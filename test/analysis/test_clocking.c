/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/analysis/segment.h"

#define FULL 1000

CM_OWNER(analysis_clocking, analysis_clocking_free)

static struct analysis_clocking_figures figures(const struct analysis_clocking *c)
{
    struct analysis_clocking_figures x;
    analysis_clocking_get(c, 0, 1e9, &x);
    return x;
}

/* An ACK that offers so many bytes, by the least scale that a header of 16 bits has room with. */
static void ack_of(struct analysis_clocking *c, struct capture_segment s, int64_t ack, int64_t offered_bytes,
                   int64_t time_ns)
{
    int scale = 0;
    while (offered_bytes >> scale > UINT16_MAX)
        scale++;
    s.window = (uint16_t)(offered_bytes >> scale);
    analysis_clocking_ack(c, &s, ack, scale, time_ns);
}

/* A window of ten segments; an ACK of two lets two more go: ten are in flight after every pair. */
TEST(test_a_full_window_is_always_at_its_most)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
    int64_t end = 0, ack = 0, t = 0;
    uint32_t tick = 1;
    for (; end < 10 * FULL; end += FULL)
        analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL, .has_timestamps = true, .tsecr = 0},
                               end + FULL, FULL, t += MS);
    for (int i = 0; i < 500; i++, tick++) {
        ack += 2 * FULL;
        ack_of(c, (struct capture_segment){.has_timestamps = true, .tsval = tick}, ack, 10 * FULL, t += MS);
        for (int k = 0; k < 2; k++, end += FULL)
            analysis_clocking_data(
                c, &(struct capture_segment){.payload_bytes = FULL, .has_timestamps = true, .tsecr = tick}, end + FULL, FULL,
                t += MS / 10);
    }
    struct analysis_clocking_figures x = figures(c);
    assert_true(x.fullness > 0.99 && x.jitter < 0.01 && fabs(x.peak_bytes - 9 * FULL) < 1);
    assert_true(fabs(x.flight_bytes - 9 * FULL) < 1); /* after the first of each pair */
    assert_true(x.offered_bytes >= 10 * FULL && x.offered_swing <= 0 && x.closed_share <= 0);
    assert_true(x.short_share <= 0 && x.restarts < 1);
    assert_true(x.tight_share > 0.4 && x.tight_share < 0.6); /* the second of each pair */
}

/* Eight in flight of a window of ten, then two: the most of the phase is what it was, not what it is. */
TEST(test_the_most_in_flight_is_that_of_the_phase)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
    int64_t end = 0, t = 0;
    for (uint32_t i = 0; i < 200; i++) {
        ack_of(c, (struct capture_segment){.has_timestamps = true, .tsval = i + 1}, end, 10 * FULL, t += MS);
        end += (i < 100 ? 8 : 2) * FULL;
        analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL, .has_timestamps = true, .tsecr = i + 1}, end,
                               FULL, t += MS);
    }
    struct analysis_clocking_figures x;
    analysis_clocking_get(c, 0, 1e9, &x);
    assert_true(fabs(x.peak_bytes - 8 * FULL) < 1);
    analysis_clocking_get(c, 0.3, 1e9, &x);
    assert_true(fabs(x.peak_bytes - 2 * FULL) < 1);
}

/* An ACK that passed is one for good, whatever a phase has of them. */
TEST(test_a_flow_was_acknowledged_or_never)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
    struct analysis_clocking_figures x;
    analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL}, FULL, FULL, MS);
    analysis_clocking_get(c, 0, 10, &x);
    assert_false(x.acked);
    ack_of(c, (struct capture_segment){.ack = 1}, FULL, 10 * FULL, 2 * MS);
    analysis_clocking_get(c, 5, 10, &x);
    assert_true(x.acked);
}

/* Writes of four and a half segments, every 20 ms, each acknowledged before the next. */
TEST(test_writes_begin_with_nothing_in_flight_and_end_short)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
    int64_t end = 0;
    uint32_t tick = 0;
    for (int i = 0; i < 100; i++) {
        int64_t t = 20 * MS * (i + 1);
        for (int k = 0; k < 5; k++) {
            uint32_t bytes = k < 4 ? FULL : FULL / 2;
            end += bytes;
            analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = bytes, .has_timestamps = true, .tsecr = tick},
                                   end, FULL, t + k * MS / 10);
        }
        ack_of(c, (struct capture_segment){.has_timestamps = true, .tsval = ++tick}, end, 100 * FULL, t + 2 * MS);
    }
    struct analysis_clocking_figures x = figures(c);
    assert_all(fabs(x.short_share - 0.2) < 1e-9, fabs(x.restarts - 99) < 0.5,
               fabs(x.gaps_s - 99 * (20e-3 - 0.4e-3)) < 1e-6);
}

/* A reader that empties its buffer now and then: the window offered comes and goes, for a second, and for so long that
 * times are counted together. */
static void slow_reader(int ms)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
    for (int i = 0; i < ms; i++) {
        analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL}, (i + 1) * FULL, FULL, i * MS);
        ack_of(c, (struct capture_segment){.payload_bytes = 0}, (i + 1) * FULL, i % 4 ? 40 * FULL : FULL,
                              i * MS + MS / 2);
    }
    struct analysis_clocking_figures x = figures(c);
    assert_all(x.offered_swing > 0.9, fabs(x.closed_share - 0.25) < 0.01);
    assert_true(isnan(x.flight_bytes)); /* no timestamps */
}

TEST(test_a_slow_reader_shows_in_the_window_offered)
{
    slow_reader(1000);
    slow_reader(300000);
}

/* A buffer of up to four segments offers less than two while it holds some: that says nothing of who reads it. A larger
 * one that is as good as closed at every second ACK does. */
TEST(test_the_least_buffers_are_no_slow_readers)
{
    for (int buffer = 2; buffer <= 8; buffer++) {
        CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
        for (int i = 0; i < 1000; i++) {
            analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL}, (i + 1) * FULL, FULL, i * MS);
            ack_of(c, (struct capture_segment){.payload_bytes = 0}, (i + 1) * FULL, (i % 2 ? buffer : 1) * FULL,
                   i * MS + MS / 2);
        }
        struct analysis_clocking_figures x = figures(c);
        assert_near(x.closed_share, buffer > 4 ? 0.5 : 0, 0.01);
        assert_true(buffer > 2 || x.offered_swing <= 0);
    }
}

/* A kernel that tunes its window makes it grow by two segments an ACK: nothing comes and goes, however slots merge. */
TEST(test_a_window_that_grows_is_no_slow_reader)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
    for (int i = 0; i < 1000; i++) {
        analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL}, (i + 1) * FULL, FULL, i * MS);
        ack_of(c, (struct capture_segment){.payload_bytes = 0}, (i + 1) * FULL, (10 + 2 * i) * FULL, i * MS + MS / 2);
    }
    struct analysis_clocking_figures x = figures(c);
    assert_all(x.offered_swing <= 0, x.offered_most_bytes > 1000.0 * FULL);
}

/* 200 writes of three segments, answered after 2 to 9 ms. Each begins 5 ms after the answer to the one before, or every
 * 20 ms; `payload`: with data of the other end in the answer, and more of these, which say it again. */
static struct analysis_clocking_figures cycles(bool clocked, uint32_t payload)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
    int64_t end = 0, t = 20 * MS;
    uint32_t echoed = 0;
    for (int i = 0; i < 200; i++) {
        for (int k = 0; k < 3; k++, end += FULL)
            analysis_clocking_data(c,
                                   &(struct capture_segment){.payload_bytes = FULL, .has_timestamps = true,
                                                             .tsval = (uint32_t)(t / MS), .tsecr = echoed},
                                   end + FULL, FULL, t + k * MS / 10);
        int64_t answered = t + (2 + i * 5 % 8) * MS;
        echoed = (uint32_t)(answered / MS);
        ack_of(c, (struct capture_segment){.has_timestamps = true, .tsval = echoed, .payload_bytes = payload}, end,
            100 * FULL, answered);
        if (payload > 0)
            ack_of(c, (struct capture_segment){.has_timestamps = true, .tsval = echoed, .payload_bytes = payload}, end,
                   100 * FULL, answered + 2 * MS);
        t = clocked ? t + 20 * MS : answered + 5 * MS;
    }
    struct analysis_clocking_figures x = figures(c);
    return x;
}

TEST(test_a_late_answer_tells_what_waits_for_it_from_what_a_clock_starts)
{
    struct analysis_clocking_figures waits = cycles(false, 0), clocked = cycles(true, 0), prompted = cycles(false, 100);
    struct analysis_clocking_figures repeated = cycles(true, 100);
    assert_all(fabs(waits.clocked) < 0.1 && waits.clocked_sd < 0.1,
               fabs(clocked.clocked - 1) < 0.1 && clocked.clocked_sd < 0.1,
               waits.restarts > 190 && waits.prompted <= 0 && prompted.prompted >= 1,
               fabs(clocked.answered_s - 5.5e-3) < 1e-4 && fabs(repeated.answered_s - 5.5e-3) < 1e-4,
               fabs(waits.answered_s - 6e-3) < 1e-4, /* of 2 to 9 ms: a cycle of 7 ms is an unusual one */
               fabs(waits.burst_bytes - 3 * FULL) < 1, fabs(waits.pure_acks - 200) < 0.5 && prompted.pure_acks <= 0);
}

/* At the receiver all that has come is acknowledged while more is on its way: no restart, unless the ACK had time to
 * reach the sender, or the sender echoes it. */
TEST(test_what_follows_an_ack_too_soon_is_no_restart)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, 10 * MS);
    for (int64_t i = 0; i < 100; i++) {
        analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL, .has_timestamps = true, .tsecr = 1},
                               (i + 1) * FULL, FULL, i * MS);
        ack_of(c, (struct capture_segment){.has_timestamps = true, .tsval = 1}, (i + 1) * FULL,
                              100 * FULL, i * MS + MS / 10);
    }
    assert_true(figures(c).restarts <= 0);
    analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL, .has_timestamps = true, .tsecr = 1},
                           101 * FULL, FULL, 120 * MS);
    assert_true(fabs(figures(c).restarts - 1) < 0.1);
}

/* Likewise without stamps: the ACK went to the sender and data came back, or nobody knows how long that takes. */
TEST(test_without_stamps_a_restart_takes_as_long_as_the_way_to_the_sender_and_back)
{
    for (int known = 0; known < 2; known++) {
        CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, known ? 10 * MS : -1);
        int64_t t = 0, rest[] = {9 * MS, 10 * MS, 30 * MS};
        for (int64_t i = 0; i < 4; i++) {
            analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL}, (i + 1) * FULL, FULL, t);
            ack_of(c, (struct capture_segment){.payload_bytes = 0}, (i + 1) * FULL, 100 * FULL, t + MS);
            t += MS + (i < 3 ? rest[i] : 0);
        }
        struct analysis_clocking_figures x = figures(c);
        assert_true(fabs(x.restarts - (known ? 2 : 0)) < 0.1 && fabs(x.gaps_s - (known ? 42e-3 : 0)) < 1e-9);
    }
}

/* After the first segments one of eight is looked at, and stands for eight: what begins where the sparing does, writes of half
 * a segment one closely after the other, has the share of those segments that it is. */
TEST(test_segments_that_are_looked_at_stand_for_those_that_are_spared)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
    const int n = 2 * ANALYSIS_THIN_SPARED;
    int64_t t = 0;
    for (int i = 0; i < n; i++) {
        const bool late = i >= n / 2;
        t += late && i % 2 ? MS / 10 : MS;
        analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = late ? FULL / 2 : FULL}, (i + 1) * (int64_t)FULL, FULL, t);
    }
    struct analysis_clocking_figures x = figures(c);
    assert_all(fabs(x.short_share - 0.5) < 0.001, fabs(x.tight_share - 0.25) < 0.01);
}

/* Memory does not grow with time, and clocks that step back do no harm. */
TEST(test_slots_merge_and_times_may_step_back)
{
    CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(1000 * MS, -1);
    for (int64_t i = 0; i < 100000; i++)
        analysis_clocking_data(c, &(struct capture_segment){.payload_bytes = FULL}, i + 1, FULL,
                               (i % 3 ? 1000 + i : 0) * MS);
    struct analysis_clocking_figures x = figures(c);
    assert_all(c->n <= ANALYSIS_CLOCKING_SLOTS, x.short_share <= 0);
}

/* Without the handshake that has the scale a header's 1250 may be any of their multiples by powers of two: of those
 * that have room for nine segments 10000 is the least. A window that a scale makes none of closes nothing. */
TEST(test_without_its_scale_a_window_is_the_least_that_has_room)
{
    for (int scale = -1; scale < 4; scale += 4) {
        CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
        int64_t end = 0;
        for (int i = 0; i < 9; i++)
            analysis_clocking_data(
                c, &(struct capture_segment){.payload_bytes = FULL, .has_timestamps = true, .tsecr = 0}, end += FULL,
                FULL, (i + 1) * MS);
        for (uint32_t i = 1; i < 100; i++, end += FULL) {
            struct capture_segment ack = {.window = 1250, .has_timestamps = true, .tsval = i};
            analysis_clocking_ack(c, &ack, i * FULL, scale, (2 * i + 20) * MS);
            analysis_clocking_data(
                c, &(struct capture_segment){.payload_bytes = FULL, .has_timestamps = true, .tsecr = i}, end + FULL,
                FULL, (2 * i + 21) * MS);
        }
        struct analysis_clocking_figures x = figures(c);
        assert_all(fabs(x.most_bytes - 9 * FULL) < 1, x.offered_guessed == (scale < 0) && x.closed_share == 0,
                   fabs(x.offered_bytes - 10000) < 1e-9 && fabs(x.offered_most_bytes - 10000) < 1e-9);
    }
}

/* What is in flight does not show without stamps, so that no scale has room for it. */
TEST(test_without_its_scale_a_window_is_unknown_where_nothing_tells)
{
    for (int stamps = 0; stamps < 2; stamps++) {
        CM_OWNED(analysis_clocking_free) struct analysis_clocking *c = analysis_clocking_new(0, -1);
        for (uint32_t i = 0; i < 100; i++) {
            struct capture_segment data = {.payload_bytes = FULL, .has_timestamps = stamps, .tsecr = i};
            struct capture_segment ack = {.window = 20000, .has_timestamps = stamps, .tsval = i + 1};
            analysis_clocking_data(c, &data, (i + 1) * FULL, FULL, i * MS);
            analysis_clocking_ack(c, &ack, (i + 1) * FULL, -1, i * MS + MS / 2);
        }
        struct analysis_clocking_figures x = figures(c);
        assert_true(x.offered_guessed);
        /* 20000 bytes have room for one segment, by any scale. */
        assert_true(stamps ? fabs(x.offered_bytes - 20000) < 1e-9 : isnan(x.offered_bytes));
    }
}
