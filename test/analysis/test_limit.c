/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/limit.h"
#include "test/cm.h"

#define BINS 128
#define OFFERED 500e3

/* 128 ms of a flow at 1 MB/s, in bins of 1 ms. */
static struct analysis_bins bins;

static struct analysis_flow flow_of(void)
{
    return (struct analysis_flow){.start_s = 0,
                                  .end_s = 0.128,
                                  .goodput_bps = 8e6,
                                  .window_bytes = 1e3, /* a round trip of 1 ms */
                                  .window_source = ANALYSIS_WINDOW_TIMESTAMPS,
                                  .advertised_bytes = OFFERED,
                                  .bins = &bins};
}

static int make(void **state)
{
    analysis_bins_init(&bins, 0);
    for (int i = 0; i < BINS; i++) {
        struct analysis_bin *b = analysis_bins_at(&bins, i * ANALYSIS_BINS_UNIT_NS);
        *b = (struct analysis_bin){.bytes = 1000, .window_samples = 1, .window_sum = 480e3};
    }
    return 0;
}

static int drop(void **state)
{
    analysis_bins_fini(&bins);
    return 0;
}

static void expect(const struct analysis_flow *flow, size_t n, const enum analysis_limit *limit, const double *end_s)
{
    struct analysis_limit_phase p[ANALYSIS_LIMIT_PHASES];
    assert_int_equal(analysis_limit_phases(flow, p), n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(analysis_limit_name(p[i].limit), analysis_limit_name(limit[i]));
        assert_all(fabs(p[i].end_s - end_s[i]) < 1e-9, i == 0 || p[i].start_s == p[i - 1].end_s);
    }
}

TEST_WITH(test_full_window_is_the_receivers, make, drop)
{
    struct analysis_flow flow = flow_of();
    assert_int_equal(analysis_limit_of(&flow), ANALYSIS_LIMIT_RECEIVER);
    expect(&flow, 1, (enum analysis_limit[]){ANALYSIS_LIMIT_RECEIVER}, (double[]){0.128});
    struct analysis_limit_phase p[ANALYSIS_LIMIT_PHASES];
    assert_int_equal(analysis_limit_phases(&flow, p), 1);
    assert_true(fabs(p[0].window_bytes - 480e3) < 1); /* what every bin saw in flight */
    flow.advertised_bytes = 2 * OFFERED;
    assert_int_equal(analysis_limit_of(&flow), ANALYSIS_LIMIT_WINDOW);
    flow.window_source = ANALYSIS_WINDOW_UNKNOWN;
    assert_int_equal(analysis_limit_of(&flow), ANALYSIS_LIMIT_UNKNOWN);
    assert_true(analysis_limit_phases(&flow, p) > 0 && isnan(p[0].window_bytes));
    flow.bins = NULL;
    assert_int_equal(analysis_limit_of(&flow), ANALYSIS_LIMIT_UNKNOWN);
    expect(&flow, 0, NULL, NULL);
}

TEST_WITH(test_growth_silence_and_a_full_window_follow_each_other, make, drop)
{
    for (int i = 0; i < 32; i++)
        bins.bin[i].window_sum = 10e3 * (i + 1);
    for (int i = 32; i < 64; i++) /* sends in 2 of 16 ms */
        if (i % 16 > 1)
            bins.bin[i] = (struct analysis_bin){0};
    struct analysis_flow flow = flow_of();
    expect(&flow, 3, (enum analysis_limit[]){ANALYSIS_LIMIT_SENDER, ANALYSIS_LIMIT_APPLICATION,
           ANALYSIS_LIMIT_RECEIVER}, (double[]){0.032, 0.064, 0.128});
    assert_int_equal(analysis_limit_between(&flow, 0, 0.030), ANALYSIS_LIMIT_SENDER);
    assert_int_equal(analysis_limit_between(&flow, 0.032, 0.064), ANALYSIS_LIMIT_APPLICATION);
    assert_int_equal(analysis_limit_between(&flow, 0.070, 0.120), ANALYSIS_LIMIT_RECEIVER);
    assert_int_equal(analysis_limit_between(&flow, 0.070, 0.074), ANALYSIS_LIMIT_UNKNOWN);
}

/* Of every 16 ms 14 are silent. A window of 6.9 kB comes round in 6.9 ms at 1 MB/s, twice within 13.8; one of 7.1 kB takes
 * 14.2 ms for that, and may be what the silence is. */
TEST_WITH(test_silence_is_longer_than_two_round_trips, make, drop)
{
    for (int i = 0; i < BINS; i++)
        if (i % 16 > 1)
            bins.bin[i] = (struct analysis_bin){0};
    struct analysis_flow flow = flow_of();
    flow.window_bytes = 6.9e3;
    assert_int_equal(analysis_limit_of(&flow), ANALYSIS_LIMIT_APPLICATION);
    flow.window_bytes = 7.1e3;
    assert_int_not_equal(analysis_limit_of(&flow), ANALYSIS_LIMIT_APPLICATION);
}

/* Bursts of 2 ms, one every 16: of one window each where a round trip takes as long, and no more than what is offered
 * can be in flight: 500 kB at 1 MB/s take 500 ms to come round at most, 1 kB takes 1 ms. */
TEST_WITH(test_bursts_of_a_window_that_nobody_sees_are_no_silence, make, drop)
{
    for (int i = 0; i < BINS; i++)
        if (i % 16 > 1)
            bins.bin[i] = (struct analysis_bin){0};
    struct analysis_flow flow = flow_of();
    flow.window_source = ANALYSIS_WINDOW_UNKNOWN;
    flow.window_bytes = NAN;
    assert_int_equal(analysis_limit_of(&flow), ANALYSIS_LIMIT_UNKNOWN);
    flow.advertised_bytes = 1e3;
    assert_int_equal(analysis_limit_of(&flow), ANALYSIS_LIMIT_APPLICATION);
}

TEST_WITH(test_what_grows_between_losses_is_loss, make, drop)
{
    for (int i = 0; i < BINS; i++)
        bins.bin[i].window_sum = 10e3 + 20e3 * (i % 24); /* a sawtooth, of which two ends were losses */
    for (int i = 47; i < 72; i += 24)
        bins.bin[i].loss_events = 1;
    struct analysis_flow flow = flow_of();
    expect(&flow, 3, (enum analysis_limit[]){ANALYSIS_LIMIT_SENDER, ANALYSIS_LIMIT_LOSS, ANALYSIS_LIMIT_SENDER},
           (double[]){0.032, 0.080, 0.128});
    assert_int_equal(analysis_limit_between(&flow, 0.030, 0.080), ANALYSIS_LIMIT_LOSS);
    assert_int_equal(analysis_limit_between(&flow, 0.082, 0.128), ANALYSIS_LIMIT_SENDER);
}
