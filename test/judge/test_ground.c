/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a remedy is worth, and what an answer consists of. */
#include "judge/ground.h"
#include "judge/path.h"
#include "test/cm.h"

/* 50 Mb/s each way of a link that has room for 50: full. */
static struct judge_diagnosis full(enum judge_answer answer, enum judge_cause cause)
{
    struct judge_way way = {.flows = 1, .carried_bps = 50e6, .possible_bps = 50e6, .room_bps = 50e6,
                            .capacity_bps = 54e6, .source = JUDGE_CAPACITY_KNOWN};
    return (struct judge_diagnosis){.answer = answer, .cause = cause, .in = way, .out = way};
}

TEST(test_a_yes_is_what_its_remedy_brings)
{
    const enum judge_cause causes[] = {JUDGE_CAUSE_ACKS, JUDGE_CAUSE_THIN_ACKS, JUDGE_CAUSE_OTHER};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        struct judge_diagnosis d = full(JUDGE_ANSWER_YES, causes[i]);
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_SEEN);
    }
}

/* 90 of 100 Mb/s: 10 % more are enough for a yes, 4 % are not. */
TEST(test_windows_and_losses_gain_what_the_link_has_room_for)
{
    const enum judge_cause causes[] = {JUDGE_CAUSE_WINDOW, JUDGE_CAUSE_SEND_BUFFER, JUDGE_CAUSE_LOSSES};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        struct judge_diagnosis d = full(JUDGE_ANSWER_NO, causes[i]);
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_NONE);
        d.in.carried_bps = 48e6;
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_NONE);
        d.in.carried_bps = 40e6;
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_SEEN);
        d.in.source = JUDGE_CAPACITY_ASSUMED; /* a rate that somebody assumes promises nothing */
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_UNSEEN);
        d.in.source = JUDGE_CAPACITY_UNKNOWN;
        d.in.room_bps = NAN;
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_UNSEEN);
        d.in.flows = 0; /* no data that way: nothing to gain there */
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_NONE);
    }
}

/* Both are worth a word where the other one loses half as much, or more; else what its ACKs wait behind, where that is known. */
TEST(test_a_yes_says_who_loses)
{
    static const struct { double other, trip_s; size_t others; enum judge_cause cause; const char *says[2]; } rows[] = {
        {0.25, 0.1, 1, JUDGE_CAUSE_ACKS, {"incoming data get 50.0 of 100.0 Mb/s, outgoing data 50.0 of 80.0", "incoming data get 50.0 of 80.0 Mb/s, outgoing data 50.0 of 100.0"}},
        {0.24, 0.1, 1, JUDGE_CAUSE_ACKS, {"incoming data get 50.0 of 100.0 Mb/s, as their ACKs wait behind outgoing data for 40.0 ms of a round trip of 100.0 ms",
                                          "outgoing data get 50.0 of 100.0 Mb/s, as their ACKs wait behind incoming data for 40.0 ms of a round trip of 100.0 ms"}},
        /* uploads whose link the ACKs of faster downloads would take altogether: how much of nothing they lose nobody says */
        {(double)NAN, 0.1, 1, JUDGE_CAUSE_ACKS, {"incoming data get 50.0 of 100.0", "outgoing data get 50.0 of 100.0"}},
        {0, 0.1, 0, JUDGE_CAUSE_HIDDEN, {"ACKs wait behind data of others for 40", "ACKs wait behind data of others for 40"}},
        {0, 0.1, 0, JUDGE_CAUSE_OTHER, {"ACKs wait behind other traffic for 40", "ACKs wait behind other traffic for 40"}},
        {0.1, (double)NAN, 1, JUDGE_CAUSE_ACKS, {": incoming data get 50.0 of 100.0 Mb/s", ": outgoing data get 50.0 of 100.0 Mb/s"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int out = 0; out < 2; out++) {
            struct judge_diagnosis d = full(JUDGE_ANSWER_YES, rows[i].cause);
            struct judge_way *worst = out ? &d.out : &d.in, *other = out ? &d.in : &d.out;
            worst->lost_share = 0.5;
            worst->possible_bps = 100e6;
            worst->floor_s = 0.01;
            worst->data_wait_s = rows[i].trip_s - 0.05;
            worst->ack_wait_s = 0.04;
            other->lost_share = rows[i].other;
            other->possible_bps = 80e6;
            other->flows = rows[i].others;
            d.lost_share = 0.25;
            judge_diagnosis_say(&d);
            if (!strstr(d.why, rows[i].says[out]))
                fail_msg("%zu %d: '%s'", i, out, d.why);
            assert_non_null(strstr(d.why, "100.0 of 180.0 Mb/s; 25 % lost"));
        }
}

TEST(test_what_nobody_estimates_is_not_promised)
{
    const enum judge_cause unseen[] = {JUDGE_CAUSE_PAUSE, JUDGE_CAUSE_SLOW_HOST, JUDGE_CAUSE_POLICING,
                                       JUDGE_CAUSE_THIN_PATH, JUDGE_CAUSE_SHARED};
    const enum judge_cause nothing[] = {JUDGE_CAUSE_APPLICATION, JUDGE_CAUSE_RECEIVER, JUDGE_CAUSE_FULL,
                                        JUDGE_CAUSE_ONE_WAY, JUDGE_CAUSE_LINK};
    for (size_t i = 0; i < 5; i++) {
        struct judge_diagnosis d = full(JUDGE_ANSWER_NO, unseen[i]), e = full(JUDGE_ANSWER_NO, nothing[i]);
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_UNSEEN);
        assert_int_equal(judge_ground_gain(&e), JUDGE_GAIN_NONE);
        d.fewer_acks_bps = 1;
        assert_int_equal(judge_ground_gain(&d), JUDGE_GAIN_SEEN);
    }
}

TEST(test_an_answer_is_figures_and_a_reason)
{
    char figures[240];
    struct judge_diagnosis d = full(JUDGE_ANSWER_NO, JUDGE_CAUSE_FULL);
    judge_diagnosis_say(&d);
    judge_diagnosis_figures(&d, figures, sizeof figures);
    assert_string_equal(figures, "100.0 of 100.0 Mb/s; 0 % lost to waiting ACKs");
    assert_string_equal(judge_diagnosis_reason(&d), "the link carries what it can");
    snprintf(d.why, sizeof d.why, "rates vary too much: 9 %% are lost: a longer --time would tell");
    judge_diagnosis_figures(&d, figures, sizeof figures);
    assert_string_equal(figures, "rates vary too much: 9 % are lost");
    assert_string_equal(judge_diagnosis_reason(&d), "a longer --time would tell");
    snprintf(d.why, sizeof d.why, "no more than that");
    judge_diagnosis_figures(&d, figures, sizeof figures);
    assert_string_equal(figures, "no more than that");
    assert_string_equal(judge_diagnosis_reason(&d), "");
}

/* L = 24 bytes of each frame are not tc's: of full ones of 1538, of ACKs of 90, of both in between. */
TEST(test_tc_counts_no_preamble_no_gap_and_no_fcs)
{
    static const struct { double bps, others_bps, full, per_ack, frames, bytes; } rows[] = {
        {50e6, 0, 1448, 2, 1, 1538},           {0, 50e6, 1448, 2, 1, 90},
        {0, 0, 1448, 2, 1, 1538},              {50e6, 50e6, 1448, 2, 1.5, 1538 + 45},
        {50e6, 50e6, 536, 1, 2, 626 + 90},     {50e6, 25e6, 1448, 4, 1.125, 1538 + 0.125 * 90},
        {50e6, 50e6, 0, 0, 1.5, 1538 + 45}, /* what nobody knows is as usual */
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct judge_diagnosis d = full(JUDGE_ANSWER_NO, JUDGE_CAUSE_FULL);
        struct judge_way *way = i % 2 ? &d.out : &d.in, *other = i % 2 ? &d.in : &d.out;
        way->carried_bps = rows[i / 2].bps;
        other->carried_bps = rows[i / 2].others_bps;
        d.full_bytes = rows[i / 2].full;
        d.segments_per_ack = rows[i / 2].per_ack;
        assert_near(judge_diagnosis_tc_bps(&d, way), 54e6 * (1 - 24 * rows[i / 2].frames / rows[i / 2].bytes), 1e-3);
    }
}

TEST(test_95_of_100_are_not_more_than_that)
{
    const double bounds[] = {JUDGE_DIAGNOSIS_SURE, 1 - JUDGE_DIAGNOSIS_SURE};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(judge_diagnosis_answer(bounds[i]), JUDGE_ANSWER_UNKNOWN);
        assert_int_equal(judge_diagnosis_answer(nextafter(bounds[i], i ? 0 : 1)), i ? JUDGE_ANSWER_NO : JUDGE_ANSWER_YES);
    }
}

/* A flow each way of 50 Mb/s, held by its window, in links with room. */
struct scene {
    struct judge_flow flow[2]; /* in, out */
    struct judge_facts facts;
    struct judge_diagnosis d;
};

static void scene_make(struct scene *c, enum judge_answer answer)
{
    const struct judge_link link = {.capacity_bps = 1e9, .source = JUDGE_CAPACITY_KNOWN, .drain_s = INFINITY};
    *c = (struct scene){.d = full(answer, JUDGE_CAUSE_UNKNOWN)};
    for (int i = 0; i < 2; i++)
        c->flow[i] = (struct judge_flow){.incoming = i == 0, .rate_bps = 50e6, .known = JUDGE_CAUSE_WINDOW, .floor_s = 0.02,
                                         .sender = {.tight_share = NAN, .free_bps = NAN, .flight_bytes = NAN}};
    c->facts = (struct judge_facts){.flow = c->flow, .n = 2, .in = link, .out = link, .full_bytes = 1448,
                                    .segments_per_ack = 2, .beside = true, .ci95_bps = NAN};
}

static struct judge_way *way_of(struct scene *c, bool incoming)
{
    return incoming ? &c->d.in : &c->d.out;
}

static enum judge_cause cause(struct scene *c)
{
    judge_ground_of(&c->facts, &c->d);
    return c->d.cause;
}

static void says(struct scene *c, const char *text)
{
    judge_ground_of(&c->facts, &c->d);
    if (!strstr(c->d.why, text))
        fail_msg("'%s' has no '%s'", c->d.why, text);
}

/* The direction that loses more is that whose ACKs wait: behind data of the other one, of an access line where it is more
 * than 2.5 times as fast, behind other traffic of more than 5 % of these ACKs, or behind what nobody sees. */
TEST(test_what_acks_wait_behind)
{
    for (int in = 0; in < 2; in++) {
        struct scene c;
        scene_make(&c, JUDGE_ANSWER_YES);
        struct judge_way *worst = way_of(&c, in), *other = way_of(&c, !in);
        struct judge_link *back = in ? &c.facts.out : &c.facts.in;
        worst->lost_share = 0.3;
        other->lost_share = 0.2;
        other->capacity_bps = 40e6;
        worst->capacity_bps = 2.5 * 40e6;
        assert_int_equal(cause(&c), JUDGE_CAUSE_ACKS);
        worst->possible_bps = 101e6;
        assert_int_equal(cause(&c), JUDGE_CAUSE_THIN_ACKS);
        worst->possible_bps = 60e6;
        worst->capacity_bps = 101e6;
        assert_int_equal(cause(&c), JUDGE_CAUSE_THIN_ACKS);
        c.facts.stopped = true;
        assert_int_equal(cause(&c), JUDGE_CAUSE_ACKS);
        other->flows = 0;
        c.facts.n = 1;
        c.facts.flow = &c.flow[!in];
        assert_int_equal(cause(&c), JUDGE_CAUSE_HIDDEN);
        const double acks_bps = 50e6 * JUDGE_AROUND / (2 * 1448);
        back->other_bps = JUDGE_PATH_OTHERS * acks_bps;
        assert_int_equal(cause(&c), JUDGE_CAUSE_HIDDEN);
        back->other_bps *= 1.001;
        assert_int_equal(cause(&c), JUDGE_CAUSE_OTHER);
    }
}

/* A host whose line rests, or that sets the pace unless an application does; and of full links by what: losses, which deeper
 * queues would spare. What all flows lose by is worth more than a word beside a yes. */
TEST(test_what_a_host_and_losses_do)
{
    static const struct { enum judge_answer answer; enum judge_cause known, host, cause, second; bool stopped, full; } rows[] = {
        {JUDGE_ANSWER_NO, JUDGE_CAUSE_WINDOW, JUDGE_CAUSE_SLOW_HOST, JUDGE_CAUSE_SLOW_HOST, JUDGE_CAUSE_WINDOW, false, false},
        {JUDGE_ANSWER_NO, JUDGE_CAUSE_APPLICATION, JUDGE_CAUSE_SLOW_HOST, JUDGE_CAUSE_APPLICATION, JUDGE_CAUSE_UNKNOWN, false, false},
        {JUDGE_ANSWER_NO, JUDGE_CAUSE_APPLICATION, JUDGE_CAUSE_PAUSE, JUDGE_CAUSE_PAUSE, JUDGE_CAUSE_APPLICATION, true, false},
        {JUDGE_ANSWER_NO, JUDGE_CAUSE_WINDOW, JUDGE_CAUSE_UNKNOWN, JUDGE_CAUSE_FULL, JUDGE_CAUSE_WINDOW, false, true},
        {JUDGE_ANSWER_NO, JUDGE_CAUSE_LOSSES, JUDGE_CAUSE_UNKNOWN, JUDGE_CAUSE_LOSSES, JUDGE_CAUSE_UNKNOWN, false, true},
        {JUDGE_ANSWER_YES, JUDGE_CAUSE_WINDOW, JUDGE_CAUSE_PAUSE, JUDGE_CAUSE_ACKS, JUDGE_CAUSE_PAUSE, false, false},
        {JUDGE_ANSWER_YES, JUDGE_CAUSE_LOSSES, JUDGE_CAUSE_PAUSE, JUDGE_CAUSE_ACKS, JUDGE_CAUSE_LOSSES, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene c;
        scene_make(&c, rows[i].answer);
        c.flow[0].known = c.flow[1].known = rows[i].known;
        c.facts.host = rows[i].host;
        c.facts.stopped = rows[i].stopped;
        c.d.in.saturated = c.d.out.saturated = rows[i].full;
        assert_int_equal(cause(&c), rows[i].cause);
        assert_int_equal(c.d.second, rows[i].second);
    }
}

/* What holds the direction that uses its link least, by what its room is beside the other one's. */
TEST(test_a_no_is_of_the_direction_with_room)
{
    static const struct { double in_bps, in_room, out_room; bool in_full, out_full; enum judge_cause cause; } rows[] = {
        {40e6, 50e6, 50e6, false, false, JUDGE_CAUSE_RECEIVER},   {60e6, 50e6, 50e6, false, false, JUDGE_CAUSE_SEND_BUFFER},
        {90e6, 100e6, 50e6, false, false, JUDGE_CAUSE_RECEIVER},  {110e6, 100e6, 50e6, false, false, JUDGE_CAUSE_SEND_BUFFER},
        {50e6, 50e6, 50e6, false, false, JUDGE_CAUSE_RECEIVER},   {40e6, (double)NAN, 50e6, false, false, JUDGE_CAUSE_RECEIVER},
        {60e6, -1, 50e6, false, false, JUDGE_CAUSE_SEND_BUFFER},  {40e6, 50e6, 50e6, true, false, JUDGE_CAUSE_SEND_BUFFER},
        {60e6, 50e6, 50e6, false, true, JUDGE_CAUSE_RECEIVER},    {50e6, 50e6, 50e6, true, true, JUDGE_CAUSE_FULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene c;
        scene_make(&c, JUDGE_ANSWER_NO);
        c.flow[0].known = JUDGE_CAUSE_RECEIVER;
        c.flow[1].known = JUDGE_CAUSE_SEND_BUFFER;
        c.flow[0].rate_bps = 51e6; /* most of the goodput: worth a word where it is not what holds the direction */
        c.d.in.carried_bps = rows[i].in_bps;
        c.d.in.room_bps = rows[i].in_room;
        c.d.out.room_bps = rows[i].out_room;
        c.d.in.saturated = rows[i].in_full;
        c.d.out.saturated = rows[i].out_full;
        assert_int_equal(cause(&c), rows[i].cause);
        assert_int_equal(c.d.second, rows[i].cause == JUDGE_CAUSE_RECEIVER ? JUDGE_CAUSE_UNKNOWN : JUDGE_CAUSE_RECEIVER);
    }
}

/* ACKs that wait behind ACKs alone, for more than a tenth of the round trip, always; or something that waits for longer
 * than 1.5 times all in flight takes to pass the host's link. Else windows are named. */
TEST(test_windows_are_too_small_for_something)
{
    for (int in = 0; in < 2; in++) {
        struct scene c;
        scene_make(&c, JUDGE_ANSWER_NO);
        struct judge_way *way = way_of(&c, in), *other = way_of(&c, !in);
        struct judge_link *own = in ? &c.facts.in : &c.facts.out, *back = in ? &c.facts.out : &c.facts.in;
        other->flows = 0;
        *other = (struct judge_way){.room_bps = 50e6};
        c.facts.n = 1;
        c.facts.flow = &c.flow[!in];
        way->floor_s = way->data_wait_s = 8e-3;
        way->ack_wait_s = 16e-3 / 9 * 1.01; /* 0.1 / 0.9 of the rest, and more */
        assert_int_equal(cause(&c), JUDGE_CAUSE_WINDOW);
        own->acks_stand = true;
        assert_int_equal(cause(&c), JUDGE_CAUSE_THIN_PATH);
        way->ack_wait_s = 16e-3 / 9 * 0.99;
        assert_int_equal(cause(&c), JUDGE_CAUSE_WINDOW);
        way->ack_wait_s = 16e-3;
        back->other_bps = 0.99 * JUDGE_PATH_OTHERS * way->carried_bps;
        assert_int_equal(cause(&c), JUDGE_CAUSE_THIN_PATH);
        back->other_bps = JUDGE_PATH_OTHERS * way->carried_bps;
        assert_int_equal(cause(&c), JUDGE_CAUSE_WINDOW);
        own->drain_s = 8e-3 / JUDGE_PATH_ELSEWHERE;
        back->drain_s = 16e-3 / JUDGE_PATH_ELSEWHERE;
        assert_int_equal(cause(&c), JUDGE_CAUSE_WINDOW);
        for (int k = 0; k < 3; k++) {
            double *drain_s = k == 0 ? &own->drain_s : &back->drain_s, was_s = *drain_s;
            own->apart = k == 2;
            *drain_s *= k == 2 ? 1 : 0.99;
            assert_int_equal(cause(&c), JUDGE_CAUSE_LINK);
            way->saturated = true;
            assert_int_equal(cause(&c), JUDGE_CAUSE_ONE_WAY);
            way->saturated = false;
            *drain_s = was_s;
        }
        way->flows = 0; /* and a direction without flows waits nowhere */
        other->flows = 1;
        assert_int_equal(cause(&c), JUDGE_CAUSE_UNKNOWN);
    }
}

/* 100 Mb/s, of which 20 % are lost, and as much again at most. */
TEST(test_what_nobody_can_tell_says_what_is_missing)
{
    static const char *const lacks[] = {"behind data of others, does not show", "a queue has stood", "how long ACKs wait does",
                                        "the applications hold them back", "where they wait, and", ": what the link could"};
    for (int in = 0; in < 2; in++)
        for (int i = 0; i < 6; i++) {
            struct scene c;
            scene_make(&c, JUDGE_ANSWER_UNKNOWN);
            struct judge_flow *f = &c.flow[!in];
            struct judge_way *way = way_of(&c, in), *other = way_of(&c, !in);
            c.d.lost_share = 0.2;
            c.d.ci95 = 0.2 + 0.3 * i;
            c.d.probability = 0.6;
            (in ? &c.facts.in : &c.facts.out)->acks_hidden = true;
            other->flows = i > 0; /* else what waits is behind its data */
            c.facts.stood = i == 1;
            f->ack_wait_s = i == 2 ? (double)NAN : 1e-3;
            f->known = i == 3 ? JUDGE_CAUSE_UNKNOWN : JUDGE_CAUSE_WINDOW; /* P = 0.2 of an application */
            way->source = i == 4 ? JUDGE_CAPACITY_QUEUE : JUDGE_CAPACITY_UNKNOWN;
            other->source = i == 2 && in ? JUDGE_CAPACITY_ASSUMED : JUDGE_CAPACITY_UNKNOWN;
            other->flows = i > 0;
            way->flows = 1;
            says(&c, lacks[i]);
            assert_true((strstr(c.d.why, "--rate IN/OUT") != NULL) == (i == 0 || (i == 2 && in)));
            const char *const most[] = {"up to 40 %", "up to 70 %", "up to 100 %"};
            says(&c, most[i < 2 ? i : 2]);
            says(&c, "100.0 Mb/s pass; ");
            says(&c, "with 60 % probability: ");
        }
}

/* An even chance says what would tell; one that is hardly one is none. */
TEST(test_who_may_be_held_by_an_application)
{
    static const struct { double odds, wait_s; bool unsure; } rows[] = {
        {-1.6, 1e-3, false}, {-1.5, 1e-3, true}, {4.3, 1e-3, true}, {4.4, 1e-3, false}, {0, 0, false}}; /* beside 0.6 - 2 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene c;
        scene_make(&c, JUDGE_ANSWER_UNKNOWN);
        c.flow[1].known = JUDGE_CAUSE_UNKNOWN;
        c.flow[1].paced_odds = rows[i].odds;
        c.flow[1].ack_wait_s = rows[i].wait_s;
        says(&c, rows[i].unsure ? "the applications hold them back" : "where they wait, and");
    }
}

/* 50 Mb/s fill 54 (test_path.c), and less of a link that is taken to be as fast as the other one is nothing. */
TEST(test_a_full_link_whose_rate_is_the_others_may_be_faster)
{
    for (int i = 0; i < 8; i++) {
        struct scene c;
        scene_make(&c, JUDGE_ANSWER_UNKNOWN);
        struct judge_link *l = i & 1 ? &c.facts.out : &c.facts.in, *other = i & 1 ? &c.facts.in : &c.facts.out;
        l->unlike = true;
        l->capacity_bps = i & 2 ? 54e6 : 1e9;
        other->capacity_bps = i & 4 ? 54e6 : 1e9;
        judge_ground_of(&c.facts, &c.d);
        assert_int_equal(c.d.second, i & 2 ? JUDGE_CAUSE_FULL : JUDGE_CAUSE_UNKNOWN);
    }
}

/* One way alone whose stamps are too coarse, or whose packets are missing, is enough; one medium may be both. */
TEST(test_what_a_capture_lacks_is_named)
{
    for (int i = 0; i < 8; i++) {
        struct scene c;
        scene_make(&c, JUDGE_ANSWER_UNKNOWN);
        c.facts.in.hidden = i & 1;
        c.facts.out.hidden = i & 2;
        c.facts.one_sided = i & 4;
        assert_int_equal(cause(&c), i & 4 ? JUDGE_CAUSE_ONE_SIDED : i & 3 ? JUDGE_CAUSE_COARSE : JUDGE_CAUSE_UNKNOWN);
        assert_int_equal(c.d.second, JUDGE_CAUSE_UNKNOWN);
        /* 54 and 54 Mb/s on the wire, and ACKs, are what frames show one link to be (test_posterior.c) */
        c.facts.out.source = JUDGE_CAPACITY_DISPERSION;
        c.facts.out.capacity_bps = 2 * (50e6 * 1538 / 1448 + 50e6 * 90 / (2 * 1448));
        judge_ground_of(&c.facts, &c.d);
        assert_int_equal(c.d.second, i & 4 ? JUDGE_CAUSE_UNKNOWN : JUDGE_CAUSE_SHARED);
    }
}
