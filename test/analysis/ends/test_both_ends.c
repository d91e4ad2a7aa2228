/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two captures of one connection, file 0 beside a (10.0.0.1), which sends the data, file 1 beside b, in whose clock
 * every packet of b's is stamped; segments made by hand, once for both files, as on a wire. */
#include "test/analysis/segment.h"

#include "analysis/ends/both_ends.h"

#define US INT64_C(1000)
#define NEVER INT64_MIN
#define PAYLOAD 1000
#define TRANSIT (2 * MS)

struct seen {
    int64_t time_ns;
    struct capture_segment segment;
};

struct world {
    struct seen *seen[2]; /* by file, in order of time after world_play() */
    size_t n[2], room[2];
    int64_t ahead_ns;     /* file 1's clock */
    double drift;
    struct analysis_both_ends *ends;
};

static void see(struct world *w, int file, int64_t time_ns, const struct capture_segment *s)
{
    if (time_ns == NEVER)
        return;
    if (w->n[file] == w->room[file]) {
        w->room[file] = 2 * w->room[file] + 64;
        w->seen[file] = realloc(w->seen[file], w->room[file] * sizeof **w->seen);
        assert_non_null(w->seen[file]);
    }
    if (file == 1)
        time_ns += w->ahead_ns + llround(w->drift * (double)time_ns);
    w->seen[file][w->n[file]++] = (struct seen){time_ns, *s};
}

static void pass(struct world *w, struct capture_segment s, int64_t at_a_ns, int64_t at_b_ns)
{
    see(w, 0, at_a_ns, &s);
    see(w, 1, at_b_ns, &s);
}

/* One data segment for each ACK, so that there is a bulk flow: i-th of them a ms, TRANSIT on its way. */
static void data(struct world *w, uint32_t n, uint32_t first)
{
    for (uint32_t i = 0; i < n; i++)
        pass(w, segment(A_TO_B, first + i * PAYLOAD, PAYLOAD, 1), i * MS, i * MS + TRANSIT);
}

static struct capture_segment ack(uint32_t i)
{
    return segment(B_TO_A, 1, 0, 1 + (i + 1) * PAYLOAD);
}

static int by_time(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Both passes, file `first` being file 0 to the analysis. */
static void world_play(struct world *w, int first)
{
    size_t at[2] = {0};
    analysis_both_ends_free(w->ends);
    w->ends = analysis_both_ends_new();
    for (int f = 0; f < 2; f++) {
        struct seen *list = w->seen[f ^ first];
        qsort(list, w->n[f ^ first], sizeof *list, by_time);
        for (size_t i = 0; i < w->n[f ^ first]; i++)
            analysis_both_ends_note(w->ends, f, list[i].time_ns, &list[i].segment);
    }
    analysis_both_ends_align(w->ends);
    while (at[0] < w->n[first] || at[1] < w->n[!first]) {
        const struct seen *head[2] = {w->seen[first] + at[0], w->seen[!first] + at[1]};
        int f = at[0] == w->n[first] || (at[1] < w->n[!first] &&
                                         analysis_both_ends_time(w->ends, 1, head[1]->time_ns) <
                                             analysis_both_ends_time(w->ends, 0, head[0]->time_ns));
        analysis_both_ends_add(w->ends, f, head[f]->time_ns, &head[f]->segment);
        at[f]++;
    }
    analysis_both_ends_finish(w->ends);
}

/* Of a's data; there must be no other. */
static struct analysis_both_ends_flow world_flow(const struct world *w)
{
    struct analysis_both_ends_flow f, other;
    assert_int_equal(analysis_both_ends_slots(w->ends), 2);
    assert_int_equal(analysis_both_ends_get(w->ends, 0, &f), ANALYSIS_BOTH_ENDS_FLOW);
    assert_int_equal(analysis_both_ends_get(w->ends, 1, &other), ANALYSIS_BOTH_ENDS_NONE);
    assert_int_equal(f.src_port, 1000);
    return f;
}

static struct analysis_both_ends_flow played(struct world *w)
{
    world_play(w, 0);
    return world_flow(w);
}

static void world_fini(struct world *w)
{
    analysis_both_ends_free(w->ends);
    free(w->seen[0]);
    free(w->seen[1]);
}

/* 300 ACKs that leave 1 ms apart and arrive by three, `apart_ns` between the three. */
static void by_threes(struct world *w, int64_t apart_ns)
{
    data(w, 300, 1);
    for (uint32_t i = 0; i < 300; i++)
        pass(w, ack(i), (i / 3 * 3 + 3) * MS + 2 * TRANSIT + i % 3 * apart_ns, i * MS + TRANSIT);
}

TEST(test_acks_that_leave_apart_and_arrive_together_are_compressed)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    by_threes(&w, MS / 10); /* xi = 0.2 ms / 2 ms */
    struct analysis_both_ends_flow f = played(&w);
    assert_ints({f.acks, 300}, {f.lost_acks, 0}, {f.groups, 100}, {f.compressed, 100}, {f.sender_file, 0});
    /* of three: 3, 2.1 and 1.2 ms beyond TRANSIT; the data none */
    assert_all_near(1e-9, {f.ack_wait_s, (3 + 2.1 + 1.2) / 3 * 1e-3 - 1.2e-3}, {f.data_wait_s, 0},
                    {f.base_s, 2 * TRANSIT * 1e-9 + 1.2e-3});
    assert_near(f.hold_s, 0, 1e-9); /* each leaves when its data come */
}

TEST(test_acks_that_keep_their_spacing_are_not)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    by_threes(&w, MS); /* xi = 1 */
    struct analysis_both_ends_flow f = played(&w);
    assert_ints({f.groups, 100}, {f.compressed, 0});
    assert_near(f.ack_wait_s, 0, 1e-9);
}

TEST(test_the_order_of_the_files_does_not_matter)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    by_threes(&w, MS / 10);
    world_play(&w, 1);
    struct analysis_both_ends_flow f = world_flow(&w);
    assert_ints({f.sender_file, 1}, {f.compressed, 100});
    assert_all_near(1e-9, {f.ack_wait_s, 0.9e-3}, {f.base_s, 2 * TRANSIT * 1e-9 + 1.2e-3});
}

TEST(test_resolutions_widen_one_span_and_narrow_the_other)
{
    /* The third ACK leaves 100 us after the first and arrives 74 or 74.5 us after it: with one clock or both ticking
     * microseconds 0.740; (74 + 1) / 100 = 0.750 and a bit by the last nanosecond; 74.5 / (100 - 1) = 0.753; 75 / 99.
     * A clock that shows a nanosecond once has that resolution. */
    static const struct {
        int64_t apart_ns, arrive_ns, leave_ns; /* the latter two: what lies between microseconds */
        bool compressed;
    } cases[] = {
        {37000, 1, 1, true}, {37000, 0, 1, false}, {37250, 1, 1, true}, {37250, 1, 0, false}, {37000, 0, 0, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MEMORY_ENDS(world_fini) struct world w = {0};
        data(&w, 300, 1);
        for (uint32_t i = 0; i < 300; i++)
            pass(&w, ack(i), (i / 3 + 3) * MS + 2 * TRANSIT + i % 3 * cases[k].apart_ns + cases[k].arrive_ns,
                 i / 3 * MS + TRANSIT + i % 3 * 50 * US + cases[k].leave_ns);
        struct analysis_both_ends_flow f = played(&w);
        assert_near(analysis_both_ends_resolution_s(w.ends, 0), cases[k].arrive_ns ? 1e-9 : 1e-6, 1e-12);
        assert_near(analysis_both_ends_resolution_s(w.ends, 1), cases[k].leave_ns ? 1e-9 : 1e-6, 1e-12);
        assert_ints({f.groups, 100}, {f.compressed, cases[k].compressed ? 100 : 0});
    }
}

TEST(test_groups_last_as_long_as_the_floor_where_they_leave)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    data(&w, 220, 1);
    for (uint32_t i = 0; i < 220; i++) /* 11 for 100 us; they arrive in one burst of two frames' time each */
        pass(&w, ack(i), 400 * MS + i * US, i * 10 * US + TRANSIT);
    struct analysis_both_ends_flow f = played(&w);
    assert_ints({f.groups, 20}, {f.compressed, 20});
}

TEST(test_a_lost_ack_is_counted_and_does_not_end_its_group)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    data(&w, 300, 1);
    for (uint32_t i = 0; i < 300; i++) {
        bool lost = i % 10 == 5, before = i < 20, behind = i >= 280; /* file 0 began later and ended earlier */
        pass(&w, ack(i), lost || before || behind ? NEVER : (i + 5) * MS, i * MS + TRANSIT);
    }
    struct analysis_both_ends_flow f = played(&w);
    assert_int_equal(f.lost_acks, 26); /* 25, 35 ... 275 */
    assert_ints({f.acks, 260 - 26}, {f.groups, (260 - 26) / 3}, {f.compressed, 0});
}

TEST(test_frames_shown_twice_count_once)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    data(&w, 300, 1);
    for (uint32_t i = 0; i < 300; i++) {
        struct capture_segment s = ack(i);
        pass(&w, s, (i + 5) * MS, i * MS + TRANSIT);
        pass(&w, s, (i + 5) * MS + 3 * US, i % 2 ? NEVER : i * MS + TRANSIT + US);
    }
    struct analysis_both_ends_flow f = played(&w);
    assert_ints({f.acks, 300}, {f.lost_acks, 0}, {f.groups, 100});
    assert_near(f.ack_wait_s, 0, 1e-9);
}

TEST(test_an_overtaken_ack_ends_the_group)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    data(&w, 300, 1);
    for (uint32_t i = 0; i < 300; i++) /* every third arrives before its predecessor: never three in order */
        pass(&w, ack(i), (i + 5) * MS - (i % 3 == 2 ? 3 * MS / 2 : 0), i * MS + TRANSIT);
    struct analysis_both_ends_flow f = played(&w);
    assert_ints({f.acks, 300}, {f.lost_acks, 0}, {f.groups, 0});
}

TEST(test_sequence_numbers_wrap_and_data_are_sent_again)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    uint32_t first = (uint32_t)-150 * PAYLOAD;
    data(&w, 300, first);
    pass(&w, segment(A_TO_B, first, PAYLOAD, 1), 100 * MS + US, 100 * MS + TRANSIT + US);
    for (uint32_t i = 0; i < 300; i++) { /* 0.4 ms in the receiver */
        struct capture_segment s = segment(B_TO_A, 1, 0, first + (i + 1) * PAYLOAD);
        pass(&w, s, i * MS + 2 * TRANSIT + 400 * US, i * MS + TRANSIT + 400 * US);
    }
    struct analysis_both_ends_flow f = played(&w);
    assert_ints({f.data, 301}, {f.acks, 300}, {f.groups, 100});
    assert_near(f.hold_s, 400e-6, 1e-9);
}

/* 100 s of a data segment and an ACK every 10 ms; every other waits 1 ms, and ACKs `queue` ms in addition, growing. */
static void hundred_seconds(struct world *w, double queue_ms)
{
    for (uint32_t i = 0; i < 10000; i++) {
        int64_t t = 10 * i * MS, wait = i % 2 * MS, queue = llround(queue_ms * (double)(i * MS) / 10000);
        pass(w, segment(A_TO_B, 1 + i * PAYLOAD, PAYLOAD, 1), t, t + TRANSIT + wait);
        pass(w, ack(i), t + 2 * TRANSIT + 2 * wait + queue, t + TRANSIT + wait);
    }
}

TEST(test_clocks_an_hour_apart_change_nothing)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        MEMORY_ENDS(world_fini) struct world w = {.ahead_ns = sign * 3600 * 1000 * MS};
        for (uint32_t i = 0; i < 3000; i++) /* file 0 began half a minute earlier */
            pass(&w, segment(B_TO_A, 7 + i, 1, 1), (10 * (int64_t)i - 30000) * MS, NEVER);
        hundred_seconds(&w, 0);
        struct analysis_both_ends_flow f = played(&w);
        assert_ints({f.data, 10000}, {f.acks, 10000}, {f.lost_acks, 0}, {f.sender_file, 0});
        assert_all_near(1e-9, {f.data_wait_s, 0.5e-3}, {f.ack_wait_s, 0.5e-3}, {f.base_s, 2 * TRANSIT * 1e-9});
        assert_near(analysis_both_ends_drift(w.ends), 0, 0);
        assert_true(analysis_both_ends_room(w.ends) <= 1024);
    }
}

TEST(test_a_drift_is_found_and_taken_off)
{
    for (int swap = 0; swap < 2; swap++) {
        MEMORY_ENDS(world_fini) struct world w = {.drift = 50e-6, .ahead_ns = -MS};
        hundred_seconds(&w, 0); /* 5 ms of drift */
        world_play(&w, swap);
        struct analysis_both_ends_flow f = world_flow(&w);
        assert_near(analysis_both_ends_drift(w.ends), swap ? -50e-6 : 50e-6, 0.1e-6);
        assert_int_equal(f.sender_file, swap);
        assert_all_near(10e-6, {f.data_wait_s, 0.5e-3}, {f.ack_wait_s, 0.5e-3}, {f.base_s, 2 * TRANSIT * 1e-9});
    }
}

TEST(test_a_queue_that_grows_one_way_is_no_drift)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    hundred_seconds(&w, 5);
    struct analysis_both_ends_flow f = played(&w);
    assert_near(analysis_both_ends_drift(w.ends), 0, 0);
    assert_near(f.data_wait_s, 0.5e-3, 1e-6);
    assert_near(f.ack_wait_s, 3e-3, 10e-6); /* 0.5 and half of 5 ms */
}

TEST(test_memory_is_for_packets_in_flight_only)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    for (uint32_t i = 0; i < 100000; i++) { /* 200 s; a tenth of 1000 packets a second lost on either way */
        int64_t t = 2 * i * MS;
        pass(&w, segment(A_TO_B, 1 + i * PAYLOAD, PAYLOAD, 1), t, i % 10 == 3 ? NEVER : t + TRANSIT);
        pass(&w, ack(i), i % 10 == 7 ? NEVER : t + 2 * TRANSIT, t + TRANSIT);
    }
    struct analysis_both_ends_flow f = played(&w);
    assert_ints({f.data, 90000}, {f.acks, 90000}, {f.lost_acks, 10000});
    assert_true(analysis_both_ends_room(w.ends) <= 1024); /* 100 lost a second, for 6.25 s at most */
}

TEST(test_neither_tags_nor_a_missing_identification_matter)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    for (uint32_t i = 0; i < 300; i++) {
        struct capture_segment to = stamped(A_TO_B, 1 + i * PAYLOAD, PAYLOAD, 1, i, i), back = ack(i);
        to.ip_id = back.ip_id = 0;
        see(&w, 0, i * MS, &to);
        see(&w, 0, (i + 5) * MS, &back);
        to.tag = back.tag = 7;
        to.checksum = back.checksum = 99;
        see(&w, 1, i * MS + TRANSIT, &to);
        see(&w, 1, i * MS + TRANSIT, &back);
    }
    struct analysis_both_ends_flow f = played(&w);
    assert_ints({f.data, 300}, {f.acks, 300});
}

TEST(test_two_captures_at_one_place_say_nothing)
{
    MEMORY_ENDS(world_fini) struct world w = {.ahead_ns = 5 * MS};
    struct analysis_both_ends_flow f;
    for (uint32_t i = 0; i < 300; i++) {
        pass(&w, segment(A_TO_B, 1 + i * PAYLOAD, PAYLOAD, 1), i * MS, i * MS);
        pass(&w, ack(i), (i + 5) * MS, (i + 5) * MS);
    }
    world_play(&w, 0);
    assert_int_equal(analysis_both_ends_get(w.ends, 0, &f), ANALYSIS_BOTH_ENDS_NO_PLACE);
    assert_int_equal(f.src_port, 1000);
}

TEST(test_a_flow_in_one_file_only_is_none)
{
    MEMORY_ENDS(world_fini) struct world w = {0};
    struct analysis_both_ends_flow f;
    pass(&w, syn(A_TO_B, 0), 0, TRANSIT); /* flooded by a switch that has not learnt yet */
    for (uint32_t i = 0; i < 300; i++)
        pass(&w, segment(A_TO_B, 1 + i * PAYLOAD, PAYLOAD, 1), i * MS, NEVER);
    world_play(&w, 0);
    for (size_t i = 0; i < analysis_both_ends_slots(w.ends); i++)
        assert_int_equal(analysis_both_ends_get(w.ends, i, &f), ANALYSIS_BOTH_ENDS_NONE);
}
