/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/facts.h"
#include "analysis/floors.h"
#include "analysis/standing.h"
#include "judge/limit.h"
#include "test/analysis/segment.h"

#define US INT64_C(1000)
#define SEGMENT 1000
#define BURST 8    /* segments at once, 10 us apart at the tap */
#define BURSTS 100 /* one every 5 ms */
#define FULL 1448
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
static struct analysis_told described;
static const struct analysis_standing median = {.sure = 0.5};

/* As analysis/diagnosis.c does. */
static void gather(const struct analysis_flows *f, const struct analysis_told *flows, size_t n, double from_s,
                   double to_s)
{
    struct analysis_evidence_set before = {.n = 0};
    analysis_evidence_gather(&set, &before, f, NULL, flows, n, NULL, from_s, to_s);
    analysis_floors_find(&set);
    analysis_standing_take(&set, NULL, &median);
    analysis_evidence_divide(&set);
}

static const struct analysis_evidence *gathered(const struct analysis_flows *f)
{
    described = (struct analysis_told){.idle = true, .rate_bps = BURST * SEGMENT * 8 / 5e-3};
    gather(f, &described, 1, 0, TO_S);
    return set.flow;
}

TEST(test_what_an_application_writes_at_once_waits_for_itself)
{
    struct analysis_flows *f = flow_that_writes(true);
    const struct analysis_evidence *e = gathered(f);
    assert_true(fabs(e->data_wait_s - 35e-6) < 2e-6); /* 10 us for each of those before it */
    assert_all(fabs(e->ack_wait_s) < 2e-6, fabs(e->floor_s - 105e-6) < 2e-6);
    analysis_evidence_free(&set);
    analysis_flows_free(f);
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* What the host before has of its flows is that of their other end, but for where that is, and only of the same phase. */
TEST(test_evidence_of_one_host_is_that_of_the_other_end_of_its_flows)
{
    for (int which = 0; which < 3; which++) { /* the same; of another time; of a flow that is not known to be as fast */
        struct analysis_flows *f = flow_that_writes(true);
        struct analysis_told out = {.rate_bps = BURST * SEGMENT * 8 / 5e-3}, in = {.incoming = true, .rate_bps = out.rate_bps};
        struct analysis_evidence_set before = {.n = 0}, first, second, alone;
        in.rate_bps *= which == 2 ? 10 : 1; /* then of shorter spans */
        analysis_evidence_gather(&first, &before, f, NULL, &out, 1, NULL, 0, which == 1 ? TO_S / 2 : TO_S);
        const struct analysis_wait *waits = first.waits;
        const struct capture_address host = first.address, peer = first.flow->peer;
        analysis_evidence_gather(&second, &first, f, NULL, &in, 1, NULL, 0, TO_S);
        analysis_evidence_gather(&alone, &before, f, NULL, &in, 1, NULL, 0, TO_S);
        const struct analysis_evidence *e = second.flow, *x = alone.flow;
        assert_all(which > 0 || second.waits == waits, first.n == 0, second.n == 1, e->flow == &in);
        assert_all(capture_address_same(&second.address, &peer), capture_address_same(&e->peer, &host));
        assert_all(e->near_s == x->near_s, e->far_s == x->far_s, e->near_s != e->far_s, second.beside == alone.beside);
        assert_all(second.full_bytes == alone.full_bytes, same(second.ci95_bps, alone.ci95_bps), e->n_waits == x->n_waits);
        assert_all(same(e->fastest_bps, x->fastest_bps), e->clocking.span_s == x->clocking.span_s,
                   same(e->trips_slope, x->trips_slope), same(e->floor_s, x->floor_s), same(e->loop_wait_s, x->loop_wait_s));
        for (int k = 0; k < ANALYSIS_LEGS; k++)
            assert_true(same(e->leg_s[k], x->leg_s[k]));
        analysis_evidence_free(&second);
        analysis_evidence_free(&alone);
        analysis_flows_free(f);
    }
}

TEST(test_unknown_waits_stay_unknown)
{
    struct analysis_flows *f = flow_that_writes(false);
    const struct analysis_evidence *e = gathered(f);
    assert_all(isnan(e->data_wait_s), isnan(e->ack_wait_s));
    analysis_evidence_free(&set);
    analysis_flows_free(f);
}

/* A flow in never saw 50 ms of its far loop. When that was at its least, data of an outgoing flow waited for 40 ms and their
 * ACKs for 5, and a smaller one shows the reverse, its receiver's timer: ACKs of the first waited on the way out. */
TEST(test_what_more_is_carried_with_tells_where_a_queue_stood)
{
    for (int which = 0; which < 6; which++) {
        const int larger = 1 + which % 2, beside = which / 2; /* of the others goes to the same end: both, or this one, */
        const bool there = beside == 0 ? larger == 1 : beside == 1; /* which is asked alone */
        struct analysis_told told[3] = {{.incoming = true, .rate_bps = 1e6}, {.rate_bps = 1e6}, {.rate_bps = 1e6}};
        struct analysis_evidence e[3];
        struct analysis_wait waits[3][2];
        told[larger].rate_bps = 3e6;
        for (int i = 0; i < 3; i++) {
            e[i] = (struct analysis_evidence){.flow = &told[i], .waits = waits[i], .n_waits = 2, .width_s = 1, .tick_s = 1e-3,
                                              .far_least_s = 10e-3, .near_least_s = 0, .until_s = INFINITY};
            const enum analysis_loop far = analysis_evidence_far(&e[i]);
            e[i].stamped_s[far] = i == 0 ? 60e-3 : 10e-3;
            e[i].peer.bytes[0] = i > 0 && beside > 0 && i != beside;
            for (int k = 0; k < 2; k++) {
                waits[i][k] = (struct analysis_wait){.start_s = k, .leg_s = {0, 0, 0, 0}};
                waits[i][k].leg_s[ANALYSIS_LEG_DATA_IN] = i == 1 ? 40e-3 : i == 2 ? 5e-3 : 0;
                waits[i][k].leg_s[ANALYSIS_LEG_ACK_OUT] = i == 1 ? 5e-3 : i == 2 ? 40e-3 : 0;
                waits[i][k].loop_s[far] = 60e-3;
                waits[i][k].loop_samples[far] = 1;
            }
        }
        struct analysis_evidence_set s = {.flow = e, .n = 3, .to_s = 2, .full_bytes = FULL, .stamp_s = 1e-6};
        analysis_evidence_prepare(&s);
        analysis_evidence_divide(&s);
        free(s.by_peer);
        assert_true(fabs(e[0].missing_s[there] - 50e-3) < 1e-9);
        assert_true(e[0].missing_s[!there] == 0 && e[0].unplaced_s == 0);
    }
}

/* Outgoing data wait before the tap, by more than four times what they wait after it; or after it, by more than a tick. What
 * comes in has passed the host's queue: it is ACKs that wait there. */
TEST(test_where_outgoing_data_wait)
{
    static const struct { double out_s, in_s, before_s, after_s; } rows[] = {
        {40e-3, 5e-3, 40e-3, 5e-3}, {20e-3, 5e-3, 0, 5e-3}, {40e-3, 1e-3, 40e-3, 0}, {0, 0, 0, 0}, {1e-3, -1e-3, 1e-3, 0}, {-1e-3, 2e-3, 0, 2e-3}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const struct analysis_told told = {.incoming = i % 2, .rate_bps = 1e6};
        struct analysis_wait wait = {.start_s = 0};
        struct analysis_evidence e = {.flow = &told, .waits = &wait, .n_waits = 1, .width_s = 1, .tick_s = 1e-3F, .until_s = INFINITY};
        wait.leg_s[ANALYSIS_LEG_DATA_OUT] = (float)rows[i / 2].out_s;
        wait.leg_s[ANALYSIS_LEG_DATA_IN] = (float)rows[i / 2].in_s;
        struct analysis_evidence_set s = {.flow = &e, .n = 1, .to_s = 1, .full_bytes = FULL, .stamp_s = 1e-6};
        analysis_evidence_prepare(&s);
        analysis_evidence_divide(&s);
        free(s.by_peer);
        assert_near((double)e.before_s, told.incoming ? 0 : rows[i / 2].before_s, 1e-8);
        assert_near((double)e.after_s, told.incoming ? 0 : rows[i / 2].after_s, 1e-8);
    }
}

/* A flow to a peer of its own, whose data wait for so long in so many of every `of` slots of 10 ms. */
static struct analysis_evidence waiting(const struct analysis_told *told, struct analysis_wait waits[100], double wait_s, int share,
                                        int of)
{
    struct analysis_evidence e = {.flow = told, .waits = waits, .n_waits = 100, .width_s = 10e-3, .tick_s = 1e-3F,
                                  .floor_s = 20e-3, .until_s = INFINITY};
    for (int k = 0; k < 100; k++) {
        const double now_s = k % of < share ? wait_s : 0;
        waits[k] = (struct analysis_wait){.start_s = k * 10e-3, .width_s = 10e-3, .least_s = now_s, .slots = 1};
        waits[k].leg_s[ANALYSIS_LEG_DATA_IN] = now_s;
        e.data_wait_s += now_s / 100;
    }
    e.peer.bytes[0] = (uint8_t)share;
    return e;
}

/* Data wait 40 ms in 60 of 100 slots, in all, and in every other one: a queue that is empty once in a round trip of 40 to 60 ms
 * does not stand. Coarse stamps show none. */
TEST(test_how_long_a_queue_does_not_run_empty)
{
    static const struct { int waits, of; double share; } rows[] = {{60, 100, 0.6}, {100, 100, 1}, {1, 2, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int coarse = 0; coarse < 2; coarse++) {
            const struct analysis_told told = {.rate_bps = 1e6};
            struct analysis_wait waits[100];
            struct analysis_evidence e = waiting(&told, waits, 40e-3, rows[i].waits, rows[i].of);
            e.coarse = coarse == 1;
            struct analysis_evidence_set s = {.flow = &e, .n = 1, .to_s = 1, .full_bytes = FULL, .stamp_s = 1e-6};
            struct judge_flow flow;
            struct judge_facts facts;
            analysis_facts_of(&s, NULL, NULL, &flow, &facts);
            assert_near(flow.data_waits, coarse ? 0 : rows[i].share, 0.05);
        }
}

/* A flow whose windows come after another's, as bursts, always meets a queue, which the other has found empty; but where that
 * waits a tenth as long they are in two queues. */
TEST(test_what_one_flow_finds_empty_is_empty)
{
    for (int apart = 0; apart < 2; apart++) {
        const struct analysis_told told = {.rate_bps = 1e6};
        struct analysis_wait waits[2][100];
        struct analysis_evidence e[] = {waiting(&told, waits[0], 40e-3, 100, 100), waiting(&told, waits[1], apart ? 6e-3 : 40e-3, 60, 100)};
        struct analysis_evidence_set s = {.flow = e, .n = 2, .to_s = 1, .full_bytes = FULL, .stamp_s = 1e-6};
        struct judge_flow flow[2];
        struct judge_facts facts;
        analysis_facts_of(&s, NULL, NULL, flow, &facts);
        free(s.by_peer);
        assert_near(flow[1].data_waits, 0.6, 0.05);
        assert_near(flow[0].data_waits, apart ? 1 : 0.6, 0.05);
    }
}

/* Nobody else goes to its end: then all are asked, of the time when its own loop was at its least. */
TEST(test_who_goes_elsewhere_tells_of_the_time_when_a_loop_was_at_its_least)
{
    for (int early = 0; early < 2; early++) {
        struct analysis_told told[2] = {{.incoming = true, .rate_bps = 1e6}, {.rate_bps = 1e6}};
        struct analysis_evidence e[2];
        struct analysis_wait waits[2][2];
        for (int i = 0; i < 2; i++) {
            e[i] = (struct analysis_evidence){.flow = &told[i], .waits = waits[i], .n_waits = 2, .width_s = 1, .tick_s = 1e-3,
                                              .far_least_s = 10e-3, .near_least_s = 0, .until_s = INFINITY};
            e[i].peer.bytes[0] = (uint8_t)i;
            const enum analysis_loop far = analysis_evidence_far(&e[i]);
            e[i].stamped_s[far] = i == 0 ? 60e-3 : 10e-3;
            for (int k = 0; k < 2; k++) { /* the other's data wait there at first, and its ACKs back after that */
                waits[i][k] = (struct analysis_wait){.start_s = k};
                waits[i][k].leg_s[ANALYSIS_LEG_DATA_IN] = i == 1 && k == 0 ? 40e-3 : 0;
                waits[i][k].leg_s[ANALYSIS_LEG_ACK_OUT] = i == 1 && k == 1 ? 40e-3 : 0;
                waits[i][k].loop_s[far] = (k == 0) == (early == 1) ? 60e-3 : 70e-3;
                waits[i][k].loop_samples[far] = 1;
            }
        }
        struct analysis_evidence_set s = {.flow = e, .n = 2, .to_s = 2, .full_bytes = FULL, .stamp_s = 1e-6};
        analysis_evidence_prepare(&s);
        analysis_evidence_divide(&s);
        free(s.by_peer);
        assert_true(fabs(e[0].missing_s[early] - 50e-3) < 1e-9 && e[0].missing_s[!early] == 0);
    }
}

/* The facts that the judge gets of the set's one flow. */
static struct judge_flow fact(void)
{
    struct judge_flow flow;
    struct judge_facts facts;
    analysis_facts_of(&set, NULL, NULL, &flow, &facts);
    return flow;
}

/* A window of ten segments that leave two by two, beside their sender: a round trip takes 40 ms for a while, if it is
 * so, and then 100. */
static struct analysis_flows *flow_of_ten(bool sooner)
{
    struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    int64_t acked_ns[1000];
    feed(f, 0, syn(A_TO_B, 0));
    feed(f, (sooner ? 40 : 100) * MS, syn_ack(B_TO_A, 0, 1));
    for (uint32_t i = 0; i < 1000; i++) {
        int64_t at_ns = i < 10 ? (101 + (i / 2) * (sooner ? 8 : 20)) * MS : acked_ns[i - 10];
        uint32_t tick = (uint32_t)(at_ns / MS);
        acked_ns[i] = at_ns + (sooner && i < 400 ? 40 : 100) * MS;
        if (i >= 10 && i % 2 == 0)
            feed(f, at_ns, stamped(B_TO_A, 1, 0, 1 + (i - 8) * FULL, tick, tick));
        feed(f, at_ns, stamped(A_TO_B, 1 + i * FULL, FULL, 1, tick, tick));
    }
    return f;
}

static struct judge_flow fact_of_ten(bool sooner, double from_s, double to_s)
{
    struct analysis_flows *f = flow_of_ten(sooner);
    described = (struct analysis_told){.rate_bps = 10 * FULL * 8 / 0.1};
    gather(f, &described, 1, from_s, to_s);
    struct judge_flow flow = fact();
    analysis_evidence_free(&set);
    analysis_flows_free(f);
    /* Nine after the first of each pair, ten after the second, which follows at once; all the time. */
    assert_true(fabs(flow.sender.flight_bytes - 9 * FULL) < 1 && fabs(flow.sender.most_bytes - 10 * FULL) < 1);
    assert_true(fabs(flow.sender.tight_share - 0.5) < 0.05 && flow.sender.fullness > 0.97 && flow.lossless);
    assert_true(fabs(flow.sender.grows) < 0.05 && fabs(flow.sender.range) < 0.05);
    return flow;
}

/* Ten segments in flight all the time, of a window of 64: a pace, or a send buffer? One was faster when it could:
 * ten segments in 40 ms in place of 100. */
TEST(test_a_pace_that_never_changed_may_be_the_applications)
{
    struct judge_flow never = fact_of_ten(false, 5, 9), once = fact_of_ten(true, 3, 7);
    assert_true(fabs(never.sender.fastest_bps / never.rate_bps - 1) < 0.05);
    assert_true(judge_limit_else(&never) > 0.05 && judge_limit_else(&never) < 0.95);
    assert_true(fabs(once.sender.fastest_bps / once.rate_bps - 2.5) < 0.05);
    assert_true(judge_limit_else(&once) < judge_limit_else(&never) - 0.01);
    assert_int_equal(judge_limit_of(&once), JUDGE_CAUSE_WINDOW);
}

#define SHRUNK 1600
#define WIDE 36
#define FOUR 4 /* segments that an ACK lets go */

static struct capture_segment bared(bool bare, struct capture_segment s)
{
    s.has_timestamps = s.has_timestamps && !bare;
    return s;
}

/* A window of 36 segments, and of 8 after 600 of them, though nothing is lost. A round trip takes 100 ms; 50 of them
 * ACKs wait, but for the first eight segments'. `ends`: every fortieth segment is short, though 60 kB are offered.
 * `buffer`: of 24 all the time, whose last is short, and ACKs wait after 600 of them. `bare`: without stamps, and every
 * tenth segment is short. */
static struct judge_flow fact_of_a_window(bool ends, bool buffer, bool bare)
{
    struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    int64_t acked_ns[SHRUNK];
    uint32_t end[SHRUNK + 1] = {1};
    feed(f, 0, syn(A_TO_B, 0));
    feed(f, 50 * MS, syn_ack(B_TO_A, 0, 1));
    for (uint32_t i = 0; i < SHRUNK; i++) {
        uint32_t window = buffer ? 24 : i < 600 ? WIDE : 8, every = bare ? 10 : buffer ? 24 : 40;
        uint32_t payload = ends && i % every == every - 1 ? FULL * 3 / 4 : FULL;
        int64_t at_ns = i < window ? (101 + i / FOUR * 10) * MS : acked_ns[i - window];
        uint32_t tick = (uint32_t)(at_ns / MS);
        acked_ns[i] = at_ns + (i < 2 * FOUR || (buffer && i < 600) ? 50 : 100) * MS;
        end[i + 1] = end[i] + payload;
        uint32_t left = tick - (i - window >= (buffer ? 600 : 2 * FOUR) ? 50 : 0); /* the ACK did, and waited */
        if (i >= window && i % FOUR == 0)
            feed(f, at_ns, bared(bare, stamped(B_TO_A, 1, 0, end[i - window + FOUR], left, left)));
        feed(f, at_ns, bared(bare, stamped(A_TO_B, end[i], payload, 1, tick, left)));
    }
    double from_s = buffer ? 0.5 : 4, to_s = (double)acked_ns[SHRUNK - 1] * 1e-9;
    described = (struct analysis_told){.rate_bps = 8 * FULL * 8 / 0.1};
    gather(f, &described, 1, from_s, to_s);
    struct judge_flow flow = fact();
    analysis_evidence_free(&set);
    analysis_flows_free(f);
    return flow;
}

static bool sure(const struct judge_flow *f)
{
    return judge_limit_else(f) > 0.95;
}

/* Vegas would shrink it so while ACKs wait, and an application that has less would look the same: it was faster once,
 * and nothing else tells. Short segments inside it speak for an application, but where a send buffer ends writes: as
 * much is in flight all the time, however long a round trip takes. Without stamps a window's edge may have cut them. */
TEST(test_a_window_that_shrank_is_no_sure_application_and_short_segments_speak_for_one)
{
    struct judge_flow shrank = fact_of_a_window(false, false, false), ends = fact_of_a_window(true, false, false);
    struct judge_flow buffer = fact_of_a_window(true, true, false), bare = fact_of_a_window(true, false, true);
    assert_true(!sure(&shrank) && !sure(&ends) && !sure(&buffer) && !sure(&bare));
    assert_true(judge_limit_else(&ends) > judge_limit_else(&shrank));
    assert_true(shrank.sender.short_share == 0 && fabs(shrank.sender.most_bytes - WIDE * FULL) < 1);
    assert_true(fabs(ends.sender.short_share - 1.0 / 40) < 2e-3 && fabs(bare.sender.short_share - 0.1) < 2e-3);
    assert_true(fabs(buffer.sender.short_share - 1.0 / 24) < 2e-3 && buffer.sender.fullness > 0.97);
    /* 50 ms less for 600 of 1600 segments, so for a quarter of the time: 50 of 87.5 ms. */
    assert_true(fabs(buffer.sender.range - 50 / 87.5) < 0.05);
    assert_true(!(bare.sender.flight_bytes > 0) && isnan(bare.data_wait_s));
}

struct event {
    int64_t time_ns;
    struct capture_segment s;
};

static int event_compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Between the other ports of both hosts: data of the second flow go to a. */
static struct capture_segment second(struct capture_segment s)
{
    *(s.src_port == 2000 ? &s.src_port : &s.dst_port) = 2001;
    return s;
}

#define OUT 3000  /* segments, one a ms */
#define TURNS 480 /* bursts of TURN segments come in, one every 5 ms: each when the ACK of the tenth before arrives */
#define TURN 2
#define QUEUE_MS 49

/* A host with two flows, 1 ms from the other ends, tapped beside it. Its own data and the ACKs of what it gets share a
 * queue after the tap, which fills up to 49 ms. The second flow shook hands when it was empty and sends since it is
 * full. */
TEST(test_acks_that_wait_behind_the_hosts_own_data)
{
    static struct event events[2 * OUT + TURNS * 2 * TURN + 8];
    size_t n = 0;
    events[n++] = (struct event){0, syn(A_TO_B, 0)};
    events[n++] = (struct event){100 * US, second(syn(B_TO_A, 0))};
    events[n++] = (struct event){110 * US, second(syn_ack(A_TO_B, 0, 1))};
    events[n++] = (struct event){MS, syn_ack(B_TO_A, 0, 1)};
    events[n++] = (struct event){1100 * US, second(segment(B_TO_A, 1, 0, 1))};
    for (uint32_t i = 0; i < OUT; i++) {
        uint32_t sent = 2 + i, waits = i < QUEUE_MS ? i : QUEUE_MS, back = sent + 1 + waits;
        uint32_t echo = i < QUEUE_MS ? sent - 1 : sent;
        events[n++] = (struct event){sent * MS, stamped(A_TO_B, 1 + i * FULL, FULL, 1, sent, echo)};
        events[n++] =
            (struct event){back * MS - 10 * US, stamped(B_TO_A, 1, 0, 1 + (i + 1) * FULL, back, sent)};
    }
    for (uint32_t turn = 0, at = 100; turn < TURNS; turn++, at += (QUEUE_MS + 1) / 10) {
        for (uint32_t k = 0; k < TURN; k++)
            events[n++] = (struct event){at * MS + k * 12 * US,
                                         second(stamped(B_TO_A, 1 + (turn * TURN + k) * FULL, FULL, 1, at,
                                                        turn < 10 ? 0 : at - QUEUE_MS - 1))};
        for (uint32_t k = 2; k <= TURN; k += 2)
            events[n++] = (struct event){at * MS + (k - 1) * 12 * US + 5 * US,
                                         second(stamped(A_TO_B, 1, 0, 1 + (turn * TURN + k) * FULL, at, at))};
    }
    qsort(events, n, sizeof *events, event_compare);
    struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    for (size_t i = 0; i < n; i++)
        feed(f, events[i].time_ns, events[i].s);
    size_t slot = 1;
    for (struct analysis_flow flow; !analysis_flows_get(f, slot, &flow);)
        slot++;
    struct analysis_told both[] = {
        {.slot = 0, .rate_bps = 8e6},
        {.slot = slot, .incoming = true, .rate_bps = TURN * FULL * 8 / ((QUEUE_MS + 1) / 10 * 1e-3)}};
    gather(f, both, 2, 0.5, 2.5);
    assert_all(fabs(set.flow[0].data_wait_s - QUEUE_MS * 1e-3) < 2e-3,
               fabs(set.flow[1].ack_wait_s - QUEUE_MS * 1e-3) < 2e-3, set.flow[1].data_wait_s < 2e-3);
    struct judge_flow of_both[2];
    struct judge_facts facts;
    analysis_facts_of(&set, NULL, NULL, of_both, &facts);
    assert_true(of_both[0].data_waits == 1 && of_both[1].data_waits == 0);
    analysis_evidence_free(&set);
    analysis_flows_free(f);
}

TEST(test_what_a_frame_carries)
{
    assert_true(analysis_evidence_payload(536) == 536); /* RFC 9293, 3.7.1 */
    assert_true(analysis_evidence_payload(8948) == 8948); /* a packet of 9000 bytes */
    assert_true(analysis_evidence_payload(65483) == 1448); /* loopback: no Ethernet takes that */
    assert_true(analysis_evidence_payload(NAN) == 1448);
    assert_true(analysis_evidence_frame_bits(8948) == 9038 * 8);
    assert_true(analysis_evidence_frame_bits(NAN) == 1538 * 8);
}

#define WINDOW 4 /* segments in flight, always */
#define SEGMENTS 480

/* A sender at the tap, whose window of four segments each round trip lets go at once; its ACKs wait for wait_ms in the
 * last waiting_ms of every cycle_ms. */
static struct judge_flow fact_of(int64_t trip_ms, int64_t cycle_ms, int64_t waiting_ms, int64_t wait_ms)
{
    struct analysis_flows *f = new_flows();
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
    described = (struct analysis_told){.rate_bps = SEGMENTS * SEGMENT * 8 / to_s};
    gather(f, &described, 1, 0, to_s);
    struct judge_flow flow = fact();
    analysis_evidence_free(&set);
    analysis_flows_free(f);
    return flow;
}

/* Four segments are little, so its application may have no more. But 200 segments a second while no ACK waits, for
 * longer than 16 segments take (133 ms of the mean 120 a second), are more than half as much again as that mean. Waits of 40 ms in a round trip of 100, half of the time, do not: 40 segments a second of 34. And with
 * 100 ms in each second, and 100 more until the first ACK that waited passes, 16 segments of 56 a second (286 ms) never
 * went without waits: nothing shows how fast it would be. */
TEST(test_how_fast_little_in_flight_is_while_no_ack_waits)
{
    struct judge_flow same = fact_of(100, 2000, 1000, 40), faster = fact_of(20, 400, 200, 80);
    struct judge_flow never = fact_of(20, 1000, 900, 80);
    assert_true(fabs(same.sender.most_bytes - WINDOW * SEGMENT) < 1 && same.sender.full_bytes == SEGMENT);
    assert_true(same.sender.free_bps < 1.5 * same.rate_bps && faster.sender.free_bps > 1.5 * faster.rate_bps);
    assert_true(isnan(never.sender.free_bps));
    assert_true(judge_limit_else(&same) > judge_limit_else(&never)); /* its ACKs do not hold it */
    assert_int_equal(judge_limit_of(&same), JUDGE_CAUSE_APPLICATION);
    assert_int_equal(judge_limit_of(&never), JUDGE_CAUSE_APPLICATION);
}
