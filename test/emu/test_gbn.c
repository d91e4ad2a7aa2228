/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go-Back-N over a wire that loses what a test says: Tam 2001, section 4.2.1. */
#include "emu/network/gbn.h"
#include "test/cm.h"
#include "test/emu/fake_engine.h"

#define US INT64_C(1000000) /* ps */
#define WIRE_US 124         /* of a full packet at 100 Mb/s, rounded up */
#define FLOWS 4

static struct emu_gbn *gbn;
static char events[4096];   /* of flow 0: P, N, T */
static int source[FLOWS], n_flows; /* flow 0 is from h0 to h1, flow 1 back */
static int n_received, written, written_back;
static int lost[4096];      /* frames by their number on the wire from h0: 1: lost */
static int lost_back[4096]; /* from h1 */
static int n_sent, n_back;
static struct random chaos; /* or lost with this chance, in percent */
static int chance;

static void arrive(void *arg)
{
    struct emu_frame frame = {.packet = arg, .ethertype = EMU_GBN_ETHERTYPE};
    uint64_t kind = emu_frame_tag_content(arg) >> 60;
    int from = source[emu_frame_tag_content(arg) >> 40 & (FLOWS - 1)];
    frame.dst = kind >= 2 ? (uint32_t)from : !from; /* Pack, Nack: towards the flow's source */
    emu_gbn_deliver(gbn, (int)frame.dst, &frame);
}

static void transmit(void *user, int host, const struct emu_frame *frame)
{
    struct emu_clock clock = fake_clock();
    int number = host == 0 ? n_sent++ : n_back++;
    bool gone = (host == 0 ? lost : lost_back)[number % 4096] || (int)random_below(&chaos, 100) < chance;
    if (!gone)
        emu_clock_schedule(&clock, 300 * US, arrive, frame->packet);
}

static int64_t rate(void *user, int host, int to)
{
    return 100000000;
}

static int next(void *user, int host)
{
    int least = -1;
    for (int i = 0; i < n_flows; i++)
        if (source[i] == host && emu_gbn_ready(gbn, i) &&
            (least < 0 || emu_gbn_flow_stats(gbn, i).sent < emu_gbn_flow_stats(gbn, least).sent))
            least = i;
    return least;
}

static void received(void *user, int flow)
{
    n_received += flow == 0;
}

static void event(void *user, int flow, enum emu_gbn_event e)
{
    size_t n = strlen(events);
    if (flow == 0 && n + 1 < sizeof events)
        events[n] = "PNT"[e];
}

static struct emu_gbn_config config(int64_t window)
{
    return (struct emu_gbn_config){.window_packets = window, .timeout_ps = 20000 * US, .sequence_bits = 8,
                                   .packet_bytes = 1492, .ack_every = 1, .ack_delay_ps = 1000 * US,
                                   .send_overhead_ps = 10 * US, .receive_overhead_ps = 20 * US, .ring_packets = 64};
}

static void make_flows(const struct emu_gbn_config *c, int n, const int *from)
{
    fake_reset();
    memset(events, 0, sizeof events);
    memset(lost, 0, sizeof lost);
    memset(lost_back, 0, sizeof lost_back);
    n_sent = n_back = n_received = chance = 0;
    chaos = random_of(5);
    struct emu_clock clock = fake_clock();
    gbn = emu_gbn_new(c, 2, &clock, &(struct emu_gbn_carrier){transmit, rate, NULL},
                      &(struct emu_gbn_program){next, received, event, NULL});
    n_flows = n;
    for (int i = 0; i < n; i++) {
        source[i] = from[i];
        assert_int_equal(emu_gbn_add_flow(gbn, from[i], !from[i]), i);
    }
}

/* Flow 0 from h0 to h1 with so many packets, flow 1 back. */
static void make(const struct emu_gbn_config *c, int packets, int back)
{
    make_flows(c, 2, (const int[]){0, 1});
    written = packets;
    written_back = back;
    emu_gbn_write(gbn, 0, packets);
    emu_gbn_write(gbn, 1, back);
}

static struct emu_gbn_stats go(void)
{
    emu_gbn_wake(gbn, 0);
    emu_gbn_wake(gbn, 1);
    fake_run();
    struct emu_gbn_stats s = emu_gbn_flow_stats(gbn, 0), b = emu_gbn_flow_stats(gbn, 1);
    assert_int_equal(s.received, written); /* each once, in order, and all of them */
    assert_ints({n_received, written}, {b.received, written_back}, {s.acknowledged, written},
                {s.sent, written + s.repeated});
    return s;
}

TEST(test_without_losses_every_packet_goes_once)
{
    struct emu_gbn_config c = config(4);
    make(&c, 10, 0);
    struct emu_gbn_stats s = go();
    assert_string_equal(events, "PPPPPPPPPP");
    assert_ints({s.repeated, 0}, {s.discarded, 0});
    emu_gbn_free(gbn);
}

/* Packet 2 of a window of 4 is lost: 3 brings a Nack, 4 and 5 (let in by the Packs for 0 and 1) are discarded without
 * a word, and all four go again. */
TEST(test_a_nack_sends_everything_from_the_missing_packet_on)
{
    struct emu_gbn_config c = config(4);
    make(&c, 6, 0);
    lost[2] = 1;
    struct emu_gbn_stats s = go();
    assert_string_equal(events, "PPNPPPP");
    assert_ints({s.repeated, 4}, {s.discarded, 3}, {s.timeouts, 0});
    emu_gbn_free(gbn);
}

/* The repeated packet is lost as well: Stall. No Nack comes any more; the timer ends it, and it is set when a packet
 * is handed to the NIC, so that it runs out TO after that. */
TEST(test_a_stalled_sender_waits_for_its_timer)
{
    struct emu_gbn_config c = config(4);
    make(&c, 8, 0);
    lost[1] = lost[5] = 1; /* the fifth on the wire is packet 4, let in by the Pack for 0; then come 1 2 3 4 again */
    struct emu_gbn_stats s = go();
    assert_string_equal(events, "PNTPPPPPPP");
    assert_int_equal(s.nacks, 1);
    assert_true(s.last_received_ps > 20000 * US && s.last_received_ps < 24000 * US);
    emu_gbn_free(gbn);
}

TEST(test_the_simple_version_knows_no_nack)
{
    struct emu_gbn_config c = config(4);
    c.simple = true;
    make(&c, 6, 0);
    lost[2] = 1;
    struct emu_gbn_stats s = go();
    assert_string_equal(events, "PPTPPPP");
    assert_true(s.last_received_ps > 20000 * US);
    emu_gbn_free(gbn);
}

/* The only Pack for the last packet is lost: its timer sends it again, and it is acknowledged again. */
TEST(test_a_lost_pack_is_made_up_for)
{
    struct emu_gbn_config c = config(4);
    make(&c, 2, 0);
    lost_back[1] = 1;
    struct emu_gbn_stats s = go();
    assert_string_equal(events, "PTP");
    assert_int_equal(s.discarded, 1);
    emu_gbn_free(gbn);
}

/* W is half of the sequence numbers, the most there may be: both Packs are lost, and packet 0 comes again when 2 is
 * expected. It is W behind, not W ahead: a Pack says so, no Nack. */
TEST(test_half_of_the_numbers_tell_old_packets_from_new)
{
    struct emu_gbn_config c = config(2);
    c.sequence_bits = 2;
    make(&c, 2, 0);
    lost_back[0] = lost_back[1] = 1;
    struct emu_gbn_stats s = go();
    assert_string_equal(events, "TP");
    assert_ints({s.discarded, 2}, {s.nacks, 0});
    emu_gbn_free(gbn);
}

/* Host and wire set the pace: O_s a packet until the ring is full, then the wire; and never more than W under way. */
TEST(test_the_window_and_the_wire_bound_the_rate)
{
    struct emu_gbn_config c = config(64);
    make(&c, 1000, 0);
    struct emu_gbn_stats s = go();
    assert_true(s.last_received_ps > 999 * INT64_C(123040000) && s.last_received_ps < 1000 * WIRE_US * US + 500 * US);
    emu_gbn_free(gbn);
    c = config(2); /* two a round trip: O_s + 300 + 20 and O_s + 300 + 20 back */
    make(&c, 100, 0);
    s = go();
    assert_in_range(s.last_received_ps / US, 50 * 660 - 400, 50 * 660 + 400 + 50 * 20);
    emu_gbn_free(gbn);
}

/* Jitter is even about the mean: 1024 packets of 400 us (1 -+ 0.3) each take 409.6 ms, with a deviation of 0.173 * 400 us
 * sqrt(1024) = 2.2 ms, and the 64 Packs 20 us each. */
TEST(test_jitter_leaves_the_mean_as_it_is)
{
    struct emu_gbn_config c = config(64);
    c.ack_every = 16;
    c.send_overhead_ps = 400 * US;
    c.ack_delay_ps = 100000 * US;
    c.jitter = 0.3;
    make(&c, 1024, 0);
    struct emu_gbn_stats s = go();
    assert_in_range(s.last_received_ps / US, 409600 - 3 * 2200, 409600 + 3 * 2200 + 64 * 30 + 500);
    assert_int_equal(s.repeated, 0);
    emu_gbn_free(gbn);
}

TEST(test_packets_the_other_way_carry_packs)
{
    struct emu_gbn_config c = config(16);
    c.ack_every = 16;
    make(&c, 200, 200);
    go();
    assert_in_range(n_sent + n_back, 400, 410); /* next to no control frame */
    emu_gbn_free(gbn);
    make(&c, 200, 0);
    go();
    assert_in_range(n_back, 200 / 16, 200 / 8 + 2); /* one a window's worth, or when ack_delay is over */
    emu_gbn_free(gbn);
}

/* In whatever order they are added, each of two has one of two to carry its Packs. */
TEST(test_flows_go_by_pairs)
{
    static const int orders[][FLOWS] = {{0, 1, 0, 1}, {0, 0, 1, 1}, {0, 1, 1, 0}, {1, 1, 0, 0}, {1, 0, 0, 1}};
    int frames = 0;
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        struct emu_gbn_config c = config(16);
        c.ack_every = 16;
        make_flows(&c, FLOWS, orders[k]);
        for (int i = 0; i < FLOWS; i++)
            emu_gbn_write(gbn, i, 200);
        emu_gbn_wake(gbn, 0);
        emu_gbn_wake(gbn, 1);
        fake_run();
        for (int i = 0; i < FLOWS; i++)
            assert_int_equal(emu_gbn_flow_stats(gbn, i).acknowledged, 200);
        frames = k ? frames : n_sent + n_back;
        assert_int_equal(n_sent + n_back, frames);
        emu_gbn_free(gbn);
    }
}

/* Losses of every kind, sequence numbers that wrap, both versions: everything arrives once and in order. */
TEST(test_random_losses_lose_nothing_in_the_end)
{
    for (int trial = 0; trial < 24; trial++) {
        struct emu_gbn_config c = config(1 + trial % 8);
        c.sequence_bits = 4;
        c.simple = trial % 3 == 0;
        c.ack_every = 1 + trial % (int)c.window_packets;
        c.jitter = 0.3;
        c.seed = (uint64_t)trial;
        c.preempt_every_ps = 5000 * US;
        c.preempt_ps = 700 * US;
        make(&c, 150, trial % 2 ? 80 : 0);
        chaos = random_of((uint64_t)trial);
        chance = trial;
        go();
        emu_gbn_free(gbn);
    }
}

TEST(test_bytes_are_ethernet_with_the_packets_fields)
{
    struct emu_frame f = {.packet = emu_frame_tag(UINT64_C(1) << 60 | UINT64_C(5) << 40 | 77 << 20 | 9), .dst = 1,
                          .payload_bytes = 1500, .ethertype = EMU_GBN_ETHERTYPE};
    uint8_t bytes[2000];
    assert_int_equal(emu_gbn_bytes(&f, bytes, sizeof bytes), 1514);
    const uint8_t head[] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5, 0x40, 0, 5, 0, 0x04, 0xd0, 0, 9};
    assert_memory_equal(bytes, head, sizeof head);
    assert_int_equal(emu_gbn_bytes(&f, bytes, 60), 60);
}
