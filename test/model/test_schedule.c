/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/schedule.h"

#include "test/cm.h"

TEST(test_four_processes_pair_as_by_hand)
{
    /* chi = 3: numbers below 3 add up to the round mod 3, whoever is left meets 3. */
    const size_t partner[3][4] = {{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    for (size_t round = 1; round <= 3; round++)
        for (size_t me = 0; me < 4; me++)
            assert_int_equal(model_schedule_partner(4, round, me), partner[round - 1][me]);
}

TEST(test_rounds_are_the_chromatic_index)
{
    assert_int_equal(model_schedule_rounds(0), 0);
    assert_int_equal(model_schedule_rounds(1), 0);
    assert_int_equal(model_schedule_rounds(2), 1);
    assert_int_equal(model_schedule_rounds(3), 3);
    assert_int_equal(model_schedule_rounds(16), 15);
    assert_int_equal(model_schedule_rounds(17), 17);
}

TEST(test_every_pair_meets_once_and_nobody_twice_in_a_round)
{
    for (size_t p = 2; p <= 64; p++) {
        int met[64][64] = {{0}}, idle[64] = {0};
        for (size_t round = 1; round <= model_schedule_rounds(p); round++)
            for (size_t me = 0; me < p; me++) {
                size_t partner = model_schedule_partner(p, round, me);
                if (partner == MODEL_SCHEDULE_IDLE) {
                    idle[me]++;
                    continue;
                }
                assert_true(partner < p && partner != me);
                /* Symmetric, so a process has one partner and is the partner of one. */
                assert_int_equal(model_schedule_partner(p, round, partner), me);
                met[me][partner]++;
            }
        for (size_t i = 0; i < p; i++) {
            assert_int_equal(idle[i], p % 2);
            for (size_t j = 0; j < p; j++)
                assert_int_equal(met[i][j], i != j);
        }
    }
}

TEST(test_no_such_round_or_process_is_idle)
{
    assert_true(model_schedule_partner(4, 0, 0) == MODEL_SCHEDULE_IDLE);
    assert_true(model_schedule_partner(4, 4, 0) == MODEL_SCHEDULE_IDLE);
    assert_true(model_schedule_partner(4, 1, 4) == MODEL_SCHEDULE_IDLE);
    assert_true(model_schedule_partner(1, 1, 0) == MODEL_SCHEDULE_IDLE);
    assert_true(model_schedule_partner(0, 1, 0) == MODEL_SCHEDULE_IDLE);
}

static struct model_schedule_window window_of(size_t d1, size_t d2, double buffer, double control)
{
    const struct model_schedule_tree tree = {d1, d2};
    struct model_schedule_window window;
    struct error err;
    assert_true(model_schedule_window(&tree, buffer, control, &window, &err));
    return window;
}

TEST(test_windows_of_section_6_3)
{
    /* B_L = 45, nu = (p - d1) d1 / (p - 1): 64/15, 128/23, 108/23, 192/31. Printed windows: 10 without control
     * packets, then with one for each data packet 5, 4, 5, 3. Rounding down gives all but 6x4, where 4.79 is 4. */
    const struct {
        size_t d1, d2;
        double nu, share;
        size_t alone, with_control;
    } rows[] = {
        {8, 2, 64.0 / 15, 10.55, 10, 5},
        {8, 3, 128.0 / 23, 8.09, 8, 4},
        {6, 4, 108.0 / 23, 9.58, 9, 4},
        {8, 4, 192.0 / 31, 7.27, 7, 3},
    };
    for (int i = 0; i < 4; i++) {
        struct model_schedule_window data = window_of(rows[i].d1, rows[i].d2, 45, 0),
                                     both = window_of(rows[i].d1, rows[i].d2, 45, 1);
        assert_near(data.uplink_packets, rows[i].nu, 1e-12);
        assert_near(data.share, rows[i].share, 0.005);
        assert_near(both.share, data.share / 2, 1e-12);
        assert_ints({data.window_packets, rows[i].alone}, {both.window_packets, rows[i].with_control});
    }
}

TEST(test_window_of_the_worked_example)
{
    /* Section 6.2.2: 4x4 and B_L = 30: 30 / 3.2 is 9. */
    struct model_schedule_window window = window_of(4, 4, 30, 0);
    assert_near(window.uplink_packets, 3.2, 1e-12);
    assert_int_equal(window.window_packets, 9);
    assert_false(window.overrun);
    window = window_of(4, 4, 3.2, 0); /* a packet each fits exactly */
    assert_int_equal(window.window_packets, 1);
    assert_false(window.overrun);
}

TEST(test_windows_of_all_stay_within_the_buffer)
{
    int overruns = 0;
    for (size_t d1 = 1; d1 <= 24; d1++)
        for (size_t d2 = 2; d2 <= 12; d2++)
            for (double buffer = 1; buffer < 2500; buffer *= 2.3) {
                struct model_schedule_window w = window_of(d1, d2, buffer, 1);
                assert_true(w.window_packets >= 1);
                assert_int_equal(w.overrun, buffer < w.uplink_packets);
                overruns += w.overrun;
                if (w.overrun)
                    assert_int_equal(w.window_packets, 1); /* none would never end */
                else /* within, and one more packet each would not be */
                    assert_true((double)w.window_packets * w.uplink_packets <= buffer * (1 + 1e-12) &&
                                (double)(w.window_packets + 1) * w.uplink_packets > buffer * (1 - 1e-12));
            }
    assert_true(overruns > 0);
}

TEST(test_logical_order_is_figure_6_4)
{
    const size_t figure[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    const struct model_schedule_tree tree = {4, 4};
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(model_schedule_logical(&tree, i), figure[i]);
}

TEST(test_xor_steps_cross_switches_as_in_figure_6_4)
{
    /* Right half of the figure: in steps 1, 2, 3 switch 0 sends to 1, 2, 3, in step 4 to itself, and so on. Without
     * the permutation (Fig. 6.3) steps 1 to 3 stay on the switch and 4 to 7 all go to the same other one. */
    const struct model_schedule_tree tree = {4, 4};
    for (size_t step = 1; step < 16; step++)
        for (size_t me = 0; me < 16; me++) {
            size_t partner = model_schedule_physical(&tree, model_schedule_logical(&tree, me) ^ step);
            assert_int_equal(partner / 4, (me / 4) ^ (step % 4));
        }
}

TEST(test_permutation_is_one_and_spreads_neighbours)
{
    for (size_t d1 = 1; d1 <= 24; d1++)
        for (size_t d2 = 1; d2 <= 12; d2++) {
            const struct model_schedule_tree tree = {d1, d2};
            for (size_t i = 0; i < d1 * d2; i++) {
                size_t logical = model_schedule_logical(&tree, i);
                assert_true(logical < d1 * d2);
                assert_int_equal(model_schedule_physical(&tree, logical), i);
            }
            for (size_t logical = 0; d2 > 1 && logical + 1 < d1 * d2; logical++)
                assert_true(model_schedule_physical(&tree, logical) / d1 !=
                            model_schedule_physical(&tree, logical + 1) / d1);
        }
}

TEST(test_permutation_of_no_such_process_says_so)
{
    const struct model_schedule_tree tree = {4, 4}, none = {0, 4}, huge = {SIZE_MAX, 2};
    assert_true(model_schedule_logical(&tree, 16) == SIZE_MAX);
    assert_true(model_schedule_physical(&tree, 16) == SIZE_MAX);
    assert_true(model_schedule_logical(&none, 0) == SIZE_MAX);
    assert_true(model_schedule_physical(&huge, 0) == SIZE_MAX);
}

TEST(test_uplink_bounds_of_section_6_3)
{
    /* Best rate of a process, M (p - 1) / T at 103 MB/s an uplink: 103 (p - 1) / (2 d1 (p - d1)) MB/s. He prints 12.07,
     * 9.25, 10.96 and 8.32; the third is 10.968 (103 * 23 / 216), cut, not rounded. */
    const struct {
        size_t d1, d2;
        double printed_MBps;
    } rows[] = {{8, 2, 12.07}, {8, 3, 9.25}, {6, 4, 10.96}, {8, 4, 8.32}};
    for (int i = 0; i < 4; i++) {
        const struct model_schedule_tree tree = {rows[i].d1, rows[i].d2};
        double time_s;
        assert_true(model_schedule_uplink_s(&tree, 1e6, 824e6, &time_s, &err));
        assert_near((double)(rows[i].d1 * rows[i].d2 - 1) / time_s, rows[i].printed_MBps, 0.01);
    }
}

TEST(test_bad_tree_buffer_or_rate_is_an_error)
{
    const struct {
        struct model_schedule_tree tree;
        double buffer, control;
        const char *says;
    } rows[] = {
        {{16, 1}, 45, 1, "switches: 1"},   {{0, 4}, 45, 1, "switches: 4 of 0 nodes"},
        {{8, 2}, 0, 1, "buffer: 0"},       {{8, 2}, NAN, 1, "buffer: nan"},
        {{8, 2}, 45, -1, "control packets: -1"}, {{8, 2}, 1e300, 0, "buffer: 1e+300"},
        {{SIZE_MAX, 2}, 45, 1, "switches: 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_schedule_window window;
        assert_false(model_schedule_window(&rows[i].tree, rows[i].buffer, rows[i].control, &window, &err));
        assert_int_equal(err.code, ERROR_INPUT);
        assert_non_null(strstr(err.message, rows[i].says));
    }
    const struct model_schedule_tree tree = {8, 2};
    double time_s;
    assert_false(model_schedule_uplink_s(&tree, 1e6, 0, &time_s, &err));
    assert_non_null(strstr(err.message, "uplink rate: 0"));
    assert_false(model_schedule_uplink_s(&tree, INFINITY, 824e6, &time_s, &err));
    assert_non_null(strstr(err.message, "message: inf"));
}
