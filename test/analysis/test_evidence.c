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
    struct error err;
    described = (struct analysis_diagnosis_flow){.idle = true, .rate_bps = BURST * SEGMENT * 8 / 5e-3};
    assert_true(analysis_evidence_gather(&set, f, &described, 1, 0, TO_S, &err));
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

#define WINDOW 4 /* segments in flight, always */
#define SEGMENTS 480

/* A sender at the tap, whose window of four segments each round trip lets go at once; its ACKs wait for wait_ms in the
 * last waiting_ms of every cycle_ms. What limits it, by its evidence. */
static enum analysis_cause limit_of(int64_t trip_ms, int64_t cycle_ms, int64_t waiting_ms, int64_t wait_ms)
{
    struct analysis_flows *f = new_flows();
    struct error err;
    int64_t passed_ms[WINDOW] = {0}, now_ms = 0; /* data */
    analysis_flows_keep_explanations(f);
    struct capture_segment hello = syn(A_TO_B, 0), answer = syn_ack(B_TO_A, 0, 1);
    hello.mss = answer.mss = SEGMENT + 12; /* and the timestamps' option */
    feed(f, 0, hello);
    feed(f, trip_ms * MS, answer);
    feed(f, trip_ms * MS + 5 * US, segment(A_TO_B, 1, 0, 1));
    for (uint32_t i = 0; i < WINDOW; i++) {
        passed_ms[i] = trip_ms + 10;
        feed(f, (trip_ms + 10) * MS + i * 10 * US,
             stamped(A_TO_B, 1 + i * SEGMENT, SEGMENT, 1, (uint32_t)trip_ms + 10, (uint32_t)trip_ms));
    }
    for (uint32_t i = 0; i < SEGMENTS; i++) {
        int64_t sent_ms = passed_ms[i % WINDOW], at_ms = sent_ms + trip_ms;
        if (at_ms % cycle_ms >= cycle_ms - waiting_ms)
            at_ms += wait_ms;
        now_ms = at_ms > now_ms ? at_ms : now_ms;
        uint32_t answered = (uint32_t)(sent_ms + trip_ms / 2), tick = (uint32_t)now_ms;
        int64_t at_ns = now_ms * MS + i % WINDOW * 10 * US;
        feed(f, at_ns, stamped(B_TO_A, 1, 0, 1 + (i + 1) * SEGMENT, answered, (uint32_t)sent_ms));
        feed(f, at_ns + 5 * US, stamped(A_TO_B, 1 + (i + WINDOW) * SEGMENT, SEGMENT, 1, tick, answered));
        passed_ms[i % WINDOW] = now_ms;
    }
    double to_s = (double)now_ms * 1e-3;
    described = (struct analysis_diagnosis_flow){.rate_bps = SEGMENTS * SEGMENT * 8 / to_s};
    assert_true(analysis_evidence_gather(&set, f, &described, 1, 0, to_s, &err));
    enum analysis_cause limit = set.flow->limit;
    analysis_evidence_free(&set);
    analysis_flows_free(f);
    return limit;
}

/* Four segments are little, so its application may have no more. But 200 segments a second while no ACK waits, for
 * longer than 16 segments take (133 ms of the mean 120 a second), are more than half as much again as that mean: its
 * ACKs hold it. Waits of 40 ms in a round trip of 100, half of the time, do not: 40 segments a second of 34. And with
 * 100 ms in each second, and 100 more until the first ACK that waited passes, 16 segments of 56 a second (286 ms) never
 * went without waits: nothing shows that it could be faster. */
static void test_little_in_flight_that_is_faster_when_no_ack_waits_is_no_application(void **state)
{
    (void)state;
    assert_int_equal(limit_of(100, 2000, 1000, 40), ANALYSIS_CAUSE_APPLICATION);
    assert_int_not_equal(limit_of(20, 400, 200, 80), ANALYSIS_CAUSE_APPLICATION);
    assert_int_equal(limit_of(20, 1000, 900, 80), ANALYSIS_CAUSE_APPLICATION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_an_application_writes_at_once_waits_for_itself),
        cmocka_unit_test(test_unknown_waits_stay_unknown),
        cmocka_unit_test(test_little_in_flight_that_is_faster_when_no_ack_waits_is_no_application),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
