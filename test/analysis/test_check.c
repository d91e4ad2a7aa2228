/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts on the real-Linux figures of the measurements behind the window law (Mb/s, 100 Mb/s links). */
#include "analysis/rules/check.h"

#include "test/cm.h"

#define IN true
#define OUT false

static struct analysis_check_flow flow(bool incoming, double mbps, double window_kb)
{
    return (struct analysis_check_flow){.incoming = incoming, .rate_bps = mbps * 1e6, .ci95_bps = NAN,
                                        .window_bytes = window_kb * 1e3, .buffer_bytes = window_kb * 1e3};
}

static struct analysis_judgement judge(struct analysis_check_flow *flows, size_t n)
{
    struct analysis_judgement j;
    analysis_check_resource(flows, n, NULL, ANALYSIS_CHECK_TOLERANCE, &j);
    return j;
}

TEST(test_equal_windows_obey_eq6)
{
    struct analysis_check_flow f[] = {flow(IN, 45.5, 256), flow(IN, 45.5, 256), flow(OUT, 44.2, 256)};
    struct analysis_judgement j = judge(f, 3);
    assert_ints({j.verdict, MODEL_REGIME_EQ6}, {j.indegree, 2}, {j.outdegree, 1});
    assert_all(j.rule[ANALYSIS_RULE_EQ6].holds, j.rule[ANALYSIS_RULE_WINDOW].holds);
    assert_false(j.rule[ANALYSIS_RULE_EQ5].holds);
    assert_false(j.indistinguishable);
    /* m/share: 91 91 88.4; 1/B = sum/sum of squares: B = (2*91^2 + 88.4^2) / 270.4 */
    assert_true(fabs(j.fitted_rate_bps - 1e6 * (2 * 91.0 * 91 + 88.4 * 88.4) / 270.4) < 1);
    assert_true(fabs(f[2].predicted_bps[ANALYSIS_RULE_EQ6] - j.fitted_rate_bps / 2) < 1);
    /* largest error: the outgoing flow's */
    assert_true(fabs(j.rule[ANALYSIS_RULE_EQ6].max_rel_error - fabs(44.2e6 / (j.fitted_rate_bps / 2) - 1)) < 1e-9);
}

TEST(test_acks_first_obey_eq5)
{
    struct analysis_check_flow f[] = {flow(IN, 45.7, 474), flow(IN, 46.0, 476), flow(OUT, 93.0, 131)};
    struct analysis_judgement j = judge(f, 3);
    assert_int_equal(j.verdict, MODEL_REGIME_EQ5);
    assert_false(j.rule[ANALYSIS_RULE_EQ6].holds);
    assert_false(j.rule[ANALYSIS_RULE_WINDOW].holds);
    assert_true(fabs(j.fitted_rate_bps / 92e6 - 1) < 0.01);
}

TEST(test_unequal_windows_obey_the_window_law)
{
    struct analysis_check_flow f[] = {flow(IN, 61.8, 512), flow(IN, 30.9, 256), flow(OUT, 31.0, 256)};
    struct analysis_judgement j = judge(f, 3);
    assert_int_equal(j.verdict, MODEL_REGIME_WINDOW);
    assert_true(fabs(j.fitted_rate_bps / 92.7e6 - 1) < 0.01);
}

TEST(test_twice_the_window_out_is_the_window_law_though_fairness_predicts_the_same)
{
    struct analysis_check_flow f[] = {flow(IN, 45.5, 256), flow(IN, 45.4, 256), flow(OUT, 90.3, 512)};
    struct analysis_judgement j = judge(f, 3);
    assert_true(j.rule[ANALYSIS_RULE_EQ5].holds);
    assert_int_equal(j.verdict, MODEL_REGIME_WINDOW);
}

TEST(test_windows_below_their_buffers_that_follow_the_rates_are_fairness)
{
    /* 1 in, 2 out, TCP Small Queues at the shared host: the outgoing flows keep half of their 256 kB in flight. */
    struct analysis_check_flow f[] = {flow(IN, 91, 256), flow(OUT, 46, 129), flow(OUT, 45, 127)};
    f[1].buffer_bytes = f[2].buffer_bytes = 256e3;
    struct analysis_judgement j = judge(f, 3);
    assert_true(j.rule[ANALYSIS_RULE_WINDOW].holds);
    assert_int_equal(j.verdict, MODEL_REGIME_EQ5);
}

TEST(test_recurring_losses_decide_before_any_rule)
{
    struct analysis_check_flow f[] = {flow(IN, 45.5, 256), flow(IN, 45.5, 256), flow(OUT, 45.5, 256)};
    f[1].retransmitted_segments = 12;
    f[1].loss_events = 2;
    struct analysis_judgement j = judge(f, 3);
    assert_int_equal(j.verdict, MODEL_REGIME_LOSS);
    assert_true(j.rule[ANALYSIS_RULE_EQ6].holds);
    assert_true(fabs(j.fitted_rate_bps - 91e6) < 1); /* the busier direction's total */
    assert_non_null(strstr(j.why, "1 of 3 flows lost 12 segments"));
}

TEST(test_losses_of_the_start_decide_nothing)
{
    struct analysis_check_flow f[] = {flow(IN, 45.5, 256), flow(IN, 45.5, 256), flow(OUT, 45.5, 256)};
    f[0].retransmitted_segments = 300; /* all before the steady part */
    assert_int_equal(judge(f, 3).verdict, MODEL_REGIME_EQ6);
}

/* ns-3, 2/1 over a 500 kB port: one overflow at the start leaves windows of 145 kB and 1.5 MB where 3 MB are
 * allowed. The window law holds for the windows there are; it was losses that set them. */
TEST(test_a_loss_that_still_holds_a_window_down_is_named)
{
    struct analysis_check_flow f[] = {flow(IN, 45.2, 145), flow(IN, 468.2, 1516), flow(OUT, 926.5, 2997)};
    for (int i = 0; i < 3; i++)
        f[i].buffer_bytes = 3e6;
    assert_int_equal(judge(f, 3).verdict, MODEL_REGIME_WINDOW);
    f[0].retransmitted_segments = 2046;
    f[1].retransmitted_segments = 968;
    struct analysis_judgement j = judge(f, 3);
    assert_int_equal(j.verdict, MODEL_REGIME_LOSS);
    assert_true(j.rule[ANALYSIS_RULE_WINDOW].holds);
    assert_non_null(strstr(j.why, "2 of 3 flows lost 3014 segments"));
    /* the same losses on windows that have grown back to their buffers say nothing */
    for (int i = 0; i < 3; i++)
        f[i].buffer_bytes = f[i].window_bytes;
    assert_int_equal(judge(f, 3).verdict, MODEL_REGIME_WINDOW);
}

/* 40 and 60 in, 90 out. Each flow's m / share is an estimate of B, which has the least relative errors where 1/B =
 * sum / sum of squares. Fairness: 80, 120, 90, B = 28900 / 290 = 99.66, and the errors 19.7, 20.4 and 9.7 %; delta_max: 80, 120,
 * 180, B = 53200 / 380 = 140, 42.9, 14.3 and 28.6 %. With windows of 60 kB each the law says what delta_max does. */
TEST(test_what_no_rule_explains_says_by_how_much)
{
    struct analysis_check_flow f[] = {flow(IN, 40, 60), flow(IN, 60, 60), flow(OUT, 90, 60)};
    assert_string_equal(judge(f, 3).why, "no rule is within 5 %: fairness is off by up to 20.4 %, delta_max by 42.9 %, the "
                                         "window law by 42.9 %");
    for (int i = 0; i < 3; i++)
        f[i].window_bytes = NAN;
    assert_string_equal(judge(f, 3).why, "no rule is within 5 %: fairness is off by up to 20.4 %, delta_max by 42.9 %; "
                                         "windows are not known");
}

TEST(test_why_names_the_degrees_that_decide)
{
    struct analysis_check_flow unlike[] = {flow(IN, 45.5, 256), flow(IN, 45.5, 256), flow(OUT, 45.5, 256)};
    struct analysis_check_flow alike[] = {flow(IN, 45.5, 256), flow(IN, 45.5, 256), flow(OUT, 45.5, 256), flow(OUT, 45.5, 256)};
    assert_string_equal(judge(unlike, 3).why, "every flow gets B/max(2 in, 1 out) = B/2, whichever way it points");
    assert_string_equal(judge(alike, 4).why, "every flow gets B/2; with these degrees fairness predicts the same");
}

TEST(test_losses_explain_what_no_rule_does)
{
    struct analysis_check_flow f[] = {flow(IN, 42.7, 60), flow(IN, 60.0, 60), flow(OUT, 70.1, 60)};
    assert_int_equal(judge(f, 3).verdict, MODEL_REGIME_NONE);
    f[0].retransmitted_segments = 1;
    assert_int_equal(judge(f, 3).verdict, MODEL_REGIME_LOSS);
}

TEST(test_where_only_totals_are_known_the_window_law_decides_on_losses)
{
    struct analysis_check_flow f[] = {flow(IN, 49, 3000), flow(IN, 125, 3000), flow(OUT, 936, 3000)};
    for (int i = 0; i < 3; i++)
        f[i].loss_events = ANALYSIS_CHECK_LOSS_UNKNOWN;
    f[0].retransmitted_segments = 40;
    assert_int_equal(judge(f, 3).verdict, MODEL_REGIME_LOSS);
    f[0].rate_bps = f[1].rate_bps = f[2].rate_bps = 464e6; /* buffers rule again */
    assert_int_equal(judge(f, 3).verdict, MODEL_REGIME_EQ6);
}

TEST(test_unknown_windows_leave_the_window_law_out)
{
    struct analysis_check_flow f[] = {flow(IN, 61.8, NAN), flow(IN, 30.9, NAN), flow(OUT, 31.0, NAN)};
    struct analysis_judgement j = judge(f, 3);
    assert_false(j.rule[ANALYSIS_RULE_WINDOW].applies);
    assert_false(j.rule[ANALYSIS_RULE_WINDOW].holds);
    assert_all(isnan(j.rule[ANALYSIS_RULE_WINDOW].max_rel_error), isnan(f[0].predicted_bps[ANALYSIS_RULE_WINDOW]));
    assert_int_equal(j.verdict, MODEL_REGIME_NONE);
}

TEST(test_equal_degrees_cannot_tell_eq5_from_eq6)
{
    struct analysis_check_flow f[] = {flow(IN, 91, 500), flow(OUT, 91, 500)};
    struct analysis_judgement j = judge(f, 2);
    assert_int_equal(j.verdict, MODEL_REGIME_EQ6);
    assert_true(j.indistinguishable);
}

TEST(test_own_interval_widens_the_tolerance_up_to_twice)
{
    /* B = 2 * 46.x; the third is 8 % off the fit */
    struct analysis_check_flow f[] = {flow(IN, 46, NAN), flow(IN, 46, NAN), flow(OUT, 41, NAN)};
    assert_false(judge(f, 3).rule[ANALYSIS_RULE_EQ6].holds);
    f[2].ci95_bps = 4e6; /* 9.8 % */
    assert_true(judge(f, 3).rule[ANALYSIS_RULE_EQ6].holds);
    f[2].rate_bps = 38e6; /* 12 % off: beyond twice 5 %, whatever its interval */
    f[2].ci95_bps = 30e6;
    assert_false(judge(f, 3).rule[ANALYSIS_RULE_EQ6].holds);
}
