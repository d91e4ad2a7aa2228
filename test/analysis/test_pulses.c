/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/pulses.h"
#include "test/analysis/segment.h"

#define FULL 1448
#define WINDOW 20                      /* segments: 100 ms of round trip make 200 a second */
#define TRIP_NS (100 * MS)
#define LONGER_NS (100 * MS)           /* while a pulse stands in the queue, */
#define STANDS_NS (500 * MS)           /* so long: a window lacks half of what 0.5 s would have, 50 segments */
#define FIRST_NS INT64_C(8000000000)   /* pulses begin, every */
#define APART_NS INT64_C(2000000000)
#define PULSES 4
#define END_NS (FIRST_NS + PULSES * APART_NS + APART_NS)
#define PORT 4717
#define TO_S 8.0

static int64_t trip_ns(int64_t at_ns, bool pulsed)
{
    bool stands = at_ns >= FIRST_NS && (at_ns - FIRST_NS) % APART_NS < STANDS_NS && at_ns < FIRST_NS + PULSES * APART_NS;
    return TRIP_NS + (pulsed && stands ? LONGER_NS : 0);
}

/* A pulse of so many segments from the host a to the server, b's port 4717, in two connections one after the other. */
static void pulse(struct analysis_flows *f, int64_t at_ns, uint32_t segments, uint16_t port)
{
    for (uint32_t i = 0; i < segments; i++) {
        struct capture_segment s = segment(A_TO_B, 1 + i / 2 * FULL, FULL, 1);
        s.src_port = (uint16_t)(port + i % 2);
        s.dst_port = PORT;
        feed(f, at_ns + (i % 2 * segments + i) * 1000, s);
    }
}

/* 25 s from a to b, captured beside a, of a sender with a window, or of one that keeps the same pace: when a segment leaves
 * and when its ACK comes. Pulses, of so many segments, make the round trip longer; 0: there are none. */
static struct analysis_flows *flow_of(bool window, uint32_t pulse_segments)
{
    static int64_t acked_ns[8192];
    struct analysis_flows *f = new_flows();
    analysis_flows_keep_explanations(f);
    int64_t sent_ns = 0, pulse_ns = FIRST_NS;
    for (uint32_t i = 0, acks = 0; i < 8192 && sent_ns < END_NS; i++) {
        int64_t next_ns = window ? i < WINDOW ? i * TRIP_NS / WINDOW : acked_ns[i - WINDOW] : i * TRIP_NS / WINDOW;
        sent_ns = next_ns;
        acked_ns[i] = sent_ns + trip_ns(sent_ns, pulse_segments > 0);
        acked_ns[i] = i > 0 && acked_ns[i] < acked_ns[i - 1] ? acked_ns[i - 1] : acked_ns[i];
        for (; acks < i && acked_ns[acks] <= sent_ns; acks++)
            feed(f, acked_ns[acks], stamped(B_TO_A, 1, 0, 1 + (acks + 1) * FULL, (uint32_t)(acked_ns[acks] / MS) - 50,
                                            (uint32_t)((acked_ns[acks] - TRIP_NS) / MS)));
        for (; pulse_segments > 0 && pulse_ns <= sent_ns && pulse_ns < FIRST_NS + PULSES * APART_NS; pulse_ns += APART_NS)
            pulse(f, sent_ns, pulse_segments, (uint16_t)(3000 + pulse_ns / APART_NS * 2));
        feed(f, sent_ns, stamped(A_TO_B, 1 + i * FULL, FULL, 1, (uint32_t)(sent_ns / MS), (uint32_t)(sent_ns / MS) - 50));
    }
    return f;
}

static struct analysis_told told;

/* Of the flow, whose slot is the first; and of the link out of a. */
static struct analysis_pulsed tell_with(const struct analysis_capacity_host *frames, bool window, uint32_t pulse_segments,
                                        struct analysis_pulses *p)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = flow_of(window, pulse_segments);
    const struct analysis_probe probe = {flow_at(f, 0).dst, PORT};
    const struct capture_address host = flow_at(f, 0).src;
    struct analysis_pulsed pulsed;
    analysis_pulses_find(f, &probe, p);
    told = (struct analysis_told){.slot = 0};
    struct analysis_flow flow;
    while (!analysis_flows_get(f, told.slot, &flow) || flow.payload_bytes < FULL)
        told.slot++;
    analysis_pulses_tell(p, f, &host, frames, &told, 1, 1, TO_S, &pulsed);
    return pulsed;
}

static struct analysis_pulsed tell(bool window, uint32_t pulse_segments, struct analysis_pulses *p)
{
    return tell_with(NULL, window, pulse_segments, p);
}

TEST(test_a_window_gives_way_to_a_longer_round_trip)
{
    struct analysis_pulses p;
    tell(true, 50, &p);
    assert_true(told.paced_odds < -3);
}

TEST(test_a_pace_does_not)
{
    struct analysis_pulses p;
    tell(false, 50, &p);
    assert_true(told.paced_odds > 3);
}

/* A window lacks 50 segments after each. */
TEST(test_a_full_link_gives_as_much_as_a_pulse_takes)
{
    struct analysis_pulses p;
    struct analysis_pulsed full = tell(true, 50, &p), room = tell(true, 600, &p), pace = tell(false, 50, &p);
    assert_all(full.full[1] > 0.95, room.full[1] < 0.05, pace.full[1] < 0.05);
    assert_true(full.full[0] == 0.5); /* nothing goes that way */
}

TEST(test_connections_of_one_moment_are_a_pulse)
{
    struct analysis_pulses p;
    struct analysis_pulsed pulsed = tell(true, 50, &p);
    assert_int_equal(p.n, PULSES);
    for (size_t i = 0; i < p.n; i++) {
        assert_true(p.pulse[i].bytes[0] == 50.0 * FULL && p.pulse[i].bytes[1] == 0);
        assert_true(fabs(p.pulse[i].from_s - (8 + 2 * (double)i)) < 0.11);
    }
    assert_true(pulsed.from_s == p.pulse[0].from_s);
}

/* Two segments are a pulse's, in all; one is what the ends say to each other. */
TEST(test_words_are_none)
{
    struct analysis_pulses p;
    struct analysis_pulsed pulsed = tell(true, 2, &p); /* one on each connection */
    assert_int_equal(p.n, 0);
    assert_true(told.paced_odds == 0 && isinf(pulsed.from_s) && pulsed.full[0] == 0.5 && pulsed.full[1] == 0.5);
}

TEST(test_who_sent_none_is_told_nothing)
{
    struct analysis_pulses p;
    tell(false, 0, &p);
    assert_int_equal(p.n, 0);
    assert_true(told.paced_odds == 0);
}

/* 1,250 bytes in each of the least slots, 10 microseconds, about the third pulse: 1 Gb/s out. */
TEST(test_what_passes_meanwhile_is_that_way_s)
{
    static struct analysis_capacity_host frames;
    struct analysis_pulses p;
    struct analysis_pulsed none = tell(true, 50, &p);
    assert_true(isnan(none.passed_bps[0]) && isnan(none.passed_bps[1]));
    struct analysis_capacity_series *c = &frames.out.carried;
    c->first = (int64_t)(p.pulse[2].from_s * 1e5);
    for (c->n = 0; c->n < 64; c->n++)
        c->bytes[c->n] = 1250;
    frames.in.carried = *c;
    struct analysis_pulsed pulsed = tell_with(&frames, true, 50, &p);
    assert_true(fabs(pulsed.passed_bps[1] / 1e9 - 1) < 1e-9);
    assert_true(isnan(pulsed.passed_bps[0])); /* no pulse went in */
}

/* At the server what goes out at the other end comes in. */
TEST(test_the_other_end_has_them_the_other_way)
{
    struct analysis_pulses p;
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = flow_of(true, 50);
    const struct analysis_probe probe = {flow_at(f, 0).dst, PORT};
    struct analysis_pulsed near = tell(true, 50, &p), far;
    struct analysis_told there = told;
    there.incoming = true;
    analysis_pulses_tell(&p, f, &probe.server, NULL, &there, 1, 1, TO_S, &far);
    assert_true(far.full[0] == near.full[1] && far.full[1] == near.full[0]);
    there.incoming = false; /* pulses come in, and no other data: nothing tells */
    analysis_pulses_tell(&p, f, &probe.server, NULL, &there, 1, 1, TO_S, &far);
    assert_true(far.full[0] == 0.5 && far.full[1] == 0.5);
}

/* 9 Mb/s pass while a pulse does, and data in wait 2 ms before the tap, by stamps of 1 ms. A link that seems to have 5, or
 * 7.1, has more; one of 7.3 does not, but for bursts. */
TEST(test_a_way_that_carries_more_has_room)
{
    const struct analysis_told in = {.incoming = true};
    const struct analysis_pulsed pulsed = {.passed_bps = {9e6, 9e6}};
    struct analysis_evidence e = {.flow = &in, .tick_s = 0.001, .queued_s = 0.002};
    struct analysis_evidence_set s = {.flow = &e, .n = 1, .pulsed = &pulsed};
    assert_true(analysis_evidence_pulsed_bps(&s, true, 5e6) == 9e6);
    assert_true(analysis_evidence_pulsed_bps(&s, true, 7.1e6) == 9e6);
    assert_true(isnan(analysis_evidence_pulsed_bps(&s, true, 7.3e6)));
    assert_true(isnan(analysis_evidence_pulsed_bps(&s, false, 5e6))); /* no data that way: nobody knows where they wait */
    e.queued_s = 0.001; /* after the tap, for all that stamps show: then they pass it faster than the link */
    assert_true(isnan(analysis_evidence_pulsed_bps(&s, true, 5e6)));
    e.queued_s = 0.002;
    s.pulsed = NULL;
    assert_true(isnan(analysis_evidence_pulsed_bps(&s, true, 5e6)));
}
