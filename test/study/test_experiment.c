/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan and the registered analysis, by hand. */
#include "study/verdict/experiment.h"

#include "test/cm.h"

/* Blocks whose logarithms are base, and what each setting adds in its four. */
static struct study_experiment given(size_t fours, const double *queue, double offloads, double both)
{
    struct study_experiment e = {.seed = 3, .fours = (int64_t)fours, .block_s = 60};
    study_experiment_plan(&e);
    for (size_t i = 0; i < 4 * fours; i++) {
        struct study_experiment_block *b = &e.block[i];
        double add = (b->ack_first ? queue[b->four] : 0) + (b->offloads ? 0 : offloads) + (b->ack_first && !b->offloads ? both : 0);
        b->bps = exp(10 + (double)b->four + add);
        b->lost_share = b->ack_first ? 0 : 0.2;
    }
    return e;
}

TEST(test_fours_are_balanced_and_orders_differ)
{
    struct study_experiment e = {.seed = 1, .fours = STUDY_EXPERIMENT_FOURS, .block_s = 60};
    int first[4] = {0};
    study_experiment_plan(&e);
    for (size_t four = 0; four < STUDY_EXPERIMENT_FOURS; four++) {
        unsigned seen = 0;
        for (size_t i = 4 * four; i < 4 * four + 4; i++) {
            assert_int_equal(e.block[i].four, four);
            seen |= 1u << (2 * e.block[i].ack_first + e.block[i].offloads);
            assert_true(e.block[i].capture_at_s >= 15 && e.block[i].capture_at_s <= 40);
        }
        assert_int_equal(seen, 15);
        first[2 * e.block[4 * four].ack_first + e.block[4 * four].offloads]++;
    }
    for (int i = 0; i < 4; i++)
        assert_in_range(first[i], 1, 9); /* of 16, each with a chance of 1 in 100 or less outside */
}

/* Differences 0.1, 0.2, 0.3: mean 0.2, deviation 0.1, t975(2) = 4.303: 0.2 +- 0.248. All of one sign: 2 of 8 signs are as
 * far off. Fours differ by 1, which drops out. */
TEST(test_the_effect_is_the_mean_over_fours)
{
    struct study_experiment e = given(3, (const double[]){0.1, 0.2, 0.3}, 0, 0);
    struct study_experiment_effect q = study_experiment_effect(&e, STUDY_EXPERIMENT_QUEUE);
    assert_all(fabs(q.log.value - 0.2) < 1e-9, fabs(q.log.ci95 - 4.303 * 0.1 / sqrt(3)) < 1e-3, q.p == 0.25);
    assert_int_equal(study_experiment_answer(&q), JUDGE_ANSWER_UNKNOWN);
    assert_true(fabs(study_experiment_foretold(&e) - 0.25) < 1e-9);
}

/* The queue adds 0.1 with offloads on and 0.14 with them off: 0.12 on average, and 0.04 between them. Offloads off add 0.3 in
 * FIFO and 0.34 with ACKs first. */
TEST(test_effects_are_apart)
{
    struct study_experiment e = given(6, (const double[]){0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 0.3, 0.04);
    struct study_experiment_effect q = study_experiment_effect(&e, STUDY_EXPERIMENT_QUEUE);
    assert_all(fabs(q.log.value - 0.12) < 1e-9, q.p == 2.0 / 64);
    assert_int_equal(study_experiment_answer(&q), JUDGE_ANSWER_YES);
    assert_true(fabs(study_experiment_effect(&e, STUDY_EXPERIMENT_OFFLOADS).log.value - 0.32) < 1e-9);
    assert_true(fabs(study_experiment_effect(&e, STUDY_EXPERIMENT_BOTH).log.value - 0.04) < 1e-9);
}

/* Less with ACKs first, however sure, is no; nothing within 5 % is no; nothing within 20 % is not known. */
TEST(test_what_is_no_gain)
{
    const double d[][6] = {{-0.1, -0.1, -0.11, -0.1, -0.1, -0.1}, {0.01, -0.01, 0.01, -0.01, 0.01, -0.01},
                           {0.2, -0.2, 0.2, -0.2, 0.2, -0.2}};
    const enum judge_answer is[] = {JUDGE_ANSWER_NO, JUDGE_ANSWER_NO, JUDGE_ANSWER_UNKNOWN};
    for (int i = 0; i < 3; i++) {
        struct study_experiment e = given(6, d[i], 0, 0);
        struct study_experiment_effect q = study_experiment_effect(&e, STUDY_EXPERIMENT_QUEUE);
        assert_int_equal(study_experiment_answer(&q), is[i]);
    }
}
