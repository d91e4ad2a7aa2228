/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a remedy is worth, and what an answer consists of. */
#include "judge/ground.h"
#include "test/cm.h"

/* 50 Mb/s each way of a link that has room for 50: full. */
static struct judge_diagnosis full(enum judge_answer answer, enum judge_cause cause)
{
    struct judge_way way = {.flows = 1, .carried_bps = 50e6, .possible_bps = 50e6, .room_bps = 50e6,
                            .capacity_bps = 54e6, .source = JUDGE_CAPACITY_KNOWN};
    return (struct judge_diagnosis){.answer = answer, .cause = cause, .in = way, .out = way};
}

TEST(test_a_yes_is_what_its_remedy_brings)
{
    const enum judge_cause causes[] = {JUDGE_CAUSE_ACKS, JUDGE_CAUSE_THIN_ACKS, JUDGE_CAUSE_OTHER};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        struct judge_diagnosis d = full(JUDGE_ANSWER_YES, causes[i]);
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_SEEN);
    }
}

/* 90 of 100 Mb/s: 10 % more are enough for a yes, 4 % are not. */
TEST(test_windows_and_losses_gain_what_the_link_has_room_for)
{
    const enum judge_cause causes[] = {JUDGE_CAUSE_WINDOW, JUDGE_CAUSE_SEND_BUFFER, JUDGE_CAUSE_LOSSES};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        struct judge_diagnosis d = full(JUDGE_ANSWER_NO, causes[i]);
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_NONE);
        d.in.carried_bps = 48e6;
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_NONE);
        d.in.carried_bps = 40e6;
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_SEEN);
        d.in.source = JUDGE_CAPACITY_ASSUMED; /* a rate that somebody assumes promises nothing */
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_UNSEEN);
        d.in.source = JUDGE_CAPACITY_UNKNOWN;
        d.in.room_bps = NAN;
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_UNSEEN);
        d.in.flows = 0; /* no data that way: nothing to gain there */
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_NONE);
    }
}

/* Uploads whose link the ACKs of faster downloads would take altogether: how much of nothing they lose nobody says. */
TEST(test_who_loses_is_not_who_would_get_nothing)
{
    for (int swapped = 0; swapped < 2; swapped++) {
        struct judge_diagnosis d = full(JUDGE_ANSWER_YES, JUDGE_CAUSE_ACKS);
        struct judge_way *loser = swapped ? &d.out : &d.in, *other = swapped ? &d.in : &d.out;
        loser->possible_bps = 100e6;
        loser->lost_share = 0.5;
        loser->ack_wait_s = 0.1;
        other->possible_bps = 0;
        other->lost_share = NAN;
        judge_diagnosis_say(&d);
        assert_non_null(strstr(d.why, swapped ? "outgoing data get 50.0 of 100.0" : "incoming data get 50.0 of 100.0"));
    }
}

TEST(test_what_nobody_estimates_is_not_promised)
{
    const enum judge_cause unseen[] = {JUDGE_CAUSE_PAUSE, JUDGE_CAUSE_SLOW_HOST, JUDGE_CAUSE_POLICING,
                                       JUDGE_CAUSE_THIN_PATH, JUDGE_CAUSE_SHARED};
    const enum judge_cause nothing[] = {JUDGE_CAUSE_APPLICATION, JUDGE_CAUSE_RECEIVER, JUDGE_CAUSE_FULL,
                                        JUDGE_CAUSE_ONE_WAY, JUDGE_CAUSE_LINK};
    for (size_t i = 0; i < 5; i++) {
        struct judge_diagnosis d = full(JUDGE_ANSWER_NO, unseen[i]), e = full(JUDGE_ANSWER_NO, nothing[i]);
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_UNSEEN);
        assert_int_equal(judge_ground_gain(&e), JUDGE_GAIN_NONE);
    }
}

TEST(test_an_answer_is_figures_and_a_reason)
{
    char figures[240];
    struct judge_diagnosis d = full(JUDGE_ANSWER_NO, JUDGE_CAUSE_FULL);
    judge_diagnosis_say(&d);
    judge_diagnosis_figures(&d, figures, sizeof figures);
    assert_string_equal(figures, "100.0 of 100.0 Mb/s; 0 % lost to waiting ACKs");
    assert_string_equal(judge_diagnosis_reason(&d), "the link carries what it can");
    snprintf(d.why, sizeof d.why, "rates vary too much: 9 %% are lost: a longer --time would tell");
    judge_diagnosis_figures(&d, figures, sizeof figures);
    assert_string_equal(figures, "rates vary too much: 9 % are lost");
    assert_string_equal(judge_diagnosis_reason(&d), "a longer --time would tell");
    snprintf(d.why, sizeof d.why, "no more than that");
    judge_diagnosis_figures(&d, figures, sizeof figures);
    assert_string_equal(figures, "no more than that");
    assert_string_equal(judge_diagnosis_reason(&d), "");
}
