/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real Linux, two in and one out at 50 Mb/s, captured at the shared host: test/data/captures/README.md. */
#include "analysis/check_capture.h"
#include "test/cm.h"

#include <math.h>
#include <stdio.h>

static struct analysis_diagnosis diagnosis_of(const char *name)
{
    struct error err;
    struct analysis_capture capture;
    struct analysis_resources all;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TEST_CAPTURES, name);
    struct analysis_flows *f = analysis_flows_new();
    assert_non_null(f);
    analysis_flows_keep_explanations(f);
    assert_true(analysis_flows_read(f, path, NULL, NULL, &capture, &err));
    assert_true(analysis_check_capture(f, ANALYSIS_CHECK_TOLERANCE, NULL, &all, &err));
    assert_int_equal(all.n, 1);
    assert_true(all.resource[0].diagnosed);
    struct analysis_diagnosis d = all.resource[0].diagnosis;
    analysis_resources_fini(&all);
    analysis_flows_free(f);
    return d;
}

/* With ACKs first real Linux gave the flow out 46.4 Mb/s instead of 24. */
static void test_fifo_loses_half_of_the_outgoing_direction(void **state)
{
    (void)state;
    struct analysis_diagnosis d = diagnosis_of("fifo-2in-1out.pcap.gz");
    assert_int_equal(d.answer, ANALYSIS_ANSWER_YES);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_ACKS);
    assert_true(fabs(d.out.possible_bps / 46.4e6 - 1) < 0.03);
    assert_true(fabs(d.out.lost_share - 0.48) < 0.03 && fabs(d.in.lost_share) < 0.03);
    assert_true(d.in.saturated && !d.out.saturated);
    assert_true(fabs(d.in.capacity_bps / 50e6 - 1) < 0.03);
    assert_int_equal(d.in.source, ANALYSIS_CAPACITY_DISPERSION);
    assert_true(d.out.ack_wait_s > 0.15 && d.in.data_wait_s > 0.15 && d.in.ack_wait_s < 0.01);
}

static void test_ack_first_loses_nothing(void **state)
{
    (void)state;
    struct analysis_diagnosis d = diagnosis_of("ackprio-2in-1out.pcap.gz");
    assert_int_equal(d.answer, ANALYSIS_ANSWER_NO);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_FULL);
    assert_true(fabs(d.lost_share) < 0.03);
}

static void test_shallow_buffers_are_named_losses(void **state)
{
    (void)state;
    struct analysis_diagnosis d = diagnosis_of("shallow-2in-1out.pcap.gz");
    assert_int_equal(d.answer, ANALYSIS_ANSWER_NO);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_LOSSES);
}

static void test_every_cause_has_its_words(void **state)
{
    (void)state;
    for (int i = 0; i < ANALYSIS_CAUSES; i++) {
        const struct analysis_cause_row *row = analysis_cause((enum analysis_cause)i);
        assert_true(row->name && row->meaning && row->what && row->remedies[0].text);
        assert_null(row->remedies[ANALYSIS_CAUSE_REMEDIES - 1].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fifo_loses_half_of_the_outgoing_direction),
        cmocka_unit_test(test_ack_first_loses_nothing),
        cmocka_unit_test(test_shallow_buffers_are_named_losses),
        cmocka_unit_test(test_every_cause_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
