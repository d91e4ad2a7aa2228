/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cause a hypothesis is of. What a study finds is asked of whole ones: test/cli/measure/test_measure_study.py. */
#include "study/infer/kit.h"

#include "test/cm.h"

static enum study_kit_cause cause(const char *text)
{
    struct study_hypothesis h;
    struct error err;
    if (!study_hypothesis_parse(&h, text, &err))
        fail_msg("%s", err.message);
    return study_kit_cause_of(&h);
}

/* ACKs wait where queues are FIFO; small queues keep a host's own data out of its NIC. */
TEST(test_queues_tell_where_acks_wait)
{
    assert_int_equal(cause("fifo"), STUDY_KIT_BOTH);
    assert_int_equal(cause("interrupts"), STUDY_KIT_BOTH);
    assert_int_equal(cause("fair@nic+fifo@port"), STUDY_KIT_PORT);
    assert_int_equal(cause("ack-first@nic+fifo@port"), STUDY_KIT_PORT);
    assert_int_equal(cause("small-queues=125kB"), STUDY_KIT_PORT);
    assert_int_equal(cause("fifo@nic+fair@port"), STUDY_KIT_NIC);
    assert_int_equal(cause("fair"), STUDY_KIT_APART);
    assert_int_equal(cause("ack-first@nic+fair@port"), STUDY_KIT_APART);
}

TEST(test_what_is_named_is_the_cause)
{
    assert_int_equal(cause("cc=cubic+buffer"), STUDY_KIT_LOSSES);
    assert_int_equal(cause("pause+buffer"), STUDY_KIT_PAUSE);
    assert_int_equal(cause("pause-senders+buffer"), STUDY_KIT_PAUSE);
    assert_int_equal(cause("bus"), STUDY_KIT_INSIDE);
    assert_int_equal(cause("processor"), STUDY_KIT_INSIDE);
    assert_int_equal(cause("processor+ring"), STUDY_KIT_RING);
}

/* Every usual hypothesis has a cause, and the words of every cause are there. */
TEST(test_every_cause_has_words)
{
    char text[STUDY_HYPOTHESIS_TEXT];
    bool has[STUDY_KIT_CAUSES] = {false};
    for (size_t i = 0; study_hypothesis_usual(i, 1000000000, text); i++)
        has[cause(text)] = true;
    for (int c = 0; c < STUDY_KIT_CAUSES; c++) {
        assert_true(has[c] || c >= STUDY_KIT_INSIDE);
        assert_non_null(study_kit_causes[c].name);
        assert_non_null(study_kit_causes[c].remedy);
    }
}
