/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/latency.h"
#include "test/cm.h"

/* Words of other kinds of phases, and of the beginning of a phase, are none of a loaded network's. */
TEST(test_loaded_is_what_is_judged_of_both_at_once)
{
    double idle_s[] = {0.004, 0.002, 0.003};
    struct measure_echo both[] = {{0.5, 1, 1}, {1.5, 5.02, -4.97}, {2.5, 5.04, -4.98}, {3, 1, 1}};
    struct measure_echo paced[] = {{5, 1, 1}};
    struct judge_latency l;
    char text[JUDGE_LATENCY_TEXT];
    struct measure_test t = {.hosts = 1, .n = 2, .idle = {idle_s, 3, 3}};
    t.phase[0] = (struct measure_phase){.kind = MEASURE_BOTH, .from_s = 1, .to_s = 3, .echo = {both}, .n_echoes = {4}};
    t.phase[1] = (struct measure_phase){.kind = MEASURE_PACED, .from_s = 4, .to_s = 6, .echo = {paced},
                                        .n_echoes = {1}};
    measure_latency_of(&t, &l);
    assert_ints({l.idle.n, 3}, {l.loaded.n, 2});
    assert_true(fabs(l.idle.median_s - 0.003) <= 1e-9);
    assert_true(fabs(l.loaded.median_s - 0.05) <= 1e-9); /* of 50 and 60 ms */
    assert_true(fabs(idle_s[0] - 0.004) <= 0); /* the test is as it was */
    judge_latency_say(&l, text);
    assert_string_equal(text, "round trip: idle 3 ms, loaded 50 ms, bufferbloat: some");
    l.loaded.p95_s = 0.0612;
    judge_latency_say(&l, text);
    assert_string_equal(text, "round trip: idle 3 ms, loaded 50 ms (95 %: 61.2), bufferbloat: some");
    l.loaded.p99_s = 0.0699;
    l.idle.median_s = NAN;
    judge_latency_say(&l, text);
    assert_string_equal(text, "round trip: idle unknown, loaded 50 ms (95 %: 61.2, 99 %: 69.9)");
}
