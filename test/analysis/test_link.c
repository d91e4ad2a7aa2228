/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The link of a host whose flows' waits and frames are given, and what the judge says of flows that windows hold. */
#include "analysis/link.h"
#include "analysis/facts.h"
#include "judge/posterior.h"
#include "test/analysis/segment.h"

#define FLOWS 4

/* What the test has found last. */
static struct judge_flow fact[FLOWS];
static struct judge_facts facts;

/* Of n flows; capacities are those known. */
static struct analysis_evidence_set set_of(struct analysis_evidence *e, struct analysis_told *flows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        e[i].flow = &flows[i];
        e[i].clocking.full_bytes = 1448;
    }
    return (struct analysis_evidence_set){.flow = e, .n = n, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                          .interface_bps = NAN, .ci95_bps = NAN, .beside = true};
}

static struct judge_diagnosis decided(struct analysis_evidence_set *s, const struct analysis_capacity_host *host,
                                      const double known_bps[2])
{
    struct judge_diagnosis d;
    const struct judge_case one = {&facts, 1};
    analysis_facts_of(s, host, known_bps, fact, &facts);
    for (size_t i = 0; i < s->n; i++)
        fact[i].known = JUDGE_CAUSE_WINDOW;
    judge_posterior_decide(&one, 1, &d);
    return d;
}

/* Without stamps: 460 kB in flight at 92 Mb/s take 40 ms to come round, 39 of them in the queue before the host. ACKs
 * of a flow whose 40 ms there never were less than 8 wait as long. */
TEST(test_without_stamps_data_tell_how_long_acks_wait)
{
    for (int full = 0; full < 2; full++) { /* else data need not wait there */
        struct analysis_told flows[] = {{.incoming = true, .rate_bps = 92e6}, {.rate_bps = 4e6}};
        struct analysis_evidence e[2] = {
            {.floor_s = 1e-3, .lossless = true, .clocking.offered_bytes = 92e6 / 8 * 40e-3},
            {.loop_least_s = 8e-3, .loop_wait_s = 32e-3}};
        struct analysis_evidence_set set = set_of(e, flows, 2);
        for (int i = 0; i < 2; i++)
            e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = e[i].clocking.flight_bytes = NAN;
        const double capacity_bps[2] = {full ? 100e6 : 200e6, 100e6};
        struct judge_diagnosis d = decided(&set, NULL, capacity_bps);
        assert_all(d.in.saturated == full, fabs(fact[1].ack_wait_s - (full ? 39e-3 : 32e-3)) < 1e-9,
                   fabs(fact[1].floor_s - (full ? 1e-3 : 8e-3)) < 1e-9, !full || d.answer != JUDGE_ANSWER_NO);
    }
}

/* Without stamps, beside the receiver of 4 Mb/s: data are answered in 10 ms, 2 at least, and the way to the sender and
 * back takes 10 more. Its ACKs leave by the queue that 92 Mb/s out fill, after the tap for so long. */
TEST(test_without_stamps_acks_wait_behind_what_waits_after_the_tap_too)
{
    for (int after = 0; after < 2; after++) {
        struct analysis_told flows[] = {{.rate_bps = 92e6}, {.incoming = true, .rate_bps = 4e6}};
        struct analysis_evidence e[2] = {{.floor_s = 5e-3, .loop_least_s = 5e-3, .loop_wait_s = after ? 20e-3 : 0},
                                         {.far_least_s = 10e-3, .loop_least_s = 2e-3, .loop_wait_s = 8e-3}};
        struct analysis_evidence_set set = set_of(e, flows, 2);
        for (int i = 0; i < 2; i++) {
            e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = e[i].clocking.flight_bytes = NAN;
            e[i].clocking.offered_bytes = 39e3;
            e[i].lossless = i > 0;
        }
        struct judge_diagnosis d = decided(&set, NULL, (const double[]){100e6, 100e6});
        assert_all(d.out.saturated && !d.in.saturated, fabs(fact[1].floor_s - 12e-3) < 1e-9 && fact[1].data_wait_s == 0,
                   fabs(fact[1].ack_wait_s - (after ? 28e-3 : 8e-3)) < 1e-9);
        assert_int_equal(d.answer, JUDGE_ANSWER_YES); /* 4 of 6.7 Mb/s, which are a twentieth of 99, and more */
    }
}

/* Without stamps, at the host: 12 Mb/s in of the 30 that frames show, 0.45 out, which are answered in 164 ms and never below 84.
 * Behind 12 Mb/s no ACK waits all the time: data wait in an uplink after the tap, and with them what acknowledges the 12 Mb/s,
 * unless the window they have is not so large that it could. */
TEST(test_without_stamps_data_wait_after_the_tap_where_the_other_way_has_room)
{
    const struct { bool guessed; double in_bps, window_bytes, stands_s, wait_s; } cases[] = {
        {false, 12e6, 300e3, 70e-3, 80e-3}, {false, 12e6, 183e3, 70e-3, 38e-3}, {false, 12e6, 120e3, 70e-3, 0},
        {false, 12e6, NAN, 70e-3, 80e-3},   {false, 12e6, 300e3, 0, 80e-3},     {false, 28e6, 2e6, 70e-3, NAN},
        {true, 12e6, 183e3, 70e-3, 80e-3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct analysis_told flows[] = {{.rate_bps = 0.45e6}, {.incoming = true, .rate_bps = cases[k].in_bps}};
        struct analysis_evidence e[2] = {{.near_least_s = 10e-6, .far_least_s = 84e-3, .floor_s = 130e-3, .lossless = true,
                                          .loop_least_s = 84e-3, .loop_wait_s = 80e-3, .loop_stands_s = cases[k].stands_s},
                                         {.near_least_s = 10e-6, .far_least_s = INFINITY, .floor_s = 130e-3, .lossless = true,
                                          .loop_least_s = k == 3 ? 10e-6 : NAN, .loop_wait_s = k == 3 ? 2e-6 : NAN}};
        struct analysis_evidence_set set = set_of(e, flows, 2);
        for (int i = 0; i < 2; i++)
            e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = e[i].clocking.flight_bytes = e[i].clocking.offered_most_bytes = NAN;
        e[1].clocking.offered_most_bytes = cases[k].window_bytes;
        e[1].clocking.offered_guessed = cases[k].guessed; /* a scale that nobody saw bounds nothing */
        struct judge_diagnosis d = decided(&set, NULL, (const double[]){30e6, NAN});
        if (isnan(cases[k].wait_s)) { /* in is full, and nobody saw whether out is */
            assert_true(isnan(fact[0].ack_wait_s) && isnan(fact[1].ack_wait_s) && d.answer == JUDGE_ANSWER_UNKNOWN);
            continue;
        }
        assert_all(fabs(fact[0].data_wait_s - (k == 3 ? 80.002e-3 : 80e-3)) < 1e-9, fact[0].ack_wait_s == 0,
                   fabs(fact[0].floor_s - 84.01e-3) < 1e-9, fabs(fact[1].ack_wait_s - cases[k].wait_s) < 1e-4,
                   fact[1].data_wait_s == 0, fact[1].floor_s < 85e-3,
                   facts.out.source == JUDGE_CAPACITY_QUEUE);
        assert_true(cases[k].stands_s > 0 ? !(facts.out.works > 0) && facts.out.capacity_bps < 1e6
                                          : facts.out.works > 0.9 && facts.out.works < 1);
        assert_int_equal(d.answer, cases[k].wait_s > 0 ? JUDGE_ANSWER_YES : JUDGE_ANSWER_NO);
    }
}

/* Data to two hosts wait 236 and 2 ms: in no queue that ACKs would share, whose waits do not show. */
TEST(test_without_stamps_queues_by_turns_hold_no_acks)
{
    struct analysis_told flows[] = {{.rate_bps = 3.4e6}, {.rate_bps = 3e6}, {.incoming = true, .rate_bps = 37e6}};
    struct analysis_evidence e[3] = {{.loop_least_s = 64e-3, .loop_wait_s = 236e-3}, {.loop_least_s = 64e-3, .loop_wait_s = 2e-3},
                                     {.floor_s = 62e-3}};
    struct analysis_evidence_set set = set_of(e, flows, 3); /* which are alike, unless they are to two hosts */
    for (int i = 0; i < 3; i++) {
        e[i].peer = (struct capture_address){.bytes = {10, 0, 0, (uint8_t)i}, .family = 4};
        e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = e[i].clocking.flight_bytes = NAN;
    }
    decided(&set, NULL, (const double[]){270e6, NAN});
    assert_true(fabs(fact[0].data_wait_s - 236e-3) < 1e-9 && fabs(fact[1].data_wait_s - 2e-3) < 1e-9 && isnan(fact[2].ack_wait_s));
    e[1].loop_wait_s = 230e-3;
    for (int i = 0; i < 3; i++)
        e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = NAN;
    e[2].floor_s = 62e-3;
    decided(&set, NULL, (const double[]){270e6, NAN});
    assert_true(fact[2].ack_wait_s > 230e-3 && fact[2].floor_s == 62e-3); /* no more than its own handshake took */
}

/* Without stamps of some, nobody places what waits where capacities do not show, nor data after the tap by a part of them; nor
 * where the waits of two hosts' clients are unlike although neither way is full: a tenth of the round trip, and more. */
TEST(test_without_stamps_waits_stay_open)
{
    const struct { double in_bps, out_bps, wait_s[2], stamped_s; bool placed; } cases[] = {
        {NAN, NAN, {50e-3, 50e-3}, NAN, false},    {100e6, NAN, {50e-3, 50e-3}, 30e-3, false}, {100e6, NAN, {50e-3, 50e-3}, NAN, true},
        {100e6, 100e6, {50e-3, 2e-3}, NAN, false}, {100e6, 100e6, {50e-3, 40e-3}, NAN, true},  {100e6, 100e6, {5e-3, 0.1e-3}, NAN, true},
        {42e6, 100e6, {50e-3, 2e-3}, NAN, true}}; /* in is full: there */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct analysis_told flows[] = {{.rate_bps = 4e6}, {.rate_bps = 4e6}, {.rate_bps = 1e6}, {.incoming = true, .rate_bps = 40e6}};
        struct analysis_evidence e[4] = {{.near_least_s = 10e-6, .loop_least_s = 60e-3, .loop_wait_s = cases[k].wait_s[0]},
                                         {.near_least_s = 10e-6, .loop_least_s = 60e-3, .loop_wait_s = cases[k].wait_s[1]},
                                         {.floor_s = 60e-3, .tick_s = 1e-3, .data_wait_s = cases[k].stamped_s}, {.lossless = true}};
        struct analysis_evidence_set set = set_of(e, flows, 4);
        if (isnan(cases[k].stamped_s)) { /* no third flow out */
            e[2] = e[3];
            flows[2] = flows[3];
            set.n = 3;
        }
        for (size_t i = 0; i < set.n; i++) {
            e[i].flow = &flows[i];
            e[i].peer = (struct capture_address){.bytes = {10, 0, 0, (uint8_t)i}, .family = 4};
            e[i].clocking.flight_bytes = e[i].clocking.offered_most_bytes = NAN;
            if (!(e[i].tick_s > 0))
                e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = NAN;
        }
        decided(&set, NULL, (const double[]){cases[k].in_bps, cases[k].out_bps});
        assert_true(isfinite(fact[0].data_wait_s + fact[0].ack_wait_s) == cases[k].placed);
    }
}

/* Without stamps, on the way, after the uplink's queue: what comes in is answered in 205 ms by the host, which takes 30 us, as
 * its ACKs wait there, behind data that have waited when they pass the tap. */
TEST(test_without_stamps_acks_wait_before_the_tap)
{
    struct analysis_told flows[] = {{.rate_bps = 5.2e6}, {.incoming = true, .rate_bps = 20e6}};
    struct analysis_evidence e[2] = {{.near_least_s = 30e-6, .far_least_s = 31e-3, .lossless = true, .loop_least_s = 31e-3,
                                      .loop_wait_s = 0.1e-3},
                                     {.near_least_s = 30e-6, .far_least_s = 31e-3, .lossless = true, .loop_least_s = 30e-6,
                                      .loop_wait_s = 205e-3}};
    struct analysis_evidence_set set = set_of(e, flows, 2);
    for (int i = 0; i < 2; i++)
        e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = e[i].clocking.flight_bytes = e[i].clocking.offered_most_bytes = NAN;
    static struct analysis_capacity_host host;
    e[0].clocking.most_bytes = 31e3;
    struct judge_diagnosis d = decided(&set, &host, (const double[]){130e6, 6.15e6});
    assert_true(isinf(facts.out.drain_s)); /* more is in flight than passed the tap, which does not show */
    assert_all(fabs(fact[1].ack_wait_s - 205.1e-3) < 1e-9, isnan(fact[0].data_wait_s), d.answer == JUDGE_ANSWER_YES,
               d.in.lost_share > 0.5);
}

/* ACKs wait 10 ms while 80 Mb/s go their way. What is in flight there, and ACKs of 100 kB (40 Mb/s for a round trip of
 * 20 ms), 3.1, take 6.4 ms to pass at 100 Mb/s, or 9.6: they wait elsewhere, or there. */
static enum judge_answer answer_by_flight(double flight_bytes, double data_wait_s, bool one_peer)
{
    struct analysis_told flows[] = {{.incoming = true, .rate_bps = 80e6}, {.rate_bps = 40e6}};
    struct analysis_evidence e[2] = {{.data_wait_s = data_wait_s, .floor_s = 10e-3,
                                      .clocking.most_bytes = flight_bytes},
                                     {.floor_s = 10e-3, .ack_wait_s = 10e-3}};
    static struct analysis_capacity_host host;
    struct analysis_evidence_set set = set_of(e, flows, 2);
    for (int i = 0; i < 2; i++) {
        e[i].peer = (struct capture_address){.bytes = {10, 0, 0, (uint8_t)(one_peer ? 1 : 1 + i)}, .family = 4};
        e[i].tick_s = 1e-3;
    }
    struct judge_diagnosis d = decided(&set, &host, (const double[]){100e6, 100e6});
    double least_bytes = fmax(flight_bytes, 80e6 / 8 * data_wait_s) + 100e3 * 90 / (2 * 1448);
    assert_all(fabs(facts.in.drain_s - least_bytes * 8 / 100e6) < 1e-9,
               fabs(fact[1].beside_s - (one_peer ? data_wait_s : 0)) < 1e-9, fabs(fact[0].beside_s) < 1e-9);
    return d.answer;
}

TEST(test_nothing_waits_longer_than_all_in_flight_takes)
{
    assert_int_equal(answer_by_flight(77e3, 0, false), JUDGE_ANSWER_NO);
    assert_int_equal(answer_by_flight(97e3, 0, false), JUDGE_ANSWER_UNKNOWN); /* 10 ms are a quarter more than 8 */
    assert_int_equal(answer_by_flight(117e3, 0, false), JUDGE_ANSWER_YES);
}

/* Unless data that go to the same host, through the same queues, wait as long: wherever that is, ACKs wait behind
 * them. */
TEST(test_acks_wait_behind_data_of_their_whole_way)
{
    assert_int_equal(answer_by_flight(77e3, 9e-3, true), JUDGE_ANSWER_YES);
    assert_int_equal(answer_by_flight(77e3, 5e-3, true), JUDGE_ANSWER_NO);
}

/* How long all takes to pass is not known without the frames, or where a part of them is no TCP. */
TEST(test_what_else_passes_takes_its_time_too)
{
    struct analysis_told flows[] = {{.incoming = true, .rate_bps = 80e6}};
    struct analysis_evidence e[1] = {{.floor_s = 10e-3, .clocking.most_bytes = 100e3, .tick_s = 1e-3}};
    static struct analysis_capacity_host host;
    const double capacity_bps[2] = {100e6, 100e6};
    struct analysis_evidence_set set = set_of(e, flows, 1);
    host.in.all_bytes = 1e6;
    host.in.other_bytes = 0.04e6;
    decided(&set, &host, capacity_bps);
    assert_true(fabs(facts.in.drain_s - 8e-3) < 1e-9);
    assert_true(isinf(facts.out.drain_s)); /* nothing is in flight there */
    host.in.other_bytes = 0.06e6;
    decided(&set, &host, capacity_bps);
    assert_true(isinf(facts.in.drain_s));
    host.in.other_bytes = 0;
    set.beside = false; /* the capture may lack some */
    decided(&set, &host, capacity_bps);
    assert_true(isinf(facts.in.drain_s));
    set.beside = true;
    set.others_bps[1] = 1e6; /* out, which is another queue */
    decided(&set, &host, capacity_bps);
    assert_true(fabs(facts.in.drain_s - 8e-3) < 1e-9);
    set.others_bps[0] = 1e6;
    decided(&set, &host, capacity_bps);
    assert_true(isinf(facts.in.drain_s));
    set.others_bps[0] = 0;
    decided(&set, NULL, capacity_bps);
    assert_true(isinf(facts.in.drain_s));
}

/* What leaves for a queue after the tap comes in bursts, 40 Mb/s of 100 ms here, which are no bound of the link's rate; what
 * passes in all is, 10.24 kB in each 10.24 ms: 8 Mb/s. */
TEST(test_what_is_in_flight_drains_at_what_passes)
{
    struct analysis_told flows[] = {{.rate_bps = 7e6}};
    struct analysis_evidence e[1] = {{.floor_s = 10e-3, .clocking.most_bytes = 100e3, .tick_s = 1e-3}};
    static struct analysis_capacity_host host;
    struct analysis_evidence_set set = set_of(e, flows, 1);
    host.out = (struct analysis_capacity_way){.all_bytes = 1e6, .most_slot_bytes = 500e3,
                                              .carried = {.shift = 10, .n = ANALYSIS_CAPACITY_SLOTS}};
    for (size_t i = 0; i < ANALYSIS_CAPACITY_SLOTS; i++)
        host.out.carried.bytes[i] = 10.24e3;
    set.from_s = 0;
    set.to_s = 2;
    decided(&set, &host, NULL);
    assert_int_equal(facts.out.source, JUDGE_CAPACITY_UNKNOWN);
    assert_true(fabs(facts.out.drain_s - 100e-3) < 1e-9);
}

/* A megabyte of groups of frames at a rate. */
static void host_votes(struct analysis_capacity_way *w, double bps)
{
    size_t step = (size_t)floor(log2(bps / 1e3) * 16);
    w->votes[0][step].bytes = 1e6;
    w->votes[0][step].seconds = 1e6 * 8 / bps;
}

static void waits_of(struct analysis_evidence *e, size_t n, struct analysis_wait *waits, size_t n_waits)
{
    for (size_t i = 0; i < n; i++) {
        e[i].waits = waits;
        e[i].n_waits = n_waits;
        for (size_t k = 0; k < n_waits; k++) /* as they are gathered */
            e[i].queued_s = fmax(e[i].queued_s, waits[k].leg_s[ANALYSIS_LEG_DATA_OUT]);
        e[i].tick_s = 1e-3;
    }
}

/* Of such flows, whose frames come at these rates at the closest. */
static struct judge_diagnosis one_each_way(struct analysis_evidence e[2], struct analysis_told flows[2],
                                           struct analysis_wait waits[2], double in_bps, double out_bps)
{
    static struct analysis_capacity_host host;
    host = (struct analysis_capacity_host){.tag = 0};
    host_votes(&host.in, in_bps);
    host_votes(&host.out, out_bps);
    struct analysis_evidence_set set = set_of(e, flows, 2);
    waits_of(e, 2, waits, 2);
    return decided(&set, &host, NULL);
}

/* Out 32.2 Mb/s fill a link of 35. In 16.4, evenly spaced as their ACKs come out of its queue: had the link 18 Mb/s
 * that way it would be full, but then data would wait there, as they do when it is so. */
TEST(test_an_even_clock_of_acks_is_no_link)
{
    for (int full = 0; full < 2; full++) {
        struct analysis_wait waits[2] = {{.leg_s = {[ANALYSIS_LEG_DATA_OUT] = 20e-3}}, {.start_s = 2.5}};
        struct analysis_told flows[] = {{.incoming = true, .rate_bps = 16.4e6}, {.rate_bps = 32.2e6}};
        struct analysis_evidence e[2] = {
            {.data_wait_s = full ? 15e-3 : 0.4e-3, .ack_wait_s = full ? 5.4e-3 : 20e-3, .floor_s = 10e-3},
            {.data_wait_s = 20e-3, .floor_s = 10e-3}};
        struct judge_diagnosis d = one_each_way(e, flows, waits, 18e6, 35e6);
        assert_true(fabs(d.out.capacity_bps - 35e6) < 1);
        assert_int_equal(d.in.source, full ? JUDGE_CAPACITY_DISPERSION : JUDGE_CAPACITY_ASSUMED);
        assert_true(fabs(d.in.capacity_bps - (full ? 18e6 : 35e6)) < 1);
        assert_true(full ? d.answer == JUDGE_ANSWER_NO : d.probability > 0.8);
    }
}

/* What waits follow is the rate of the link on the way out, whatever rate frames pass the tap at, and whatever passes. */
TEST(test_a_rate_that_waits_follow_is_the_way_outs)
{
    static struct analysis_capacity_host host;
    struct analysis_wait waits[2] = {{.leg_s = {[ANALYSIS_LEG_DATA_OUT] = 20e-3}}, {.start_s = 2.5}};
    struct analysis_told flows[] = {{.incoming = true, .rate_bps = 16.4e6}, {.rate_bps = 32.2e6}};
    struct analysis_evidence e[2] = {{.data_wait_s = 15e-3, .floor_s = 10e-3}, {.data_wait_s = 20e-3, .floor_s = 10e-3}};
    struct analysis_evidence_set set = set_of(e, flows, 2);
    waits_of(e, 2, waits, 2);
    host_votes(&host.in, 18e6);
    host_votes(&host.out, 1e9);
    set.followed_bps = 35e6;
    struct judge_diagnosis d = decided(&set, &host, NULL);
    assert_int_equal(d.out.source, JUDGE_CAPACITY_FOLLOWED);
    assert_true(d.out.capacity_bps == 35e6 && fabs(d.in.capacity_bps - 18e6) < 1);
}

/* One flow each way with equal windows, so equally fast, behind the other end's uplink of 114 Mb/s: if it is ACKs of
 * outgoing data that wait there, the gigabit at which these pass the tap is their way's; if they wait themselves, a
 * shaper lets bursts pass. */
TEST(test_equal_rates_are_no_equal_links)
{
    for (int data = 0; data < 2; data++) {
        struct analysis_wait waits[2] = {{.leg_s = {[ANALYSIS_LEG_DATA_OUT] = 18e-3}}, {.start_s = 2.5}};
        struct analysis_told flows[] = {{.incoming = true, .rate_bps = 104.3e6}, {.rate_bps = 104.1e6}};
        struct analysis_evidence e[2] = {
            {.data_wait_s = 17.7e-3, .floor_s = 0.23e-3},
            {.data_wait_s = data ? 17e-3 : 0.8e-3, .ack_wait_s = data ? 0.8e-3 : 17e-3, .floor_s = 0.23e-3}};
        struct judge_diagnosis d = one_each_way(e, flows, waits, 114e6, 1e9);
        assert_int_equal(d.answer, data ? JUDGE_ANSWER_NO : JUDGE_ANSWER_YES);
        assert_true(fabs(d.out.capacity_bps - (data ? 114e6 : 1e9)) < 1);
    }
}

/* What passes the tap at 150 Mb/s, in long trains at 120, is taken for a burst of a shaper at the other way's 114, unless it
 * waited before the tap: for four frames at 114, of 1538 bytes on the wire, 432 us. */
TEST(test_data_that_waited_before_the_tap_were_no_burst)
{
    for (int long_before = 0; long_before < 2; long_before++) {
        struct analysis_wait waits[2] = {{.leg_s = {[ANALYSIS_LEG_DATA_OUT] = 18e-3}}, {.start_s = 2.5}};
        struct analysis_told flows[] = {{.incoming = true, .rate_bps = 104.3e6}, {.rate_bps = 104.1e6}};
        struct analysis_evidence e[2] = {
            {.data_wait_s = 17.7e-3, .floor_s = 0.23e-3},
            {.data_wait_s = 17e-3, .ack_wait_s = 0.8e-3, .floor_s = 0.23e-3, .before_s = long_before ? 440e-6F : 424e-6F}};
        struct analysis_capacity_host host = {.out.train_bps = 120e6};
        host_votes(&host.in, 114e6);
        host_votes(&host.out, 150e6);
        struct analysis_evidence_set set = set_of(e, flows, 2);
        waits_of(e, 2, waits, 2);
        decided(&set, &host, NULL);
        assert_true(fabs(facts.out.capacity_bps - (long_before ? 150e6 : 114e6)) < 1);
    }
}

/* In 80 Mb/s through 100, of which nothing is known the other way: as fast, for all that is known. */
TEST(test_a_link_is_assumed_to_be_as_fast_both_ways)
{
    struct analysis_told flows[] = {{.incoming = true, .rate_bps = 80e6}, {.rate_bps = 40e6}};
    struct analysis_evidence e[2] = {{.floor_s = 20e-3}, {.floor_s = 20e-3}};
    struct analysis_evidence_set set = set_of(e, flows, 2);
    decided(&set, NULL, (const double[]){100e6, NAN});
    assert_ints({facts.in.source, JUDGE_CAPACITY_KNOWN}, {facts.out.source, JUDGE_CAPACITY_ASSUMED});
    assert_true(facts.out.capacity_bps == 100e6);
    for (int line = 0; line < 2; line++) /* of an Ethernet, or not, with windows as large out as in, or half */
        for (int same = 0; same < 2; same++) {
            e[0].clocking.flight_bytes = 200e3;
            e[1].clocking.flight_bytes = same ? 190e3 : 100e3;
            decided(&set, NULL, (const double[]){line ? 100e6 : 90e6, NAN});
            assert_true(facts.out.unlike == (!line && same) && !facts.in.unlike);
        }
    decided(&set, NULL, (const double[]){100e6, INFINITY}); /* a shaper of one direction */
    assert_int_equal(facts.out.source, JUDGE_CAPACITY_UNKNOWN);
    assert_true(isnan(facts.out.capacity_bps));
    flows[1].rate_bps = 98e6; /* which could not carry that */
    decided(&set, NULL, (const double[]){100e6, NAN});
    assert_int_equal(facts.out.source, JUDGE_CAPACITY_UNKNOWN);
    decided(&set, NULL, NULL);
    assert_int_equal(facts.in.source, JUDGE_CAPACITY_UNKNOWN);
    assert_true(isnan(facts.in.capacity_bps));
}

/* Nothing is faster than the interface that made the capture. A slower link may be farther away, where data wait. */
TEST(test_an_interface_bounds_what_no_data_wait_for)
{
    struct analysis_told flows[] = {{.incoming = true, .rate_bps = 80e6}, {.rate_bps = 40e6}};
    struct analysis_evidence e[2] = {{.floor_s = 20e-3, .data_wait_s = 1e-3}, {.floor_s = 20e-3, .data_wait_s = 4e-3}};
    struct analysis_evidence_set set = set_of(e, flows, 2);
    set.interface_bps = 1e9;
    decided(&set, NULL, NULL);
    assert_int_equal(facts.in.source, JUDGE_CAPACITY_INTERFACE); /* 1 of 21 ms */
    assert_true(facts.in.capacity_bps == 1e9);
    assert_int_equal(facts.out.source, JUDGE_CAPACITY_UNKNOWN); /* 4 of 24 */
    decided(&set, NULL, (const double[]){2e9, 2e9});
    assert_int_equal(facts.in.source, JUDGE_CAPACITY_KNOWN);
}

/* A queue that always stands, of 10 Mb/s of data and as much that is no TCP: the link passes both. */
TEST(test_a_standing_queue_of_other_traffic_too)
{
    static struct analysis_capacity_host host; /* no group of frames votes */
    struct analysis_wait waits[2] = {{.data_s = 10e-3}, {.start_s = 2.5, .data_s = 10e-3}};
    struct analysis_told flow = {.incoming = true, .rate_bps = 10e6};
    struct analysis_evidence e = {.data_wait_s = 10e-3, .floor_s = 10e-3};
    struct analysis_evidence_set set = set_of(&e, &flow, 1);
    waits_of(&e, 1, waits, 2);
    set.other_bps[0] = 10e6;
    set.other_bps[1] = 3e6;
    struct judge_diagnosis d = decided(&set, &host, NULL);
    assert_int_equal(d.in.source, JUDGE_CAPACITY_QUEUE);
    assert_all(fabs(d.in.capacity_bps - (10e6 * 1538 / 1448 + 10e6)) < 1,
               facts.in.other_bps == 10e6 && facts.out.other_bps == 3e6, d.in.saturated);
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
}

/* All data go out, and their queue stands, but for the tenth of the phase in which it fills. A tap before it sees them
 * leave the host at 10 Gb/s: that is no link of theirs. With data the other way a queue that runs empty once proves
 * nothing. */
TEST(test_a_standing_queue_behind_the_tap)
{
    for (int both = 0; both < 2; both++) {
        static struct analysis_capacity_host host;
        host = (struct analysis_capacity_host){.tag = 0};
        host_votes(&host.out, 10e9);
        struct analysis_wait waits[20];
        for (int i = 0; i < 20; i++)
            waits[i] = (struct analysis_wait){.start_s = 0.25 * i, .data_s = i ? 10e-3 : 0,
                                              .leg_s = {[ANALYSIS_LEG_DATA_OUT] = 10e-3}};
        struct analysis_told flows[] = {{.rate_bps = 60e6}, {.incoming = true, .rate_bps = 1e6}};
        struct analysis_evidence e[2] = {{.data_wait_s = 10e-3, .floor_s = 2e-3}, {.floor_s = 2e-3}};
        struct analysis_evidence_set set = set_of(e, flows, (size_t)(1 + both));
        waits_of(e, (size_t)(1 + both), waits, 20);
        struct judge_diagnosis d = decided(&set, &host, NULL);
        assert_int_equal(d.out.source, both ? JUDGE_CAPACITY_DISPERSION : JUDGE_CAPACITY_QUEUE);
        assert_all(both || fabs(d.out.capacity_bps - 60e6 * 1538 / 1448) < 1, both || d.cause == JUDGE_CAUSE_ONE_WAY);
    }
}

/* A queue of 20 ms has stood all the time: what a flow's data waited in shows its link by how frames leave it, what its ACKs
 * did does not. */
TEST(test_frames_show_the_link_of_a_queue_that_data_stood_in)
{
    for (int data = 0; data < 2; data++) {
        struct analysis_wait waits[2] = {{.start_s = 0}, {.start_s = 2.5}};
        struct analysis_told flows[] = {{.incoming = true, .rate_bps = 16e6}, {.rate_bps = 4e6}};
        struct analysis_evidence e[2] = {{.data_wait_s = 20e-3, .floor_s = 10e-3, .missing_s = {20e-3, 0}},
                                         {.floor_s = 10e-3}};
        e[1].data_wait_s = data ? 20e-3 : 0;
        e[1].ack_wait_s = data ? 0 : 20e-3;
        e[1].missing_s[!data] = 20e-3;
        struct judge_diagnosis d = one_each_way(e, flows, waits, 18e6, 50e6);
        assert_true(d.in.source == JUDGE_CAPACITY_DISPERSION && fabs(d.in.capacity_bps - 18e6) < 1);
        assert_int_equal(d.out.source, data ? JUDGE_CAPACITY_DISPERSION : JUDGE_CAPACITY_ASSUMED);
    }
}

/* Data out wait 4 ms of a round trip of 20 after the tap, and half a tick less before it: their link works for
 * 2 * 4 / 20 of the time at least, if windows come as bursts. It passes 40 Mb/s and ACKs of 10, 42.8, in that time; all the
 * time, where no packet waits less than 3 ms at any time, unless all in flight has two ACKs. */
TEST(test_a_link_after_the_tap_works_for_a_share_of_the_time)
{
    static struct analysis_capacity_host host; /* no group of frames votes */
    enum { SOMETIMES, ALWAYS, TIMED, READER, HOWS };
    for (int how = 0; how < HOWS; how++) {
        const bool reader = how == READER, always = how == ALWAYS, timed = how == TIMED;
        struct analysis_wait waits[2] = {{.least_s = always || timed ? 3e-3 : 0}, {.start_s = 2.5, .least_s = 3e-3}};
        struct analysis_told flows[] = {{.rate_bps = 40e6}, {.incoming = true, .rate_bps = 10e6}};
        struct analysis_evidence e[2] = {{.data_wait_s = 5e-3, .beyond_s = 4.5e-3, .floor_s = 15e-3, .reader = reader},
                                         {.floor_s = 20e-3}};
        struct analysis_evidence_set set = set_of(e, flows, 2);
        waits_of(e, 2, waits, 2);
        e[0].clocking.flight_bytes = timed ? 2 * 2 * 1448 : 100e3;
        decided(&set, &host, NULL);
        assert_int_equal(facts.out.source, reader ? JUDGE_CAPACITY_UNKNOWN : JUDGE_CAPACITY_QUEUE);
        if (reader) /* whom its data wait for */
            continue;
        double passes_bps = 40e6 * 1538 / 1448 + 10e6 * 90 / (2 * 1448);
        assert_true(fabs(facts.out.works - (always ? 0 : 0.4)) < 1e-9);
        assert_true(fabs(facts.out.capacity_bps - passes_bps / (always ? 1 : 0.4)) < 1);
    }
}

/* Data of two peers wait 40 ms after the tap, and 1 ms, both at a fair share: not in one queue. What passes both ways there is no
 * link's rate. A peer that carries a quarter of a mean share may have turns of its own. */
TEST(test_data_that_wait_apart_have_links_of_their_own)
{
    static struct analysis_capacity_host host; /* no group of frames votes */
    for (int how = 0; how < 3; how++) {
        struct analysis_wait waits[2] = {{.least_s = 1e-3}, {.start_s = 2.5, .least_s = 1e-3}};
        struct analysis_told flows[] = {{.rate_bps = 40e6}, {.rate_bps = how == 1 ? 5e6 : 40e6}};
        double wait_s = how == 2 ? 30e-3 : 1e-3;
        struct analysis_evidence e[2] = {
            {.data_wait_s = 40e-3, .beyond_s = 40e-3, .floor_s = 20e-3, .peer = {.family = 4, .bytes = {1}}},
            {.data_wait_s = wait_s, .beyond_s = wait_s, .ack_wait_s = 2e-3, .floor_s = 20e-3, .peer = {.family = 4, .bytes = {2}}}};
        struct analysis_evidence_set set = set_of(e, flows, 2);
        waits_of(e, 2, waits, 2);
        decided(&set, &host, NULL);
        assert_int_equal(facts.out.source, how == 0 ? JUDGE_CAPACITY_UNKNOWN : JUDGE_CAPACITY_QUEUE);
    }
}

/* What always waits after the tap at one rate has a link whose queue never runs empty; at 20 Mb/s for a second and at 60 for
 * the next, it has none: jitter makes data wait so, too. With losses, nobody knows. */
TEST(test_what_leaves_a_standing_queue_is_even)
{
    static struct analysis_capacity_host host; /* no group of frames votes */
    for (int how = 0; how < 3; how++) {
        struct analysis_wait waits[2] = {{.least_s = 3e-3}, {.start_s = 2.5, .least_s = 3e-3}};
        struct analysis_told flow = {.rate_bps = 40e6, .loss_events = how == 2};
        struct analysis_bins bins;
        struct analysis_evidence e = {.data_wait_s = 5e-3, .beyond_s = 4.5e-3, .floor_s = 15e-3, .bins = &bins};
        struct analysis_evidence_set set = set_of(&e, &flow, 1);
        waits_of(&e, 1, waits, 2);
        e.clocking.flight_bytes = 100e3;
        analysis_bins_init(&bins, 0);
        for (int ms = 0; ms < 5000; ms++) {
            int64_t mbps = how == 0 ? 40 : ms % 2000 < 1000 ? 20 : 60;
            analysis_bins_at(&bins, ms * INT64_C(1000000))->bytes += mbps * 1000 / 8;
        }
        decided(&set, &host, NULL);
        assert_int_equal(facts.out.source, JUDGE_CAPACITY_QUEUE);
        assert_true((facts.out.works > 0) == (how == 1)); /* a share of the time alone */
        analysis_bins_fini(&bins);
    }
}

/* Without stamps, 94 Mb/s in, one frame after the other at 100, and 9 out: their ACKs wait there, unless ACKs that pass fall
 * anywhere between those frames, as they do where a sender has that pace, on a link of any rate. */
TEST(test_without_stamps_a_pace_fills_no_link)
{
    for (int paced = 0; paced < 2; paced++) {
        static struct analysis_capacity_host host;
        struct analysis_told flows[] = {{.rate_bps = 9e6}, {.incoming = true, .rate_bps = 93e6}};
        struct analysis_evidence e[2] = {{.near_least_s = 10e-6, .loop_least_s = 20e-3, .loop_wait_s = 100e-3}, {.lossless = true}};
        struct analysis_evidence_set set = set_of(e, flows, 2);
        for (int i = 0; i < 2; i++)
            e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = e[i].clocking.flight_bytes = e[i].clocking.offered_most_bytes = NAN;
        memset(&host, 0, sizeof host);
        for (int64_t i = 0, at_ns = 1; i < 1000; i++, at_ns += paced ? 123040 : 129760) {
            analysis_spacing_add(&host.in.spacing, &(uint32_t){1538}, &at_ns, 1, 1);
            analysis_spacing_add(&host.in.spacing, &(uint32_t){84}, &(int64_t){at_ns + (paced ? 123040 * (i % 97 + 1) / 99 : 6720)}, 1, 1);
        }
        decided(&set, &host, (const double[]){100e6, 100e6});
        assert_true(paced ? isnan(fact[0].ack_wait_s) : fabs(fact[0].ack_wait_s - 100e-3) < 1e-9);
    }
}

/* Without stamps, 28 of 30 Mb/s in and 9 out, answered in 120 ms and never below 20. What goes out, at 8 Mb/s for a second and
 * at 10 for the next, has no full link; were it even, it might have one. Between Ethernets it has none: they are as fast out. */
TEST(test_without_stamps_what_goes_out_unevenly_has_room)
{
    for (int how = 0; how < 3; how++) {
        struct analysis_told flows[] = {{.rate_bps = 9e6}, {.incoming = true, .rate_bps = how == 2 ? 93e6 : 28e6}};
        struct analysis_bins bins;
        struct analysis_evidence e[2] = {{.near_least_s = 10e-6, .far_least_s = 20e-3, .lossless = true, .loop_least_s = 20e-3,
                                          .loop_wait_s = 100e-3, .bins = &bins}, {.lossless = true}};
        struct analysis_evidence_set set = set_of(e, flows, 2);
        for (int i = 0; i < 2; i++)
            e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = e[i].clocking.flight_bytes = e[i].clocking.offered_most_bytes = NAN;
        set.segments_per_ack = 20; /* nearly all that goes out is data */
        analysis_bins_init(&bins, 0);
        for (int ms = 0; ms < 5000; ms++)
            analysis_bins_at(&bins, ms * INT64_C(1000000))->bytes += (how != 1 ? 9 : ms % 2000 < 1000 ? 8 : 10) * INT64_C(1000) / 8;
        decided(&set, NULL, (const double[]){how == 2 ? 100e6 : 30e6, NAN});
        assert_true(how == 0 ? isnan(fact[0].ack_wait_s) : fabs(fact[0].ack_wait_s - 100e-3) < 1e-9 && fact[0].data_wait_s == 0);
        analysis_bins_fini(&bins);
    }
}

/* A host of 10 Gb/s, its flows out as fast as 1 Gb/s lets each of two. Stamps do not tell what waits 0.7 ms after the
 * tap: ACKs wait no longer than the data that come in, the rest are data before those links. */
TEST(test_data_behind_lines_of_their_own)
{
    for (int line = 0; line < 2; line++) {
        double rate_bps = line ? 941.5e6 : 700e6;
        struct analysis_told flows[] = {{.rate_bps = rate_bps}, {.rate_bps = rate_bps},
                                        {.incoming = true, .rate_bps = 3e9}};
        struct analysis_evidence e[3] = {{.ack_wait_s = 0.7e-3}, {.ack_wait_s = 0.7e-3}, {.data_wait_s = 0.1e-3}};
        struct analysis_evidence_set set = set_of(e, flows, 3);
        for (int i = 0; i < 3; i++) {
            e[i].floor_s = 30e-6;
            e[i].clocking.tight_share = 0.5; /* pairs of frames: nothing has spaced them yet */
        }
        decided(&set, NULL, (const double[]){10e9, 10e9});
        for (int i = 0; i < 2; i++) {
            assert_true(fabs(fact[i].data_wait_s - (line ? 0.6e-3 : 0)) < 1e-9);
            assert_true(fabs(fact[i].ack_wait_s - (line ? 0.1e-3 : 0.7e-3)) < 1e-9);
        }
        assert_false(facts.out.apart);
        e[0].clocking.tight_share = e[1].clocking.tight_share = 0.01; /* these links have */
        decided(&set, NULL, (const double[]){10e9, 10e9});
        assert_true(facts.out.apart == line && !facts.in.apart);
    }
}

/* Outgoing data pass the tap at a gigabit and wait 6 of 20 ms after it; 114 Mb/s are no Ethernet's, and may be what
 * they wait for. */
TEST(test_data_that_wait_after_a_tap_at_a_line_have_a_slower_link)
{
    for (int line = 0; line < 2; line++) {
        struct analysis_wait waits[2] = {{.leg_s = {[ANALYSIS_LEG_DATA_OUT] = 7e-3}}, {.start_s = 2.5}};
        struct analysis_told flows[] = {{.incoming = true, .rate_bps = 50e6}, {.rate_bps = 50e6}};
        struct analysis_evidence e[2] = {{.floor_s = 20e-3},
                                         {.data_wait_s = 6e-3, .after_s = 6e-3F, .floor_s = 14e-3}};
        one_each_way(e, flows, waits, 200e6, line ? 1e9 : 114e6);
        assert_int_equal(facts.out.source, JUDGE_CAPACITY_DISPERSION);
        assert_true(facts.out.slower == line && !facts.in.slower);
    }
}

/* Incoming data alone whose ACKs wait 80 ms of 100, at every second slot so much more and less; in the first of ten
 * slots not yet. */
static enum judge_cause cause_of_late_acks(double swing_s, double other_bps, int empty)
{
    struct analysis_wait waits[10];
    struct analysis_told flow = {.incoming = true, .rate_bps = 10e6};
    for (int i = 0; i < 10; i++)
        waits[i] = (struct analysis_wait){.start_s = 0.5 * i, .ack_s = i % 2 ? 0.08 + swing_s : 0.08 - swing_s};
    for (int i = 0; i < empty; i++)
        waits[i].ack_s = 0;
    struct analysis_evidence e = {.floor_s = 0.02, .ack_wait_s = 0.08};
    struct analysis_evidence_set set = set_of(&e, &flow, 1);
    waits_of(&e, 1, waits, 10);
    set.other_bps[1] = other_bps;
    struct judge_diagnosis d = decided(&set, NULL, (const double[]){50e6, NAN});
    assert_int_equal(d.answer, JUDGE_ANSWER_NO);
    assert_true(facts.in.acks_stand == (d.cause == JUDGE_CAUSE_THIN_PATH) && !facts.in.acks_beyond);
    return d.cause;
}

/* Queues on the other side of the tap hold what the capture does not show, and with bulk data of others in it on this side,
 * too, as does the host's own queue what a filter left out: where most of what ACKs wait is there, and is more than a twentieth of the round trip. Those that have passed it when
 * they pass the tap come as evenly as a queue of nothing but ACKs serves them, or at distances of 0.1 and 0.3 ms by turns. */
TEST(test_acks_wait_where_the_capture_does_not_show_others)
{
    const struct { bool incoming, others, hidden, mixed; double wait_s, far; int64_t first_ns; } cases[] = {
        {true, false, true, false, 0.08, 1, 200000},   {true, false, false, false, 0.08, 0.4, 200000},
        {true, false, false, false, 0.001, 1, 200000}, {true, true, false, false, 0.08, 0.4, 200000},
        {true, true, true, true, 0.08, 0.4, 100000},   {true, true, true, false, 0.08, 0.6, 100000},
        {false, false, false, false, 0.08, 1, 200000}, {false, false, true, true, 0.08, 1, 100000},
        {true, false, true, true, 0.08, 0.4, 100000},
        {false, false, false, false, 0.08, 0.4, 100000}, {false, true, true, false, 0.08, 0.4, 200000},
        {true, false, true, false, NAN, 1, 200000}, {false, false, true, false, NAN, 1, 200000}}; /* without stamps */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_capacity *c = analysis_capacity_new();
        struct capture_segment ack = stamped(A_TO_B, 0, 0, 0, 1, 1), other = ack;
        int64_t at_ns = 0;
        for (int k = 0; k < 10000; k++, at_ns += k % 2 ? cases[i].first_ns : 400000 - cases[i].first_ns)
            analysis_capacity_add(c, &ack, ANALYSIS_CAPACITY_NO_SLOT, 0, 0, at_ns);
        analysis_capacity_bulk(c, &ack);
        other.src.bytes[0] = other.dst.bytes[0] = 99;
        if (cases[i].others)
            analysis_capacity_bulk(c, &other);
        struct analysis_told flow = {.incoming = cases[i].incoming, .rate_bps = 10e6};
        struct analysis_evidence e = {.floor_s = 0.02, .ack_wait_s = cases[i].wait_s,
                                      .ack_far_s = cases[i].far * cases[i].wait_s};
        struct analysis_evidence_set set = set_of(&e, &flow, 1);
        set.to_s = 2;
        struct judge_link in, out, *own = cases[i].incoming ? &in : &out, *back = cases[i].incoming ? &out : &in;
        analysis_link_find(&set, analysis_capacity_find(c, cases[i].incoming ? &ack.src : &ack.dst, 0), NULL, &in, &out);
        assert_true(own->acks_hidden == cases[i].hidden && own->acks_mixed == cases[i].mixed);
        assert_true(!back->acks_hidden && !back->acks_mixed);
        analysis_capacity_free(c);
    }
}

/* 9.4155 Mb/s are 10 of an Ethernet on the wire, which is chance where data hardly wait: no link on their way is full then. */
TEST(test_a_rate_like_a_lines_is_chance_where_data_hardly_wait)
{
    for (int waits = 0; waits < 2; waits++) {
        struct analysis_told flow = {.incoming = true, .rate_bps = 10e6 * 1448 / 1538};
        struct analysis_evidence e = {.floor_s = 0.02, .data_wait_s = waits ? 0.011 : 0.009, .ack_wait_s = 0.07};
        struct analysis_evidence_set set = set_of(&e, &flow, 1);
        struct judge_diagnosis d = decided(&set, NULL, NULL);
        assert_int_equal(d.in.source, waits ? JUDGE_CAPACITY_QUEUE : JUDGE_CAPACITY_UNKNOWN);
    }
}

TEST(test_acks_behind_acks_alone)
{
    assert_int_equal(cause_of_late_acks(0.03, 0, 0), JUDGE_CAUSE_THIN_PATH);
    assert_int_equal(cause_of_late_acks(0.03, 0, 1), JUDGE_CAUSE_THIN_PATH); /* a queue that has yet to fill */
    assert_int_equal(cause_of_late_acks(0.03, 0, 3), JUDGE_CAUSE_WINDOW);
    assert_int_equal(cause_of_late_acks(0.07, 0, 0), JUDGE_CAUSE_WINDOW); /* a host that answers late */
}

/* 100 times in 5 s all is acknowledged, 50 ms each, and 8 Mb/s make 50 kB of these. Windows of 20 kB are full twice in
 * a cycle before its last ACK: three ACKs are waited for, 4 ms each; the last is no ACK if data prompt what follows. Data that
 * pass within a round trip of 14 ms met a full window once: 18 ms to the ACK of the last, which comes after 4. */
TEST(test_an_application_that_is_answered_makes_cycles)
{
    struct analysis_told flow = {.incoming = true, .rate_bps = 8e6};
    struct analysis_evidence e = {.floor_s = 10e-3, .ack_wait_s = 4e-3, .loop_wait_s = 4e-3, .tick_s = 1e-3,
                                  .clocking = {.restarts = 100, .clocked = 0.1, .clocked_sd = 0.05, .answered_s = 32e-3,
                                               .flight_bytes = 15e3, .most_bytes = 20e3, .offered_bytes = 60e3}};
    struct analysis_evidence_set set = set_of(&e, &flow, 1);
    decided(&set, NULL, (const double[]){1e9, 1e9});
    assert_true(fabs(fact[0].cycle_s - 50e-3) < 1e-9 && fabs(fact[0].cycle_wait_s - 3 * 4e-3) < 1e-9);
    assert_true(fact[0].clocked == 0.1 && fact[0].clocked_sd == 0.05);
    struct analysis_told flows[] = {flow, flow};
    struct analysis_evidence all[2] = {e, e};
    struct analysis_evidence_set both = set_of(all, flows, 2);
    decided(&both, NULL, (const double[]){1e9, 1e9});
    for (int i = 0; i < 2; i++)
        assert_all_near(1e-9, {fact[i].cycle_s, 50e-3}, {fact[i].cycle_wait_s, 3 * 4e-3});
    e.clocking.prompted = 0.9;
    decided(&set, NULL, (const double[]){1e9, 1e9});
    assert_true(fabs(fact[0].cycle_wait_s - 2 * 4e-3) < 1e-9);
    e.clocking.answered_s = 18e-3;
    decided(&set, NULL, (const double[]){1e9, 1e9});
    assert_true(fabs(fact[0].cycle_wait_s - 4e-3) < 1e-9);
    e.clocking.restarts = 7; /* too few */
    decided(&set, NULL, (const double[]){1e9, 1e9});
    assert_true(isnan(fact[0].cycle_s) && isnan(fact[0].clocked));
    e.clocking.restarts = 100;
    e.clocking.flight_bytes = 101e3; /* more is in flight than two cycles have: it waits for none */
    decided(&set, NULL, (const double[]){1e9, 1e9});
    assert_true(isnan(fact[0].cycle_s) && isnan(fact[0].clocked));
}

/* 8 Mb/s times 14 ms are 14 kB in flight on average, by Little's law; if there are 20 kB while it sends, it rests for 3/10 of
 * the time. Who never has everything acknowledged never rests, nor does who has more in flight than shows. */
TEST(test_what_is_in_flight_for_a_share_of_the_time_rests_for_the_other)
{
    struct analysis_told flow = {.rate_bps = 8e6};
    struct analysis_evidence e = {.floor_s = 10e-3, .ack_wait_s = 4e-3,
                                  .clocking = {.restarts = 3, .flight_bytes = 20e3, .peak_bytes = 30e3}};
    struct analysis_evidence_set set = set_of(&e, &flow, 1);
    decided(&set, NULL, NULL);
    assert_true(fabs(fact[0].rests - 0.3) < 1e-9 && fabs(fact[0].sender.peak_bytes - 30e3) < 1e-9);
    e.clocking.flight_bytes = 13e3;
    decided(&set, NULL, NULL);
    assert_true(fact[0].rests <= 0 && fact[0].rests >= 0);
    e.clocking.flight_bytes = NAN;
    decided(&set, NULL, NULL);
    assert_true(fact[0].rests <= 0);
    e.clocking.flight_bytes = 20e3;
    e.clocking.gaps_s = 0.1;
    decided(&set, NULL, NULL);
    assert_true(fabs(fact[0].sender.idle - (0.1 - 3 * 14e-3) / (set.to_s - set.from_s)) < 1e-9);
    e.ack_wait_s = NAN; /* then it is not known what of the gaps is its round trip */
    decided(&set, NULL, NULL);
    assert_true(fact[0].sender.idle <= 0 && fact[0].sender.idle >= 0);
    e.ack_wait_s = 4e-3;
    e.clocking.restarts = 0;
    decided(&set, NULL, NULL);
    assert_true(fact[0].rests <= 0);
}

/* Of a round trip of 20 ms stamps of 5 ms show nothing, finer ones do. */
TEST(test_waits_of_a_few_ticks_of_the_capture_are_not_known)
{
    for (int coarse = 0; coarse < 2; coarse++) {
        struct analysis_wait waits[2] = {{.start_s = 0}, {.start_s = 2.5}};
        struct analysis_told flow = {.incoming = true, .rate_bps = 10e6};
        struct analysis_evidence e = {.data_wait_s = 5e-3, .ack_wait_s = 5e-3, .floor_s = 9.9e-3};
        struct analysis_evidence_set set = set_of(&e, &flow, 1);
        waits_of(&e, 1, waits, 2);
        set.stamp_s = coarse ? 5e-3 : 1e-3;
        decided(&set, NULL, (const double[]){1e9, 1e9});
        assert_true(coarse ? isnan(fact[0].ack_wait_s) && isnan(fact[0].data_wait_s) : fact[0].ack_wait_s == 5e-3);
    }
}
