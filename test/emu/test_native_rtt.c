/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/rtt.h"

#include "test/cm.h"

#define MS INT64_C(1000000000) /* ps */

TEST(test_before_any_sample_it_is_a_second_and_doubles)
{
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
TEST(test_samples_by_hand)
{
    struct native_rtt r;
    native_rtt_init(&r, 1 * MS, 0);
    native_rtt_sample(&r, 100000);
    assert_int_equal(native_rtt_rto_ps(&r), 300 * MS);
    native_rtt_sample(&r, 180000);
    assert_int_equal(native_rtt_rto_ps(&r), 340 * MS);
    assert_int_equal(r.min_us, 100000);
}

/* Linux's tcp_rtt_estimator() with a minimum of 10 ms; the timeout is rounded up to jiffies of 4 ms. 100 ms: SRTT 100,
 * MDEV * 4 = 200, RTO 300. Then 60 ms, 40 below SRTT, which is less than MDEV, 50: MDEV * 4 = 200 + 40 - 50 = 190 and SRTT 95, the spread stays 200 until the window
 * ends. Then 5 ms: 90 below SRTT is 42.5 more than MDEV, of which an eighth counts: 195.312, SRTT 83.75. */
TEST(test_samples_as_linux_takes_them)
{
    struct native_rtt r;
    native_rtt_init(&r, 10 * MS, 0);
    native_rtt_sample_linux(&r, 100000, 0, 1000);
    assert_int_equal(native_rtt_rto_ps(&r), 300 * MS);
    native_rtt_sample_linux(&r, 60000, 500, 2000);
    assert_int_equal(r.mdev_4us, 190000);
    assert_int_equal(native_rtt_rto_ps(&r), 296 * MS);
    native_rtt_sample_linux(&r, 5000, 1000, 2000);
    assert_int_equal(r.mdev_4us, 190000 + 42500 / 8);
    assert_int_equal(native_rtt_rto_ps(&r), 284 * MS);
    /* Round trips of SRTT take MDEV down by a quarter each. The window's largest was 200: it ends as it began, and the
     * next one's begins at the minimum. That ends at 109.863, and the spread goes a quarter of the way there. */
    native_rtt_sample_linux(&r, 83750, 1001, 3000);
    assert_int_equal(r.rttvar_4us, 200000);
    native_rtt_sample_linux(&r, 83750, 3001, 4000);
    assert_ints({r.mdev_4us, 109863}, {r.rttvar_4us, 200000 - (200000 - 109863) / 4});
}

/* Linux adds the minimum, in jiffies of 4 ms: SRTT 50 us and 200 ms are 51. */
TEST(test_linux_adds_the_minimum)
{
    struct native_rtt r;
    native_rtt_init(&r, 200 * MS, 0);
    for (int i = 0; i < 100; i++)
        native_rtt_sample_linux(&r, 50, (uint64_t)i, (uint64_t)i);
    assert_int_equal(native_rtt_rto_ps(&r), 204 * MS);
}

TEST(test_it_is_never_below_the_minimum)
{
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

TEST(test_it_is_never_above_the_maximum)
{
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
