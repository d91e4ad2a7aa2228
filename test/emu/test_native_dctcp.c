/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DCTCP's estimate of the marked share, by RFC 8257's recurrence. */
#include "emu/native/congestion.h"

#include "test/cm.h"

#define SEGMENT 1000
#define WINDOW 100 /* segments */

static uint64_t words[NATIVE_CONGESTION_WORDS];
static uint64_t sent;

static void begin(void)
{
    for (size_t i = 0; i < NATIVE_CONGESTION_WORDS; i++)
        words[i] = 0;
    sent = 0;
    native_dctcp.init(words, &(struct emu_tcp_config){.segment_bytes = SEGMENT});
}

/* A window is acknowledged segment by segment, the first `marked` of them with an echo. */
static void window_passes(int marked)
{
    for (int i = 0; i < WINDOW; i++) {
        sent += SEGMENT;
        struct native_ack ack = {.segment = SEGMENT, .acked = SEGMENT, .una = sent,
                                 .nxt = sent + WINDOW * SEGMENT, .ece = i < marked};
        native_dctcp.delivered(words, SEGMENT, &ack);
    }
}

/* What a mark would leave of a window of 1000 segments: 1 - alpha / 2 (RFC 8257, section 3.3, step 9). */
static double left(void)
{
    const struct native_window w = {.cwnd = 1000 * SEGMENT};
    return (double)native_dctcp.marked(words, &w, SEGMENT) / (1000 * SEGMENT);
}

/* Section 3.3, step 5: alpha begins at 1, so that the first mark costs a half, as a loss does. */
TEST(test_the_first_mark_halves)
{
    begin();
    assert_true(fabs(left() - 0.5) < 0.0005);
}

/* Section 3.3, step 7: alpha = (1 - g) alpha + g M, g = 1/16. After n windows with a share M marked it is
 * M + (1 - M) (15/16)^n from 1 on; the kernel counts it in 1/1024. */
TEST(test_alpha_is_a_moving_average_of_the_marked_share)
{
    const int shares[] = {0, 10, 50, 100};
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        double share = shares[k] / (double)WINDOW;
        begin();
        window_passes(shares[k]);
        double alpha = 15.0 / 16; /* the handshake's window ends with the first ACK: nothing was marked in it */
        for (int n = 0; n < 40; n++) {
            window_passes(shares[k]);
            alpha = alpha * 15 / 16 + share / 16;
            assert_true(fabs(left() - (1 - alpha / 2)) < 0.012);
        }
    }
}

/* Without marks alpha goes to 0, not to the last step of the shift. */
TEST(test_what_was_marked_long_ago_is_forgotten)
{
    begin();
    for (int n = 0; n < 120; n++)
        window_passes(0);
    assert_true(left() == 1);
}

/* Section 3.4: a loss is a loss. */
TEST(test_a_loss_halves_whatever_was_marked)
{
    const struct native_window w = {.cwnd = 1000 * SEGMENT}, small = {.cwnd = 3 * SEGMENT};
    begin();
    for (int n = 0; n < 120; n++)
        window_passes(0);
    assert_int_equal(native_dctcp.lost(words, &w, SEGMENT, 1000 * SEGMENT, false), 500 * SEGMENT);
    assert_int_equal(native_dctcp.lost(words, &small, SEGMENT, 3 * SEGMENT, false), 2 * SEGMENT);
}
