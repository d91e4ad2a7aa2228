/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which connection a segment belongs to, seen through the flow table. */
#include "analysis/flows/connection.h"
#include "base/random.h"
#include "test/analysis/segment.h"

#include <time.h>

TEST(test_both_directions_are_kept_apart)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, segment(B_TO_A, 100, 10, 1));
    feed(f, 0, segment(A_TO_B, 1, 20, 110));
    assert_int_equal(flow_count(f), 2);
    assert_int_equal(flow_at(f, 0).payload_bytes, 10); /* whose packet came first */
    assert_int_equal(flow_at(f, 0).src_port, 2000);
    assert_int_equal(flow_at(f, 1).payload_bytes, 20);
}

TEST(test_the_same_addresses_in_another_network_are_another_connection)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    for (uint32_t vlan = 1; vlan <= 3; vlan++) {
        struct capture_segment s = segment(A_TO_B, 1000 * vlan, 10 * vlan, 1);
        s.tag = vlan;
        feed(f, 0, s);
    }
    assert_int_equal(flow_count(f), 3);
    assert_int_equal(flow_at(f, 2).payload_bytes, 30);
}

TEST(test_a_four_tuple_used_again_is_a_new_connection)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, 0, segment(A_TO_B, 1001, 500, 1));
    feed(f, 1 * MS, syn(A_TO_B, 900000));
    feed(f, 1 * MS, segment(A_TO_B, 900001, 70, 1));
    assert_int_equal(flow_count(f), 2);
    assert_int_equal(flow_at(f, 0).payload_bytes, 500);
    assert_int_equal(flow_at(f, 1).payload_bytes, 70);
}

TEST(test_a_syn_sent_again_is_not_a_new_connection)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, 1 * MS, segment(A_TO_B, 1001, 500, 1));
    feed(f, 2 * MS, syn(A_TO_B, 1000));
    feed(f, 3 * MS, segment(A_TO_B, 1501, 500, 1));
    assert_int_equal(flow_count(f), 1);
    assert_int_equal(flow_at(f, 0).payload_bytes, 1000);
}

TEST(test_of_two_syn_acks_the_last_before_data_counts)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, 1 * MS, syn_ack(B_TO_A, 3000000000u, 1001)); /* of an older connection: 3 GB away */
    feed(f, 2 * MS, syn_ack(B_TO_A, 5000, 1001));
    feed(f, 3 * MS, segment(B_TO_A, 5001, 400, 1001));
    assert_int_equal(flow_count(f), 1);
    assert_int_equal(flow_at(f, 0).payload_bytes, 400);
}

TEST(test_a_stray_syn_ack_after_data_changes_nothing)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, 1 * MS, syn_ack(B_TO_A, 5000, 1001));
    feed(f, 2 * MS, segment(B_TO_A, 5001, 400, 1001));
    feed(f, 3 * MS, syn_ack(B_TO_A, 3000000000u, 1001));
    feed(f, 4 * MS, segment(B_TO_A, 5401, 100, 1001));
    assert_int_equal(flow_count(f), 1);
    assert_int_equal(flow_at(f, 0).payload_bytes, 500);
}

TEST(test_reuse_is_seen_from_the_server_side_alone)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows(); /* the capture has nothing from a */
    feed(f, 0, syn_ack(B_TO_A, 5000, 1001));
    feed(f, 1 * MS, segment(B_TO_A, 5001, 400, 1001));
    feed(f, 2 * MS, syn_ack(B_TO_A, 4000000000u, 77));
    feed(f, 3 * MS, segment(B_TO_A, 4000000001u, 30, 77));
    assert_int_equal(flow_count(f), 2);
    assert_int_equal(flow_at(f, 1).payload_bytes, 30);
}

TEST(test_many_connections_are_all_found_again)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            struct capture_segment s = segment(A_TO_B, 100 + 10 * (uint32_t)round, 10, 1);
            s.src_port = (uint16_t)(10000 + i);
            feed(f, 0, s);
        }
    }
    assert_int_equal(flow_count(f), 5000);
    assert_int_equal(flow_at(f, 4999).payload_bytes, 20);
}

/* CPU time of a segment each of n connections between ports 1000 and 2000. */
static double seconds_of(const uint64_t *addresses, size_t n)
{
    CM_OWNED(analysis_flows_free) struct analysis_flows *f = new_flows();
    struct capture_segment s = segment(A_TO_B, 1, 10, 1);
    s.src_port = 1000;
    s.dst_port = 2000;
    clock_t start = clock();
    for (size_t i = 0; i < n; i++) {
        memcpy(s.src.bytes, (const char *)&addresses[i] + 4, 4);
        memcpy(s.dst.bytes, &addresses[i], 4);
        feed(f, 0, s);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(flow_count(f), n);
    return seconds;
}

/* hash_mix() can be undone: 30,000 pairs of addresses that it gives one value of 32 bits. In a table by it they would
 * need 30,000 * 15,000 looks at others, a hundred times as long as all else. */
TEST(test_time_is_linear_whatever_addresses_are_chosen)
{
    enum { N = 30000 };
    static uint64_t chosen[N], drawn[N];
    uint64_t factor = UINT64_C(0x9e3779b97f4a7c15), inverse = factor, first = hash_mix(0, 1000 << 16 | 2000);
    for (int i = 0; i < 6; i++)
        inverse *= 2 - factor * inverse; /* Newton's iteration */
    size_t n = 0;
    for (uint64_t k = 1; n < N; k++) {
        uint64_t address = (k << 32 | (k ^ 12345)) * inverse ^ first;
        uint8_t bytes[8];
        memcpy(bytes, &address, sizeof bytes);
        if (memcmp(bytes + 4, bytes, 4) < 0) { /* or the other end's address would come first */
            assert_int_equal((uint32_t)hash_mix(first, address), 12345);
            chosen[n] = address;
            drawn[n++] = k << 32 | (k + 1) << 40 >> 32 | 0x80;
        }
    }
    double usual_s = seconds_of(drawn, N), worst_s = seconds_of(chosen, N);
    if (worst_s > 5 * usual_s + 0.02)
        fail_msg("%.3f s against %.3f s", worst_s, usual_s);
}

#define PAIRS 40 /* connections of drawn segments, some of which have but one */

/* One of whatever comes: a handshake's, data with holes, copies of what was last, SACK, FIN, RST. */
static struct capture_segment drawn(struct random *r, struct capture_segment last[PAIRS])
{
    uint64_t pair = random_below(r, 1 + random_below(r, PAIRS));
    struct capture_segment s = segment(random_below(r, 100) < 40 ? B_TO_A : A_TO_B, 1000 + 500 * (uint32_t)random_below(r, 20),
                                       500 * (uint32_t)random_below(r, 3), 1000 + 500 * (uint32_t)random_below(r, 20));
    static const uint8_t flags[] = {16, 16, 16, 16, 16, 24, 2, 18, 17, 20, 4, 0};
    s.flags = flags[random_below(r, sizeof flags)];
    s.has_mss = s.has_window_scale = s.flags & CAPTURE_TCP_SYN;
    s.mss = s.has_mss ? 400 : 0;
    s.window_scale = s.has_window_scale ? 3 : 0;
    s.has_timestamps = random_below(r, 100) < 30;
    s.tsval = s.has_timestamps ? (uint32_t)random_below(r, 50) : 0;
    s.n_sack = random_below(r, 100) < 10;
    s.sack[0] = s.n_sack ? (struct capture_sack){5000, 5500} : (struct capture_sack){0};
    (s.src_port == 1000 ? &s.src_port : &s.dst_port)[0] = (uint16_t)(3000 + pair);
    if (random_below(r, 100) < 5 && last[pair].src_port)
        return last[pair];
    return last[pair] = s;
}

/* All that a slot says, as numbers. */
static size_t figures(const struct analysis_flows *f, size_t slot, double out[40])
{
    struct analysis_flow x;
    struct analysis_round_trip_figures trip;
    struct analysis_wait waits[ANALYSIS_LEG_SERIES_SLOTS];
    size_t n = 0;
    int end, shift[2];
    analysis_flows_packets(f, slot, &end, shift);
    out[n++] = end;
    out[n++] = shift[0];
    out[n++] = shift[1];
    out[n++] = analysis_flows_tap(f, slot);
    out[n++] = (double)analysis_flows_waits(f, slot, waits);
    out[n++] = analysis_flows_explain(f, slot, &trip) ? trip.hold_s : -1;
    if (!analysis_flows_get(f, slot, &x))
        return n;
    const double has[] = {x.src_port, x.dst_port, (double)x.payload_bytes, (double)x.seen_payload_bytes,
        (double)x.long_bytes, (double)x.missing_bytes, x.data_packets, x.segment_bytes, x.retransmitted_segments,
        x.loss_events, x.reordered_segments, x.spurious_segments, x.overtaken_segments, x.network_duplicates,
        x.ambiguous_segments, x.duplicate_frames, x.keepalives, x.start_s, x.end_s, x.goodput_bps, x.window_bytes,
        x.sender_side_s, x.receiver_side_s, x.rtt_floor_s, x.advertised_bytes};
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        out[n++] = has[i];
    return n;
}

/* Behind ANALYSIS_CONNECTIONS_WHOLE others, whose first segments are all that there is of them, a connection is kept as its
 * first segment until a second comes; nobody sees which. */
TEST(test_a_connection_that_began_as_its_first_segment_is_like_any)
{
    size_t alone = 0, more = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct analysis_flows *few CM_OWNED(analysis_flows_free) = new_flows(), *many = new_flows();
        struct capture_segment last[PAIRS] = {0};
        struct random r = random_of(seed);
        analysis_flows_keep_explanations(few);
        analysis_flows_keep_explanations(many);
        analysis_flows_set_origin(few, 0);
        analysis_flows_set_origin(many, 0);
        const uint16_t others = ANALYSIS_CONNECTIONS_WHOLE + 10;
        for (uint16_t i = 0; i < others; i++) {
            struct capture_segment s = syn(A_TO_B, 1);
            s.dst_port = (uint16_t)(10000 + i);
            feed(many, 0, s);
        }
        for (int k = 0; k < 100; k++) {
            struct capture_segment s = drawn(&r, last);
            feed(few, k * MS, s);
            feed(many, k * MS, s);
        }
        assert_int_equal(analysis_flows_slots(many), analysis_flows_slots(few) + 2 * (size_t)others);
        for (size_t i = 0; i < analysis_flows_slots(few); i++) {
            double a[40], b[40];
            size_t n = figures(few, i, a);
            assert_int_equal(figures(many, i + 2 * (size_t)others, b), n);
            for (size_t k = 0; k < n; k++)
                if (!(a[k] == b[k] || (isnan(a[k]) && isnan(b[k]))))
                    fail_msg("seed %d, slot %zu, figure %zu: %g and %g", (int)seed, i, k, a[k], b[k]);
            alone += n > 6 && a[12] == 1;
            more += n > 6 && a[12] > 1;
        }
        analysis_flows_free(many);
    }
    assert_in_range(alone, 100, 10000); /* of one data packet, and of more: both have been seen */
    assert_in_range(more, 100, 10000);
}
