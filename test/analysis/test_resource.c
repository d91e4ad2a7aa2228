/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one path that judges captures and runs, on figures given in plain. */
#include "analysis/rules/resource.h"

#include "test/cm.h"

struct plain {
    double start_s, end_s, settled_s, mbps;
    int64_t bytes;
    bool incoming;
    int64_t losses; /* 0: nobody looked */
    double drift, stall;
};

static double plain_settled_s(const void *flow, double start_s, double end_s)
{
    (void)start_s, (void)end_s;
    return ((const struct plain *)flow)->settled_s;
}

static void plain_measure(const void *flow, const struct analysis_resource *r, struct analysis_check_flow *measured)
{
    const struct plain *p = flow;
    assert_true(r->steady_start_s >= r->start_s && r->steady_start_s <= r->end_s);
    *measured = (struct analysis_check_flow){.rate_bps = p->mbps * 1e6, .ci95_bps = 1e5, .window_bytes = 1e5,
                                             .buffer_bytes = 1e5, .drift = p->drift, .stall = p->stall,
                                             .loss_events = p->losses ? p->losses : ANALYSIS_CHECK_LOSS_UNKNOWN};
    snprintf(measured->src, sizeof measured->src, "%g", p->mbps);
}

static struct analysis_resources judge(const struct plain *flows, size_t n, bool whole_lives,
                                       const struct model_link *link)
{
    const struct analysis_resource_source source = {
        .settled_s = plain_settled_s, .measure = plain_measure, .least = 2, .whole_lives = whole_lives};
    struct analysis_resource_use uses[8];
    struct analysis_resources all = {0};
    for (size_t i = 0; i < n; i++)
        uses[i] = (struct analysis_resource_use){{flows[i].start_s, flows[i].end_s, flows[i].incoming},
                                                 flows[i].bytes, &flows[i]};
    analysis_resource_judge(&source, "x", uses, n, link, ANALYSIS_CHECK_TOLERANCE, &all);
    return all;
}

TEST(test_flows_of_the_dominant_phase_are_judged)
{
    const struct plain flows[] = {
        {0, 10, 1, 45, 10000000, true, 0, 0, 0},
        {1, 10, 3, 45, 10000000, true, 0, 0, 0},
        {0, 10, 2, 45, 10000000, false, 0, 0, 0},
        {0, 2, 0, 90, 1000000, false, 0, 0, 0},  /* gone before the phase ends */
        {0, 10, 0, 1, 19999, true, 0, 0, 0},     /* small: no bulk flow */
        {0, 10, 0, 0, 10000000, false, 0, 0, 0}, /* measured, and found without a rate */
    };
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources r = judge(flows, 6, false, NULL);
    assert_ints({r.n, 1}, {r.resource[0].n, 3});
    assert_true(r.resource[0].start_s == 2 && r.resource[0].end_s == 10);
    assert_true(r.resource[0].steady_start_s == 3); /* the latest of those judged */
    assert_int_equal(r.resource[0].judgement.verdict, MODEL_REGIME_EQ6);
    assert_true(fabs(r.resource[0].judgement.fitted_rate_bps - 90e6) < 1);
    assert_true(r.resource[0].judgement.rule[ANALYSIS_RULE_EQ6].holds); /* no link, nothing to hold 90 Mb/s against */
}

TEST(test_a_lone_flow_shares_nothing)
{
    const struct plain flows[] = {{0, 10, 0, 45, 10000000, true, 0, 0, 0}, {10, 20, 0, 45, 10000000, false, 0, 0, 0}};
    struct analysis_resources r = judge(flows, 1, false, NULL);
    assert_int_equal(r.n, 0);
    analysis_resources_fini(&r);
    r = judge(flows, 2, false, NULL);
    assert_int_equal(r.n, 0);
    analysis_resources_fini(&r);
}

/* 10, 30 and 60 Mb/s follow no rule. */
TEST(test_why_no_rule_holds)
{
    struct plain flows[] = {
        {0, 10, 0, 10, 10000000, true, 0, 0, 0},
        {0, 10, 0, 30, 10000000, true, 0, 0, 0},
        {0, 12, 0, 60, 10000000, false, 0, 0, 0},
    };
    struct model_link link = model_link_default();
    struct analysis_resources r = judge(flows, 3, false, NULL);
    assert_int_equal(r.resource[0].judgement.verdict, MODEL_REGIME_NONE);
    assert_non_null(strstr(r.resource[0].judgement.why, "no rule is within 5 %"));
    analysis_resources_fini(&r);
    r = judge(flows, 3, false, &link); /* 60 Mb/s of 1 Gb/s */
    assert_int_equal(r.resource[0].judgement.verdict, MODEL_REGIME_UNSATURATED);
    assert_non_null(strstr(r.resource[0].judgement.why, "the link is not full (60.0 of "));
    analysis_resources_fini(&r);
    r = judge(flows, 3, true, &link);
    assert_non_null(strstr(r.resource[0].judgement.why, "flows ended at different times"));
    analysis_resources_fini(&r);
    flows[2].end_s = 10.4; /* within a twentieth of the phase */
    r = judge(flows, 3, true, &link);
    assert_non_null(strstr(r.resource[0].judgement.why, "the link is not full"));
    analysis_resources_fini(&r);
}

/* What one flow does to another is over no sooner than the slowest of them forgets it, nor while one drifts. */
TEST(test_intervals_are_those_of_the_slowest)
{
    struct plain flows[] = {{0, 10, 0, 30, 10000000, true, 900, 0, 0}, {0, 10, 0, 60, 10000000, false, 29, 0.99, 0}};
    struct analysis_resources r = judge(flows, 2, false, NULL);
    assert_true(r.resource[0].flows[0].ci95_bps == 1e5 && r.resource[0].flows[1].ci95_bps == 1e5);
    analysis_resources_fini(&r);
    flows[1].losses = 28;
    r = judge(flows, 2, false, NULL);
    assert_true(isnan(r.resource[0].flows[0].ci95_bps) && isnan(r.resource[0].flows[1].ci95_bps));
    analysis_resources_fini(&r);
    flows[1].losses = 29;
    flows[1].drift = 0.996; /* chance finds such a drift in fewer than one of a hundred pairs of flows */
    r = judge(flows, 2, false, NULL);
    assert_true(isnan(r.resource[0].flows[0].ci95_bps) && isnan(r.resource[0].flows[1].ci95_bps));
    analysis_resources_fini(&r);
}

/* Of one-way flows one that stood still may be shut out next; with data both ways losses are spread. */
TEST(test_one_way_flows_that_stand_still_have_no_interval)
{
    struct plain flows[] = {{0, 10, 0, 30, 10000000, true, 900, 0, 0}, {0, 10, 0, 60, 10000000, true, 900, 0, 3.1}};
    struct analysis_resources r = judge(flows, 2, false, NULL);
    assert_true(isnan(r.resource[0].flows[0].ci95_bps) && isnan(r.resource[0].flows[1].ci95_bps));
    analysis_resources_fini(&r);
    flows[0].incoming = false;
    r = judge(flows, 2, false, NULL);
    assert_true(r.resource[0].flows[0].ci95_bps == 1e5);
    analysis_resources_fini(&r);
    flows[0].incoming = true;
    flows[1].stall = 2.9;
    r = judge(flows, 2, false, NULL);
    assert_true(r.resource[0].flows[0].ci95_bps == 1e5);
    analysis_resources_fini(&r);
}

static void plain_diagnose(void *user, struct analysis_resource *r, const struct analysis_resource_use *const *uses)
{
    r->diagnosed = true;
    r->diagnosis = *(const struct judge_diagnosis *)user;
}

/* Judged with that diagnosis: three times 30 Mb/s, 2 in and 1 out, which Eq. 6 fits whatever the link is. */
static struct analysis_judgement judge_diagnosed(struct judge_diagnosis d)
{
    const struct plain flows[] = {
        {0, 10, 0, 30, 10000000, true, 0, 0, 0},
        {0, 10, 0, 30, 10000000, true, 0, 0, 0},
        {0, 10, 0, 30, 10000000, false, 0, 0, 0},
    };
    const struct analysis_resource_source source = {.settled_s = plain_settled_s, .measure = plain_measure, .least = 2,
                                                    .diagnose = plain_diagnose, .user = &d};
    struct analysis_resource_use uses[3];
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources all = {0};
    for (size_t i = 0; i < 3; i++)
        uses[i] = (struct analysis_resource_use){{0, 10, flows[i].incoming}, flows[i].bytes, &flows[i]};
    analysis_resource_judge(&source, "x", uses, 3, NULL, ANALYSIS_CHECK_TOLERANCE, &all);
    struct analysis_judgement j = all.resource[0].judgement;
    return j;
}

TEST(test_no_rule_divides_a_link_that_is_not_full)
{
    struct judge_diagnosis d = {.answer = JUDGE_ANSWER_YES,
                                   .in = {.flows = 2, .carried_bps = 60e6, .room_bps = 90e6},
                                   .out = {.flows = 1, .carried_bps = 30e6, .room_bps = 90e6}};
    struct analysis_judgement j = judge_diagnosed(d);
    assert_int_equal(j.verdict, MODEL_REGIME_UNSATURATED);
    assert_non_null(strstr(j.why, "in 60.0 of 90.0 Mb/s, out 30.0 of 90.0 Mb/s"));
    assert_false(j.rule[ANALYSIS_RULE_EQ6].applies || j.rule[ANALYSIS_RULE_EQ6].holds);
    d.in.saturated = true;
    assert_int_equal(judge_diagnosed(d).verdict, MODEL_REGIME_EQ6);
    d.in.saturated = false;
    d.in.room_bps = d.out.room_bps = NAN; /* whether it is full is not known, and the answer does not say */
    assert_int_equal(judge_diagnosed(d).verdict, MODEL_REGIME_EQ6);
    d.answer = JUDGE_ANSWER_NO;
    d.cause = JUDGE_CAUSE_APPLICATION; /* but this does */
    j = judge_diagnosed(d);
    assert_int_equal(j.verdict, MODEL_REGIME_UNSATURATED);
    assert_non_null(strstr(j.why, "the applications send no more"));
}

static struct analysis_resource answered(const char *host, enum judge_answer answer, enum judge_cause cause,
                                         const char *src, const char *dst)
{
    struct analysis_resource r = {.diagnosed = true, .n = 2, .flows = test_calloc(2, sizeof *r.flows)};
    snprintf(r.host, sizeof r.host, "%s", host);
    r.diagnosis.answer = answer;
    r.diagnosis.cause = cause;
    for (int i = 0; i < 2; i++) { /* one each way */
        snprintf(r.flows[i].src, sizeof r.flows[i].src, "%s", i ? dst : src);
        snprintf(r.flows[i].dst, sizeof r.flows[i].dst, "%s", i ? src : dst);
    }
    return r;
}

/* A home line: both hosts and the port have the same two flows, and h3 has others. */
TEST(test_of_one_loss_there_is_one_answer)
{
    struct analysis_resource r[] = {
        answered("h0", JUDGE_ANSWER_YES, JUDGE_CAUSE_ACKS, "h0", "h2"),
        answered("h2", JUDGE_ANSWER_YES, JUDGE_CAUSE_ACKS, "h2", "h0"),
        answered("h3", JUDGE_ANSWER_YES, JUDGE_CAUSE_ACKS, "h3", "h2"),
        answered("modem-dslam", JUDGE_ANSWER_YES, JUDGE_CAUSE_THIN_ACKS, "h0", "h2"),
        answered("sw0-sw1", JUDGE_ANSWER_NO, JUDGE_CAUSE_LINK, "h0", "h2"),
    };
    struct analysis_resources all = {.resource = r, .n = 5};
    snprintf(r[1].diagnosis.place, sizeof r[1].diagnosis.place, "modem-dslam");
    r[3].port = r[4].port = true;
    analysis_resources_sort(&all); /* as many flows: by name */
    assert_strings({r[3].host, "modem-dslam"}, {r[0].same_as, "modem-dslam"}, {r[1].same_as, "modem-dslam"},
                   {r[3].also, "h0 and 1 more"});
    for (int i = 2; i < 5; i++) /* other flows; itself; another answer */
        assert_string_equal(r[i].same_as, "");
    assert_strings({r[2].also, ""}, {r[4].also, ""});
    for (int i = 0; i < 5; i++)
        test_free(r[i].flows);
}

/* Of the same flows one is sure and another one is not; of two that are sure, and differ, both speak. */
TEST(test_who_cannot_tell_is_silent)
{
    struct analysis_resource r[] = {
        answered("h0", JUDGE_ANSWER_UNKNOWN, JUDGE_CAUSE_UNKNOWN, "h0", "h2"),
        answered("h1", JUDGE_ANSWER_NO, JUDGE_CAUSE_WINDOW, "h0", "h2"),
        answered("h2", JUDGE_ANSWER_YES, JUDGE_CAUSE_ACKS, "h0", "h2"),
        answered("h3", JUDGE_ANSWER_UNKNOWN, JUDGE_CAUSE_UNKNOWN, "h3", "h4"),
        answered("h4", JUDGE_ANSWER_NO, JUDGE_CAUSE_WINDOW, "h3", "h4"),
    };
    struct analysis_resources all = {.resource = r, .n = 5};
    analysis_resources_sort(&all);
    assert_strings({r[0].same_as, "h2"}, {r[1].same_as, ""}, {r[2].same_as, ""}, {r[3].same_as, "h4"},
                   {r[4].also, "h3"});
    for (int i = 0; i < 5; i++)
        test_free(r[i].flows);
}

/* Of a no it is the link that is full, not one before it. */
TEST(test_who_is_full_says_no)
{
    struct analysis_resource r[] = {
        answered("h0", JUDGE_ANSWER_NO, JUDGE_CAUSE_LINK, "h0", "h2"),
        answered("h2", JUDGE_ANSWER_NO, JUDGE_CAUSE_FULL, "h0", "h2"),
    };
    struct analysis_resources all = {.resource = r, .n = 2};
    analysis_resources_sort(&all);
    assert_strings({r[0].same_as, "h2"}, {r[1].also, "h0"});
    for (int i = 0; i < 2; i++)
        test_free(r[i].flows);
}

/* Beside the slow host its capture shows that waits are the host's; from the far one's place it looks like a yes. */
TEST(test_the_host_that_stops_them_knows_best)
{
    struct analysis_resource r[] = {
        answered("h0", JUDGE_ANSWER_NO, JUDGE_CAUSE_SLOW_HOST, "h0", "h2"),
        answered("h2", JUDGE_ANSWER_YES, JUDGE_CAUSE_ACKS, "h0", "h2"),
        answered("h3", JUDGE_ANSWER_YES, JUDGE_CAUSE_ACKS, "h0", "h3"),
    };
    struct analysis_resources all = {.resource = r, .n = 3};
    analysis_resources_sort(&all);
    assert_strings({r[0].also, "h2"}, {r[1].same_as, "h0"}, {r[2].same_as, ""});
    for (int i = 0; i < 3; i++)
        test_free(r[i].flows);
}
