/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/ends/match.h"

#include "test/analysis/segment.h"

#include <time.h>

TEST(test_an_identity_is_what_the_packet_says)
{
    struct capture_segment s = stamped(A_TO_B, 1000, 0, 2000, 30, 40), other[12];
    s.n_sack = 1;
    s.sack[0] = (struct capture_sack){5000, 6000};
    for (int i = 0; i < 12; i++)
        other[i] = s;
    other[0].seq++;
    other[1].ack++;
    other[2].tsval++;
    other[3].tsecr++;
    other[4].ip_id++;
    other[5].window++;
    other[6].sack[0].end++;
    other[7].n_sack = 0;
    other[8].payload_bytes = 1;
    other[9].src.bytes[3]++;
    other[10].dst_port++;
    other[11].flags |= CAPTURE_TCP_FIN;
    for (int i = 0; i < 12; i++)
        assert_int_not_equal(analysis_match_identity(&s), analysis_match_identity(&other[i]));
    struct capture_segment same = s;
    same.tag = 1; /* by a switch */
    same.checksum++; /* by a NIC that fills it in */
    same.flags |= CAPTURE_TCP_PSH; /* by a NIC that merges frames */
    assert_int_equal(analysis_match_identity(&s), analysis_match_identity(&same));
}

TEST(test_samples_of_two_files_agree_on_what_to_keep)
{
    /* 200,000 packets in one, the last 2,000 of them in the other, 5 s later by its clock; 2 % of a sample of 4096. */
    struct analysis_sample *a MEMORY_LOCAL = calloc(1, sizeof *a), *b MEMORY_LOCAL = calloc(1, sizeof *b);
    int64_t offset_ns = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        struct capture_segment s = segment(A_TO_B, 1000 * i, 1000, 1);
        uint64_t identity = analysis_match_identity(&s);
        analysis_sample_add(a, identity, i * MS);
        if (i >= 198000)
            analysis_sample_add(b, identity, i * MS + 5000 * MS);
    }
    assert_ints({a->n, ANALYSIS_SAMPLE}, {b->n, 2000});
    assert_true(analysis_sample_offset(a, b, &offset_ns));
    assert_int_equal(offset_ns, 5000 * MS);
    b->n = 0;
    assert_false(analysis_sample_offset(a, b, &offset_ns));
}

static void count(void *user, const struct analysis_waiting *packet)
{
    *(uint64_t *)user += packet->identity;
}

TEST(test_packets_wait_until_the_other_file_shows_them)
{
    struct analysis_match *m = analysis_match_new();
    struct analysis_waiting p = {.identity = 5, .time_ns = 10};
    int64_t other_ns = 0;
    assert_int_equal(analysis_match_add(m, &p, &other_ns), ANALYSIS_MET_NONE);
    assert_int_equal(analysis_match_add(m, &p, &other_ns), ANALYSIS_MET_COPY);
    p.file = 1;
    p.time_ns = 99;
    assert_int_equal(analysis_match_add(m, &p, &other_ns), ANALYSIS_MET_OTHER);
    assert_int_equal(other_ns, 10);
    assert_int_equal(analysis_match_add(m, &p, &other_ns), ANALYSIS_MET_NONE);
    analysis_match_free(m);
}

TEST(test_many_wait_and_those_too_old_are_told_of)
{
    struct analysis_match *m = analysis_match_new();
    int64_t other_ns;
    uint64_t lost = 0;
    for (uint64_t i = 1; i <= 5000; i++) {
        struct analysis_waiting p = {.identity = i << 20, .time_ns = (int64_t)i, .file = i % 2}; /* alike in low bits */
        assert_int_equal(analysis_match_add(m, &p, &other_ns), ANALYSIS_MET_NONE);
    }
    assert_int_equal(analysis_match_room(m), 8192);
    analysis_match_expire(m, 1, 6, count, &lost);
    assert_int_equal(lost, UINT64_C(9) << 20); /* 1, 3 and 5 */
    for (uint64_t i = 1; i <= 5000; i++) {
        struct analysis_waiting p = {.identity = i << 20, .time_ns = 7000, .file = 1 - i % 2};
        bool gone = i <= 5 && i % 2;
        assert_int_equal(analysis_match_add(m, &p, &other_ns), gone ? ANALYSIS_MET_NONE : ANALYSIS_MET_OTHER);
        if (!gone)
            assert_int_equal(other_ns, i);
    }
    assert_int_equal(analysis_match_room(m), 8192); /* what was given back is taken again */
    analysis_match_free(m);
}

/* CPU time until n packets of both files have come, first of one, then of the other; `alike` low bits of identities are the
 * same. */
static double seconds_of(int alike)
{
    enum { N = 30000 };
    struct analysis_match *m = analysis_match_new();
    int64_t other_ns;
    uint64_t lost = 0;
    clock_t start = clock();
    for (uint64_t i = 1; i <= 2 * N; i++) {
        struct analysis_waiting p = {.identity = i << alike, .time_ns = (int64_t)i, .file = i <= N};
        assert_int_equal(analysis_match_add(m, &p, &other_ns), ANALYSIS_MET_NONE);
        analysis_match_expire(m, 0, p.time_ns, count, &lost); /* those of the other file stay */
    }
    analysis_match_free(m);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Chains of 30,000, or 30,000 looks at 30,000 that stay, take a second and more. */
TEST(test_time_is_linear_whatever_identities_are_chosen)
{
    assert_true(seconds_of(0) < 0.2);
    assert_true(seconds_of(40) < 0.2);
}
