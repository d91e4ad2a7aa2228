/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/congestion.h"
#include "test/cm.h"

#define SEGMENT 1448
#define WINDOW 100000

static uint64_t state_words[NATIVE_CONGESTION_WORDS];

static void grow(struct native_window *w, int acks)
{
    for (int i = 0; i < acks; i++)
        native_given.grow(state_words, w, &(struct native_ack){.segment = SEGMENT, .acked = 2 * SEGMENT});
}

TEST(test_it_grows_up_to_what_was_set_and_stays)
{
    struct native_window w = {.cwnd = 10 * SEGMENT, .ssthresh = WINDOW};
    grow(&w, 5);
    assert_int_equal(w.cwnd, 20 * SEGMENT);
    grow(&w, 1000);
    assert_int_equal(w.cwnd, WINDOW);
}

TEST(test_a_loss_takes_nothing_away)
{
    struct native_window w = {.cwnd = WINDOW, .ssthresh = WINDOW};
    assert_int_equal(native_given.lost(state_words, &w, SEGMENT, WINDOW, false), WINDOW);
    assert_int_equal(native_given.lost(state_words, &w, SEGMENT, WINDOW, true), WINDOW);
    w.ssthresh = UINT64_MAX; /* nothing was set: what the path held */
    assert_int_equal(native_given.lost(state_words, &w, SEGMENT, 5 * SEGMENT, false), 5 * SEGMENT);
}
