/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/latency.h"
#include "test/cm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 1 to n ms, the greatest first. */
static void count_down(double *round_s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        round_s[i] = 1e-3 * (double)(n - i);
}

/* Of 1 to 200 ms half do not exceed 100, 95 % of them 190, 99 % of them 198. */
static void test_quantiles_are_of_the_nearest_rank(void **state)
{
    (void)state;
    double round_s[200];
    struct measure_latency_times t;
    count_down(round_s, 200);
    measure_latency_times_of(round_s, 200, &t);
    assert_int_equal(t.words, 200);
    assert_true(fabs(t.median_s - 0.100) <= 1e-9);
    assert_true(fabs(t.p95_s - 0.190) <= 1e-9);
    assert_true(fabs(t.p99_s - 0.198) <= 1e-9);
}

/* Beyond 99 % is one of a hundred words, and none of ninety-nine; beyond 95 % is one of twenty. Of 99 words the 50th
 * is the middle, and the 95th the first that 94.05 do not exceed. */
static void test_what_no_word_is_beyond_is_not_known(void **state)
{
    (void)state;
    double round_s[100];
    struct measure_latency_times t;
    count_down(round_s, 100);
    measure_latency_times_of(round_s, 100, &t);
    assert_true(fabs(t.p99_s - 0.099) <= 1e-9);
    count_down(round_s, 99);
    measure_latency_times_of(round_s, 99, &t);
    assert_true(isnan(t.p99_s));
    assert_true(fabs(t.p95_s - 0.095) <= 1e-9);
    assert_true(fabs(t.median_s - 0.050) <= 1e-9);
    measure_latency_times_of(round_s, 19, &t);
    assert_true(isnan(t.p95_s));
    measure_latency_times_of(NULL, 0, &t);
    assert_true(isnan(t.median_s));
}

/* Words of other kinds of phases, and of the beginning of a phase, are none of a loaded network's. */
static void test_loaded_is_what_is_judged_of_both_at_once(void **state)
{
    (void)state;
    double idle_s[] = {0.004, 0.002, 0.003};
    struct measure_echo both[] = {{0.5, 1, 1}, {1.5, 5.02, -4.97}, {2.5, 5.04, -4.98}, {3, 1, 1}};
    struct measure_echo paced[] = {{5, 1, 1}};
    struct measure_latency l;
    char text[MEASURE_LATENCY_TEXT];
    struct measure_test t = {.hosts = 1, .n = 2, .idle = {idle_s, 3, 3}};
    t.phase[0] = (struct measure_phase){.kind = MEASURE_BOTH, .from_s = 1, .to_s = 3, .echo = {both}, .n_echoes = {4}};
    t.phase[1] = (struct measure_phase){.kind = MEASURE_PACED, .from_s = 4, .to_s = 6, .echo = {paced},
                                        .n_echoes = {1}};
    measure_latency_of(&t, &l);
    assert_int_equal(l.idle.words, 3);
    assert_int_equal(l.loaded.words, 2);
    assert_true(fabs(l.idle.median_s - 0.003) <= 1e-9);
    assert_true(fabs(l.loaded.median_s - 0.05) <= 1e-9); /* of 50 and 60 ms */
    assert_true(fabs(idle_s[0] - 0.004) <= 0); /* the test is as it was */
    measure_latency_say(&l, text);
    assert_string_equal(text, "round trip: idle 3 ms, loaded 50 ms");
    l.loaded.p95_s = 0.0612;
    measure_latency_say(&l, text);
    assert_string_equal(text, "round trip: idle 3 ms, loaded 50 ms (95 %: 61.2)");
    l.loaded.p99_s = 0.0699;
    l.idle.median_s = NAN;
    measure_latency_say(&l, text);
    assert_string_equal(text, "round trip: idle unknown, loaded 50 ms (95 %: 61.2, 99 %: 69.9)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles_are_of_the_nearest_rank),
        cmocka_unit_test(test_what_no_word_is_beyond_is_not_known),
        cmocka_unit_test(test_loaded_is_what_is_judged_of_both_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
