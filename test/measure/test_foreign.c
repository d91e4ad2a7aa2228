/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests made up from what links do, by arithmetic: 10 Mb/s each way, 20 ms through empty queues, and an out queue that
 * holds 60 ms of data. Data in have a window of 50 kB: alone 50 kB / 20 ms = 20 Mb/s, so the link; with their ACKs behind
 * 60 ms, 50 kB / 80 ms = 5 Mb/s. */
#include "measure/foreign.h"
#include "test/judge/words.h"

#define SECONDS 20

static struct foreign_test tests[8];
static size_t n;

static struct foreign_test *begins(double start_s)
{
    struct foreign_test *t = &tests[n++];
    *t = (struct foreign_test){.host = "10.0.0.1", .start_s = start_s, .to_s = SECONDS, .processor = NAN};
    return t;
}

/* Rates vary by 1 %, from second to second. */
static struct foreign_flow *flow(struct foreign_test *t, bool in, double bps, double rtt_s, double pace_bps)
{
    const char *from = in ? "10.0.0.2" : "10.0.0.1", *to = in ? "10.0.0.1" : "10.0.0.2";
    struct foreign_flow *f = foreign_test_flow(t, "1:2", from, to);
    f->mean_bps = bps;
    f->rtt_s = rtt_s;
    f->least_rtt_s = 0.02;
    f->pace_bps = pace_bps;
    for (int i = 0; i < SECONDS; i++)
        foreign_test_sample(f, i, i + 1, bps * (i % 3 ? 1.005 : 0.99));
    return f;
}

static void alone(double in_bps, double out_bps)
{
    flow(begins(1000), true, in_bps, NAN, 0);
    flow(begins(1100), false, out_bps, 0.08, 0);
}

static void both(double in_bps, double out_bps, double rtt_s)
{
    struct foreign_test *t = begins(1200);
    flow(t, true, in_bps, NAN, 0);
    flow(t, false, out_bps, rtt_s, 0);
}

/* As two programs at once, which began a second apart. */
static void paced(double in_bps, double out_bps, double pace_bps)
{
    flow(begins(1300), true, in_bps, NAN, pace_bps);
    flow(begins(1301), false, out_bps, 0.021, pace_bps);
}

static struct analysis_resource judged_as_it_is(void)
{
    struct analysis_resources all = {0};
    measure_foreign_judge(tests, n, &all);
    assert_int_equal(all.n, 1);
    struct analysis_resource r = all.resource[0];
    free(all.resource);
    free(r.flows);
    words_make_sense(r.diagnosis.why, sizeof r.diagnosis.why);
    return r;
}

/* When a test's flows begin in its file says nothing about the path. */
static struct analysis_resource judged(void)
{
    const double later_s = 9; /* less than half of what one lasts: files of one moment stay together */
    struct analysis_resource r = judged_as_it_is();
    for (size_t i = 0; i < n; i++) {
        tests[i].from_s += later_s;
        tests[i].to_s += later_s;
        for (size_t k = 0; k < tests[i].n; k++)
            for (size_t j = 0; j < tests[i].flow[k].n; j++) {
                tests[i].flow[k].sample[j].from_s += later_s;
                tests[i].flow[k].sample[j].to_s += later_s;
            }
    }
    struct analysis_resource other = judged_as_it_is();
    assert_ints({other.diagnosis.answer, r.diagnosis.answer}, {other.diagnosis.cause, r.diagnosis.cause});
    assert_string_equal(other.diagnosis.why, r.diagnosis.why);
    assert_true(fabs(other.steady_start_s - r.steady_start_s - later_s) < 1e-6);
    while (n > 0)
        foreign_test_fini(&tests[--n]);
    return r;
}

static struct judge_diagnosis judge(void)
{
    return judged().diagnosis;
}

static void says(const struct judge_diagnosis *d, const char *text)
{
    if (!strstr(d->why, text))
        fail_msg("'%s' has no '%s'", d->why, text);
}

TEST(test_acks_behind_data)
{
    alone(9.4e6, 9.4e6);
    both(5e6, 9.1e6, 0.08);
    paced(8e6, 8e6, 8e6);
    struct analysis_resource r = judged();
    const struct judge_diagnosis *d = &r.diagnosis;
    assert_ints({d->answer, JUDGE_ANSWER_YES}, {d->cause, JUDGE_CAUSE_ACKS});
    assert_string_equal(r.host, "10.0.0.1");
    assert_true(r.live);
    /* half of 9.4 Mb/s * 90 B / 2896 B are ACKs of the other direction */
    assert_true(fabs(d->out.possible_bps - (9.4e6 - 9.4e6 * 45 / 2896)) < 2e4);
    assert_true(fabs(d->in.ack_wait_s - (0.06 - 0.5 * 5 / 9.4 * 0.08)) < 1e-3);
}

TEST(test_without_a_pace_nobody_knows_whether_the_path_is_able_to)
{
    alone(9.4e6, 9.4e6);
    both(5e6, 9.1e6, 0.08);
    struct judge_diagnosis d = judge();
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    says(&d, "shows when both are paced: iperf3 -l 8K -b ");
    alone(9.4e6, 9.4e6);
    both(5e6, 9.1e6, 0.08);
    paced(4e6, 4e6, 4e6); /* so few pass by turns, too */
    d = judge();
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    alone(9.4e6, 9.4e6);
    both(5e6, 9.1e6, 0.08);
    paced(6e6, 6e6, 6e6); /* and so may these, with a little luck: 1.3 of what one medium carries */
    d = judge();
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
}

TEST(test_one_medium)
{
    alone(9.4e6, 9.4e6);
    both(3e6, 6e6, 0.08);
    paced(4.5e6, 4.6e6, 8e6);
    struct judge_diagnosis d = judge();
    assert_ints({d.answer, JUDGE_ANSWER_NO}, {d.cause, JUDGE_CAUSE_SHARED});
}

TEST(test_short_waits_explain_nothing)
{
    alone(9.4e6, 9.4e6);
    both(5e6, 9.1e6, 0.022);
    paced(8e6, 8e6, 8e6);
    struct judge_diagnosis d = judge();
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    says(&d, "does not explain that");
}

TEST(test_nothing_is_lost)
{
    alone(9.4e6, 9.4e6);
    both(9.1e6, 9.2e6, 0.08);
    struct judge_diagnosis d = judge();
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
}

TEST(test_one_test_of_both_tells_little)
{
    both(5e6, 9.1e6, 0.08);
    struct judge_diagnosis d = judge();
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    says(&d, "5.0 Mb/s pass in and 9.1 out at once, in round trips of 80 ms, 20 at least; what each direction carries "
             "alone would tell");
    alone(9.4e6, 9.4e6);
    d = judge();
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    says(&d, "9.4 Mb/s pass in and 9.4 out, each alone");
}

TEST(test_flows_of_a_direction_are_as_many_alone)
{
    alone(9.4e6, 9.4e6);
    flow(&tests[0], true, 1e3, NAN, 0);
    both(9.1e6, 9.1e6, 0.08);
    struct judge_diagnosis d = judge();
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    says(&d, "in as many flows");
}

TEST(test_an_application_that_gets_what_it_asks_for)
{
    flow(begins(900), true, 2e6, NAN, 2e6); /* alone it asks for as much */
    struct foreign_test *t = begins(1000);
    flow(t, true, 2e6, NAN, 2e6);
    flow(t, false, 2e6, 0.05, 2e6);
    struct judge_diagnosis d = judge();
    assert_ints({d.answer, JUDGE_ANSWER_NO}, {d.cause, JUDGE_CAUSE_APPLICATION});
    t = begins(1000);
    flow(t, true, 1e6, NAN, 2e6); /* not all of it */
    flow(t, false, 2e6, 0.05, 2e6);
    d = judge();
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
}

/* As ss shows: the least round trip is that of every packet. */
static void waits(double rtt_s, bool known, double rwnd, enum judge_answer expected)
{
    both(5e6, 9.1e6, rtt_s);
    tests[0].flow[1].least_known = known;
    tests[0].flow[1].rwnd_limited = rwnd;
    tests[0].flow[1].retransmitted = 0.01;
    struct judge_diagnosis d = judge();
    assert_int_equal(d.answer, expected);
    if (expected == JUDGE_ANSWER_NO)
        assert_int_equal(d.cause, JUDGE_CAUSE_LOSSES);
}

TEST(test_where_nothing_waits_nothing_is_lost_to_waits)
{
    waits(0.0205, true, 0, JUDGE_ANSWER_NO);
    waits(0.0205, false, 0, JUDGE_ANSWER_UNKNOWN);
    waits(0.022, true, 0, JUDGE_ANSWER_UNKNOWN);
    waits(0.0205, true, 0.9, JUDGE_ANSWER_UNKNOWN); /* full windows keep a queue as long as it is */
}

TEST(test_hosts_that_share_nothing_are_apart)
{
    struct analysis_resources all = {0};
    both(5e6, 9.1e6, 0.08);
    flow(begins(1200), true, 5e6, NAN, 0);
    struct foreign_test *t = begins(1200);
    foreign_test_flow(t, "1:2", "10.0.0.8", "10.0.0.9")->mean_bps = 1e6;
    snprintf(t->host, sizeof t->host, "10.0.0.9");
    measure_foreign_judge(tests, n, &all);
    assert_int_equal(all.n, 2);
    assert_string_equal(all.resource[0].host, "10.0.0.1");
    assert_int_equal(all.resource[0].judgement.indegree, 2); /* two files of one moment */
    assert_string_equal(all.resource[1].host, "10.0.0.9");
    analysis_resources_fini(&all);
    while (n > 0)
        foreign_test_fini(&tests[--n]);
}
