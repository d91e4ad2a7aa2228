/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/rtt.h"

#include "test/cm.h"

#define MS INT64_C(1000000000) /* ps */

static void test_before_any_sample_it_is_a_second_and_doubles(void **state)
{
    (void)state;
    struct native_rtt r;
    native_rtt_init(&r, 200 * MS, 0);
    assert_int_equal(native_rtt_rto_ps(&r), 1000 * MS);
    native_rtt_backoff(&r);
    assert_int_equal(native_rtt_rto_ps(&r), 2000 * MS);
    for (int i = 0; i < 20; i++)
        native_rtt_backoff(&r);
    assert_int_equal(native_rtt_rto_ps(&r), 120000 * MS);
    native_rtt_reset_backoff(&r);
    assert_int_equal(native_rtt_rto_ps(&r), 1000 * MS);
}

/* First sample of 100 ms: SRTT 100, RTTVAR 50, RTO 300 ms. Then 180 ms: RTTVAR = 3/4 * 50 + 1/4 * 80 = 57.5,
 * SRTT = 7/8 * 100 + 1/8 * 180 = 110, RTO 340 ms. */
static void test_samples_by_hand(void **state)
{
    (void)state;
    struct native_rtt r;
    native_rtt_init(&r, 1 * MS, 0);
    native_rtt_sample(&r, 100000);
    assert_int_equal(native_rtt_rto_ps(&r), 300 * MS);
    native_rtt_sample(&r, 180000);
    assert_int_equal(native_rtt_rto_ps(&r), 340 * MS);
    assert_int_equal(r.min_us, 100000);
}

static void test_it_is_never_below_the_minimum(void **state)
{
    (void)state;
    struct native_rtt r;
    native_rtt_init(&r, 200 * MS, 0);
    for (int i = 0; i < 100; i++)
        native_rtt_sample(&r, 50);
    assert_int_equal(native_rtt_rto_ps(&r), 200 * MS);
    native_rtt_init(&r, 1 * MS / 1000, 0);
    for (int i = 0; i < 1000; i++)
        native_rtt_sample(&r, 5000);
    assert_int_equal(native_rtt_rto_ps(&r), 6 * MS); /* SRTT and one tick of the clock */
}

static void test_it_is_never_above_the_maximum(void **state)
{
    (void)state;
    struct native_rtt r;
    native_rtt_init(&r, 200 * MS, 500 * MS);
    assert_int_equal(native_rtt_rto_ps(&r), 500 * MS); /* instead of a second */
    for (int i = 0; i < 100; i++)
        native_rtt_sample(&r, 50);
    native_rtt_backoff(&r);
    assert_int_equal(native_rtt_rto_ps(&r), 400 * MS);
    native_rtt_backoff(&r);
    assert_int_equal(native_rtt_rto_ps(&r), 500 * MS);
    native_rtt_init(&r, 200 * MS, 100 * MS); /* the minimum wins */
    assert_int_equal(native_rtt_rto_ps(&r), 200 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_before_any_sample_it_is_a_second_and_doubles),
        cmocka_unit_test(test_samples_by_hand),
        cmocka_unit_test(test_it_is_never_below_the_minimum),
        cmocka_unit_test(test_it_is_never_above_the_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
