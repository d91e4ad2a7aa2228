/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/rules/check_capture.h"
#include "test/analysis/segment.h"

/* Host 10.0.0.9 from `from_ms` to `to_ms`: a flow of one segment of `payload` bytes a millisecond. */
static void add_flow(struct analysis_flows *f, bool incoming, uint8_t peer, int64_t from_ms, int64_t to_ms,
                     uint32_t payload)
{
    for (int64_t ms = from_ms; ms <= to_ms; ms++) {
        struct capture_segment s = segment(A_TO_B, 1 + payload * (uint32_t)(ms - from_ms), payload, 1);
        (incoming ? &s.src : &s.dst)->bytes[3] = peer;
        (incoming ? &s.dst : &s.src)->bytes[3] = 9;
        feed(f, ms * MS, s);
    }
}

static struct analysis_resources check(const struct analysis_flows *f)
{
    struct analysis_resources r;
    analysis_check_capture(f, ANALYSIS_CHECK_TOLERANCE, NULL, &r);
    return r;
}

TEST(test_shared_host_is_found_and_judged)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    add_flow(f, true, 1, 0, 200, 1000);
    add_flow(f, true, 2, 0, 200, 1000);
    add_flow(f, false, 3, 0, 200, 1000);
    add_flow(f, true, 4, 0, 200, 4); /* a control connection: not bulk */
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources r = check(f);
    assert_int_equal(r.n, 1); /* the other hosts have one flow each */
    assert_string_equal(r.resource[0].host, "10.0.0.9");
    assert_ints({r.resource[0].judgement.indegree, 2}, {r.resource[0].judgement.outdegree, 1},
                {r.resource[0].judgement.verdict, MODEL_REGIME_EQ6});
    assert_true(fabs(r.resource[0].judgement.fitted_rate_bps - 16e6) < 1); /* twice 1000 * 8 / 1 ms */
}

TEST(test_only_the_dominant_phase_is_judged)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    add_flow(f, true, 1, 0, 100, 1000);
    add_flow(f, true, 2, 0, 400, 1000);
    add_flow(f, false, 3, 90, 400, 2000); /* 1/1 from 100 to 400, at unequal rates */
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources r = check(f);
    assert_ints({r.n, 1}, {r.resource[0].n, 2});
    assert_all(fabs(r.resource[0].start_s - 0.1) < 1e-9, fabs(r.resource[0].end_s - 0.4) < 1e-9);
    assert_int_equal(r.resource[0].judgement.verdict, MODEL_REGIME_NONE);
}

TEST(test_a_flow_is_as_steady_as_those_it_shares_a_host_with)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    add_flow(f, true, 1, 0, 100, 1000);
    add_flow(f, true, 2, 0, 400, 1000);
    add_flow(f, false, 3, 90, 400, 2000);
    struct analysis_resources diagnosed MEMORY_ENDS(analysis_resources_fini) = check(f), r;
    analysis_check_capture_rates(f, &r);
    assert_int_equal(r.n, 1);
    assert_false(r.resource[0].diagnosed);
    size_t judged = 0;
    for (size_t i = 0; i < analysis_flows_slots(f); i++) {
        struct analysis_flow own, shared;
        if (!analysis_flows_get(f, i, &own))
            continue;
        shared = own;
        analysis_check_capture_steady(&r, i, &shared);
        const struct analysis_check_flow *found = NULL;
        for (size_t k = 0; k < diagnosed.resource[0].n; k++)
            if (diagnosed.resource[0].flows[k].slot == i)
                found = &diagnosed.resource[0].flows[k];
        if (!found) { /* it ends when the phase begins */
            assert_true(own.steady_end_s <= 0.1 && shared.steady_end_s == own.steady_end_s);
            assert_true(shared.steady_goodput_bps.ci95 == own.steady_goodput_bps.ci95);
            continue;
        }
        judged++;
        assert_true(shared.steady_start_s == diagnosed.resource[0].steady_start_s && shared.steady_start_s >= 0.1);
        assert_true(shared.steady_end_s == diagnosed.resource[0].end_s);
        assert_true(shared.steady_goodput_bps.value == found->rate_bps);
        assert_true(shared.steady_goodput_bps.ci95 == found->ci95_bps && found->ci95_bps > 0);
    }
    assert_int_equal(judged, 2);
    analysis_resources_fini(&r);
}

TEST(test_nothing_shared_is_no_resource)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    add_flow(f, true, 1, 0, 100, 1000);
    add_flow(f, true, 2, 200, 300, 1000); /* one after the other */
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources r = check(f);
    assert_int_equal(r.n, 0);
}

TEST(test_an_empty_table_has_no_resource)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources r = check(f);
    assert_int_equal(r.n, 0);
}

static enum model_regime real(const char *path, struct analysis_judgement *j)
{
    struct error err;
    struct analysis_capture capture;
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = analysis_flows_new();
    assert_true(analysis_flows_read(f, path, NULL, NULL, &capture, &err));
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources r = check(f);
    assert_int_equal(r.n, 1);
    assert_string_equal(r.resource[0].host, "10.9.0.1");
    *j = r.resource[0].judgement;
    return j->verdict;
}

TEST(test_real_captures_get_their_verdicts)
{
    struct analysis_judgement j;
    /* 50 Mb/s, less headers and ACKs: 1448/(1538 + 22.5) = 46.4; Linux counts 24 bytes of overhead, not 38. */
    assert_int_equal(real(TEST_CAPTURES "/fifo-2in-1out.pcap.gz", &j), MODEL_REGIME_EQ6);
    assert_all(j.rule[ANALYSIS_RULE_EQ6].max_rel_error < 0.02, j.fitted_rate_bps > 45e6 && j.fitted_rate_bps < 47.5e6);
    assert_int_equal(real(TEST_CAPTURES "/ackprio-2in-1out.pcap.gz", &j), MODEL_REGIME_EQ5);
    assert_false(j.rule[ANALYSIS_RULE_EQ6].holds);
    assert_false(j.rule[ANALYSIS_RULE_WINDOW].holds);
    assert_int_equal(real(TEST_CAPTURES "/shallow-2in-1out.pcap.gz", &j), MODEL_REGIME_LOSS);
}
