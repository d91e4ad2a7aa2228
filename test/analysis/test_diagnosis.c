/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real Linux, two in and one out at 50 Mb/s, captured at the shared host: test/data/captures/README.md. */
#include "analysis/check_capture.h"
#include "analysis/evidence.h"
#include "test/cm.h"

#include <math.h>
#include <stdio.h>

static struct analysis_diagnosis diagnosis_of(const char *name)
{
    struct error err;
    struct analysis_capture capture;
    struct analysis_resources all;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TEST_CAPTURES, name);
    struct analysis_flows *f = analysis_flows_new();
    assert_non_null(f);
    analysis_flows_keep_explanations(f);
    assert_true(analysis_flows_read(f, path, NULL, NULL, &capture, &err));
    analysis_check_capture(f, ANALYSIS_CHECK_TOLERANCE, NULL, &all);
    assert_int_equal(all.n, 1);
    assert_true(all.resource[0].diagnosed);
    struct analysis_diagnosis d = all.resource[0].diagnosis;
    analysis_resources_fini(&all);
    analysis_flows_free(f);
    return d;
}

/* With ACKs first real Linux gave the flow out 46.4 Mb/s instead of 24. */
static void test_fifo_loses_half_of_the_outgoing_direction(void **state)
{
    (void)state;
    struct analysis_diagnosis d = diagnosis_of("fifo-2in-1out.pcap.gz");
    assert_int_equal(d.answer, ANALYSIS_ANSWER_YES);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_ACKS);
    assert_true(fabs(d.out.possible_bps / 46.4e6 - 1) < 0.03);
    assert_true(fabs(d.out.lost_share - 0.48) < 0.03 && fabs(d.in.lost_share) < 0.03);
    assert_true(d.in.saturated && !d.out.saturated);
    assert_true(fabs(d.in.capacity_bps / 50e6 - 1) < 0.03);
    assert_int_equal(d.in.source, ANALYSIS_CAPACITY_DISPERSION);
    assert_true(d.ci95 >= 0.004 && d.ci95 < 0.05); /* what the model leaves out, and what rates vary by */
    assert_true(d.out.ack_wait_s > 0.15 && d.in.data_wait_s > 0.15 && d.in.ack_wait_s < 0.01);
}

static void test_ack_first_loses_nothing(void **state)
{
    (void)state;
    struct analysis_diagnosis d = diagnosis_of("ackprio-2in-1out.pcap.gz");
    assert_int_equal(d.answer, ANALYSIS_ANSWER_NO);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_FULL);
    assert_true(fabs(d.lost_share) < 0.03);
}

static void test_shallow_buffers_are_named_losses(void **state)
{
    (void)state;
    struct analysis_diagnosis d = diagnosis_of("shallow-2in-1out.pcap.gz");
    assert_int_equal(d.answer, ANALYSIS_ANSWER_NO);
    assert_true(d.in.saturated && d.out.saturated);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_LOSSES);
}

/* One bulk flow each way: in 80 Mb/s without waits, out what `ack_wait_s` of a round trip of 20 ms lets. */
static struct analysis_diagnosis diagnosis_of_pair_at(double link_bps, double out_bps, double ack_wait_s,
                                                      struct analysis_evidence out, double other_bps)
{
    struct analysis_diagnosis_flow flows[] = {{.incoming = true, .rate_bps = 80e6}, {.rate_bps = out_bps}};
    struct analysis_evidence e[] = {{.flow = &flows[0], .wanted_bps = 80e6, .floor_s = 0.02}, out};
    for (int i = 0; i < 2; i++) {
        e[i].flow = &flows[i];
        e[i].most_bps = INFINITY;
        e[i].limit = e[i].limit == ANALYSIS_CAUSE_UNKNOWN ? ANALYSIS_CAUSE_WINDOW : e[i].limit;
        e[i].clocking.full_bytes = 1448;
    }
    e[1].floor_s = isnan(ack_wait_s) ? 0.02 : 0.02 - ack_wait_s - e[1].data_wait_s;
    e[1].ack_wait_s = ack_wait_s;
    struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                        .interface_bps = NAN, .unseen = 0.01, .beside = true,
                                        .other_bps = {0, other_bps}};
    const double capacity_bps[2] = {link_bps, link_bps};
    struct analysis_diagnosis d;
    analysis_diagnosis_decide(&set, NULL, capacity_bps, &d);
    return d;
}

static struct analysis_diagnosis diagnosis_of_pair(double out_bps, double ack_wait_s, struct analysis_evidence out,
                                                   double other_bps)
{
    return diagnosis_of_pair_at(100e6, out_bps, ack_wait_s, out, other_bps);
}

static void test_a_flow_that_may_be_its_applications_is_no_yes(void **state)
{
    (void)state;
    assert_int_equal(diagnosis_of_pair(40e6, 0.01, (struct analysis_evidence){0}, 0).answer, ANALYSIS_ANSWER_YES);
    assert_int_equal(diagnosis_of_pair(40e6, 0.01, (struct analysis_evidence){.unsure = true}, 0).answer,
                     ANALYSIS_ANSWER_UNKNOWN);
}

/* What looks like an application's may be a window that shrinks while ACKs wait: a no only where they do not. */
static void test_a_likely_application_is_no_no(void **state)
{
    (void)state;
    struct analysis_evidence sure = {.limit = ANALYSIS_CAUSE_APPLICATION}, likely = sure;
    likely.likely = true;
    assert_int_equal(diagnosis_of_pair(40e6, 0.01, sure, 0).answer, ANALYSIS_ANSWER_NO);
    assert_int_equal(diagnosis_of_pair(40e6, 0.01, likely, 0).answer, ANALYSIS_ANSWER_UNKNOWN);
    assert_int_equal(diagnosis_of_pair(40e6, 0, likely, 0).answer, ANALYSIS_ANSWER_NO);
    assert_int_equal(diagnosis_of_pair(40e6, 0, likely, 0).cause, ANALYSIS_CAUSE_APPLICATION);
    assert_int_equal(diagnosis_of_pair(85e6, 0.01, likely, 0).answer, ANALYSIS_ANSWER_NO); /* by its room */
}

/* Half of what the flow loses is its data's: where the link is hardly in use, that stays. */
static void test_data_that_wait_for_something_else_wait_on(void **state)
{
    (void)state;
    struct analysis_evidence waits = {.data_wait_s = 0.009};
    assert_int_equal(diagnosis_of_pair(20e6, 0.0015, waits, 0).answer, ANALYSIS_ANSWER_UNKNOWN);
    assert_int_equal(diagnosis_of_pair(60e6, 0.0015, waits, 0).answer, ANALYSIS_ANSWER_YES);
}

/* A slower link elsewhere would look the same where neither stamps nor the link's rate tell. */
static void test_blurred_waits_behind_an_unknown_link_are_no_yes(void **state)
{
    (void)state;
    struct analysis_evidence sharp = {.tick_s = 1e-3}, blurred = {.tick_s = 0};
    assert_int_equal(diagnosis_of_pair_at(NAN, 40e6, 0.01, sharp, 0).answer, ANALYSIS_ANSWER_YES);
    assert_int_equal(diagnosis_of_pair_at(NAN, 40e6, 0.01, blurred, 0).answer, ANALYSIS_ANSWER_UNKNOWN);
    assert_int_equal(diagnosis_of_pair(40e6, 0.01, blurred, 0).answer, ANALYSIS_ANSWER_YES);
}

/* Unless ACKs wait as long as the data do that the host's queue would have them behind. */
static void test_blurred_waits_as_long_as_the_datas_are_behind_these(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct analysis_diagnosis_flow flows[] = {{.incoming = true, .rate_bps = 80e6}, {.rate_bps = 40e6}};
        struct analysis_evidence e[2] = {{.data_wait_s = same ? 0.0105 : 0.005}, {.ack_wait_s = 0.01, .floor_s = 0.01}};
        for (int i = 0; i < 2; i++) {
            e[i].flow = &flows[i];
            e[i].wanted_bps = 80e6;
            e[i].most_bps = INFINITY;
            e[i].limit = ANALYSIS_CAUSE_WINDOW;
            e[i].clocking.full_bytes = 1448;
        }
        struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                            .interface_bps = NAN, .unseen = 0.01, .beside = true};
        const double capacity_bps[2] = {100e6, NAN};
        struct analysis_diagnosis d;
        analysis_diagnosis_decide(&set, NULL, capacity_bps, &d);
        assert_int_equal(d.out.source, ANALYSIS_CAPACITY_ASSUMED);
        const double unknown_bps[2] = {NAN, NAN};
        analysis_diagnosis_decide(&set, NULL, unknown_bps, &d);
        assert_int_equal(d.answer, same ? ANALYSIS_ANSWER_YES : ANALYSIS_ANSWER_UNKNOWN);
    }
}

/* Without stamps: 460 kB in flight at 92 Mb/s take 40 ms to come round, 39 of them in the queue before the host. ACKs
 * of a flow whose 40 ms there never were less than 8 wait as long. */
static void test_without_stamps_data_tell_how_long_acks_wait(void **state)
{
    (void)state;
    struct analysis_diagnosis_flow flows[] = {{.incoming = true, .rate_bps = 92e6}, {.rate_bps = 4e6}};
    struct analysis_evidence e[2] = {{.floor_s = 1e-3, .lossless = true, .clocking.offered_bytes = 92e6 / 8 * 40e-3},
                                     {.loop_least_s = 8e-3, .loop_wait_s = 32e-3}};
    for (int i = 0; i < 2; i++) {
        e[i].flow = &flows[i];
        e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = NAN;
        e[i].clocking.flight_bytes = NAN;
        e[i].most_bps = INFINITY;
        e[i].limit = ANALYSIS_CAUSE_WINDOW;
        e[i].clocking.full_bytes = 1448;
    }
    struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                        .interface_bps = NAN, .unseen = 0.01, .beside = true};
    double capacity_bps[2] = {100e6, 100e6};
    struct analysis_diagnosis d;
    analysis_diagnosis_decide(&set, NULL, capacity_bps, &d);
    assert_true(d.in.saturated);
    assert_true(fabs(flows[1].ack_wait_s - 39e-3) < 1e-9);
    assert_true(fabs(flows[1].floor_s - 1e-3) < 1e-9);
    capacity_bps[0] = 200e6; /* not full: data need not wait there */
    e[1].tick_s = NAN;
    analysis_diagnosis_decide(&set, NULL, capacity_bps, &d);
    assert_true(fabs(flows[1].ack_wait_s - 32e-3) < 1e-9);
}

/* Without stamps, beside the receiver of 4 Mb/s: data are answered in 10 ms, 2 at least, and the way to the sender and
 * back takes 10 more. Its ACKs leave by the queue that 92 Mb/s out fill, after the tap for so long. */
static enum analysis_answer answer_without_stamps(double offered, double after_tap_s, double *floor_s,
                                                  double *ack_wait_s)
{
    struct analysis_diagnosis_flow flows[] = {{.rate_bps = 92e6}, {.incoming = true, .rate_bps = 4e6}};
    struct analysis_evidence e[2] = {{.floor_s = 5e-3, .loop_least_s = 5e-3, .loop_wait_s = after_tap_s},
                                     {.far_least_s = 10e-3, .loop_least_s = 2e-3, .loop_wait_s = 8e-3}};
    for (int i = 0; i < 2; i++) {
        e[i].flow = &flows[i];
        e[i].tick_s = e[i].data_wait_s = e[i].ack_wait_s = NAN;
        e[i].clocking.flight_bytes = NAN;
        e[i].clocking.offered_bytes = offered;
        e[i].most_bps = INFINITY;
        e[i].limit = ANALYSIS_CAUSE_WINDOW;
        e[i].clocking.full_bytes = 1448;
        e[i].lossless = i > 0;
    }
    struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                        .interface_bps = NAN, .unseen = 0.01, .beside = true};
    const double capacity_bps[2] = {100e6, 100e6};
    struct analysis_diagnosis d;
    analysis_diagnosis_decide(&set, NULL, capacity_bps, &d);
    assert_true(d.out.saturated && !d.in.saturated);
    *floor_s = flows[1].floor_s;
    *ack_wait_s = flows[1].ack_wait_s;
    return d.answer;
}

/* 4 Mb/s times 20 ms are 10 kB: a quarter of 39 kB and more, not of 41. With 20 ms more they are 20. */
static void test_without_stamps_a_window_shows_by_what_is_in_flight(void **state)
{
    (void)state;
    double floor_s, ack_wait_s;
    assert_int_equal(answer_without_stamps(39e3, 0, &floor_s, &ack_wait_s), ANALYSIS_ANSWER_YES);
    assert_true(fabs(floor_s - 12e-3) < 1e-9 && fabs(ack_wait_s - 8e-3) < 1e-9);
    assert_int_equal(answer_without_stamps(41e3, 0, &floor_s, &ack_wait_s), ANALYSIS_ANSWER_UNKNOWN);
    assert_int_equal(answer_without_stamps(41e3, 20e-3, &floor_s, &ack_wait_s), ANALYSIS_ANSWER_YES);
    assert_true(fabs(floor_s - 12e-3) < 1e-9 && fabs(ack_wait_s - 28e-3) < 1e-9);
}

/* ACKs wait 10 ms while 80 Mb/s go their way. What is in flight there, and ACKs of 100 kB, take 6.4 ms to pass at
 * 100 Mb/s, 8.9 or 9.6: they wait elsewhere, nobody knows where, or there. */
static enum analysis_answer answer_by_flight(double flight_bytes, double data_wait_s, bool one_peer)
{
    struct analysis_diagnosis_flow flows[] = {{.incoming = true, .rate_bps = 80e6}, {.rate_bps = 40e6}};
    struct analysis_evidence e[2] = {{.data_wait_s = data_wait_s, .floor_s = 10e-3, .clocking.most_bytes = flight_bytes},
                                     {.floor_s = 10e-3, .ack_wait_s = 10e-3}};
    static struct analysis_capacity_host host;
    for (int i = 0; i < 2; i++) {
        e[i].flow = &flows[i];
        e[i].peer = (struct capture_address){.bytes = {10, 0, 0, (uint8_t)(one_peer ? 1 : 1 + i)}, .family = 4};
        e[i].tick_s = 1e-3;
        e[i].most_bps = INFINITY;
        e[i].limit = ANALYSIS_CAUSE_WINDOW;
        e[i].clocking.full_bytes = 1448;
    }
    struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                        .interface_bps = NAN, .unseen = 0.01, .beside = true};
    const double capacity_bps[2] = {100e6, 100e6};
    struct analysis_diagnosis d;
    analysis_diagnosis_decide(&set, &host, capacity_bps, &d);
    return d.answer;
}

static void test_nothing_waits_longer_than_all_in_flight_takes(void **state)
{
    (void)state;
    assert_int_equal(answer_by_flight(77e3, 0, false), ANALYSIS_ANSWER_NO);
    assert_int_equal(answer_by_flight(108e3, 0, false), ANALYSIS_ANSWER_UNKNOWN);
    assert_int_equal(answer_by_flight(117e3, 0, false), ANALYSIS_ANSWER_YES);
}

/* Unless data that go to the same host, through the same queues, wait as long: wherever that is, ACKs wait behind them. */
static void test_acks_wait_behind_data_of_their_whole_way(void **state)
{
    (void)state;
    assert_int_equal(answer_by_flight(77e3, 9e-3, true), ANALYSIS_ANSWER_YES);
    assert_int_equal(answer_by_flight(77e3, 9e-3, false), ANALYSIS_ANSWER_UNKNOWN);
    assert_int_equal(answer_by_flight(77e3, 5e-3, true), ANALYSIS_ANSWER_NO);
}

/* 2 Mb/s up and nobody knows how fast down: that more than twice as much is possible there tells. */
static void test_an_access_line_shows_by_what_is_possible(void **state)
{
    (void)state;
    struct analysis_diagnosis_flow flows[] = {{.incoming = true, .rate_bps = 3e6}, {.rate_bps = 1.7e6}};
    struct analysis_evidence e[2] = {{.ack_wait_s = 80e-3, .floor_s = 20e-3}, {.data_wait_s = 80e-3, .floor_s = 20e-3}};
    for (int i = 0; i < 2; i++) {
        e[i].flow = &flows[i];
        e[i].most_bps = INFINITY;
        e[i].limit = ANALYSIS_CAUSE_WINDOW;
        e[i].clocking.full_bytes = 1448;
        e[i].tick_s = 1e-3;
    }
    struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                        .interface_bps = NAN, .unseen = 0.01, .beside = true};
    const double capacity_bps[2] = {NAN, 2e6};
    struct analysis_diagnosis d;
    analysis_diagnosis_decide(&set, NULL, capacity_bps, &d);
    assert_int_equal(d.answer, ANALYSIS_ANSWER_YES);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_THIN_ACKS);
}

/* A megabyte of groups of frames at a rate. */
static void host_votes(struct analysis_capacity_way *w, double bps)
{
    size_t step = (size_t)floor(log2(bps / 1e3) * 16);
    w->votes[0][step].bytes = 1e6;
    w->votes[0][step].seconds = 1e6 * 8 / bps;
}

/* One flow each way, limited by its window, with the same waits. */
static void limited_by_windows(struct analysis_evidence e[2], struct analysis_diagnosis_flow flows[2],
                               struct analysis_wait *waits, size_t n_waits)
{
    for (int i = 0; i < 2; i++) {
        e[i].flow = &flows[i];
        e[i].waits = waits;
        e[i].n_waits = n_waits;
        e[i].tick_s = 1e-3;
        e[i].most_bps = INFINITY;
        e[i].limit = ANALYSIS_CAUSE_WINDOW;
        e[i].clocking.full_bytes = 1448;
    }
}

/* Of such flows, whose frames come at these rates at the closest. */
static struct analysis_diagnosis one_each_way(struct analysis_evidence e[2], struct analysis_diagnosis_flow flows[2],
                                              struct analysis_wait waits[2], double in_bps, double out_bps)
{
    static struct analysis_capacity_host host;
    host = (struct analysis_capacity_host){.tag = 0};
    host_votes(&host.in, in_bps);
    host_votes(&host.out, out_bps);
    limited_by_windows(e, flows, waits, 2);
    struct analysis_evidence_set set = {.flow = e, .n = 2, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                        .interface_bps = NAN, .unseen = 0.01, .beside = true};
    struct analysis_diagnosis d;
    analysis_diagnosis_decide(&set, &host, NULL, &d);
    return d;
}

/* Out 32.2 Mb/s fill a link of 35. In 16.4, evenly spaced as their ACKs come out of its queue: had the link 18 Mb/s
 * that way it would be full, but then data would wait there, as they do when it is so. */
static void test_an_even_clock_of_acks_is_no_link(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        struct analysis_wait waits[2] = {{.leg_s = {[ANALYSIS_LEG_DATA_OUT] = 20e-3}}, {.start_s = 2.5}};
        struct analysis_diagnosis_flow flows[] = {{.incoming = true, .rate_bps = 16.4e6}, {.rate_bps = 32.2e6}};
        struct analysis_evidence e[2] = {
            {.data_wait_s = full ? 15e-3 : 0.4e-3, .ack_wait_s = full ? 5.4e-3 : 20e-3, .floor_s = 10e-3},
            {.data_wait_s = 20e-3, .floor_s = 10e-3}};
        struct analysis_diagnosis d = one_each_way(e, flows, waits, 18e6, 35e6);
        assert_true(fabs(d.out.capacity_bps - 35e6) < 1);
        assert_int_equal(d.in.source, full ? ANALYSIS_CAPACITY_DISPERSION : ANALYSIS_CAPACITY_ASSUMED);
        assert_true(fabs(d.in.capacity_bps - (full ? 18e6 : 35e6)) < 1);
        assert_int_equal(d.answer, full ? ANALYSIS_ANSWER_NO : ANALYSIS_ANSWER_YES);
    }
}

/* One flow each way with equal windows, so equally fast, behind the other end's uplink of 114 Mb/s: if it is ACKs of
 * outgoing data that wait there, the gigabit at which these pass the tap is their way's; if they wait themselves, a
 * shaper lets bursts pass. */
static void test_equal_rates_are_no_equal_links(void **state)
{
    (void)state;
    for (int data = 0; data < 2; data++) {
        struct analysis_wait waits[2] = {{.leg_s = {[ANALYSIS_LEG_DATA_OUT] = 18e-3}}, {.start_s = 2.5}};
        struct analysis_diagnosis_flow flows[] = {{.incoming = true, .rate_bps = 104.3e6}, {.rate_bps = 104.1e6}};
        struct analysis_evidence e[2] = {
            {.data_wait_s = 17.7e-3, .floor_s = 0.23e-3},
            {.data_wait_s = data ? 17e-3 : 0.8e-3, .ack_wait_s = data ? 0.8e-3 : 17e-3, .floor_s = 0.23e-3}};
        struct analysis_diagnosis d = one_each_way(e, flows, waits, 114e6, 1e9);
        assert_int_equal(d.answer, data ? ANALYSIS_ANSWER_NO : ANALYSIS_ANSWER_YES);
        assert_true(fabs(d.out.capacity_bps - (data ? 114e6 : 1e9)) < 1);
    }
}

/* A queue that always stands, of 10 Mb/s of data and as much that is no TCP: the link passes both. */
static void test_a_standing_queue_of_other_traffic_too(void **state)
{
    (void)state;
    static struct analysis_capacity_host host; /* no group of frames votes */
    struct analysis_wait waits[2] = {{.data_s = 10e-3}, {.start_s = 2.5, .data_s = 10e-3}};
    struct analysis_diagnosis_flow flow = {.incoming = true, .rate_bps = 10e6};
    struct analysis_evidence e = {.flow = &flow, .waits = waits, .n_waits = 2, .tick_s = 1e-3, .most_bps = INFINITY,
                                  .data_wait_s = 10e-3, .floor_s = 10e-3, .limit = ANALYSIS_CAUSE_WINDOW,
                                  .clocking.full_bytes = 1448};
    struct analysis_evidence_set set = {.flow = &e, .n = 1, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                        .interface_bps = NAN, .unseen = 0.01, .beside = true,
                                        .other_bps = {10e6, 3e6}};
    struct analysis_diagnosis d;
    analysis_diagnosis_decide(&set, &host, NULL, &d);
    assert_int_equal(d.in.source, ANALYSIS_CAPACITY_QUEUE);
    assert_true(fabs(d.in.capacity_bps - (10e6 * 1538 / 1448 + 10e6)) < 1);
    assert_true(d.in.saturated);
    assert_int_equal(d.answer, ANALYSIS_ANSWER_NO);
}

/* All data go out, and their queue stands, but for the tenth of the phase in which it fills. A tap before it sees them
 * leave the host at 10 Gb/s: that is no link of theirs. With data the other way a queue that runs empty once proves
 * nothing. */
static void test_a_standing_queue_behind_the_tap(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        static struct analysis_capacity_host host;
        host = (struct analysis_capacity_host){.tag = 0};
        host_votes(&host.out, 10e9);
        struct analysis_wait waits[20];
        for (int i = 0; i < 20; i++)
            waits[i] = (struct analysis_wait){.start_s = 0.25 * i, .data_s = i ? 10e-3 : 0,
                                              .leg_s = {[ANALYSIS_LEG_DATA_OUT] = 10e-3}};
        struct analysis_diagnosis_flow flows[] = {{.rate_bps = 60e6}, {.incoming = true, .rate_bps = 1e6}};
        struct analysis_evidence e[2] = {{.data_wait_s = 10e-3, .floor_s = 2e-3}, {.floor_s = 2e-3}};
        limited_by_windows(e, flows, waits, 20);
        struct analysis_evidence_set set = {.flow = e, .n = (size_t)(1 + both), .to_s = 5, .full_bytes = 1448,
                                            .segments_per_ack = 2, .interface_bps = NAN, .unseen = 0.01,
                                            .beside = true};
        struct analysis_diagnosis d;
        analysis_diagnosis_decide(&set, &host, NULL, &d);
        assert_int_equal(d.out.source, both ? ANALYSIS_CAPACITY_DISPERSION : ANALYSIS_CAPACITY_QUEUE);
        assert_true(both || fabs(d.out.capacity_bps - 60e6 * 1538 / 1448) < 1);
        assert_true(both || d.cause == ANALYSIS_CAUSE_ONE_WAY);
    }
}

/* A host of 10 Gb/s, its flows out as fast as 1 Gb/s lets each of two. Stamps do not tell what waits 0.7 ms after the
 * tap: ACKs wait no longer than the data that come in, the rest are data before those links. */
static void test_data_behind_lines_of_their_own(void **state)
{
    (void)state;
    for (int line = 0; line < 2; line++) {
        double rate_bps = line ? 941.5e6 : 700e6;
        struct analysis_diagnosis_flow flows[] = {{.rate_bps = rate_bps}, {.rate_bps = rate_bps},
                                                  {.incoming = true, .rate_bps = 3e9}};
        struct analysis_evidence e[3] = {{.ack_wait_s = 0.7e-3}, {.ack_wait_s = 0.7e-3}, {.data_wait_s = 0.1e-3}};
        for (int i = 0; i < 3; i++) {
            e[i].flow = &flows[i];
            e[i].floor_s = 30e-6;
            e[i].most_bps = INFINITY;
            e[i].limit = ANALYSIS_CAUSE_WINDOW;
            e[i].clocking.full_bytes = 1448;
            e[i].clocking.tight_share = 0.5; /* pairs of frames: nothing has spaced them yet */
        }
        struct analysis_evidence_set set = {.flow = e, .n = 3, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                            .interface_bps = NAN, .unseen = 0.01, .beside = true};
        const double capacity_bps[2] = {10e9, 10e9};
        struct analysis_diagnosis d;
        analysis_diagnosis_decide(&set, NULL, capacity_bps, &d);
        for (int i = 0; i < 2; i++) {
            assert_true(fabs(flows[i].data_wait_s - (line ? 0.6e-3 : 0)) < 1e-9);
            assert_true(fabs(flows[i].ack_wait_s - (line ? 0.1e-3 : 0.7e-3)) < 1e-9);
        }
    }
}

static void test_other_traffic_takes_room(void **state)
{
    (void)state;
    struct analysis_diagnosis d = diagnosis_of_pair(40e6, 0.01, (struct analysis_evidence){0}, 53e6);
    assert_int_equal(d.answer, ANALYSIS_ANSWER_NO);
    assert_true(d.out.saturated && fabs(d.out.room_bps / 41.9e6 - 1) < 0.01);
}

static void test_a_lesser_direction_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(diagnosis_of_pair(2e6, 0.01, (struct analysis_evidence){0}, 0).answer, ANALYSIS_ANSWER_NO);
    assert_int_equal(diagnosis_of_pair(3e6, 0.01, (struct analysis_evidence){0}, 0).answer, ANALYSIS_ANSWER_YES);
}

/* Without waits, 40 Mb/s through 20 ms are 100 kB: a window of as much has nothing to gain, one of more may. */
static void test_offered_windows_bound_what_is_possible(void **state)
{
    (void)state;
    struct analysis_evidence full = {.clocking.offered_bytes = 101e3}, wide = {.clocking.offered_bytes = 150e3};
    assert_int_equal(diagnosis_of_pair(40e6, NAN, full, 0).answer, ANALYSIS_ANSWER_NO);
    assert_int_equal(diagnosis_of_pair(40e6, NAN, wide, 0).answer, ANALYSIS_ANSWER_UNKNOWN);
}

/* Four flows of 10 Mb/s at links of 100: in two of them, out a quarter less each. */
static struct analysis_diagnosis diagnosis_of_limits(enum analysis_cause in, enum analysis_cause out, double in_bps)
{
    struct analysis_diagnosis_flow flows[4];
    struct analysis_evidence e[4];
    for (int i = 0; i < 4; i++) {
        flows[i] = (struct analysis_diagnosis_flow){.incoming = i < 2, .rate_bps = i < 2 ? in_bps : 7.5e6};
        e[i] = (struct analysis_evidence){.flow = &flows[i], .limit = i < 2 ? in : out, .floor_s = 0.02,
                                          .most_bps = INFINITY, .clocking.full_bytes = 1448};
    }
    struct analysis_evidence_set set = {.flow = e, .n = 4, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                        .interface_bps = NAN, .unseen = 0.01, .beside = true};
    const double capacity_bps[2] = {100e6, 100e6};
    struct analysis_diagnosis d;
    analysis_diagnosis_decide(&set, NULL, capacity_bps, &d);
    assert_int_equal(d.answer, ANALYSIS_ANSWER_NO);
    return d;
}

static void test_a_no_is_told_by_the_direction_that_uses_its_link_least(void **state)
{
    (void)state;
    struct analysis_diagnosis d =
        diagnosis_of_limits(ANALYSIS_CAUSE_APPLICATION, ANALYSIS_CAUSE_RECEIVER, 10e6);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_RECEIVER);
    assert_int_equal(d.second, ANALYSIS_CAUSE_APPLICATION); /* of most of the goodput */
    d = diagnosis_of_limits(ANALYSIS_CAUSE_APPLICATION, ANALYSIS_CAUSE_POLICING, 5e6);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_APPLICATION);
    d = diagnosis_of_limits(ANALYSIS_CAUSE_LOSSES, ANALYSIS_CAUSE_SEND_BUFFER, 46.9e6);
    assert_true(d.in.saturated);
    assert_int_equal(d.cause, ANALYSIS_CAUSE_SEND_BUFFER);
}

/* Incoming data alone whose ACKs wait 80 ms of 100, at every second slot so much more and less; in the first of ten
 * slots not yet. */
static enum analysis_cause cause_of_late_acks(double swing_s, double other_bps, int empty)
{
    struct analysis_wait waits[10];
    struct analysis_diagnosis_flow flow = {.incoming = true, .rate_bps = 10e6};
    for (int i = 0; i < 10; i++)
        waits[i] = (struct analysis_wait){.start_s = 0.5 * i, .ack_s = i % 2 ? 0.08 + swing_s : 0.08 - swing_s};
    for (int i = 0; i < empty; i++)
        waits[i].ack_s = 0;
    struct analysis_evidence e = {.flow = &flow, .limit = ANALYSIS_CAUSE_WINDOW, .floor_s = 0.02, .ack_wait_s = 0.08,
                                  .most_bps = INFINITY, .waits = waits, .n_waits = 10, .tick_s = 1e-3,
                                  .clocking.full_bytes = 1448};
    struct analysis_evidence_set set = {.flow = &e, .n = 1, .to_s = 5, .full_bytes = 1448, .segments_per_ack = 2,
                                        .interface_bps = NAN, .unseen = 0.01, .beside = true,
                                        .other_bps = {0, other_bps}};
    const double capacity_bps[2] = {50e6, NAN};
    struct analysis_diagnosis d;
    analysis_diagnosis_decide(&set, NULL, capacity_bps, &d);
    assert_int_equal(d.answer, ANALYSIS_ANSWER_NO);
    return d.cause;
}

static void test_acks_behind_acks_alone(void **state)
{
    (void)state;
    assert_int_equal(cause_of_late_acks(0.03, 0, 0), ANALYSIS_CAUSE_THIN_PATH);
    assert_int_equal(cause_of_late_acks(0.03, 0, 1), ANALYSIS_CAUSE_THIN_PATH); /* a queue that has yet to fill */
    assert_int_equal(cause_of_late_acks(0.03, 0, 3), ANALYSIS_CAUSE_WINDOW);
    assert_int_equal(cause_of_late_acks(0.07, 0, 0), ANALYSIS_CAUSE_WINDOW); /* a host that answers late */
    assert_int_equal(cause_of_late_acks(0.03, 1e6, 0), ANALYSIS_CAUSE_WINDOW); /* other traffic goes their way */
}

static void test_every_cause_has_its_words(void **state)
{
    (void)state;
    for (int i = 0; i < ANALYSIS_CAUSES; i++) {
        const struct analysis_cause_row *row = analysis_cause((enum analysis_cause)i);
        assert_true(row->name && row->meaning && row->what && row->remedies[0].text);
        assert_null(row->remedies[ANALYSIS_CAUSE_REMEDIES - 1].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fifo_loses_half_of_the_outgoing_direction),
        cmocka_unit_test(test_ack_first_loses_nothing),
        cmocka_unit_test(test_shallow_buffers_are_named_losses),
        cmocka_unit_test(test_a_flow_that_may_be_its_applications_is_no_yes),
        cmocka_unit_test(test_a_likely_application_is_no_no),
        cmocka_unit_test(test_data_that_wait_for_something_else_wait_on),
        cmocka_unit_test(test_blurred_waits_behind_an_unknown_link_are_no_yes),
        cmocka_unit_test(test_blurred_waits_as_long_as_the_datas_are_behind_these),
        cmocka_unit_test(test_without_stamps_data_tell_how_long_acks_wait),
        cmocka_unit_test(test_without_stamps_a_window_shows_by_what_is_in_flight),
        cmocka_unit_test(test_nothing_waits_longer_than_all_in_flight_takes),
        cmocka_unit_test(test_acks_wait_behind_data_of_their_whole_way),
        cmocka_unit_test(test_an_access_line_shows_by_what_is_possible),
        cmocka_unit_test(test_an_even_clock_of_acks_is_no_link),
        cmocka_unit_test(test_equal_rates_are_no_equal_links),
        cmocka_unit_test(test_a_standing_queue_of_other_traffic_too),
        cmocka_unit_test(test_a_standing_queue_behind_the_tap),
        cmocka_unit_test(test_data_behind_lines_of_their_own),
        cmocka_unit_test(test_other_traffic_takes_room),
        cmocka_unit_test(test_a_lesser_direction_does_not_count),
        cmocka_unit_test(test_offered_windows_bound_what_is_possible),
        cmocka_unit_test(test_a_no_is_told_by_the_direction_that_uses_its_link_least),
        cmocka_unit_test(test_acks_behind_acks_alone),
        cmocka_unit_test(test_every_cause_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
