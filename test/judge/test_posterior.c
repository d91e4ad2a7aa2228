/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/posterior.h"
#include "judge/noise.h"
#include "judge/limit.h"
#include "judge/path.h"
#include "test/cm.h"
#include "test/judge/any.h"

#define FULL 1448.0
#define IN 0
#define OUT 1
#define POINTS (2.0 / JUDGE_POSTERIOR_DRAWS) /* what is almost sure is not so at one point, or two */
#define SPREAD 0.015 /* of 512 even points a share is so far off, at most, and noise moves a bound */

struct pair {
    struct judge_flow flow[2];
    struct judge_facts facts;
};

/* One flow each way through 100 Mb/s: in 80 Mb/s without waits; out out_bps, whose ACKs wait ack_wait_s of a round trip
 * of 20 ms. Windows hold both. */
static struct pair *pair_of(struct pair *p, double out_bps, double ack_wait_s)
{
    struct judge_link link = {.capacity_bps = 100e6, .source = JUDGE_CAPACITY_KNOWN, .drain_s = INFINITY};
    *p = (struct pair){.flow[IN] = {.incoming = true, .rate_bps = 80e6, .floor_s = 20e-3},
                       .flow[OUT] = {.rate_bps = out_bps, .ack_wait_s = ack_wait_s}};
    p->flow[OUT].floor_s = isnan(ack_wait_s) ? 20e-3 : 20e-3 - ack_wait_s;
    for (int i = 0; i < 2; i++) {
        p->flow[i].lossless = true;
        p->flow[i].known = JUDGE_CAUSE_WINDOW;
        p->flow[i].most_bps = p->flow[i].window_bps = INFINITY;
        p->flow[i].cycle_s = p->flow[i].cycle_wait_s = p->flow[i].clocked = NAN;
        p->flow[i].sender = (struct judge_sender){.full_bytes = FULL, .flight_bytes = 100e3, .most_bytes = 110e3,
                                                  .offered_bytes = 400e3, .offered_most_bytes = 400e3,
                                                  .tight_share = 0.5, .fullness = 0.9, .fastest_bps = NAN,
                                                  .free_bps = NAN};
    }
    p->facts = (struct judge_facts){.flow = p->flow, .n = 2, .in = link, .out = link, .full_bytes = FULL,
                                    .segments_per_ack = 2, .ci95_bps = NAN, .beside = true};
    return p;
}

/* Makes a flow of which nobody knows what holds it one that something else than its window does with probability p:
 * between one at the edge and one far from it, with even segments and silence. */
static void unsure(struct judge_flow *f, double p)
{
    double low = 0, high = 1;
    f->known = JUDGE_CAUSE_UNKNOWN;
    for (int i = 0; i < 50; i++) {
        double far = (low + high) / 2;
        f->sender.flight_bytes = f->sender.most_bytes = 400e3 - 300e3 * far;
        f->sender.tight_share = 0.1 * (1 - far);
        f->sender.idle = 0.125 * far;
        *(judge_limit_else(f) < p ? &low : &high) = far;
    }
    assert_true(fabs(judge_limit_else(f) - p) < 1e-6);
}

static struct judge_diagnosis decided(const struct judge_facts *facts)
{
    struct judge_diagnosis d;
    const struct judge_case one = {facts, 1};
    judge_posterior_decide(&one, 1, &d);
    return d;
}

static struct judge_diagnosis decided_pair(double out_bps, double ack_wait_s)
{
    struct pair p;
    return decided(&pair_of(&p, out_bps, ack_wait_s)->facts);
}

static bool matters(double in, double out, double in_possible, double out_possible)
{
    return judge_diagnosis_matters((const double[]){in, out}, (const double[]){in_possible, out_possible});
}

TEST(test_yes_is_a_twentieth_of_the_total_or_a_tenth_of_a_direction)
{
    assert_true(matters(50, 44.9, 50, 50));    /* 94.9 of 100, and 10.2 % */
    assert_true(matters(47.4, 47.4, 50, 50));  /* 5.2 % of each */
    assert_false(matters(47.6, 47.6, 50, 50)); /* 4.8 % */
    assert_true(matters(90, 8.9, 90, 10));     /* 11 % of one, of both 1.1 */
    assert_true(matters(8.9, 90, 10, 90));
    assert_false(matters(90, 9.1, 90, 10));
    assert_true(matters(90, 4.3, 90, 4.8));  /* 4.8 of 94.8 are 5.1 % */
    assert_false(matters(90, 4.1, 90, 4.6)); /* 4.6 of 94.6 are 4.9 %: too little to count */
    assert_true(matters(95, 4, 95, 5));      /* 5 of 100 count */
    assert_false(matters(100, 0, 100, 0));
    assert_false(matters(100, 0, 97, 5.2)); /* 5.1 % of what is possible, but nothing wants to go that way */
}

/* (1 - N) Y + N / 2. */
static double said(double yes)
{
    return (1 - judge_noise.none) * yes + judge_noise.none / 2;
}

/* 40 Mb/s of which ACKs wait half of the round trip would be 80, and together 160 with the 80 in: 40 of 160 are
 * lost. */
TEST(test_acks_that_wait_are_a_yes)
{
    struct judge_diagnosis d = decided_pair(40e6, 10e-3);
    assert_ints({d.answer, JUDGE_ANSWER_YES}, {d.cause, JUDGE_CAUSE_ACKS}, {d.second, JUDGE_CAUSE_UNKNOWN},
                {d.possible_from, JUDGE_POSSIBLE_MODEL});
    assert_true(fabs(d.probability - said(1)) < 1e-9); /* no draw says otherwise, but nature may */
    assert_true(fabs(d.lost_share - 0.25) < 0.01 && d.ci95 > 0 && d.ci95 < 0.1);
    assert_true(fabs(d.out.possible_bps / 80e6 - 1) < 0.01 && fabs(d.out.lost_share - 0.5) < 0.01);
    assert_true(fabs(d.in.possible_bps / 80e6 - 1) < 0.01 && fabs(d.in.lost_share) < 0.01);
    assert_true(d.in.flows == 1 && d.out.flows == 1 && !d.in.saturated && !d.out.saturated);
    assert_true(fabs(d.out.ack_wait_s - 10e-3) < 1e-12 && fabs(d.out.floor_s - 10e-3) < 1e-12);
    /* Of 100 Mb/s data take 100 / (1538 / 1448) at most, and an ACK of 90 bytes answers two segments. */
    assert_true(fabs(d.out.acks_bps - 100e6 * 1448 / 1538 * 90 / (2 * 1448)) < 1);
    assert_non_null(strstr(d.why, "outgoing data get 40.0 of "));
}

TEST(test_nothing_waits_is_a_no)
{
    struct judge_diagnosis d = decided_pair(40e6, 0);
    assert_ints({d.answer, JUDGE_ANSWER_NO}, {d.cause, JUDGE_CAUSE_WINDOW});
    assert_int_equal(d.second, JUDGE_CAUSE_UNKNOWN); /* there is but one */
    assert_true(fabs(d.probability - said(0)) < 1e-9 && fabs(d.lost_share) < 0.005);
    assert_non_null(strstr(d.why, judge_cause(JUDGE_CAUSE_WINDOW)->meaning));
}

/* 1 - 90 / 91.8 of what has room: 80 Mb/s in take 2.5 for ACKs, and headers 5.9 %. */
TEST(test_a_full_link_has_nothing_to_win)
{
    struct judge_diagnosis d = decided_pair(85e6, 10e-3);
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
    assert_true(d.out.possible_bps < 92.5e6);
    d = decided_pair(90e6, 10e-3);
    assert_true(d.out.saturated && !d.in.saturated); /* 0.95 * 91.8 = 87.2; in 0.95 * 91.5 */
    assert_false(decided_pair(87e6, 10e-3).out.saturated);
    assert_true(decided_pair(87.4e6, 10e-3).out.saturated);
}

/* Of two flows of a direction waits are means by rates: 30 and 10 Mb/s. */
TEST(test_a_direction_is_what_its_flows_are)
{
    for (int in = 0; in < 2; in++) {
        struct pair p;
        pair_of(&p, 10e6, 2e-3);
        for (int i = 0; i < 2; i++)
            p.flow[i].incoming = in;
        p.flow[0].rate_bps = 30e6;
        p.flow[0].data_wait_s = 4e-3;
        struct judge_diagnosis d = decided(&p.facts);
        const struct judge_way *way = in ? &d.in : &d.out, *other = in ? &d.out : &d.in;
        assert_ints({way->flows, 2}, {other->flows, 0});
        assert_all_near(1e-12, {way->data_wait_s, 3e-3}, {way->ack_wait_s, 0.5e-3}, {way->floor_s, (3 * 20e-3 + 18e-3) / 4},
                        {other->lost_share, 0}, {other->lost_ci95, 0});
        assert_all_near(1e-3, {way->carried_bps, 40e6}, {way->room_bps, 100e6 * 1448 / 1538},
                        {way->acks_bps, 100e6 * 1448 / 1538 * 90 / (2 * 1448)});
    }
}

/* What may rest now and then is never full. */
TEST(test_a_link_that_may_work_for_a_share_of_the_time_is_not_full)
{
    struct pair p;
    pair_of(&p, 90e6, 0)->facts.out.works = 0.5;
    p.facts.out.source = JUDGE_CAPACITY_QUEUE;
    assert_false(decided(&p.facts).out.saturated);
    p.facts.out.works = 0;
    assert_true(decided(&p.facts).out.saturated);
}

/* The flow out alone, whose ACKs are known to wait behind data. */
static struct pair *alone(struct pair *p, double out_bps, double ack_wait_s)
{
    pair_of(p, out_bps, ack_wait_s)->flow[OUT].behind = true;
    p->facts.flow = &p->flow[OUT];
    p->facts.n = 1;
    return p;
}

/* An answer is that of 95 % of the draws, and the probability of a yes here is that of a window. */
TEST(test_a_flow_that_may_be_its_applications_is_neither)
{
    struct pair p;
    for (int i = 2; i < 9; i++) {
        unsure(&alone(&p, 40e6, 10e-3)->flow[OUT], 0.1 * i);
        struct judge_diagnosis d = decided(&p.facts);
        assert_ints({d.answer, JUDGE_ANSWER_UNKNOWN}, {d.cause, JUDGE_CAUSE_UNKNOWN});
        assert_true(fabs(d.probability - (1 - 0.1 * i)) < SPREAD);
        assert_non_null(strstr(d.why, "whether waiting ACKs or the applications hold them back"));
    }
    p.flow[OUT].known = JUDGE_CAUSE_APPLICATION;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_NO);
    assert_int_equal(decided(&p.facts).cause, JUDGE_CAUSE_APPLICATION);
    p.flow[OUT].known = JUDGE_CAUSE_WINDOW;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_YES);
}

/* A flow of which nothing tells, beside one of its direction of which something does. */
static double probability_beside(enum judge_cause known)
{
    struct pair p;
    struct judge_flow flow[2];
    unsure(&alone(&p, 40e6, 10e-3)->flow[OUT], 0.5);
    flow[0] = flow[1] = p.flow[OUT];
    flow[1].rate_bps = 0.1e6;
    flow[1].known = known;
    p.facts.flow = flow;
    p.facts.n = 2;
    return decided(&p.facts).probability;
}

TEST(test_flows_of_a_direction_are_mostly_alike)
{
    double by_itself = probability_beside(JUDGE_CAUSE_UNKNOWN);
    assert_true(fabs(by_itself - 0.5) < SPREAD);
    assert_true(probability_beside(JUDGE_CAUSE_WINDOW) > by_itself);
    assert_true(probability_beside(JUDGE_CAUSE_APPLICATION) < by_itself);
}

/* Log odds of 0.3 are -0.847, and half the mean of the others' come to them; of one flow they stay. */
TEST(test_half_of_what_tells_of_others_tells_of_a_flow)
{
    static const struct { size_t n; double others, p; } rows[] = {{1, 0, 0.3}, {2, -0.847, 0.219}, {3, -0.847 / 2, 0.258}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair p;
        struct judge_flow flow[3];
        unsure(&alone(&p, 40e6, 10e-3)->flow[OUT], 0.3);
        flow[0] = flow[1] = p.flow[OUT];
        unsure(&p.flow[OUT], 0.5); /* tells nothing */
        flow[2] = p.flow[OUT];
        flow[1].rate_bps = flow[2].rate_bps = 0.1e6;
        p.facts.flow = flow;
        p.facts.n = rows[i].n;
        assert_near(rows[i].p, 1 / (1 + exp(0.847 - rows[i].others / 2)), 1e-3);
        assert_near(decided(&p.facts).probability, said(1 - rows[i].p), SPREAD);
    }
}

/* What the source knows of a flow nothing of its neighbours changes. */
TEST(test_what_is_known_stays_so_beside_others)
{
    for (int known = 0; known < 2; known++) {
        struct pair p;
        struct judge_flow flow[3];
        pair_of(&p, 40e6, 10e-3);
        flow[IN] = p.flow[IN];
        flow[OUT] = p.flow[OUT];
        flow[2] = p.flow[OUT];
        flow[OUT].known = known ? JUDGE_CAUSE_WINDOW : JUDGE_CAUSE_APPLICATION;
        flow[2].known = known ? JUDGE_CAUSE_APPLICATION : JUDGE_CAUSE_WINDOW;
        flow[2].rate_bps = 0.1e6;
        p.facts.flow = flow;
        p.facts.n = 3;
        assert_int_equal(decided(&p.facts).answer, known ? JUDGE_ANSWER_YES : JUDGE_ANSWER_NO);
        assert_near(decided(&p.facts).probability, said(known), 1e-9); /* at no point otherwise */
    }
}

/* A clock starts its cycles or answers do, as likely: half of a late answer is made up for, with some deviation. */
TEST(test_an_application_that_may_be_clocked_is_drawn_evenly)
{
    struct pair p;
    pair_of(&p, 40e6, 10e-3)->flow[OUT].known = JUDGE_CAUSE_APPLICATION;
    p.flow[OUT].cycle_s = 40e-3;
    p.flow[OUT].cycle_wait_s = 10e-3;
    p.flow[OUT].clocked = 0.5;
    p.flow[OUT].clocked_sd = 0.1;
    assert_true(fabs(decided(&p.facts).probability - 0.5) < SPREAD);
    p.flow[OUT].clocked = 0.1;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_YES);
    p.flow[OUT].clocked = 0.9;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_NO);
}

/* What looks like an application's may be a window that shrinks while ACKs wait: a no only where they do not, or where
 * there is no room: 90 of 94.2 Mb/s. */
TEST(test_a_likely_application_is_no_no)
{
    struct pair p;
    for (int k = 0; k < 3; k++) {
        unsure(&alone(&p, k == 2 ? 90e6 : 40e6, k == 1 ? 0 : 10e-3)->flow[OUT], 0.6);
        struct judge_diagnosis d = decided(&p.facts);
        assert_int_equal(d.answer, k == 0 ? JUDGE_ANSWER_UNKNOWN : JUDGE_ANSWER_NO);
        assert_int_equal(d.cause, k == 0   ? JUDGE_CAUSE_UNKNOWN
                                  : k == 1 ? JUDGE_CAUSE_APPLICATION
                                           : JUDGE_CAUSE_ONE_WAY);
    }
}

/* Data wait 9 ms, of which a share v of the ACKs' 1.5 may vanish, or of all: a tenth is lost if (1.5 + 1.5 v) / 20 is more than
 * that, or (1.5 + 9 v) / 20, so with 2/3 or 0.944. Data of a sender that loses wait on, and what ACKs cost it is known within a third: of 0.5 ms, 0.025. */
TEST(test_data_that_wait_for_something_else_may_wait_on)
{
    struct pair p;
    pair_of(&p, 20e6, 1.5e-3);
    p.facts.in.capacity_bps = p.facts.out.capacity_bps = 1e9; /* a frame that has begun is no matter */
    p.flow[OUT].data_wait_s = 9e-3;
    p.flow[OUT].floor_s = 9.5e-3;
    struct judge_diagnosis d = decided(&p.facts);
    const double likely = (1 - JUDGE_PATH_GATHERED) * 2 / 3 + JUDGE_PATH_GATHERED * 0.944;
    assert_all(fabs(d.probability - likely) < SPREAD, fabs(d.out.data_wait_s - 9e-3) < 1e-12);
    p.flow[OUT].lossless = false;
    p.flow[OUT].loss_events = 1;
    p.flow[OUT].ack_wait_s = 0.5e-3;
    p.flow[OUT].floor_s = 10.5e-3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_NO);
    p.flow[OUT].ack_wait_s = 1.5e-3; /* 0.075, in doubt */
    p.flow[OUT].floor_s = 9.5e-3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_UNKNOWN);
    p.flow[OUT].ack_wait_s = 5e-3; /* 25 % */
    p.flow[OUT].floor_s = 6e-3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_YES);
}

/* A slower link elsewhere would look the same where neither stamps nor the link's rate tell. If ACKs wait as long as
 * data that come in, these are what they wait behind. */
TEST(test_blurred_waits_are_no_yes_unless_as_long_as_the_datas)
{
    struct pair p;
    pair_of(&p, 40e6, 10e-3);
    p.flow[OUT].coarse = true;
    p.flow[IN].data_wait_s = 10.5e-3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_YES);
    p.flow[IN].data_wait_s = 3e-3;
    double blurred = decided(&p.facts).probability;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_UNKNOWN);
    p.facts.out.capacity_bps = NAN;
    p.facts.out.source = JUDGE_CAPACITY_UNKNOWN;
    assert_true(decided(&p.facts).probability < blurred);
    p.flow[OUT].coarse = false;
    assert_true(decided(&p.facts).probability > blurred + 0.05);
}

/* No link carries less than it does, so a link that nobody knows tells no more than that. */
TEST(test_an_unknown_link_leaves_an_answer_less_sure)
{
    struct pair p;
    double known = decided(&pair_of(&p, 40e6, 10e-3)->facts).probability;
    p.facts.out.capacity_bps = NAN;
    p.facts.out.source = JUDGE_CAPACITY_UNKNOWN;
    struct judge_diagnosis d = decided(&p.facts);
    assert_all(d.probability < known && d.probability > 0.5, isnan(d.out.room_bps) && !d.out.saturated);
    p.flow[OUT].ack_wait_s = 0; /* unless nothing waits */
    p.flow[OUT].floor_s = 20e-3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_NO);
}

/* Out 10 Mb/s, of windows that let 30 pass: any between. The median of what is possible is 20, of which half is lost.
 * A draw loses 1 - 10 / (10 + 20 v), less than 0.040 in 2.06 of 100, where v is less than 0.0206: 0.460 below the half,
 * more than the most, 2 / 3, is above. The other 97.94 of 100 draws are 95 of 100 beside 3 of nobody knows what. Yes is 1 - 10 / (10 + 20 v) of 5 % and more: v of 0.026. */
TEST(test_an_interval_holds_95_of_100_draws)
{
    struct pair p;
    pair_of(&p, 10e6, NAN)->flow[OUT].window_bps = 30e6;
    p.flow[OUT].behind = true; /* its ACKs wait for sure, who knows how long */
    p.facts.flow = &p.flow[OUT];
    p.facts.n = 1;
    struct judge_diagnosis d = decided(&p.facts);
    assert_all(fabs(d.lost_share - 0.5) < SPREAD, fabs(d.ci95 - 0.460) < 2 * SPREAD);
    assert_true(fabs(d.probability - said(0.974)) < SPREAD);
    assert_true(d.in.flows == 0 && d.in.lost_share == 0 && d.in.possible_bps == 0);
    double before = d.ci95;
    p.facts.ci95_bps = 8e6; /* of 20 that are possible: 0.4 */
    d = decided(&p.facts);
    assert_true(fabs(d.ci95 - sqrt(before * before + pow(8e6 / d.out.possible_bps, 2))) < 1e-12);
}

/* Without waits, 40 Mb/s through 20 ms are 100 kB: a window of as much has nothing to gain, one of 150 kB may have. */
TEST(test_offered_windows_bound_what_is_possible)
{
    struct pair p;
    pair_of(&p, 40e6, NAN)->flow[OUT].window_bps = 101e3 * 8 / 20e-3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_NO);
    p.flow[OUT].window_bps = 150e3 * 8 / 20e-3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_UNKNOWN);
}

TEST(test_an_unseen_wait_gives_no_answer)
{
    struct pair p;
    pair_of(&p, 40e6, NAN);
    struct judge_diagnosis d = decided(&p.facts);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    assert_non_null(strstr(d.why, "how long ACKs wait does not show"));
    p.facts.stood = true;
    assert_non_null(strstr(decided(&p.facts).why, "how long a queue has stood"));
}

/* 50 and 41 Mb/s of payload are 53.1 + 1.3 and 43.5 + 1.6 on the wire, 99.5 in all: just what frames show one link to be.
 * That may be chance, and half of a direction's bandwidth lost, or one medium, and nothing. */
TEST(test_one_medium_for_both_directions_leaves_no_yes)
{
    struct pair p;
    pair_of(&p, 41e6, 10e-3)->flow[IN].rate_bps = 50e6;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_YES); /* both rates are known: full duplex */
    assert_true(judge_path_shared(&p.facts) == 0);
    p.facts.in.source = JUDGE_CAPACITY_DISPERSION;
    assert_true(judge_path_shared(&p.facts) == judge_noise.shared);
    struct judge_diagnosis d = decided(&p.facts);
    assert_ints({d.answer, JUDGE_ANSWER_UNKNOWN}, {d.second, JUDGE_CAUSE_SHARED});
    assert_true(fabs(d.probability - said(1 - judge_noise.shared)) < SPREAD);
    assert_non_null(strstr(d.why, "one medium"));
    const struct judge_case twice[] = {{&p.facts, 0.25}, {&p.facts, 0.25}}; /* weights count beside each other */
    struct judge_diagnosis same;
    judge_posterior_decide(twice, 2, &same);
    assert_all_near(1e-9, {same.probability, d.probability}, {same.lost_share, d.lost_share}, {same.ci95, d.ci95},
                    {same.out.possible_bps / d.out.possible_bps, 1}, {same.out.lost_ci95, d.out.lost_ci95});
    p.facts.in.capacity_bps = 120e6; /* more than what both carry: two links */
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_YES);
    p.facts.in.capacity_bps = 100e6; /* one direction that is nearly full by itself, as of an access line */
    p.flow[IN].rate_bps = 82e6;
    p.flow[OUT].rate_bps = 8e6;
    assert_true(judge_path_shared(&p.facts) == 0);
}

/* 53 Mb/s of other traffic leave (100 - 53 - 2.486) / 1.0622 = 41.9. */
TEST(test_other_traffic_takes_room)
{
    struct pair p;
    pair_of(&p, 40e6, 10e-3)->facts.out.other_bps = 53e6;
    struct judge_diagnosis d = decided(&p.facts);
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
    assert_true(d.out.saturated && fabs(d.out.room_bps / 41.9e6 - 1) < 0.01);
}

/* What 2 Mb/s may win makes 4 of 84, not a twentieth; 3 Mb/s 6 of 86. */
TEST(test_a_lesser_direction_does_not_count)
{
    assert_int_equal(decided_pair(2e6, 10e-3).answer, JUDGE_ANSWER_NO);
    assert_int_equal(decided_pair(3e6, 10e-3).answer, JUDGE_ANSWER_YES);
}

/* ACKs wait 10 ms while all that is in flight on their way passes in so much less, or not. */
TEST(test_nothing_waits_longer_than_all_in_flight_takes)
{
    struct pair p;
    pair_of(&p, 40e6, 10e-3)->facts.in.drain_s = 6e-3; /* it is elsewhere, and may be behind nothing of this host */
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_NO);
    assert_int_equal(decided(&p.facts).cause, JUDGE_CAUSE_LINK);
    p.facts.in.drain_s = 10e-3 / 1.3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_UNKNOWN);
    p.facts.in.drain_s = 10e-3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_YES);
    p.facts.in.drain_s = 6e-3;
    p.flow[OUT].beside_s = 9e-3; /* data that go the whole way with them wait as long */
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_YES);
    p.flow[OUT].beside_s = 5e-3;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_NO);
    p.facts.in.drain_s = INFINITY;
    p.flow[OUT].beside_s = 0;
    p.facts.in.apart = true; /* data in wait at links of their own */
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_NO);
    assert_int_equal(decided(&p.facts).cause, JUDGE_CAUSE_LINK);
    pair_of(&p, 40e6, 0)->flow[OUT].data_wait_s = 10e-3;
    assert_int_equal(decided(&p.facts).cause, JUDGE_CAUSE_WINDOW);
    p.facts.out.drain_s = 6e-3; /* so do data */
    assert_int_equal(decided(&p.facts).cause, JUDGE_CAUSE_LINK);
}

/* 2 Mb/s up, full, and 10 down of which more than as much is possible: ACKs behind the slower way's data. */
TEST(test_an_access_line_shows_by_what_is_possible)
{
    struct pair p;
    pair_of(&p, 1.7e6, 0);
    p.flow[IN].rate_bps = 3e6;
    p.flow[IN].ack_wait_s = p.flow[OUT].data_wait_s = 80e-3;
    p.facts.out.capacity_bps = 2e6;
    p.facts.in.capacity_bps = 16e6;
    struct judge_diagnosis d = decided(&p.facts);
    assert_ints({d.answer, JUDGE_ANSWER_YES}, {d.cause, JUDGE_CAUSE_THIN_ACKS});
    p.facts.stopped = true; /* then a capacity is what stops leave of it */
    assert_int_equal(decided(&p.facts).cause, JUDGE_CAUSE_ACKS);
    p.facts.stopped = false;
    p.facts.in.capacity_bps = 1e9; /* ACKs of as much would take 29 Mb/s */
    assert_true(decided(&p.facts).out.acks_bps == 2e6);
    p.facts.in.capacity_bps = NAN;
    p.facts.in.source = JUDGE_CAPACITY_UNKNOWN;
    d = decided(&p.facts);
    assert_all(d.probability > 0.8, d.answer != JUDGE_ANSWER_YES || d.cause == JUDGE_CAUSE_THIN_ACKS);
}

/* Data in alone, whose ACKs wait 80 ms of 100 though no data go their way. */
static struct judge_diagnosis decided_alone(bool stand, double other_bps, enum judge_cause known)
{
    struct pair p;
    pair_of(&p, 10e6, 0)->flow[IN].known = known;
    p.flow[IN].rate_bps = 10e6;
    p.flow[IN].ack_wait_s = 80e-3;
    p.facts.n = 1;
    p.facts.in.acks_stand = stand;
    p.facts.out.other_bps = other_bps;
    return decided(&p.facts);
}

TEST(test_acks_behind_acks_alone)
{
    assert_int_equal(decided_alone(true, 0, JUDGE_CAUSE_WINDOW).answer, JUDGE_ANSWER_NO);
    assert_int_equal(decided_alone(true, 0, JUDGE_CAUSE_WINDOW).cause, JUDGE_CAUSE_THIN_PATH);
    assert_int_equal(decided_alone(true, 0, JUDGE_CAUSE_SEND_BUFFER).cause, JUDGE_CAUSE_THIN_PATH);
    assert_int_equal(decided_alone(true, 0, JUDGE_CAUSE_APPLICATION).cause, JUDGE_CAUSE_APPLICATION);
    /* A host that answers late, and where a tenth as much goes their way. */
    assert_int_equal(decided_alone(false, 0, JUDGE_CAUSE_WINDOW).answer, JUDGE_ANSWER_NO);
    assert_int_equal(decided_alone(false, 0, JUDGE_CAUSE_WINDOW).cause, JUDGE_CAUSE_WINDOW);
    assert_int_equal(decided_alone(true, 1e6, JUDGE_CAUSE_WINDOW).answer, JUDGE_ANSWER_YES);
    assert_int_equal(decided_alone(true, 1e6, JUDGE_CAUSE_WINDOW).cause, JUDGE_CAUSE_OTHER);
    struct pair p;
    pair_of(&p, 40e6, 10e-3)->flow[OUT].most_bps = 40e6; /* with data the other way they wait behind these, too */
    p.facts.out.acks_stand = true;
    assert_int_equal(decided(&p.facts).answer, JUDGE_ANSWER_NO);
    assert_int_equal(decided(&p.facts).cause, JUDGE_CAUSE_WINDOW);
}

/* What has no flows is not full, even of other traffic alone. */
TEST(test_a_direction_without_flows_is_not_full)
{
    struct pair p;
    pair_of(&p, 10e6, 0)->facts.n = 1;
    p.facts.out.other_bps = 110e6;
    assert_false(decided(&p.facts).out.saturated);
    assert_true(decided(&p.facts).out.room_bps < 0);
}

/* In one case all ACKs' waits are as they seem, in another there are none. */
TEST(test_cases_are_weighed)
{
    struct pair waits, none;
    pair_of(&waits, 40e6, 10e-3);
    pair_of(&none, 40e6, 0);
    struct judge_case cases[] = {{&waits.facts, 0.3}, {&none.facts, 0.1}};
    struct judge_diagnosis d;
    judge_posterior_decide(cases, 2, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_UNKNOWN);
    assert_true(fabs(d.probability - said(0.75)) < POINTS);
    /* 3 of 4 draws have 80 Mb/s out: so has the median of them. */
    assert_all(fabs(d.out.possible_bps / 80e6 - 1) < 0.05, fabs(d.lost_share - (1 - 120.0 / 160)) < 0.03);
    assert_true(fabs(d.out.ack_wait_s - 10e-3) < 1e-12); /* of the first */
    cases[1].weight = 0.01;
    judge_posterior_decide(cases, 2, &d);
    assert_int_equal(d.answer, JUDGE_ANSWER_YES);
    cases[0] = (struct judge_case){&none.facts, 0.99};
    cases[1] = (struct judge_case){&waits.facts, 0.01};
    judge_posterior_decide(cases, 2, &d);
    assert_ints({d.answer, JUDGE_ANSWER_NO}, {d.cause, JUDGE_CAUSE_WINDOW});
    assert_true(fabs(d.probability - said(0.01)) < POINTS);
    assert_true(d.ci95 < 0.05 && fabs(d.lost_share) < 0.01); /* 99 % lose nothing, 1 % a quarter */
}

/* By waits half of what goes out is lost, or nothing. Tried, so much goes out in place of 40 Mb/s, give or take a
 * share, and both together within another. */
static struct judge_diagnosis decided_tried_of(double ack_wait_s, double out_bps, double off, double both_off)
{
    struct pair p;
    pair_of(&p, 40e6, ack_wait_s);
    const struct judge_tried tried = {.bps = {80e6, out_bps, 80e6 + out_bps}, .lost_ci95 = {off, off, both_off}};
    p.facts.tried = &tried;
    return decided(&p.facts);
}

static struct judge_diagnosis decided_tried(double ack_wait_s, double out_bps, double off)
{
    return decided_tried_of(ack_wait_s, out_bps, off, off);
}

TEST(test_what_was_tried_decides_whatever_waits_say)
{
    struct judge_diagnosis d = decided_tried(10e-3, 41e6, NAN);
    assert_ints({d.answer, JUDGE_ANSWER_NO}, {d.possible_from, JUDGE_POSSIBLE_EMULATED});
    assert_all(isnan(d.probability) && isnan(d.ci95), fabs(d.lost_share - (1 - 120.0 / 121)) < 1e-12,
               d.out.possible_bps == 41e6 && fabs(d.out.lost_share - 1.0 / 41) < 1e-12);
    assert_int_equal(decided_tried(10e-3, 41e6, 0.01).answer, JUDGE_ANSWER_NO);
    assert_int_equal(decided_tried(0, 60e6, NAN).answer, JUDGE_ANSWER_YES);
    assert_int_equal(decided_tried(0, 60e6, 0.05).answer, JUDGE_ANSWER_YES); /* 20 of 60, a third, 14 % of both */
}

/* 4.5 of 44.5 Mb/s out are 10.1 %, and 3.6 of both. Of 2 % more or less it may be no yes: then waits have to say so. */
TEST(test_an_interval_across_the_threshold_needs_waits_that_agree)
{
    assert_int_equal(decided_tried(0, 44.5e6, NAN).answer, JUDGE_ANSWER_YES);
    assert_int_equal(decided_tried(0, 44.5e6, 0.02).answer, JUDGE_ANSWER_UNKNOWN);
    assert_int_equal(decided_tried(10e-3, 44.5e6, 0.02).answer, JUDGE_ANSWER_YES);
    assert_int_equal(decided_tried(10e-3, 44e6, 0.02).answer, JUDGE_ANSWER_UNKNOWN); /* 9.1 % */
    assert_int_equal(decided_tried(0, 44e6, 0.02).answer, JUDGE_ANSWER_NO);
    assert_true(decided_tried(0, 44e6, 0.02).ci95 == 0.02);
    assert_int_equal(decided_tried_of(0, 44.5e6, 0.02, 0).answer, JUDGE_ANSWER_UNKNOWN); /* the wider one counts */
    assert_int_equal(decided_tried_of(0, 44.5e6, 0, 0.02).answer, JUDGE_ANSWER_UNKNOWN);
    assert_int_equal(decided_tried_of(0, 44.5e6, 0, 0).answer, JUDGE_ANSWER_YES);
    assert_non_null(strstr(decided_tried(0, 44.5e6, 0.02).why, "a longer run"));
}

TEST(test_every_cause_has_its_words)
{
    for (int i = 0; i < JUDGE_CAUSES; i++) {
        const struct judge_cause_row *row = judge_cause((enum judge_cause)i);
        assert_true(row->name && row->meaning && row->advice.what && row->advice.remedies[0].text);
        assert_null(row->advice.remedies[JUDGE_CAUSE_REMEDIES - 1].text);
    }
}

#define MANY 4

struct drawn {
    struct judge_flow flow[MANY];
    struct judge_facts facts;
};

/* Any facts; their links have room, known or not. */
static void drawn_make(struct drawn *d, struct random *r)
{
    memset(d, 0, sizeof *d);
    for (int i = 0; i < MANY; i++) {
        bool seen = random_below(r, 8) > 0;
        d->flow[i] = (struct judge_flow){
            .incoming = random_below(r, 2), .lossless = random_below(r, 2), .rate_bps = 1e5 + any(r, 1e8),
            .loss_events = (int64_t)random_below(r, 3), .floor_s = 1e-5 + any(r, 0.1),
            .data_wait_s = seen ? any(r, 0.1) : (double)NAN, .ack_wait_s = seen ? any(r, 0.1) : (double)NAN,
            .wait_sd_s = any(r, 1e-3), .unplaced_s = random_below(r, 2) ? 0 : any(r, 0.01), .most_bps = INFINITY,
            .window_bps = INFINITY, .cycle_s = NAN, .cycle_wait_s = NAN, .clocked = NAN,
            .sender = {.full_bytes = FULL, .flight_bytes = 1e3 + any(r, 1e5), .most_bytes = 1e5,
                       .offered_bytes = any(r, 4e5), .offered_most_bytes = 4e5, .tight_share = any(r, 1),
                       .idle = any(r, 0.1), .fastest_bps = NAN, .free_bps = NAN}};
    }
    d->facts = (struct judge_facts){.flow = d->flow, .n = 1 + random_below(r, MANY), .full_bytes = FULL,
                                    .segments_per_ack = 1 + any(r, 4), .ci95_bps = NAN, .beside = random_below(r, 2)};
    for (int way = 0; way < 2; way++)
        *(way ? &d->facts.out : &d->facts.in) = (struct judge_link){
            .capacity_bps = random_below(r, 2) ? 1e9 : 1e13, .source = JUDGE_CAPACITY_KNOWN, .drain_s = INFINITY};
}

TEST(test_the_same_facts_have_the_same_answer_and_are_not_changed)
{
    struct random r = random_of(6);
    for (int k = 0; k < 100; k += cm_every()) {
        struct drawn d, before;
        drawn_make(&d, &r);
        memcpy(&before, &d, sizeof d);
        struct judge_diagnosis x = decided(&d.facts), y = decided(&d.facts);
        assert_memory_equal(&before, &d, sizeof d);
        assert_memory_equal(&x.probability, &y.probability, sizeof x.probability);
        assert_memory_equal(&x.lost_share, &y.lost_share, sizeof x.lost_share);
        assert_memory_equal(&x.ci95, &y.ci95, sizeof x.ci95);
        assert_memory_equal(&x.in.possible_bps, &y.in.possible_bps, sizeof x.in.possible_bps);
        assert_memory_equal(&x.out.possible_bps, &y.out.possible_bps, sizeof x.out.possible_bps);
        assert_string_equal(x.why, y.why);
    }
}

TEST(test_whatever_facts_say_an_answer_follows_from_its_probability)
{
    struct random r = random_of(7);
    for (int k = 0; k < 300; k += cm_every()) {
        struct drawn d;
        drawn_make(&d, &r);
        struct judge_diagnosis x = decided(&d.facts);
        assert_true(x.probability >= said(0) - 1e-9 && x.probability <= said(1) + 1e-9);
        assert_int_equal(x.answer, x.probability > said(0.95)   ? JUDGE_ANSWER_YES
                                   : x.probability < said(0.05) ? JUDGE_ANSWER_NO
                                                                : JUDGE_ANSWER_UNKNOWN);
        assert_true(x.answer == JUDGE_ANSWER_UNKNOWN ? x.cause == JUDGE_CAUSE_UNKNOWN : x.cause != JUDGE_CAUSE_UNKNOWN);
        assert_true(x.lost_share > -0.05 && x.lost_share < 1 && x.ci95 >= 0 && x.ci95 < 1);
        assert_true(x.in.flows + x.out.flows == d.facts.n && x.why[0]);
    }
}

/* In links with room, where waits are sure to be in the queues that they seem to be in. */
TEST(test_more_ack_wait_is_no_less_a_yes)
{
    struct random r = random_of(8);
    for (int k = 0; k < 300; k += cm_every()) {
        struct drawn d;
        drawn_make(&d, &r);
        d.facts.in.capacity_bps = d.facts.out.capacity_bps = 1e13;
        for (int i = 0; i < MANY; i++) /* one way, as both are measured by their sum */
            d.flow[i].incoming = true;
        d.facts.out.other_bps = 1e9;
        double probability = decided(&d.facts).probability;
        for (int i = 0; i < MANY; i++)
            d.flow[i].ack_wait_s += random_below(&r, 2) ? any(&r, 0.1) : 0;
        assert_true(decided(&d.facts).probability >= probability - 1e-12);
    }
}

/* What passes in less than two round trips is no rate, however sure it looks; and the answer says how long is long enough. */
TEST(test_less_than_two_round_trips_are_no_answer)
{
    for (int i = 0; i < 6; i++) {
        struct pair p;
        pair_of(&p, i % 2 ? 40e6 : 80e6, i % 2 ? 10e-3 : 0);
        p.facts.trips = (double[]){0, 1.9, 2}[i / 2]; /* 0: not known */
        struct judge_diagnosis d = decided(&p.facts);
        assert_int_equal(d.answer, i / 2 == 1 ? JUDGE_ANSWER_UNKNOWN : i % 2 ? JUDGE_ANSWER_YES : JUDGE_ANSWER_NO);
        assert_true(i / 2 != 1 || (d.probability == 0.5 && d.ci95 == 1 && strstr(d.why, "1.9 of their round trips")));
    }
}

/* Nor is what waits by stamps that are cut off, or by a clock that was set; the answer says by how much. */
TEST(test_waits_by_no_clock_are_no_answer)
{
    for (int i = 0; i < 6; i++) {
        struct pair p;
        pair_of(&p, i % 2 ? 40e6 : 80e6, i % 2 ? 10e-3 : 0); /* yes, or no */
        p.facts.headers_cut = i / 2 == 0;
        p.facts.clock_off_s = i / 2 == 1 ? 0.05 : 0;
        struct judge_diagnosis d = decided(&p.facts);
        assert_int_equal(d.answer, i < 4 ? JUDGE_ANSWER_UNKNOWN : i == 5 ? JUDGE_ANSWER_YES : JUDGE_ANSWER_NO);
        assert_int_equal(d.cause == JUDGE_CAUSE_HEADERS_CUT, i < 2);
        assert_int_equal(d.cause == JUDGE_CAUSE_CLOCK_SET, i == 2 || i == 3);
        assert_int_equal(strstr(d.why, "by 0.05 s at least") != NULL, i == 2 || i == 3);
    }
}

/* Nothing is sure of what was not captured, however sure the rest looks; and the answer says what would tell. */
TEST(test_what_was_not_captured_is_no_answer)
{
    for (int i = 0; i < 4; i++) {
        struct pair p;
        pair_of(&p, i % 2 ? 40e6 : 80e6, i % 2 ? 10e-3 : 0); /* yes, or no */
        p.facts.one_sided = i < 2;
        p.facts.out.hidden = i >= 2;
        struct judge_diagnosis d = decided(&p.facts);
        assert_int_equal(d.answer, i < 2 ? JUDGE_ANSWER_UNKNOWN : i == 3 ? JUDGE_ANSWER_YES : JUDGE_ANSWER_NO);
        assert_int_equal(d.cause == JUDGE_CAUSE_ONE_SIDED, i < 2);
        assert_true(i >= 2 || (d.probability == 0.5 && d.ci95 == 1 && d.in.lost_ci95 <= 1));
        p.facts.out.source = p.facts.in.source = JUDGE_CAPACITY_UNKNOWN;
        p.facts.in.hidden = i >= 2;
        d = decided(&p.facts);
        assert_int_equal(d.cause == JUDGE_CAUSE_COARSE, i == 3); /* a known rate needs no clock */
    }
}
