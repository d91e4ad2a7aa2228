/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/holes.h"

#include "base/random.h"
#include "test/cm.h"

static void open_hole(struct analysis_holes *h, int64_t start, int64_t end, int64_t opened_ns)
{
    struct analysis_hole hole = {.start = start, .end = end, .opened_ns = opened_ns};
    analysis_holes_open(h, &hole);
}

static int64_t fill(struct analysis_holes *h, int64_t start, int64_t end)
{
    struct analysis_hole first;
    return analysis_holes_fill(h, start, end, &first);
}

TEST(test_filling_counts_only_missing_bytes)
{
    MEMORY_ENDS(analysis_holes_fini) struct analysis_holes h = {0};
    open_hole(&h, 100, 200, 1);
    open_hole(&h, 300, 400, 2);
    assert_int_equal(analysis_holes_bytes(&h), 200);
    assert_int_equal(fill(&h, 0, 100), 0);
    assert_int_equal(fill(&h, 150, 350), 100); /* 150..200 and 300..350 */
    assert_int_equal(analysis_holes_bytes(&h), 100);
    assert_int_equal(fill(&h, 0, 1000), 100);
    assert_int_equal(h.n, 0);
}

TEST(test_filling_the_middle_splits_a_hole)
{
    MEMORY_ENDS(analysis_holes_fini) struct analysis_holes h = {0};
    open_hole(&h, 0, 300, 7);
    assert_int_equal(fill(&h, 100, 200), 100);
    assert_ints({h.n, 2}, {h.hole[0].end, 100}, {h.hole[1].start, 200}, {h.hole[1].opened_ns, 7});
}

TEST(test_the_first_hole_touched_is_told_as_it_was)
{
    MEMORY_ENDS(analysis_holes_fini) struct analysis_holes h = {0};
    open_hole(&h, 0, 300, 7);
    struct analysis_hole first = {0};
    analysis_holes_fill(&h, 100, 400, &first);
    assert_ints({first.start, 0}, {first.end, 300}, {first.opened_ns, 7});
}

TEST(test_holes_stay_sorted)
{
    MEMORY_ENDS(analysis_holes_fini) struct analysis_holes h = {0};
    open_hole(&h, 500, 600, 1);
    open_hole(&h, 100, 200, 2);
    open_hole(&h, 300, 400, 3);
    for (uint32_t i = 1; i < h.n; i++)
        assert_true(h.hole[i - 1].end <= h.hole[i].start);
}

TEST(test_too_many_holes_give_up_the_lowest)
{
    MEMORY_ENDS(analysis_holes_fini) struct analysis_holes h = {0};
    for (int i = 0; i < ANALYSIS_HOLES_MAX + 10; i++)
        open_hole(&h, 10 * i, 10 * i + 4, i);
    assert_int_equal(h.n, ANALYSIS_HOLES_MAX);
    assert_int_equal(h.given_up_bytes, 40); /* ten of 4 bytes */
    assert_int_equal(h.hole[0].start, 100);
    assert_int_equal(analysis_holes_bytes(&h), 4 * (ANALYSIS_HOLES_MAX + 10));
}

/* Against the same done one byte at a time. Small segments, so that holes are many, split and run out of room. */
TEST(test_random_holes_agree_with_bytes_one_by_one)
{
    enum { BYTES = 30000 };
    static bool missing[BYTES];
    struct random r = random_of(1);
    for (int round = 0; round < 20; round++) {
        MEMORY_ENDS(analysis_holes_fini) struct analysis_holes h = {0};
        int64_t high = 0, end, expected = 0;
        memset(missing, 0, sizeof missing);
        for (; high < BYTES - 40; high = end) {
            int64_t start = high + 1 + (int64_t)random_below(&r, 19);
            end = start + 1 + (int64_t)random_below(&r, 19);
            memset(missing + high, 1, (size_t)(start - high));
            open_hole(&h, high, start, 0);
            for (uint64_t k = random_below(&r, 3); k > 0; k--) {
                int64_t back = (int64_t)random_below(&r, round & 1 ? 300 : BYTES), from = end > back ? end - back : 0;
                int64_t to = from + (int64_t)random_below(&r, 30);
                to = to < end ? to : end;
                struct analysis_hole first;
                int64_t bytes = 0;
                bool kept = h.n > 0 && from >= h.hole[0].start; /* below, holes may have been given up */
                for (int64_t i = from; i < to && kept; i++) {
                    bytes += missing[i];
                    missing[i] = false;
                }
                if (kept)
                    assert_int_equal(analysis_holes_fill(&h, from, to, &first), bytes);
            }
        }
        for (int64_t i = 0; i < BYTES; i++)
            expected += missing[i];
        assert_int_equal(analysis_holes_bytes(&h), expected);
    }
}
