/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/evidence.h"
#include "test/analysis/segment.h"
#include "test/cm.h"

#include <math.h>

#define US INT64_C(1000)
#define SEGMENT 1000
#define BURST 8    /* segments at once, 10 us apart at the tap */
#define BURSTS 100 /* one every 5 ms */
#define TO_S ((BURSTS + 3) * 5e-3)

static struct capture_segment of_data(bool stamps, uint32_t seq, uint32_t tick)
{
    return stamps ? stamped(A_TO_B, seq, SEGMENT, 1, tick, tick - 4) : segment(A_TO_B, seq, SEGMENT, 1);
}

static struct capture_segment of_ack(bool stamps, uint32_t ack, uint32_t tick)
{
    return stamps ? stamped(B_TO_A, 1, 0, ack, tick, tick) : segment(B_TO_A, 1, 0, ack);
}

/* A host 5 us from the tap writes bursts, and the other end is 100 us away. All bursts but the first begin late in a
 * tick of the stamps, so that these show nearly half a millisecond that nothing waited. */
static struct analysis_flows *flow_that_writes(bool stamps)
{
    struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    feed(f, 0, syn(A_TO_B, 0));
    feed(f, 100 * US, syn_ack(B_TO_A, 0, 1));
    feed(f, 105 * US, segment(A_TO_B, 1, 0, 1));
    for (uint32_t k = 0; k < BURSTS; k++) {
        uint32_t tick = 10 + 5 * k, first = 1 + k * BURST * SEGMENT;
        int64_t at_ns = tick * MS + (k > 0 ? 850 * US : 0);
        for (uint32_t i = 0; i < BURST; i++)
            feed(f, at_ns + i * 10 * US, of_data(stamps, first + i * SEGMENT, tick));
        for (uint32_t i = 2; i <= BURST; i += 2)
            feed(f, at_ns + (i - 1) * 10 * US + 100 * US, of_ack(stamps, first + i * SEGMENT, tick));
    }
    return f;
}

static struct analysis_evidence_set set;
static struct analysis_diagnosis_flow described;

static const struct analysis_evidence *gathered(const struct analysis_flows *f)
{
    described = (struct analysis_diagnosis_flow){.idle = true, .rate_bps = BURST * SEGMENT * 8 / 5e-3};
    analysis_evidence_gather(&set, f, &described, 1, 0, TO_S);
    return set.flow;
}

static void test_what_an_application_writes_at_once_waits_for_itself(void **state)
{
    (void)state;
    struct analysis_flows *f = flow_that_writes(true);
    const struct analysis_evidence *e = gathered(f);
    assert_true(fabs(e->data_wait_s - 35e-6) < 2e-6); /* 10 us for each of those before it */
    assert_true(fabs(e->ack_wait_s) < 2e-6);
    assert_true(fabs(e->floor_s - 105e-6) < 2e-6);
    analysis_evidence_free(&set);
    analysis_flows_free(f);
}

static void test_unknown_waits_stay_unknown(void **state)
{
    (void)state;
    struct analysis_flows *f = flow_that_writes(false);
    const struct analysis_evidence *e = gathered(f);
    assert_true(isnan(e->data_wait_s));
    assert_true(isnan(e->ack_wait_s));
    analysis_evidence_free(&set);
    analysis_flows_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_an_application_writes_at_once_waits_for_itself),
        cmocka_unit_test(test_unknown_waits_stay_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
