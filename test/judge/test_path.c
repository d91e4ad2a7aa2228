/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/path.h"
#include "judge/noise.h"
#include "test/cm.h"
#include "test/judge/any.h"

#define FULL 1448.0
#define NEVER 0.999 /* of what is so with a share: not so */
#define IN 0
#define OUT 1

/* A flow in and one out, and one way what they leave open may be. */
struct scene {
    struct judge_flow flow[2];
    struct judge_facts facts;
    double open[JUDGE_OPENS], otherwise[2];
};

/* In 20 Mb/s without waits, out 10 Mb/s whose ACKs wait 10 ms of a round trip of 20, its data 5; both have windows, and
 * gigabits of room. */
static void scene_make(struct scene *c)
{
    *c = (struct scene){.flow[IN] = {.incoming = true, .rate_bps = 20e6, .floor_s = 20e-3},
                        .flow[OUT] = {.rate_bps = 10e6, .floor_s = 5e-3, .data_wait_s = 5e-3, .ack_wait_s = 10e-3}};
    for (int i = 0; i < 2; i++) {
        struct judge_flow *f = &c->flow[i];
        f->lossless = true;
        f->known = JUDGE_CAUSE_WINDOW;
        f->most_bps = f->window_bps = INFINITY;
        f->cycle_s = f->cycle_wait_s = f->clocked = NAN;
        f->sender = (struct judge_sender){.full_bytes = FULL, .flight_bytes = NAN, .tight_share = 0.5};
    }
    struct judge_link link = {.capacity_bps = 1e9, .source = JUDGE_CAPACITY_KNOWN, .drain_s = INFINITY};
    c->facts = (struct judge_facts){.flow = c->flow, .n = 2, .in = link, .out = link, .full_bytes = FULL,
                                    .segments_per_ack = 2, .ci95_bps = NAN, .beside = true};
    c->open[JUDGE_OPEN_LIMIT] = c->open[JUDGE_OPEN_PLACE] = c->open[JUDGE_OPEN_UNPLACED] = NEVER;
    c->open[JUDGE_OPEN_BLURRED] = NEVER;
}

static double possible(const struct scene *c, int way)
{
    double bps[2];
    judge_path_possible(&c->facts, c->otherwise, c->open, 1, bps);
    return bps[way];
}

/* Times as much as it carries. */
static bool gains(const struct scene *c, int way, double times)
{
    return fabs(possible(c, way) / c->flow[way].rate_bps - times) < 1e-9;
}

/* A share of what ACKs waited that data do not wait for each other any more. */
static double bunched(double share)
{
    return share * (1 - JUDGE_PATH_GATHERED);
}

/* W / T = x, so without the ACKs' 10 ms W / (T - 10 ms): 20 / 10; and without a share v of the data's 5. */
TEST(test_a_window_carries_more_in_a_shorter_round_trip)
{
    struct scene c;
    scene_make(&c);
    assert_true(gains(&c, OUT, 20.0 / 10) && gains(&c, IN, 1));
    c.open[JUDGE_OPEN_VANISHES] = bunched(0.5);
    assert_true(gains(&c, OUT, 20.0 / 7.5));
    c.open[JUDGE_OPEN_VANISHES] = bunched(1);
    assert_true(gains(&c, OUT, 20.0 / 5));
    c.flow[OUT].most_bps = 15e6; /* another link on its way */
    assert_true(gains(&c, OUT, 1.5));
    c.flow[OUT].most_bps = 5e6; /* it carries more than that */
    assert_true(gains(&c, OUT, 1));
}

/* 13 ms of data and 2 of ACKs: no more than 2 ms of these data's waits are bunches that late ACKs let go, unless they are of many
 * round trips. */
TEST(test_bunches_make_data_wait_no_longer_than_acks_did)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].data_wait_s = 13e-3;
    c.flow[OUT].ack_wait_s = 2e-3;
    for (int half = 0; half <= 2; half++) {
        c.open[JUDGE_OPEN_VANISHES] = bunched(half / 2.0);
        assert_true(gains(&c, OUT, 20.0 / (18 - half)));
    }
    c.open[JUDGE_OPEN_VANISHES] = 1 - JUDGE_PATH_GATHERED / 2; /* half of what gathered */
    c.flow[OUT].data_wait_s = 8e-3;
    c.flow[OUT].floor_s = 10e-3;
    assert_true(gains(&c, OUT, 20.0 / 14));
}

/* If bunches went it could carry four times as much, which is more than the link has room for: it fills that, whatever waits then. */
TEST(test_windows_that_fill_the_link_through_empty_queues_fill_it)
{
    struct scene c;
    scene_make(&c);
    c.facts.out.capacity_bps = 3 * c.flow[OUT].rate_bps;
    const double room_bps = judge_path_room_bps(&c.facts, false, c.facts.out.capacity_bps, c.flow[IN].rate_bps);
    assert_true(room_bps > 20.0 / 10 * c.flow[OUT].rate_bps && fabs(possible(&c, OUT) - room_bps) < 1);
}

/* Where it has nothing to send for half of the time, 10 round trips of 20 ms are a cycle of 400: without the ACKs' 10 ms each,
 * one of 300. */
TEST(test_what_has_nothing_to_send_gains_for_the_rest_of_the_time)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].rests = 0.5;
    assert_true(gains(&c, OUT, 400.0 / 300));
    c.flow[OUT].rests = 1;
    assert_true(gains(&c, OUT, 1));
}

/* Its data wait 5 ms on average. Of 1 ms of that, which is always there, no order of service spares it. */
TEST(test_what_always_waits_waits_on)
{
    struct scene c;
    scene_make(&c);
    c.open[JUDGE_OPEN_VANISHES] = bunched(1);
    c.flow[OUT].data_least_s = NAN;
    assert_true(gains(&c, OUT, 20.0 / 5));
    c.flow[OUT].data_least_s = 1e-3;
    assert_true(gains(&c, OUT, 20.0 / 6));
}

/* While a queue does not run empty the link before it works: of three quarters of the time, a third more passes at most, and
 * nothing more of all of it. Not so where data wait for less than a tenth of the round trip, be it that most of it is a slow
 * host's, or that what nobody placed of the ACKs' waits is theirs. */
TEST(test_a_queue_that_does_not_run_empty_stands_before_a_link_that_works)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].data_waits = 1;
    assert_true(gains(&c, OUT, 1));
    c.flow[OUT].data_waits = 0.75;
    assert_true(gains(&c, OUT, 4.0 / 3));
    c.flow[OUT].data_waits = 0.25; /* its round trip lets less pass */
    assert_true(gains(&c, OUT, 20.0 / 10));
    c.flow[OUT].data_waits = 1;
    c.flow[OUT].host_data_s = 3.5e-3;
    assert_true(gains(&c, OUT, 20.0 / 10));
    c.flow[OUT].host_data_s = 0;
    c.flow[OUT].unplaced_s = 3.5e-3;
    c.open[JUDGE_OPEN_UNPLACED] = 0;
    assert_true(gains(&c, OUT, 20.0 / 6.5));
    scene_make(&c);
    c.flow[OUT].data_waits = 1;
    c.flow[OUT].floor_s = 40e-3; /* 5 ms of 55 */
    assert_true(gains(&c, OUT, 55.0 / 45));
}

/* And a policer lets pass what it lets pass, however soon ACKs come. */
TEST(test_a_policer_s_rate_is_no_matter_of_round_trips)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].policed = true;
    assert_true(gains(&c, OUT, 1));
}

/* They fill whatever queue there is. */
TEST(test_data_of_a_sender_that_loses_wait_on)
{
    struct scene c;
    scene_make(&c);
    c.open[JUDGE_OPEN_VANISHES] = bunched(1);
    c.flow[OUT].loss_events = 1; /* but what the capture has of it */
    assert_true(gains(&c, OUT, 20.0 / 5));
    c.flow[OUT].lossless = false;
    assert_true(gains(&c, OUT, 20.0 / 10));
    scene_make(&c);
    c.open[JUDGE_OPEN_VANISHES] = bunched(1);
    c.facts.out.apart = true; /* a link of their own */
    assert_true(gains(&c, OUT, 20.0 / 10));
}

/* 1 % of a round trip is below what delayed ACKs make. */
TEST(test_a_wait_that_cannot_be_seen_costs_nothing)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].ack_wait_s = 0.05e-3;
    assert_true(gains(&c, OUT, 1));
    c.flow[OUT].ack_wait_s = 0.5e-3;
    assert_true(gains(&c, OUT, 10.5 / 10));
    c.flow[OUT].ack_wait_s = -1e-3; /* by its stamps' ticks */
    assert_true(gains(&c, OUT, 1));
}

/* Both means are of one clock: what the data's is below nothing, the ACKs' are too long. 20 of 13 ms. */
TEST(test_negative_waits_of_data_are_taken_from_those_of_acks)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].floor_s = 13e-3;
    c.flow[OUT].data_wait_s = -3e-3;
    assert_true(gains(&c, OUT, 20.0 / 13));
}

TEST(test_without_a_round_trip_any_share_of_the_windows_may_be_possible)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].ack_wait_s = NAN;
    c.open[JUDGE_OPEN_VANISHES] = 0.5;
    c.open[JUDGE_OPEN_PLACE] = 0.51; /* ACKs of half of such flows wait, */
    assert_true(gains(&c, OUT, 1));
    c.flow[OUT].behind = true; /* or are known to */
    assert_true(gains(&c, OUT, 2)); /* 1 / (1 - 0.5) */
    c.flow[OUT].behind = false;
    c.open[JUDGE_OPEN_PLACE] = 0.49;
    assert_true(gains(&c, OUT, 2));
    c.flow[OUT].window_bps = 16e6;  /* 10 + 0.5 * (16 - 10) */
    assert_true(gains(&c, OUT, 1.3));
    c.flow[OUT].window_bps = 8e6; /* full */
    assert_true(gains(&c, OUT, 1));
}

/* (100 - 10 - 80 * 90 / (2 * 1448)) * 1448 / 1538 Mb/s: 87.5138 * 0.941482. */
TEST(test_room_is_what_acks_and_others_leave)
{
    struct scene c;
    scene_make(&c);
    c.facts.in.other_bps = 10e6;
    assert_true(fabs(judge_path_room_bps(&c.facts, true, 100e6, 80e6) - 82.39272e6) < 10);
    /* (100 - 2.486188) * 0.941482 */
    assert_true(fabs(judge_path_room_bps(&c.facts, false, 100e6, 80e6) - 91.80755e6) < 10);
    assert_true(isnan(judge_path_room_bps(&c.facts, false, NAN, 80e6)));
}

/* Of two directions that want more than there is, each leaves to the other x = (C - x A / (k S)) S / (S + A):
 * x = C / ((S + A) / S + A / (k S)), 100 / (1.062155 + 0.031077) Mb/s. */
TEST(test_both_directions_together_carry_no_more_than_fits)
{
    struct scene c;
    scene_make(&c);
    for (int i = 0; i < 2; i++) {
        c.flow[i].rate_bps = 60e6;
        c.flow[i].floor_s = 5e-3;
        c.flow[i].data_wait_s = 0;
        c.flow[i].ack_wait_s = 10e-3;
    }
    c.facts.in.capacity_bps = c.facts.out.capacity_bps = 100e6;
    assert_true(fabs(possible(&c, IN) - 91.472e6) < 1e3 && fabs(possible(&c, OUT) - 91.472e6) < 1e3);
    /* What is no TCP stays. In (100 - 20 - out * 0.031077) / 1.062155, out (100 - in * 0.031077) / 1.062155. */
    c.facts.in.other_bps = 20e6;
    assert_true(fabs(possible(&c, IN) - judge_path_room_bps(&c.facts, true, 100e6, possible(&c, OUT))) < 1);
    assert_true(fabs(possible(&c, IN) - 72.626e6) < 1e3 && fabs(possible(&c, OUT) - 92.024e6) < 1e3);
}

/* An application that is answered after 3 of the 12 ms of a cycle, all of which an ACK waits: 12 / (12 - 3). */
TEST(test_an_application_that_waits_for_answers_has_shorter_cycles)
{
    struct scene c;
    scene_make(&c);
    struct judge_flow *f = &c.flow[OUT];
    f->known = JUDGE_CAUSE_APPLICATION;
    c.otherwise[OUT] = 1;
    c.open[JUDGE_OPEN_LIMIT] = 0;
    assert_true(gains(&c, OUT, 1)); /* it has no cycles */
    f->cycle_s = 12e-3;
    f->cycle_wait_s = 3e-3;
    f->clocked = 0;
    assert_true(gains(&c, OUT, 12.0 / 9));
    f->clocked = 1; /* a clock starts them */
    assert_true(gains(&c, OUT, 1));
    f->clocked = 0.3;
    f->clocked_sd = 0.3;
    c.open[JUDGE_OPEN_CYCLE] = 1; /* 0.6: it may be one */
    assert_true(gains(&c, OUT, 1));
    c.open[JUDGE_OPEN_CYCLE] = -1;
    assert_true(gains(&c, OUT, 12.0 / 9));
    f->most_bps = 11e6;
    assert_true(gains(&c, OUT, 1.1));
    f->most_bps = INFINITY;
    f->cycle_wait_s = 24e-3; /* more than there is */
    assert_true(possible(&c, OUT) > f->rate_bps && possible(&c, OUT) < 100 * f->rate_bps);
    f->cycle_wait_s = -1e-3;
    assert_true(gains(&c, OUT, 1));
    f->cycle_wait_s = 3e-3;
    f->ack_wait_s = 0;
    assert_true(gains(&c, OUT, 1));
    f->ack_wait_s = 10e-3;
    f->known = JUDGE_CAUSE_RECEIVER;
    assert_true(gains(&c, OUT, 1));
}

/* With P = 0.3 three of ten draws have it so. */
TEST(test_what_holds_a_flow_is_drawn_by_its_probability)
{
    struct scene c;
    scene_make(&c);
    c.otherwise[OUT] = 0.3;
    c.open[JUDGE_OPEN_LIMIT] = 0.29;
    assert_true(gains(&c, OUT, 1));
    c.open[JUDGE_OPEN_LIMIT] = 0.31;
    assert_true(gains(&c, OUT, 2));
}

/* Data in alone, whose ACKs wait 10 of 20 ms: behind each other. */
static void alone(struct scene *c)
{
    scene_make(c);
    c->flow[0] = c->flow[OUT];
    c->flow[0].incoming = true;
    c->facts.n = 1;
}

TEST(test_nothing_behind_which_acks_wait_costs_nothing)
{
    struct scene c;
    alone(&c);
    assert_true(gains(&c, IN, 1));
    assert_true(possible(&c, OUT) == 0);
    c.open[JUDGE_OPEN_PLACE] = 0; /* wherever it is */
    assert_true(gains(&c, IN, 1));
    c.facts.out.other_bps = 1e6; /* a tenth of what the flow carries goes their way */
    assert_true(gains(&c, IN, 2));
    alone(&c);
    c.facts.in.other_bps = 1e6; /* not their way */
    assert_true(gains(&c, IN, 1));
    c.flow[0].behind = true; /* its source knows */
    assert_true(gains(&c, IN, 2));
    alone(&c);
    c.facts.beside = false; /* others may send there that the capture has not */
    c.open[JUDGE_OPEN_PLACE] = 0.49;
    assert_true(gains(&c, IN, 2));
    c.open[JUDGE_OPEN_PLACE] = 0.51;
    assert_true(gains(&c, IN, 1));
}

/* Its ACKs take 10 Mb/s x 90 / (2 x 1448) = 311 kb/s on the wire, of a way whose other traffic nobody sees. */
TEST(test_no_line_is_so_unlike_that_few_acks_fill_it)
{
    const struct { double in_times, alone; } lines[] = {{20, 0.5}, {40, 0.5}, {100, 0.0464}, {400, 0.0005}};
    const double acks_bps = 10e6 * 90 / (2 * FULL);
    struct scene c;
    alone(&c);
    c.facts.in.acks_hidden = true;
    for (int known = 0; known < 2; known++) { /* all that it can pass; and twice that */
        c.facts.out.capacity_bps = (1 + known) * acks_bps;
        assert_true(known ? gains(&c, IN, 2) : gains(&c, IN, 1));
    }
    c.facts.out = (struct judge_link){.capacity_bps = NAN, .drain_s = INFINITY};
    c.open[JUDGE_OPEN_LINK] = 1; /* 30 times as fast as what passes */
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        c.facts.in.source = JUDGE_CAPACITY_DISPERSION;
        c.facts.in.capacity_bps = lines[i].in_times * acks_bps;
        for (int more = 0; more < 2; more++) { /* it carries 37 times what its ACKs take: 20 times leaves no room */
            c.open[JUDGE_OPEN_PLACE] = 1 - lines[i].alone + (more ? 1e-3 : -1e-3);
            assert_true((possible(&c, IN) > 1.02 * 10e6) == (!more && lines[i].in_times > 38));
        }
    }
    c.facts.in.source = JUDGE_CAPACITY_ASSUMED; /* it says nothing of how unlike the line is */
    c.open[JUDGE_OPEN_PLACE] = 0.51;
    assert_true(gains(&c, IN, 1));
    c.facts.in.acks_mixed = true; /* with others' data, or ACKs */
    assert_true(gains(&c, IN, 2));
    c.open[JUDGE_OPEN_PLACE] = 0.86;
    assert_true(gains(&c, IN, 1));
}

/* 4 of 10 ms in a host that no order of service spares: 20 / (20 - 6). And of the data's 5 ms 3 stay:
 * 20 / (20 - 6 - 2). */
TEST(test_what_waits_in_a_slow_host_waits_on)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].host_ack_s = 4e-3;
    assert_true(gains(&c, OUT, 20.0 / 14));
    c.flow[OUT].host_data_s = 3e-3;
    c.open[JUDGE_OPEN_VANISHES] = bunched(1);
    double expected = 20.0 / (20 - 6 - (20 - 5 - 6 - 3));
    assert_true(gains(&c, OUT, expected));
}

/* All that is in flight takes 10 / 1.3 ms to pass the link: in between of what a mean may exceed and of what it
 * cannot. */
TEST(test_nothing_waits_longer_than_all_in_flight_takes)
{
    struct scene c;
    scene_make(&c);
    c.facts.in.drain_s = 10e-3; /* just so long */
    c.open[JUDGE_OPEN_PLACE] = 0;
    assert_true(gains(&c, OUT, 2));
    c.facts.in.drain_s = 10e-3 / 2;
    c.open[JUDGE_OPEN_PLACE] = NEVER;
    assert_true(gains(&c, OUT, 1));
    c.facts.in.drain_s = 10e-3 / 1.3;
    assert_true(gains(&c, OUT, 2));
    c.open[JUDGE_OPEN_PLACE] = 0;
    assert_true(gains(&c, OUT, 1));
    c.facts.in.drain_s = INFINITY;
    c.facts.out.drain_s = 1e-3; /* of the other queue */
    assert_true(gains(&c, OUT, 2));
    /* Unless data on the same way wait as long. */
    c.facts.in.drain_s = 1e-3;
    c.flow[OUT].beside_s = 9e-3;
    assert_true(gains(&c, OUT, 2));
    c.flow[OUT].beside_s = 5e-3;
    assert_true(gains(&c, OUT, 1));
}

/* What waits behind slower links of its own is not in the way of ACKs of another one. */
TEST(test_data_behind_links_of_their_own_are_in_nobodys_way)
{
    struct scene c;
    scene_make(&c);
    c.facts.in.apart = true;
    assert_true(gains(&c, OUT, 1));
    c.flow[OUT].beside_s = 9e-3; /* but on this way */
    assert_true(gains(&c, OUT, 2));
}

/* 4 ms that nobody placed are the ACKs' or not: 20 / (20 - 14), the data's are 1. They are less likely so where the
 * queue towards the host is full. */
TEST(test_waits_that_nobody_placed_may_be_the_acks)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].unplaced_s = 4e-3;
    assert_true(gains(&c, OUT, 2));
    c.open[JUDGE_OPEN_UNPLACED] = 0;
    assert_true(gains(&c, OUT, 20.0 / 6));
    c.flow[OUT].unplaced_s = -4e-3; /* the other way round */
    assert_true(gains(&c, OUT, 20.0 / 14));
    c.open[JUDGE_OPEN_UNPLACED] = 0.3;
    assert_true(gains(&c, OUT, 20.0 / 14));
    c.facts.in.capacity_bps = 21.6e6; /* 20 + 10 * 0.0311 and 6.2 % around: full */
    assert_true(gains(&c, OUT, 2));
    c.facts.in.works = 0.5; /* not all the time */
    assert_true(gains(&c, OUT, 20.0 / 14));
    c.facts.in.works = 0;
    c.open[JUDGE_OPEN_UNPLACED] = 0;
    assert_true(gains(&c, OUT, 20.0 / 14));
}

/* 4 ms of the data's 5, of which 2 are in a slow host: these stay, so that 3 are the ACKs' at most. 20 / (20 - 13). */
TEST(test_waits_in_a_slow_host_are_placed)
{
    struct scene c;
    scene_make(&c);
    c.flow[OUT].unplaced_s = 4e-3;
    c.flow[OUT].host_data_s = 2e-3;
    c.open[JUDGE_OPEN_UNPLACED] = 0;
    assert_true(gains(&c, OUT, 20.0 / 7));
}

/* What outgoing data wait after the tap may pass for waits of their ACKs: hardly where data that come in wait as long,
 * and most of all where their segments leave evenly. */
TEST(test_coarse_stamps_may_take_data_for_acks)
{
    struct scene c;
    scene_make(&c);
    c.open[JUDGE_OPEN_BLURRED] = 0;
    assert_true(gains(&c, OUT, 2)); /* fine ones do not */
    c.flow[OUT].coarse = true;
    assert_true(gains(&c, OUT, 1));
    c.open[JUDGE_OPEN_BLURRED] = NEVER;
    assert_true(gains(&c, OUT, 2));
    c.open[JUDGE_OPEN_BLURRED] = 0.15;
    assert_true(gains(&c, OUT, 1));
    c.flow[IN].data_wait_s = 9e-3; /* as long, but for a factor of two */
    assert_true(gains(&c, OUT, 2));
    c.flow[IN].data_wait_s = 4e-3;
    assert_true(gains(&c, OUT, 1));
    c.flow[IN].data_wait_s = 21e-3;
    assert_true(gains(&c, OUT, 1));
    c.flow[IN].data_wait_s = 9e-3;
    c.flow[OUT].sender.tight_share = 0.01;
    assert_true(gains(&c, OUT, 1));
    alone(&c); /* incoming data wait before the tap */
    c.flow[0].coarse = c.flow[0].behind = true;
    c.open[JUDGE_OPEN_BLURRED] = 0;
    assert_true(gains(&c, IN, 2));
}

/* Out 10 Mb/s that want 20 through a link of so much. On the wire 10 Mb/s are 10.62, and ACKs of 20 in 0.62. */
static double through(struct judge_link link, double spread, double capacity)
{
    struct scene c;
    scene_make(&c);
    link.drain_s = INFINITY;
    c.facts.out = link;
    c.open[JUDGE_OPEN_LINK] = spread;
    c.open[JUDGE_OPEN_CAPACITY] = capacity;
    return possible(&c, OUT);
}

static double of_wire(double wire_bps)
{
    return (wire_bps - 20e6 * 90 / 2896) * 1448 / 1538;
}

TEST(test_a_known_link_is_as_fast_as_it_is_and_a_measured_one_about_so)
{
    struct judge_link link = {.capacity_bps = 15e6, .source = JUDGE_CAPACITY_KNOWN};
    assert_true(fabs(through(link, 0, 2) - of_wire(15e6)) < 1);
    link.source = JUDGE_CAPACITY_DISPERSION;
    assert_true(fabs(through(link, 0.5, 2) - of_wire(15e6 * (1 + 2 * judge_noise.capacity))) < 1);
    assert_true(fabs(through(link, 0.5, -1) - of_wire(15e6 * (1 - judge_noise.capacity))) < 1);
}

TEST(test_an_unknown_link_has_any_room_from_none_on)
{
    const struct judge_link link = {.capacity_bps = NAN, .source = JUDGE_CAPACITY_UNKNOWN};
    double before = through(link, 0, 0);
    assert_true(fabs(before - 10e6) < 1); /* what it carries */
    for (int i = 1; i <= 10; i++) {
        double now = through(link, i / 10.0, 0);
        assert_true(now >= before);
        before = now;
    }
    assert_true(fabs(before - 20e6) < 1); /* many times as fast */
}

/* As fast as the other way, mostly; surely so where it carries just that. */
/* Half of what an unknown link may be is just what passes, where the capture's clock cannot show that frames are back to back. */
TEST(test_a_link_that_no_clock_shows_may_be_full)
{
    const enum judge_capacity_source sources[] = {JUDGE_CAPACITY_UNKNOWN, JUDGE_CAPACITY_ASSUMED};
    for (int i = 0; i < 2; i++)
        for (int hidden = 0; hidden < 2; hidden++) {
            struct scene c;
            scene_make(&c);
            c.facts.out.source = sources[i];
            c.facts.out.hidden = hidden;
            c.open[JUDGE_OPEN_LINK] = 0.49;
            assert_true(gains(&c, OUT, hidden ? 1 : 20.0 / 10));
            c.open[JUDGE_OPEN_LINK] = 0.75;
            assert_true(gains(&c, OUT, 20.0 / 10));
        }
}

/* Where neither way shows its rate, one whose data wait more than a tenth of the round trip, 5 ms of 20, may be full. */
TEST(test_a_link_before_which_data_wait_may_be_full)
{
    for (int known = 0; known < 2; known++)
        for (int waits = 0; waits < 2; waits++) {
            struct scene c;
            scene_make(&c);
            c.facts.out.source = JUDGE_CAPACITY_UNKNOWN;
            c.facts.in.source = known ? JUDGE_CAPACITY_DISPERSION : JUDGE_CAPACITY_UNKNOWN;
            c.flow[OUT].data_wait_s = waits ? 5e-3 : 1.9e-3;
            c.flow[OUT].floor_s = 10e-3 - c.flow[OUT].data_wait_s;
            c.open[JUDGE_OPEN_LINK] = 0.49;
            assert_true(gains(&c, OUT, waits && !known ? 1 : 20.0 / 10));
            c.open[JUDGE_OPEN_LINK] = 0.75;
            assert_true(gains(&c, OUT, 20.0 / 10));
        }
}

TEST(test_links_are_mostly_alike_both_ways)
{
    struct judge_link link = {.capacity_bps = 15e6, .source = JUDGE_CAPACITY_ASSUMED};
    assert_true(fabs(through(link, 0.3, 0) - of_wire(15e6)) < 1);
    assert_true(fabs(through(link, NEVER, 0) - 20e6) < 1);
    link.capacity_bps = 11.3e6; /* 10.62 + 0.62 */
    assert_true(fabs(through(link, NEVER, 0) - of_wire(11.3e6)) < 1);
    link.unlike = true; /* windows as large as the other direction's carry that, too: as likely as not */
    assert_true(fabs(through(link, 0.49, 0) - of_wire(11.3e6)) < 1);
    assert_true(fabs(through(link, NEVER, 0) - 20e6) < 1);
}

/* 20 Mb/s if it works for 0.6 of the time, any less down to 12 if for all of it. */
TEST(test_a_link_that_works_for_a_share_of_the_time_is_so_much_slower)
{
    const struct judge_link link = {.capacity_bps = 20e6, .works = 0.6, .source = JUDGE_CAPACITY_QUEUE};
    assert_true(fabs(through(link, 0, 0) - of_wire(20e6)) < 1);
    assert_true(fabs(through(link, 1, 0) - of_wire(12e6)) < 1);
    assert_true(fabs(through(link, 0.5, 0) - of_wire(15e6)) < 1); /* 20 * 0.6 / (0.6 + 0.5 * 0.4) */
}

TEST(test_a_slower_link_after_the_tap_may_be_full)
{
    struct scene c;
    scene_make(&c);
    c.facts.out.slower = true;
    c.open[JUDGE_OPEN_PLACE] = 0.1;
    assert_true(gains(&c, OUT, 1));
    c.open[JUDGE_OPEN_PLACE] = 0.9;
    assert_true(gains(&c, OUT, 2));
}

/* Each by itself: a wait by shares and by ticks, all that is possible, and what is more than is carried. */
TEST(test_facts_and_the_model_are_off_by_shares)
{
    struct scene c;
    scene_make(&c);
    c.open[JUDGE_OPEN_WAIT] = 2;
    double expected = 20 / (20 - 10 * (1 + 2 * judge_noise.wait));
    assert_true(gains(&c, OUT, expected));
    scene_make(&c);
    c.flow[OUT].wait_sd_s = 0.5e-3;
    c.open[JUDGE_OPEN_TICK] = -2;
    assert_true(gains(&c, OUT, 20.0 / (20 - 9)));
    c.flow[OUT].ack_wait_s = 0; /* where there is none it does not come from ticks */
    c.open[JUDGE_OPEN_TICK] = 2;
    assert_true(gains(&c, OUT, 1));
    scene_make(&c);
    c.open[JUDGE_OPEN_MODEL] = 1;
    assert_true(gains(&c, OUT, 2 * (1 + judge_noise.model)) && gains(&c, IN, 1 + judge_noise.model));
    scene_make(&c);
    c.open[JUDGE_OPEN_GAIN] = 1;
    const double *off = judge_noise.gain; /* a factor, so that no gain becomes a loss */
    assert_true(gains(&c, OUT, 1 + exp(off[c.facts.in.source])) && gains(&c, IN, 1));
    c.facts.out.source = JUDGE_CAPACITY_QUEUE; /* the lesser known link counts */
    assert_true(gains(&c, OUT, 1 + exp(off[JUDGE_CAPACITY_QUEUE])));
    c.open[JUDGE_OPEN_GAIN] = -3;
    assert_true(gains(&c, OUT, 1 + exp(-3 * off[JUDGE_CAPACITY_QUEUE])));
}

/* At 10 Mb/s a full frame of 1538 bytes takes 1.23 ms: ACKs that wait 10 ms wait for half of one in any order. Those that
 * wait for less than it wait for it alone, and nobody else's data began a frame where there are none. */
TEST(test_no_order_interrupts_a_frame_that_has_begun)
{
    struct scene c;
    scene_make(&c);
    c.flow[IN].rate_bps = 1e3;
    c.facts.in.capacity_bps = 10e6;
    c.open[JUDGE_OPEN_BEGUN] = 0.5;
    double half_ms = (FULL + JUDGE_AROUND) * 8 / 10e6 / 2 * 1e3;
    assert_true(gains(&c, OUT, 20 / (20 - (10 - half_ms))));
    c.flow[OUT].ack_wait_s = 0.9 * half_ms / 1e3;
    assert_true(gains(&c, OUT, 1));
    scene_make(&c);
    c.facts.n = 1;
    c.facts.flow = &c.flow[OUT];
    c.flow[OUT].behind = true;
    c.facts.in.capacity_bps = 10e6;
    c.open[JUDGE_OPEN_BEGUN] = 0.5;
    assert_true(gains(&c, OUT, 2));
}

/* ACKs of 15 Mb/s, 90 bytes for two segments, fill 466 kb/s: no faster, however fast the data's own link is. */
TEST(test_acks_alone_bound_what_their_link_lets_pass)
{
    struct scene c;
    scene_make(&c);
    c.flow[IN].rate_bps = 1e3;
    c.facts.in.capacity_bps = 15e6 * JUDGE_AROUND / (2 * FULL);
    assert_true(gains(&c, OUT, 1.5));
    c.facts.in.other_bps = c.facts.in.capacity_bps / 5; /* which they overtake */
    assert_true(gains(&c, OUT, 1.5));
}

#define MANY 4

struct drawn {
    struct judge_flow flow[MANY];
    struct judge_facts facts;
    double otherwise[MANY], open[JUDGE_OPENS];
};

/* Any facts whose links have a capacity that is known, and any way that it may be. */
static void drawn_make(struct drawn *d, struct random *r)
{
    static const double sizes[] = {536, 1448, 8948};
    memset(d, 0, sizeof *d);
    for (int i = 0; i < MANY; i++) {
        bool seen = random_below(r, 8) > 0;
        d->flow[i] = (struct judge_flow){
            .incoming = random_below(r, 2), .lossless = random_below(r, 2), .coarse = random_below(r, 4) == 0,
            .behind = random_below(r, 4) == 0, .rate_bps = 1e5 + any(r, 1e8),
            .loss_events = (int64_t)random_below(r, 3),
            .floor_s = 1e-5 + any(r, 0.1), .data_wait_s = seen ? any(r, 0.1) - 1e-5 : (double)NAN,
            .ack_wait_s = seen ? any(r, 0.1) - 1e-5 : (double)NAN,
            .wait_sd_s = any(r, 1e-3), .unplaced_s = random_below(r, 2) ? 0 : any(r, 0.02) - 0.01,
            .beside_s = random_below(r, 2) ? 0 : any(r, 0.1),
            .most_bps = INFINITY,
            .window_bps = random_below(r, 2) ? (double)INFINITY : any(r, 2e8), .cycle_s = NAN, .cycle_wait_s = NAN,
            .clocked = NAN,
            .sender = {.full_bytes = FULL, .flight_bytes = any(r, 1e5), .most_bytes = 1e5, .offered_bytes = any(r, 4e5),
                       .tight_share = any(r, 1)}};
        if (random_below(r, 2))
            d->flow[i].most_bps = d->flow[i].rate_bps + any(r, 1e8);
        if (random_below(r, 2)) {
            d->flow[i].cycle_s = 1e-3 + any(r, 1);
            d->flow[i].cycle_wait_s = any(r, 1);
            d->flow[i].clocked = any(r, 1);
            d->flow[i].clocked_sd = any(r, 0.3);
        }
        d->otherwise[i] = any(r, 1);
    }
    d->facts = (struct judge_facts){.flow = d->flow, .n = random_below(r, MANY + 1),
                                    .full_bytes = sizes[random_below(r, 3)], .segments_per_ack = 1 + any(r, 20),
                                    .ci95_bps = NAN, .beside = random_below(r, 2)};
    for (int way = 0; way < 2; way++)
        *(way ? &d->facts.out : &d->facts.in) = (struct judge_link){
            .capacity_bps = any(r, 1e9), .source = JUDGE_CAPACITY_KNOWN,
            .other_bps = random_below(r, 2) ? 0 : any(r, 1e7),
            .drain_s = random_below(r, 2) ? (double)INFINITY : any(r, 0.2),
            .apart = random_below(r, 8) == 0, .slower = random_below(r, 8) == 0,
            .acks_hidden = random_below(r, 8) == 0};
    for (int i = 0; i < JUDGE_OPEN_SHARES; i++)
        d->open[i] = any(r, 1);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a <= b && a >= b);
}

TEST(test_sums_are_those_of_the_flows)
{
    struct random r;
    r = random_of(6);
    for (int k = 0; k < 2000; k += cm_every()) {
        struct drawn d;
        drawn_make(&d, &r);
        const struct judge_facts summed = judge_facts_summed(&d.facts), *s = &d.facts;
        double carried_bps = 0;
        for (int in = 0; in < 2; in++) {
            carried_bps += judge_facts_carried_bps(&summed, in);
            assert_all(same(judge_facts_carried_bps(&summed, in), judge_facts_carried_bps(s, in)),
                       same(judge_facts_data_wait_s(&summed, in), judge_facts_data_wait_s(s, in)),
                       same(judge_facts_trip_s(&summed, in), judge_facts_trip_s(s, in)));
        }
        assert_int_equal(judge_facts_lossy(&summed), judge_facts_lossy(s));
        for (size_t i = 0; i < s->n; i++)
            carried_bps -= d.flow[i].rate_bps;
        assert_near(carried_bps, 0, 1e-3);
    }
}

/* Of any facts: what is carried, or as much of it as has room beside the ACKs of what else is possible. Without room a
 * capacity contradicts what is carried, and bounds nothing. */
TEST(test_what_is_possible_is_finite_and_no_less_than_is_carried)
{
    struct random r;
    r = random_of(3);
    for (int k = 0; k < 20000; k += cm_every()) {
        struct drawn d;
        double bps[2];
        drawn_make(&d, &r);
        judge_path_possible(&d.facts, d.otherwise, d.open, 1, bps);
        for (int way = 0; way < 2; way++) {
            double have = judge_facts_carried_bps(&d.facts, way == 0);
            double capacity_bps = way ? d.facts.out.capacity_bps : d.facts.in.capacity_bps;
            double room = judge_path_room_bps(&d.facts, way == 0, capacity_bps, bps[!way]);
            assert_all(isfinite(bps[way]) && bps[way] >= 0, bps[way] >= fmin(have, room > 0 ? room : have) * (1 - 1e-3),
                       have > 0 || bps[way] == 0);
        }
    }
}

TEST(test_of_no_source_of_a_capacity_anything_is_infinite)
{
    struct random r;
    r = random_of(4);
    for (int k = 0; k < 20000; k += cm_every()) {
        struct drawn d;
        double bps[2];
        drawn_make(&d, &r);
        for (int way = 0; way < 2; way++) {
            struct judge_link *l = way ? &d.facts.out : &d.facts.in;
            l->source = (enum judge_capacity_source)random_below(&r, JUDGE_CAPACITY_KNOWN + 1);
            l->capacity_bps = l->source == JUDGE_CAPACITY_UNKNOWN ? (double)NAN : l->capacity_bps;
            l->works = l->source == JUDGE_CAPACITY_QUEUE ? any(&r, 1) : 0;
        }
        for (int i = JUDGE_OPEN_SHARES; i < JUDGE_OPENS; i++)
            d.open[i] = any(&r, 8) - 4;
        struct drawn before;
        memcpy(&before, &d, sizeof d);
        judge_path_possible(&d.facts, d.otherwise, d.open, 1, bps);
        assert_true(isfinite(bps[IN]) && isfinite(bps[OUT]) && bps[IN] >= 0 && bps[OUT] >= 0);
        assert_memory_equal(&before, &d, sizeof d);
    }
}

/* In a queue from which nothing is known to be elsewhere, in links with room. */
TEST(test_more_ack_wait_makes_no_less_possible)
{
    struct random r;
    r = random_of(5);
    for (int k = 0; k < 20000; k += cm_every()) {
        struct drawn d;
        double less[2], more[2];
        drawn_make(&d, &r);
        d.facts.in.capacity_bps = d.facts.out.capacity_bps = 1e13;
        d.facts.in.drain_s = d.facts.out.drain_s = INFINITY;
        d.facts.in.apart = d.facts.out.apart = false;
        for (int i = 0; i < MANY; i++)
            d.flow[i].coarse = false;
        judge_path_possible(&d.facts, d.otherwise, d.open, 1, less);
        for (int i = 0; i < MANY; i++)
            d.flow[i].ack_wait_s += random_below(&r, 2) ? any(&r, 0.1) : 0;
        judge_path_possible(&d.facts, d.otherwise, d.open, 1, more);
        for (int way = 0; way < 2; way++)
            assert_true(more[way] >= less[way] * (1 - 1e-9));
    }
}
