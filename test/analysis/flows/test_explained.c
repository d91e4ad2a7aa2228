/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/explained.h"

#include "base/memory.h"
#include "base/random.h"
#include "test/cm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MS INT64_C(1000000)

/* A flow, and what it is explained by when that sees it at once. */
struct beside {
    struct analysis_explained *explained;
    struct analysis_round_trip *trip;
    struct analysis_clocking *clocking;
    int64_t time_ns, sent, acked;
    uint32_t full_bytes;
    int scale;
};

static void watch(struct beside *b, int64_t to_sender_ns)
{
    analysis_explained_watch(&b->explained, to_sender_ns, b->time_ns);
    b->clocking = analysis_clocking_new(b->time_ns, to_sender_ns);
}

static void data(struct beside *b, const struct capture_segment *s, int64_t end)
{
    analysis_explained_data(&b->explained, s, end, b->full_bytes, b->time_ns);
    analysis_round_trip_data(b->trip, s, end, b->time_ns);
    if (b->clocking)
        analysis_clocking_data(b->clocking, s, end, b->full_bytes, b->time_ns);
}

static void ack(struct beside *b, const struct capture_segment *s, int64_t up_to)
{
    analysis_explained_ack(&b->explained, s, up_to, b->scale, b->time_ns);
    analysis_round_trip_ack(b->trip, s, up_to, b->time_ns);
    if (b->clocking)
        analysis_clocking_ack(b->clocking, s, up_to, b->scale, b->time_ns);
}

static void say(FILE *f, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(f, " %a", x[i]);
}

/* All that is asked of them, as text. */
static char *said(const struct analysis_round_trip *trip, const struct analysis_clocking *clocking)
{
    struct analysis_round_trip_figures x;
    struct analysis_clocking_figures c;
    size_t n, size;
    char *text;
    FILE *f = memory_stream(&text, &size);
    analysis_round_trip_get(trip, &x);
    say(f, x.wait_s, ANALYSIS_LEGS);
    say(f, x.loop_least_s, ANALYSIS_LOOPS);
    say(f, x.stamped_least_s, ANALYSIS_LOOPS);
    say(f, (const double[]){x.floor_s, x.tick_s, x.hold_s, x.clock_off_s, analysis_round_trip_faster(trip, 1e6)}, 5);
    fprintf(f, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", x.passed.groups, x.passed.compressed, x.stamped.groups,
            x.stamped.compressed);
    const struct analysis_pause *pause = analysis_round_trip_pauses(trip, &n);
    for (size_t i = 0; i < n; i++)
        fprintf(f, " %" PRId64 " %" PRId64, pause[i].after_bytes, pause[i].pause_ns);
    n = analysis_round_trip_waits(trip, false, NULL);
    MEMORY_LOCAL struct analysis_wait *waits = memory_zeroed(n, sizeof *waits, "waits");
    n = analysis_round_trip_waits(trip, false, waits);
    for (size_t i = 0; i < n; i++) {
        const struct analysis_wait *w = &waits[i];
        say(f, (const double[]){w->start_s, w->data_s, w->ack_s, w->least_s, w->slots}, 5);
        say(f, w->loop_s, ANALYSIS_TIMED);
    }
    fprintf(f, "\n%d", clocking != NULL);
    if (clocking) {
        analysis_clocking_get(clocking, 0, 1e9, &c);
        say(f, (const double[]){c.flight_bytes, c.fullness, c.jitter, c.most_bytes, c.offered_bytes, c.offered_most_bytes,
                                c.offered_guessed, c.offered_swing, c.short_share, c.tight_share, c.restarts, c.gaps_s, c.prompted,
                                c.burst_bytes, c.clocked, c.closed_share, c.full_bytes, c.pure_acks, c.acked}, 19);
    }
    memory_stream_end(f, &text);
    return text;
}

/* Whatever passes: clocks that leap either way, numbers that do, stamps or none, windows, holes. */
static void pass(struct beside *b, struct random *r)
{
    struct capture_segment s = {.flags = CAPTURE_TCP_ACK, .window = 500, .has_timestamps = random_below(r, 10) > 0};
    const bool leaps = random_below(r, 40) == 0;
    b->time_ns += leaps ? (int64_t)random_below(r, 4000) * MS - 1000 * MS : (int64_t)random_below(r, (uint64_t)MS);
    b->time_ns = b->time_ns > 0 ? b->time_ns : 0;
    if (s.has_timestamps) {
        s.tsval = (uint32_t)(INT64_C(4294967000) + b->time_ns / MS); /* which wraps soon */
        s.tsecr = s.tsval - (uint32_t)random_below(r, 8);
    }
    b->full_bytes = random_below(r, 100) == 0 ? 1000 : 1448;
    b->scale = random_below(r, 100) == 0 ? -1 : 7;
    if (random_below(r, 3) > 0) {
        s.payload_bytes = random_below(r, 5) > 0 ? 1448 : 1 + (uint32_t)random_below(r, 65535);
        b->sent += s.payload_bytes + (random_below(r, 30) > 0 ? 0 : (int64_t)random_below(r, UINT64_C(1) << 31));
        data(b, &s, b->sent);
        return;
    }
    s.payload_bytes = random_below(r, 10) > 0 ? 0 : 100;
    s.window = random_below(r, 3) > 0 ? 500 : (uint16_t)random_below(r, 65536);
    s.flags |= random_below(r, 20) > 0 ? 0 : CAPTURE_TCP_FIN;
    s.ack = (uint32_t)random_next(r);
    s.n_sack = (uint8_t)(random_below(r, 8) > 0 ? 0 : 1 + random_below(r, 3));
    for (int i = 0; i < s.n_sack; i++)
        s.sack[i].start = s.ack + (uint32_t)random_below(r, 3) - 1;
    b->acked = random_below(r, 4) > 0 ? b->sent : b->acked + (int64_t)random_below(r, 3000) - 1000;
    ack(b, &s, b->acked);
}

/* While packets are few they pass again when somebody asks, and nobody sees that. */
TEST(test_a_log_says_what_those_say_that_saw_its_packets)
{
    size_t logs = 0, whole = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random r = random_of(seed);
        const int64_t to_sender_ns = (int64_t)random_below(&r, 3) * MS - 1;
        struct beside b = {.explained = analysis_explained_new(to_sender_ns), .trip = analysis_round_trip_new(to_sender_ns)};
        struct analysis_round_trip *trip = NULL;
        struct analysis_clocking *clocking = NULL;
        const uint64_t events = random_below(&r, 1200), from = random_below(&r, 100);
        for (uint64_t i = 0; i < events; i++) {
            if (i == from)
                watch(&b, to_sender_ns);
            pass(&b, &r);
        }
        const struct analysis_explained *e = b.explained;
        if (!e->trip)
            analysis_explained_play(e, &trip, &clocking);
        MEMORY_LOCAL char *seen = said(b.trip, b.clocking);
        MEMORY_LOCAL char *told = e->trip ? said(e->trip, e->clocking) : said(trip, clocking);
        assert_string_equal(told, seen);
        logs += !e->trip;
        whole += e->trip != NULL;
        analysis_round_trip_free(trip);
        analysis_clocking_free(clocking);
        analysis_explained_free(b.explained);
        analysis_round_trip_free(b.trip);
        analysis_clocking_free(b.clocking);
    }
    assert_in_range(logs, 50, 250); /* both have been seen */
    assert_in_range(whole, 50, 250);
}

/* Of a flow at a pace, with stamps: two segments and their ACK take 10, 6 and 10 bytes, times to 5 each, stamps 2; 40 go into
 * what all of them have in common. */
TEST(test_a_hundred_packets_take_a_kilobyte)
{
    struct beside b = {.explained = analysis_explained_new(-1), .trip = analysis_round_trip_new(-1), .full_bytes = 1448, .scale = 7};
    watch(&b, -1);
    for (int i = 0; i < 99; i++) {
        b.time_ns += i % 3 == 0 ? 900 * MS : MS / 100;
        struct capture_segment s = {.flags = CAPTURE_TCP_ACK, .window = 500, .has_timestamps = true,
                                    .tsval = (uint32_t)(b.time_ns / MS), .tsecr = (uint32_t)(b.time_ns / MS) - 5,
                                    .payload_bytes = i % 3 == 2 ? 0 : 1448};
        b.sent += s.payload_bytes;
        if (i % 3 == 2)
            ack(&b, &s, b.sent);
        else
            data(&b, &s, b.sent);
    }
    assert_null(b.explained->trip);
    assert_in_range(b.explained->bytes, 99 * 5, 33 * 26 + 40);
    analysis_explained_free(b.explained);
    analysis_round_trip_free(b.trip);
    analysis_clocking_free(b.clocking);
}
