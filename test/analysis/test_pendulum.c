/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/pendulum.h"

#include "test/cm.h"

#include <math.h>

/* Square waves of 100 kB, one second each, out of phase. */
static void test_square_waves_that_take_turns(void **state)
{
    (void)state;
    struct analysis_depth a[20], b[20];
    struct analysis_pendulum p;
    struct error err;
    for (int i = 0; i < 20; i++) {
        a[i] = (struct analysis_depth){i, i % 2 ? 0 : 1e5};
        b[i] = (struct analysis_depth){i, i % 2 ? 1e5 : 0};
    }
    assert_true(analysis_pendulum_make(a, 20, b, 20, ANALYSIS_PENDULUM_BUSY, 0, 20, &p, &err));
    assert_true(fabs(p.one - 1) < 1e-12 && fabs(p.both) < 1e-12 && fabs(p.neither) < 1e-12);
    assert_true(fabs(p.correlation + 1) < 1e-12);
    assert_true(fabs(p.period_s - 2) < 1e-9);
    assert_true(analysis_pendulum_make(a, 20, a, 20, ANALYSIS_PENDULUM_BUSY, 0, 20, &p, &err));
    assert_true(fabs(p.both - 0.5) < 1e-12 && fabs(p.neither - 0.5) < 1e-12 && fabs(p.correlation - 1) < 1e-12);
    assert_true(isinf(p.period_s));
}

static void test_a_standing_queue_does_not_swing(void **state)
{
    (void)state;
    const struct analysis_depth full[] = {{0, 3e5}}, ripple[] = {{0, 0}, {1, 1518}, {2, 0}, {3, 3036}, {4, 0}};
    struct analysis_pendulum p;
    struct error err;
    assert_true(analysis_pendulum_make(full, 1, ripple, 5, ANALYSIS_PENDULUM_BUSY, 0.5, 10, &p, &err));
    assert_true(fabs(p.one - 1) < 1e-12 && isnan(p.correlation) && isinf(p.period_s));
    assert_true(analysis_pendulum_make(full, 0, ripple, 0, ANALYSIS_PENDULUM_BUSY, 0, 1, &p, &err));
    assert_true(p.neither == 1);
    assert_false(analysis_pendulum_make(full, 1, ripple, 5, ANALYSIS_PENDULUM_BUSY, 1, 1, &p, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square_waves_that_take_turns),
        cmocka_unit_test(test_a_standing_queue_does_not_swing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
