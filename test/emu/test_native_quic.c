/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two ends of QUIC over a delay line that loses and delays what it is told to. */
#include "emu/native/endpoint.h"

#include "base/random.h"

#include "test/cm.h"

#define MS INT64_C(1000000000) /* ps */
#define SECOND (1000 * MS)
#define DELAY (5 * MS)
#define FULL 1472          /* bytes of a datagram that fills 1500 of IP's */
#define PACKET (FULL - 35) /* of the stream in it, from an offset of 2^14 on; before that a few more */
#define MOST 4096

/* A packet as it left. */
struct seen {
    int64_t time_ps;
    uint64_t offset;
    uint32_t number, bytes;
    uint8_t end, flags, ranges;
};

struct line {
    struct native_scheduler scheduler;
    struct native_pool plain, sacked, ranged;
    struct native_endpoint_env env;
    struct native_endpoint ends[2];
    struct random random;
    double loss, late; /* of all packets: lost, and delayed by 3 ms more */
    bool (*lose)(const struct line *l, const struct native_segment *s);
    struct seen seen[MOST]; /* the first ones */
    int n;
    uint32_t next[2];  /* the least number that may come from each */
    uint64_t delivered[2];
    int64_t acks, asking; /* of the sink: packets without data after the handshake, and of them those that ask for an ACK */
    int64_t data;
};

struct flight {
    struct line *line;
    struct native_segment *segment;
};

static int64_t now(const struct line *l)
{
    return native_scheduler_now(&l->scheduler);
}

static void release(struct line *l, struct native_segment *s)
{
    native_pool_give(s->n_sack == 0 ? &l->plain : s->n_sack <= NATIVE_SACK_BLOCKS ? &l->sacked : &l->ranged, s);
}

static void arrive(void *arg)
{
    struct flight *f = arg;
    native_endpoint_receive(&f->line->ends[1 - (f->segment->end & 1)], f->segment);
    free(f);
}

static bool chance(struct line *l, double p)
{
    return random_share(&l->random) < p;
}

static void transmit(void *user, struct native_endpoint *e, struct native_segment *s)
{
    struct line *l = user;
    const int long_header = NATIVE_QUIC_HELLO | NATIVE_QUIC_LONG;
    if (!(s->flags & long_header)) {
        assert_true(s->ts >= l->next[e->id & 1]); /* no number comes again */
        assert_true(s->window <= FULL);
        l->next[e->id & 1] = s->ts + 1;
        l->data += s->payload_bytes > 0;
        l->acks += e->id == 1 && s->payload_bytes == 0;
        l->asking += e->id == 1 && s->payload_bytes == 0 && s->flags & NATIVE_QUIC_PING;
    }
    if (l->n < MOST)
        l->seen[l->n++] = (struct seen){now(l), s->seq, s->ts, s->payload_bytes, (uint8_t)e->id, s->flags, s->n_sack};
    if (chance(l, l->loss) || (l->lose && l->lose(l, s))) {
        release(l, s);
        return;
    }
    struct flight *f = malloc(sizeof *f);
    *f = (struct flight){l, s};
    struct emu_clock clock = native_scheduler_clock(&l->scheduler);
    emu_clock_schedule(&clock, DELAY + (chance(l, l->late) ? 3 * MS : 0), arrive, f);
}

static void delivered(void *user, struct native_endpoint *e, uint64_t bytes)
{
    struct line *l = user;
    l->delivered[e->id & 1] += bytes;
}

static struct emu_tcp_config usual(void)
{
    return (struct emu_tcp_config){
        .quic = true,
        .congestion = EMU_CONGESTION_NEWRENO,
        .send_buffer_bytes = 100000000,
        .receive_buffer_bytes = 100000000,
        .initial_window_segments = 10,
        .segment_bytes = 1448,
        .delayed_ack = 2,
        .delayed_ack_timeout_ps = 25 * MS,
        .min_rto_ps = 200 * MS,
        .sack = true,
    };
}

static struct line *line_new(const struct emu_tcp_config *config, bool (*lose)(const struct line *, const struct native_segment *))
{
    struct line *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->lose = lose;
    l->random = random_of(1);
    native_scheduler_init(&l->scheduler);
    native_pool_init(&l->plain, sizeof(struct native_segment));
    native_pool_init(&l->sacked, sizeof(struct native_sacked_segment));
    native_pool_init(&l->ranged, sizeof(struct native_ranged_segment));
    l->env = (struct native_endpoint_env){.scheduler = &l->scheduler, .plain = &l->plain, .sacked = &l->sacked,
                                          .ranged = &l->ranged, .transmit = transmit, .delivered = delivered, .user = l};
    for (uint32_t i = 0; i < 2; i++)
        native_endpoint_init(&l->ends[i], &l->env, config, i, i, 1 - i);
    native_endpoint_listen(&l->ends[1]);
    native_endpoint_connect(&l->ends[0]);
    return l;
}

static void line_free(struct line *l)
{
    l->loss = 0;
    l->lose = NULL;
    for (int i = 0; i < 2; i++)
        l->ends[i].tx.written = l->ends[i].tx.nxt; /* let it end */
    native_scheduler_run(&l->scheduler, INT64_MAX);
    for (int i = 0; i < 2; i++)
        native_endpoint_fini(&l->ends[i]);
    native_scheduler_fini(&l->scheduler);
    native_pool_fini(&l->plain);
    native_pool_fini(&l->sacked);
    native_pool_fini(&l->ranged);
    free(l);
}

static void run(struct line *l, int64_t until_ps)
{
    native_scheduler_run(&l->scheduler, until_ps);
}

/* Every byte arrives once, both ways, whatever is lost, late, or acknowledged rarely, and no number comes again. */
TEST(test_every_byte_arrives_once_whatever_is_lost)
{
    static const enum emu_congestion controls[] = {EMU_CONGESTION_NEWRENO, EMU_CONGESTION_CUBIC, EMU_CONGESTION_WESTWOOD};
    for (int k = 0; k < 60; k += cm_every()) {
        struct emu_tcp_config config = usual();
        config.congestion = controls[k % 3];
        config.delayed_ack = 1 + k % 20;
        struct line *l = line_new(&config, NULL);
        l->random = random_of((uint64_t)k);
        l->loss = (k % 5) * 0.05;
        l->late = (k % 4) * 0.1;
        uint64_t bytes = 2000000 + (uint64_t)k;
        native_endpoint_write(&l->ends[0], bytes);
        native_endpoint_write(&l->ends[1], k % 2 ? bytes : 0);
        run(l, 600 * SECOND);
        assert_ints({l->delivered[1], bytes}, {l->delivered[0], k % 2 ? bytes : 0}, {l->ends[0].tx.una, bytes},
                    {l->ends[1].tx.una, k % 2 ? bytes : 0});
        line_free(l);
    }
}

/* One ACK for each N packets (the ack-eliciting threshold, N - 1, and one), the rest after 25 ms: 6000 packets and a few. */
TEST(test_acks_are_as_rare_as_was_asked)
{
    for (int n = 1; n <= 30; n += 1 + n / 2) {
        struct emu_tcp_config config = usual();
        config.delayed_ack = n;
        struct line *l = line_new(&config, NULL);
        native_endpoint_write(&l->ends[0], 6000 * PACKET);
        run(l, 60 * SECOND);
        assert_in_range(l->data, 5999, 6003); /* with each ACK of an ACK a few bytes less: 300 of 10 at most */
        assert_in_range(l->acks, 6000 / n - 1, 6000 / n + 2 + 6000 / n / 400 + 1); /* and of ACKs of ACKs that ask */
        assert_in_range(l->asking, l->acks / 20 - 1, l->acks / 20 + 1);
        assert_ints({l->ends[0].stats.retransmitted_segments, 0}, {l->ends[0].stats.timeouts, 0});
        line_free(l);
    }
}

/* A lone packet is acknowledged when the maximum ACK delay is over, not before. */
TEST(test_an_ack_waits_no_longer_than_was_asked)
{
    struct emu_tcp_config config = usual();
    config.delayed_ack = 10;
    config.delayed_ack_timeout_ps = 60 * MS;
    struct line *l = line_new(&config, NULL);
    run(l, SECOND);
    native_endpoint_write(&l->ends[0], 1000);
    run(l, SECOND + 70 * MS - 1);
    assert_int_equal(l->ends[0].tx.una, 0);
    run(l, SECOND + 70 * MS + 1);
    assert_int_equal(l->ends[0].tx.una, 1000);
    assert_int_equal(l->ends[0].tx.rtt.srtt_8us / 8, 10000); /* and the delay is no part of the round trip */
    line_free(l);
}

/* Slow start doubles the window each round trip, and congestion avoidance adds a packet, however rare ACKs are
 * (RFC 9002, section 7.3). */
TEST(test_windows_grow_whatever_the_number_of_acks)
{
    uint64_t window[2];
    for (int k = 0; k < 2; k++) {
        struct emu_tcp_config config = usual();
        config.initial_window_segments = 80;
        config.delayed_ack = k ? 20 : 1;
        struct line *l = line_new(&config, NULL);
        native_endpoint_write(&l->ends[0], UINT64_C(1) << 40);
        run(l, 45 * MS + 1); /* the handshake takes 10 ms: three round trips of data are acknowledged by 40, and a fourth not */
        window[k] = l->ends[0].tx.window.cwnd;
        l->ends[0].tx.window.ssthresh = l->ends[0].tx.window.cwnd = 100 * FULL;
        line_free(l);
    }
    assert_ints({window[0], 8 * 80 * FULL}, {window[1], window[0]});
}

static bool lose_tenth(const struct line *l, const struct native_segment *s)
{
    return s->end == 0 && s->payload_bytes > 0 && s->ts == 10 && l->n > 0;
}

/* The gap is told at once, although an ACK is due for twenty; three later packets say that it is lost; it goes again in a
 * new number, and the window is half. The round trip is 10 ms. */
TEST(test_a_gap_is_told_at_once_and_mended)
{
    struct emu_tcp_config config = usual();
    config.delayed_ack = 20;
    config.initial_window_segments = 16;
    struct line *l = line_new(&config, NULL);
    l->lose = lose_tenth;
    run(l, SECOND);
    l->ends[0].tx.window.ssthresh = 16 * FULL;
    native_endpoint_write(&l->ends[0], 16 * PACKET);
    uint64_t lost = 0;
    run(l, SECOND + 11 * MS);
    int acks = 0, again = -1;
    for (int i = 0; i < l->n; i++) {
        if (l->seen[i].end == 0 && l->seen[i].bytes > 0 && l->seen[i].number == 10)
            lost = l->seen[i].offset;
        else if (l->seen[i].end == 0 && lost > 0 && l->seen[i].bytes > 0 && l->seen[i].offset == lost)
            again = i;
        else if (l->seen[i].end == 1 && l->seen[i].ranges > 0 && acks++ == 0)
            assert_int_equal(l->seen[i].time_ps, SECOND + DELAY);
    }
    assert_true(again < 0); /* 11 alone is one packet later: nothing is lost yet but by time, 9/8 of a round trip */
    run(l, SECOND + 30 * MS);
    for (int i = 0; i < l->n; i++)
        if (l->seen[i].end == 0 && lost > 0 && l->seen[i].bytes > 0 && l->seen[i].offset == lost && l->seen[i].number > 10)
            again = i;
    assert_true(again > 0);
    assert_ints({l->seen[again].time_ps, SECOND + 9 * 10 * MS / 8}, {l->ends[0].tx.window.cwnd, 8 * FULL},
                {l->ends[0].stats.retransmitted_segments, 1});
    line_free(l);
}

static bool lose_data(const struct line *l, const struct native_segment *s)
{
    return s->end == 0 && s->payload_bytes > 0 && now(l) < 2 * SECOND;
}

/* After one round trip of 10 ms: srtt 10, rttvar 5, so a probe timeout of 10 + 4 5 + 25 = 55 ms, two packets each time,
 * and twice as long then (RFC 9002, section 6.2). Everything in between is lost, for longer than three of these: the
 * window is two packets (7.6). */
TEST(test_probes_leave_after_the_probe_timeout)
{
    struct emu_tcp_config config = usual();
    struct line *l = line_new(&config, NULL);
    run(l, SECOND);
    l->lose = lose_data;
    int before = l->n;
    native_endpoint_write(&l->ends[0], 3 * PACKET);
    run(l, 2 * SECOND - 1);
    assert_int_equal(l->n - before, 3 + 2 * 4);
    for (int k = 0; k < 4; k++) {
        int64_t due_ps = SECOND + 55 * MS * ((1 << (k + 1)) - 1);
        assert_ints({l->seen[before + 3 + 2 * k].time_ps, due_ps}, {l->seen[before + 4 + 2 * k].time_ps, due_ps});
    }
    run(l, SECOND + 55 * MS * 31 + 2 * DELAY + 1); /* the next one's first is acknowledged at once: it shows a gap */
    assert_in_range(l->ends[0].tx.window.cwnd, 2 * FULL + 1, 3 * FULL); /* and has let it grow by itself */
    run(l, 4 * SECOND);
    assert_int_equal(l->delivered[1], 3 * PACKET);
    line_free(l);
}

static bool lose_hellos(const struct line *l, const struct native_segment *s)
{
    return s->flags & NATIVE_QUIC_HELLO && now(l) < SECOND;
}

/* 3 initial round trips of 333 ms, and 25 ms (RFC 9002, section 6.2.2). */
TEST(test_a_lost_hello_is_said_again)
{
    struct emu_tcp_config config = usual();
    struct line *l = line_new(&config, lose_hellos);
    native_endpoint_write(&l->ends[0], 1000);
    run(l, 5 * SECOND);
    assert_ints({l->seen[1].time_ps, (3 * 333 + 25) * MS}, {l->delivered[1], 1000});
    line_free(l);
}

/* A lone flow with a window: so much a round trip. */
TEST(test_a_window_limits_to_window_per_round_trip)
{
    struct emu_tcp_config config = usual();
    config.send_buffer_bytes = config.receive_buffer_bytes = 100 * PACKET;
    config.initial_window_segments = 101;
    struct line *l = line_new(&config, NULL);
    native_endpoint_write(&l->ends[0], UINT64_C(1) << 40);
    run(l, 1 * SECOND);
    uint64_t before = l->delivered[1];
    run(l, 3 * SECOND);
    assert_true(fabs((double)(l->delivered[1] - before) / (100 * PACKET) - 200) <= 1.5);
    line_free(l);
}

/* Ranges that the peer knows of are forgotten: after thousands of gaps an ACK has few. */
TEST(test_old_ranges_are_forgotten)
{
    struct emu_tcp_config config = usual();
    struct line *l = line_new(&config, NULL);
    l->loss = 0.02;
    native_endpoint_write(&l->ends[0], 20000000);
    run(l, 100 * SECOND);
    assert_int_equal(l->delivered[1], 20000000);
    assert_true(l->ends[1].stats.duplicate_segments < l->data / 100);
    assert_true(l->ends[0].stats.retransmitted_segments < 3 * l->data / 100);
    line_free(l);
}
