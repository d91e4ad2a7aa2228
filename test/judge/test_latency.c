/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/latency.h"
#include "test/cm.h"

/* 1 to n ms, the greatest first. */
static void count_down(double *round_s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        round_s[i] = 1e-3 * (double)(n - i);
}

/* Of 1 to 200 ms half do not exceed 100, 95 % of them 190, 99 % of them 198. */
TEST(test_quantiles_are_of_the_nearest_rank)
{
    double round_s[200];
    struct judge_latency_times t;
    count_down(round_s, 200);
    judge_latency_times_of(round_s, 200, &t);
    assert_int_equal(t.n, 200);
    assert_all(fabs(t.median_s - 0.100) <= 1e-9, fabs(t.p95_s - 0.190) <= 1e-9, fabs(t.p99_s - 0.198) <= 1e-9);
}

/* Beyond 99 % is one of a hundred values, and none of ninety-nine; beyond 95 % is one of twenty. Of 99 values the 50th
 * is the middle, and the 95th the first that 94.05 do not exceed. */
TEST(test_what_no_value_is_beyond_is_not_known)
{
    double round_s[100];
    struct judge_latency_times t;
    count_down(round_s, 100);
    judge_latency_times_of(round_s, 100, &t);
    assert_true(fabs(t.p99_s - 0.099) <= 1e-9);
    count_down(round_s, 99);
    judge_latency_times_of(round_s, 99, &t);
    assert_all(isnan(t.p99_s), fabs(t.p95_s - 0.095) <= 1e-9, fabs(t.median_s - 0.050) <= 1e-9);
    judge_latency_times_of(round_s, 19, &t);
    assert_true(isnan(t.p95_s));
    judge_latency_times_of(NULL, 0, &t);
    assert_true(isnan(t.median_s));
}

/* 1 once, 2 twice, ... 19 nineteen times, in another order. */
TEST(test_values_that_come_several_times_count_as_often)
{
    double round_s[190];
    struct judge_latency_count count[19];
    struct judge_latency_times each, counted;
    size_t n = 0;
    for (size_t i = 0; i < 19; i++) {
        const size_t value = 1 + (7 * i) % 19;
        count[i] = (struct judge_latency_count){(double)value, value};
        for (size_t k = 0; k < value; k++)
            round_s[n++] = (double)value;
    }
    judge_latency_times_of(round_s, n, &each);
    judge_latency_counts_of(count, 19, &counted);
    assert_int_equal(counted.n, 190);
    assert_all(counted.median_s <= each.median_s && counted.median_s >= each.median_s, counted.p95_s <= each.p95_s && counted.p95_s >= each.p95_s,
               counted.p99_s <= each.p99_s && counted.p99_s >= each.p99_s);
}

/* Waveform's limits: 5, 30, 60, 200 and 400 ms more than idle. */
TEST(test_a_grade_is_how_much_longer_it_takes)
{
    const struct {
        double more_s;
        const char *word;
    } grades[] = {{-0.001, "none"}, {0.0049, "none"}, {0.0051, "little"}, {0.0299, "little"}, {0.0301, "some"},
                  {0.0599, "some"}, {0.0601, "much"}, {0.1999, "much"},   {0.2001, "severe"}, {0.3999, "severe"},
                  {0.4001, "extreme"}};
    for (size_t i = 0; i < sizeof grades / sizeof *grades; i++) {
        struct judge_latency l = {{1, 0.02, NAN, NAN}, {1, 0.02 + grades[i].more_s, NAN, NAN}};
        assert_string_equal(judge_latency_grade(&l), grades[i].word);
    }
    assert_null(judge_latency_grade(&(struct judge_latency){{0, NAN, NAN, NAN}, {1, 0.02, NAN, NAN}}));
    assert_null(judge_latency_grade(&(struct judge_latency){{1, NAN, NAN, NAN}, {1, 0.02, NAN, NAN}}));
}

TEST(test_what_is_said_is_in_ms)
{
    char text[JUDGE_LATENCY_TEXT];
    struct judge_latency l = {{1, 0.0218, NAN, NAN}, {200, 1.0951, 1.2712, 1.3034}};
    judge_latency_say(&l, text);
    assert_string_equal(text, "round trip: idle 21.8 ms, loaded 1095 ms (95 %: 1271, 99 %: 1303), bufferbloat: extreme");
}
