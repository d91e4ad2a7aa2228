/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/bounds.h"
#include "test/cm.h"

#include <math.h>

#define MS INT64_C(1000000)
#define RATE_BPS 8e6
#define SPAN_MS 2000

static void test_a_send_buffer_keeps_what_is_in_flight_the_same(void **state)
{
    (void)state;
    const struct analysis_clocking_figures bound = {.flight_bytes = 65536, .fullness = 0.998, .jitter = 0.001,
                                                    .most_bytes = 72776, .offered_bytes = 350e3, .full_bytes = 1448};
    struct analysis_wait waits[] = {{.start_s = 0, .data_s = 0.02}, {.start_s = 1, .data_s = 0.01, .ack_s = 0.02}};
    const struct analysis_evidence whole = {.lossless = true, .clocking = bound, .waits = waits, .n_waits = 2,
                                            .floor_s = 0.03, .data_wait_s = 0.015, .ack_wait_s = 0.01};
    const struct analysis_evidence_set set = {.to_s = 2};
    struct analysis_evidence e = whole;
    assert_true(analysis_bounds_send_buffer(&set, &e));
    e.clocking.offered_bytes = 87e3; /* that is what bounds it, but for two segments */
    assert_false(analysis_bounds_send_buffer(&set, &e));
    e = whole;
    e.clocking.jitter = 0.017; /* BBR's window moves */
    assert_false(analysis_bounds_send_buffer(&set, &e));
    e = whole;
    e.clocking.most_bytes = 100e3;
    assert_false(analysis_bounds_send_buffer(&set, &e));
    e = whole;
    e.clocking.flight_bytes = e.clocking.fullness = e.clocking.jitter = NAN;
    assert_false(analysis_bounds_send_buffer(&set, &e));
    e = whole;
    e.lossless = false;
    assert_false(analysis_bounds_send_buffer(&set, &e));
    waits[1].data_s = 0.002; /* a round trip that stays the same: an application that paces looks alike */
    assert_false(analysis_bounds_send_buffer(&set, &whole));
}

/* What a flow in at RATE_BPS is limited by: in turns `swing` of it more and less, with so many losses, such waits. */
static enum analysis_cause limit_of(int64_t events, double data_wait_s, double swing, bool incoming)
{
    struct analysis_bins bins;
    struct analysis_diagnosis_flow flow = {.incoming = true, .rate_bps = RATE_BPS, .loss_events = events};
    struct analysis_evidence e = {.flow = &flow, .bins = &bins, .data_wait_s = data_wait_s,
                                  .limit = ANALYSIS_CAUSE_LOSSES};
    struct analysis_evidence_set set = {.flow = &e, .n = 1, .to_s = SPAN_MS * 1e-3};
    analysis_bins_init(&bins, 0);
    for (int64_t ms = 0; ms < SPAN_MS; ms++) {
        struct analysis_bin *bin = analysis_bins_at(&bins, ms * MS);
        assert_non_null(bin);
        bin->bytes += (int64_t)(RATE_BPS / 8e3 * (ms / 200 % 2 ? 1 + swing : 1 - swing));
    }
    analysis_bounds_policing(&set, incoming);
    analysis_bins_fini(&bins);
    assert_int_equal(e.unsure, e.limit == ANALYSIS_CAUSE_POLICING);
    return e.limit;
}

static void test_a_policer_drops_at_one_rate_and_holds_nothing(void **state)
{
    (void)state;
    assert_int_equal(limit_of(8, 1e-3, 0.1, true), ANALYSIS_CAUSE_POLICING);
    assert_int_equal(limit_of(7, 1e-3, 0.1, true), ANALYSIS_CAUSE_LOSSES);  /* now and then */
    assert_int_equal(limit_of(8, 4e-3, 0.1, true), ANALYSIS_CAUSE_LOSSES);  /* two frames take 3.1 ms: a queue */
    assert_int_equal(limit_of(8, NAN, 0.1, true), ANALYSIS_CAUSE_LOSSES);   /* not known */
    assert_int_equal(limit_of(8, 1e-3, 0.3, true), ANALYSIS_CAUSE_LOSSES);  /* its windows go up and down */
    assert_int_equal(limit_of(8, 1e-3, 0.1, false), ANALYSIS_CAUSE_LOSSES); /* the other direction's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_send_buffer_keeps_what_is_in_flight_the_same),
        cmocka_unit_test(test_a_policer_drops_at_one_rate_and_holds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
