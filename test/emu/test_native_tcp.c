/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two endpoints over a delay line that loses what it is told to: what TCP is known to do from outside. */
#include "emu/native/endpoint.h"

#include "base/random.h"

#include "test/cm.h"

#define MS INT64_C(1000000000) /* ps */
#define SECOND (1000 * MS)

struct line;

struct flight {
    struct line *line;
    struct native_segment *segment;
    int to;
};

#define HELD 2048
#define HOLDS(what) /* of millions of segments */ \
    do {                                          \
        if (!(what))                              \
            fail_msg("%s", #what);                \
    } while (0)

/* An end as the wire shows it. Offsets; payload begins at 0, a FIN takes one. */
struct wire {
    uint64_t nxt;            /* sent up to here */
    uint64_t una, edge;      /* acknowledged by the peer, and how far its window lets it send */
    uint64_t got, told;      /* received in order; the latest acknowledgement sent */
    uint64_t held[HELD][2];  /* received beyond a hole, in order */
    size_t n_held;
    uint64_t offered;        /* the farthest edge of its own windows */
    uint32_t recent, stamp;  /* the stamp to echo; the latest of its own */
    int64_t again;           /* segments sent again */
    int64_t twice, held_twice; /* that had come before, in order, and beyond a hole, which Linux counts, too */
};

struct line {
    struct wire wire[2];
    struct native_scheduler scheduler;
    struct native_pool plain, sacked;
    struct native_endpoint_env env;
    struct native_endpoint ends[2];
    int64_t delay_ps;
    bool (*lose)(struct line *l, const struct native_segment *s);
    struct random random;
    double loss;           /* of data segments */
    int64_t data_sent, data_lost, acks_sent;
    int syns;
    int64_t syn_ps[8];
    uint64_t delivered[2];
};

static int64_t line_now(const struct line *l)
{
    return native_scheduler_now(&l->scheduler);
}

static void line_release(struct line *l, struct native_segment *s)
{
    native_pool_give(s->n_sack ? &l->sacked : &l->plain, s);
}

static bool wire_has(const struct wire *w, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < w->n_held; i++)
        if (from >= w->held[i][0] && to <= w->held[i][1])
            return true;
    return to <= w->got;
}

/* Bytes [from, to) have come. */
static void wire_take(struct wire *w, uint64_t from, uint64_t to)
{
    size_t i = 0, n = 0;
    while (i < w->n_held && w->held[i][1] < from)
        i++;
    for (; i + n < w->n_held && w->held[i + n][0] <= to; n++) {
        from = w->held[i + n][0] < from ? w->held[i + n][0] : from;
        to = w->held[i + n][1] > to ? w->held[i + n][1] : to;
    }
    assert_true(w->n_held + 1 - n < HELD);
    memmove(w->held + i + 1, w->held + i + n, (w->n_held - i - n) * sizeof *w->held);
    w->held[i][0] = from;
    w->held[i][1] = to;
    w->n_held += 1 - n;
    if (w->held[0][0] <= w->got) {
        w->got = w->held[0][1] > w->got ? w->held[0][1] : w->got;
        memmove(w->held, w->held + 1, --w->n_held * sizeof *w->held);
    }
}

/* A segment arrives. RFC 7323, section 4.3: the stamp to echo is that of the latest that holds what was acknowledged last. */
static void wire_arrives(struct wire *w, const struct native_endpoint *e, const struct native_segment *s)
{
    if (s->flags & NATIVE_SYN) {
        w->recent = w->recent ? w->recent : s->ts; /* one that comes again is answered, and no more */
        return;
    }
    uint64_t seq = native_offset(s->seq, w->got), ack = native_offset(s->ack, w->una), bytes = s->payload_bytes + (s->flags & NATIVE_FIN ? 1U : 0U);
    if (e->tx.from_linux && bytes > 0 && seq + bytes < w->told) { /* outside the window: rejected first (RFC 7323, 5.3, R2) */
        w->twice++;
        return;
    }
    w->una = ack > w->una ? ack : w->una;
    if (ack == w->una)
        w->edge = ack + ((uint64_t)s->window << e->window_scale);
    if (seq <= w->told && (int32_t)(s->ts - w->recent) >= 0)
        w->recent = s->ts;
    if (bytes > 0) {
        w->twice += seq + bytes <= w->got;
        w->held_twice += seq >= w->got && wire_has(w, seq, seq + bytes);
        wire_take(w, seq, seq + bytes);
    }
}

/* And leaves: what RFC 9293 (3.4, 3.8.6), 7323 and 2018 with 2883 say of its numbers, whatever was lost. */
static void wire_leaves(struct wire *w, const struct native_endpoint *e, const struct native_segment *s)
{
    if (s->flags & NATIVE_SYN)
        return;
    uint64_t seq = native_offset(s->seq, w->nxt), end = seq + s->payload_bytes + (s->flags & NATIVE_FIN ? 1U : 0U);
    uint64_t edge = w->got + ((uint64_t)s->window << e->window_scale);
    HOLDS(seq <= w->nxt);              /* nothing is left out, */
    HOLDS(end == seq || end > w->una); /* nothing acknowledged is sent again, */
    HOLDS(end <= w->edge || s->payload_bytes == 0 || w->edge <= w->una + 1); /* or beyond the window, but to probe it; */
    HOLDS(native_offset(s->ack, w->got) == w->got); /* all that came in order is acknowledged, */
    HOLDS(edge + (UINT64_C(1) << e->window_scale) > w->offered); /* no window is taken back, but for its scale, */
    HOLDS((int32_t)(s->ts - w->stamp) >= 0 && s->ts_echo == w->recent);
    for (int i = 0; i < s->n_sack; i++) { /* and blocks are what came, a first one perhaps twice */
        const uint32_t *block = ((const struct native_sacked_segment *)s)->sack[i];
        uint64_t from = native_offset(block[0], w->got), to = native_offset(block[1], w->got);
        HOLDS(from < to && wire_has(w, from, to) && (i == 0 || from > w->got));
    }
    HOLDS(w->n_held == 0 || s->n_sack > 0 || !e->config.sack);
    w->again += s->payload_bytes > 0 && seq < w->nxt ? (s->payload_bytes + e->config.segment_bytes - 1) / e->config.segment_bytes : 0;
    w->nxt = end > w->nxt ? end : w->nxt;
    w->offered = edge > w->offered ? edge : w->offered;
    w->stamp = s->ts;
    w->told = w->got;
}

static void line_arrive(void *arg)
{
    struct flight *f = arg;
    struct line *l = f->line;
    wire_arrives(&l->wire[f->to], &l->ends[f->to], f->segment);
    native_endpoint_receive(&l->ends[f->to], f->segment);
    free(f);
}

static void line_transmit(void *user, struct native_endpoint *e, struct native_segment *s)
{
    struct line *l = user;
    wire_leaves(&l->wire[e->id & 1], e, s);
    if (s->payload_bytes > 0)
        l->data_sent++;
    else if (!(s->flags & NATIVE_SYN))
        l->acks_sent++;
    if (s->flags & NATIVE_SYN && !(s->flags & NATIVE_ACK) && l->syns < 8)
        l->syn_ps[l->syns++] = line_now(l);
    if (l->lose && l->lose(l, s)) {
        l->data_lost += s->payload_bytes > 0;
        line_release(l, s);
        return;
    }
    struct flight *f = malloc(sizeof *f);
    *f = (struct flight){l, s, (int)(1 - (e->id & 1))};
    struct emu_clock clock = native_scheduler_clock(&l->scheduler);
    emu_clock_schedule(&clock, l->delay_ps, line_arrive, f);
}

static void line_delivered(void *user, struct native_endpoint *e, uint64_t bytes)
{
    struct line *l = user;
    l->delivered[e->id & 1] += bytes;
}

static struct emu_tcp_config usual(void)
{
    return (struct emu_tcp_config){
        .congestion = EMU_CONGESTION_NEWRENO,
        .send_buffer_bytes = 100000000,
        .receive_buffer_bytes = 100000000,
        .initial_window_segments = 10,
        .segment_bytes = 1448,
        .delayed_ack = 2,
        .delayed_ack_timeout_ps = 40 * MS,
        .min_rto_ps = 200 * MS,
        .sack = true,
    };
}

static struct line *line_new(const struct emu_tcp_config *config, int64_t delay_ps,
                             bool (*lose)(struct line *, const struct native_segment *))
{
    struct line *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->delay_ps = delay_ps;
    l->lose = lose;
    l->random = random_of(1);
    native_scheduler_init(&l->scheduler);
    native_pool_init(&l->plain, sizeof(struct native_segment));
    native_pool_init(&l->sacked, sizeof(struct native_sacked_segment));
    l->env = (struct native_endpoint_env){
        &l->scheduler, &l->plain, &l->sacked, line_transmit, line_delivered, NULL, NULL, l, NULL, NULL};
    for (uint32_t i = 0; i < 2; i++)
        native_endpoint_init(&l->ends[i], &l->env, config, i, i, 1 - i);
    native_endpoint_listen(&l->ends[1]);
    native_endpoint_connect(&l->ends[0]);
    return l;
}

static void line_free(struct line *l)
{
    native_scheduler_run(&l->scheduler, INT64_MAX); /* what is in flight arrives: nothing leaks */
    for (int i = 0; i < 2; i++) {
        const struct native_endpoint *e = &l->ends[i];
        const struct wire *w = &l->wire[i];
        assert_ints({e->stats.retransmitted_segments, w->again},
                    {e->stats.duplicate_segments, w->twice + (e->tx.from_linux ? w->held_twice : 0)});
    }
    native_endpoint_fini(&l->ends[0]);
    native_endpoint_fini(&l->ends[1]);
    native_scheduler_fini(&l->scheduler);
    native_pool_fini(&l->plain);
    native_pool_fini(&l->sacked);
    free(l);
}

static void run(struct line *l, int64_t until_ps)
{
    native_scheduler_run(&l->scheduler, until_ps);
}

static bool lose_at_random(struct line *l, const struct native_segment *s)
{
    return s->payload_bytes > 0 && random_share(&l->random) < l->loss;
}

/* Every byte arrives once and in order, and both ends close, whatever is lost; with and without SACK. Who only receives from
 * Linux's sender keeps its own way open, as `--engine linux` does. */
TEST(test_every_byte_arrives_once_whatever_is_lost)
{
    enum emu_congestion controls[EMU_CONGESTION_COUNT];
    int n = 0;
    for (int c = 0; c < EMU_CONGESTION_COUNT; c++)
        if (emu_congestion_rows[c].native)
            controls[n++] = (enum emu_congestion)c;
    for (int k = 0; k < 20 * n; k += cm_every()) {
        struct emu_tcp_config config = usual();
        config.sack = k % 2;
        config.congestion = controls[k / 20];
        struct line *l = line_new(&config, 5 * MS, lose_at_random);
        l->random = random_of((uint64_t)k);
        l->loss = (k % 5) * 0.03;
        native_endpoint_write(&l->ends[0], 2000000 + (uint64_t)k);
        native_endpoint_close(&l->ends[0]);
        run(l, 600 * SECOND);
        assert_int_equal(l->delivered[1], 2000000 + k);
        assert_int_equal(l->ends[1].rx.nxt, 2000001 + k); /* and the FIN */
        assert_int_equal(l->ends[0].tx.una, 2000001 + k);
        assert_int_equal(l->ends[0].rx.nxt, !l->ends[1].tx.from_linux); /* the other side's */
        assert_true(l->ends[0].stats.retransmitted_segments >= l->data_lost - 1);
        line_free(l);
    }
}

/* Mathis et al. 1997 with one ACK for b = 2 segments: W = sqrt(3 / (2 b p)) segments, rate = W MSS / RTT. */
TEST(test_newreno_follows_the_square_root_law)
{
    static const double losses[] = {1e-2, 3e-3, 1e-3, 3e-4, 1e-4};
    for (int k = 0; k < 5; k += cm_every()) {
        struct emu_tcp_config config = usual();
        struct line *l = line_new(&config, 10 * MS, lose_at_random);
        native_endpoint_write(&l->ends[0], UINT64_C(1) << 62);
        l->loss = losses[k];
        run(l, 50 * SECOND);
        uint64_t before = l->delivered[1];
        double law = sqrt(3 / (2 * 2 * losses[k]));
        int64_t span_s = (int64_t)(1000 * 0.020 / (law * losses[k])); /* some 1000 losses: known to about 2 % */
        run(l, (50 + span_s) * SECOND);
        double segments = (double)(l->delivered[1] - before) / 1448 / (double)span_s * 0.020;
        print_message("p %g: %.2f segments a round trip, law %.2f (%+.1f %%), %d timeouts\n", losses[k], segments, law,
                      100 * (segments / law - 1), (int)l->ends[0].stats.timeouts);
        assert_true(fabs(segments / law - 1) < 0.10);
        l->ends[0].tx.written = l->ends[0].tx.nxt; /* let it end */
        l->loss = 0;
        line_free(l);
    }
}

static bool lose_syns(struct line *l, const struct native_segment *s)
{
    return s->flags & NATIVE_SYN && !(s->flags & NATIVE_ACK) && l->syns <= 3;
}

/* RFC 6298: the first after 1 s, then doubled. */
TEST(test_a_lost_syn_is_retried_after_1_2_and_4_seconds)
{
    struct emu_tcp_config config = usual();
    struct line *l = line_new(&config, 5 * MS, lose_syns);
    native_endpoint_write(&l->ends[0], 1000);
    run(l, 20 * SECOND);
    assert_ints({l->syns, 4}, {l->syn_ps[1] - l->syn_ps[0], 1 * SECOND}, {l->syn_ps[2] - l->syn_ps[1], 2 * SECOND},
                {l->syn_ps[3] - l->syn_ps[2], 4 * SECOND}, {l->delivered[1], 1000});
    line_free(l);
}

static int64_t retries_ps[16];
static int retries;

static bool lose_data(struct line *l, const struct native_segment *s)
{
    if (s->payload_bytes == 0 || l->loss <= 0)
        return false;
    if (s->seq == 0 && retries < 16)
        retries_ps[retries++] = line_now(l);
    return retries < 7;
}

/* RFC 6298, section 5.5: each timeout doubles the next; the minimum is 200 ms. */
TEST(test_the_retransmission_timer_backs_off)
{
    struct emu_tcp_config config = usual();
    struct line *l = line_new(&config, 5 * MS, lose_data);
    retries = 0;
    l->loss = 1;
    native_endpoint_write(&l->ends[0], 1000);
    run(l, 60 * SECOND);
    assert_int_equal(retries, 7);
    for (int i = 2; i < 7; i++) {
        int64_t gap = retries_ps[i] - retries_ps[i - 1], before = retries_ps[i - 1] - retries_ps[i - 2];
        assert_true(llabs(gap - 2 * before) <= MS);
    }
    assert_true(retries_ps[1] - retries_ps[0] >= 200 * MS);
    assert_int_equal(l->delivered[1], 1000);
    line_free(l);
}

/* The round trip jumps from 10 to 800 ms: the timer fires, but everything arrives. A window of 100 segments must be
 * back with the first ACK; a sender that believed in the loss would be at half of it, and slow. */
TEST(test_a_spurious_timeout_is_undone)
{
    static const enum emu_congestion controls[] = {EMU_CONGESTION_NEWRENO, EMU_CONGESTION_CUBIC};
    for (int k = 0; k < 4; k++) {
        struct emu_tcp_config config = usual();
        config.receive_buffer_bytes = 100 * 1448;
        config.send_buffer_bytes = 400 * 1448; /* in Linux a segment takes more room there than it has bytes */
        config.initial_window_segments = 100;
        config.sack = k / 2;
        config.congestion = controls[k % 2];
        struct line *l = line_new(&config, 5 * MS, NULL);
        native_endpoint_write(&l->ends[0], UINT64_C(1) << 62);
        run(l, 1 * SECOND);
        uint64_t cwnd = l->ends[0].tx.window.cwnd;
        l->delay_ps = 400 * MS;
        run(l, 10 * SECOND);
        const struct native_endpoint_stats *s = &l->ends[0].stats;
        assert_all(s->timeouts >= 1, s->spurious_timeouts >= 1, s->retransmitted_segments <= s->timeouts,
                   l->ends[0].tx.window.cwnd >= cwnd);
        uint64_t before = l->delivered[1];
        run(l, 18 * SECOND); /* ten round trips: ten windows */
        assert_true(fabs((double)(l->delivered[1] - before) / (100 * 1448) - 10) <= 1.1);
        l->ends[0].tx.written = l->ends[0].tx.nxt;
        line_free(l);
    }
}

/* tcp_event_new_data_sent() sets the timeout, and the probe takes its place again: among those of its tick it is the latest. */
TEST(test_what_is_sent_puts_the_probe_into_its_bucket_anew)
{
    struct emu_tcp_config config = usual();
    config.congestion = EMU_CONGESTION_LINUXRENO;
    config.linux_own.tail_probe = true;
    struct line *l = line_new(&config, 50 * MS, NULL);
    const struct native_timer *probe = &l->ends[0].tx.retransmit;
    run(l, 200 * MS);
    native_endpoint_write(&l->ends[0], 2 * 1448);
    uint64_t order = probe->order;
    int64_t deadline_ps = probe->deadline_ps;
    native_endpoint_write(&l->ends[0], 2 * 1448);
    assert_all(probe->deadline_ps == deadline_ps, probe->order < order);
    line_free(l);
}

/* tcp_update_pacing_rate(): windows and thresholds are in segments, and half of 25 is 12, which 12 is not below. 10 of them a
 * millisecond, and 20 % or all of that more. */
TEST(test_slow_start_is_told_from_half_the_threshold_in_segments)
{
    struct emu_tcp_config config = usual();
    config.congestion = EMU_CONGESTION_LINUXRENO;
    struct line *l = line_new(&config, 5 * MS, NULL);
    struct native_endpoint *e = &l->ends[0];
    e->tx.rtt.srtt_8us = 8000;
    e->tx.window.cwnd = 12 * 1448;
    e->tx.window.ssthresh = 25 * 1448;
    assert_int_equal(native_linux_pacing(e), 14480 * 1200);
    e->tx.window.ssthresh = 26 * 1448;
    assert_int_equal(native_linux_pacing(e), 14480 * 2000);
    line_free(l);
}

/* tcp_cong_avoid_ai(): two windows of three are two segments; what a larger one has gathered is one, whatever it is. */
TEST(test_an_ack_of_several_windows_lets_reno_grow_by_as_many)
{
    struct native_window w = {.cwnd = 3 * 1448, .ssthresh = 3 * 1448};
    const struct native_ack six = {.segment = 1448, .acked = 6 * 1448}, one = {.segment = 1448, .acked = 1448};
    native_linuxreno_grow(NULL, &w, &six);
    assert_all(w.cwnd == 5 * 1448, w.remainder == 0);
    w = (struct native_window){.cwnd = 3 * 1448, .ssthresh = 3 * 1448, .remainder = 5 * 1448};
    native_linuxreno_grow(NULL, &w, &one);
    assert_all(w.cwnd == 4 * 1448, w.remainder == 1448);
}

/* A reader that stops fills the window; probes find out when it goes on, even if the update is lost. */
static bool lose_updates(struct line *l, const struct native_segment *s)
{
    return l->loss > 0 && s->end == 1 && s->payload_bytes == 0 && s->window > 0 && line_now(l) < 10 * SECOND + MS;
}

TEST(test_a_zero_window_is_probed)
{
    struct emu_tcp_config config = usual();
    config.receive_buffer_bytes = config.send_buffer_bytes = 60000;
    struct line *l = line_new(&config, 5 * MS, lose_updates);
    native_endpoint_pause(&l->ends[1], true);
    native_endpoint_write(&l->ends[0], 200000);
    run(l, 10 * SECOND);
    assert_true(l->delivered[1] >= 60000 - 1448 && l->delivered[1] <= 60000);
    assert_in_range(l->ends[0].stats.window_probes, 4, 8); /* 0.2 s, doubling: 0.2 0.6 1.4 3 6.2 */
    l->loss = 1; /* the window update of the next line is lost */
    native_endpoint_pause(&l->ends[1], false);
    run(l, 40 * SECOND);
    assert_ints({l->delivered[1], 200000}, {l->ends[0].stats.timeouts, 0});
    line_free(l);
}

/* One ACK for two segments while data flow: 2000 segments, about 1000 ACKs (quick ones in the beginning). */
TEST(test_acks_are_delayed_to_one_for_two)
{
    struct emu_tcp_config config = usual();
    struct line *l = line_new(&config, 5 * MS, NULL);
    native_endpoint_write(&l->ends[0], 2000 * 1448);
    run(l, 20 * SECOND);
    assert_int_equal(l->data_sent, 2000);
    assert_in_range(l->acks_sent, 1000, 1000 + 20);
    line_free(l);
}

/* The last segment of what an application writes is short and pushed: its ACK does not wait 40 ms for another. A full
 * one's does. */
TEST(test_the_end_of_what_was_written_is_acknowledged_at_once)
{
    struct emu_tcp_config config = usual();
    struct line *l = line_new(&config, 5 * MS, NULL);
    const struct native_sender *tx = &l->ends[0].tx;
    native_endpoint_write(&l->ends[0], 200 * 1448);
    run(l, 5 * SECOND);
    native_endpoint_write(&l->ends[0], 2 * 1448 + 100);
    run(l, 5 * SECOND + 11 * MS);
    assert_int_equal(tx->una, tx->written);
    native_endpoint_write(&l->ends[0], 3 * 1448);
    run(l, 5 * SECOND + 22 * MS);
    assert_int_equal(tx->una, tx->written - 1448);
    line_free(l);
}

/* Data both ways carry the ACKs: of the 20000 that two flows would have sent alone, most are not there. (On a line
 * without serialization bursts cross, so that some data find nothing to acknowledge on their way.) */
TEST(test_two_way_data_carry_acks)
{
    struct emu_tcp_config config = usual();
    config.receive_buffer_bytes = config.send_buffer_bytes = 100 * 1448;
    struct line *l = line_new(&config, 5 * MS, NULL);
    native_endpoint_write(&l->ends[0], 20000 * 1448);
    native_endpoint_write(&l->ends[1], 20000 * 1448);
    run(l, 60 * SECOND);
    assert_ints({l->delivered[0], 20000 * 1448}, {l->delivered[1], 20000 * 1448}, {l->data_sent, 40000});
    assert_true(l->acks_sent < 10000);
    line_free(l);
}

/* A lone window-limited flow: W / RTT. */
TEST(test_a_window_limits_to_window_per_round_trip)
{
    struct emu_tcp_config config = usual();
    config.receive_buffer_bytes = config.send_buffer_bytes = 100 * 1448;
    config.initial_window_segments = 100;
    struct line *l = line_new(&config, 25 * MS, NULL);
    native_endpoint_write(&l->ends[0], UINT64_C(1) << 62);
    run(l, 1 * SECOND);
    uint64_t before = l->delivered[1];
    run(l, 11 * SECOND);
    double windows = (double)(l->delivered[1] - before) / (double)(config.receive_buffer_bytes >> 2 << 2);
    assert_true(fabs(windows - 200) <= 1.5); /* ten seconds of 50 ms round trips */
    l->ends[0].tx.written = l->ends[0].tx.nxt;
    line_free(l);
}
