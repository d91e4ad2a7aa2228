/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which connection a segment belongs to, seen through the flow table. */
#include "base/hash.h"
#include "test/analysis/segment.h"

#include <string.h>
#include <time.h>

#include "test/cm.h"

static void test_both_directions_are_kept_apart(void **state)
{
    (void)state;
    struct analysis_flows *f = new_flows();
    feed(f, 0, segment(B_TO_A, 100, 10, 1));
    feed(f, 0, segment(A_TO_B, 1, 20, 110));
    assert_int_equal(flow_count(f), 2);
    assert_int_equal(flow_at(f, 0).payload_bytes, 10); /* whose packet came first */
    assert_int_equal(flow_at(f, 0).src_port, 2000);
    assert_int_equal(flow_at(f, 1).payload_bytes, 20);
    analysis_flows_free(f);
}

static void test_the_same_addresses_in_another_network_are_another_connection(void **state)
{
    (void)state;
    struct analysis_flows *f = new_flows();
    for (uint32_t vlan = 1; vlan <= 3; vlan++) {
        struct capture_segment s = segment(A_TO_B, 1000 * vlan, 10 * vlan, 1);
        s.tag = vlan;
        feed(f, 0, s);
    }
    assert_int_equal(flow_count(f), 3);
    assert_int_equal(flow_at(f, 2).payload_bytes, 30);
    analysis_flows_free(f);
}

static void test_a_four_tuple_used_again_is_a_new_connection(void **state)
{
    (void)state;
    struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, 0, segment(A_TO_B, 1001, 500, 1));
    feed(f, 1 * MS, syn(A_TO_B, 900000));
    feed(f, 1 * MS, segment(A_TO_B, 900001, 70, 1));
    assert_int_equal(flow_count(f), 2);
    assert_int_equal(flow_at(f, 0).payload_bytes, 500);
    assert_int_equal(flow_at(f, 1).payload_bytes, 70);
    analysis_flows_free(f);
}

static void test_a_syn_sent_again_is_not_a_new_connection(void **state)
{
    (void)state;
    struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, 1 * MS, segment(A_TO_B, 1001, 500, 1));
    feed(f, 2 * MS, syn(A_TO_B, 1000));
    feed(f, 3 * MS, segment(A_TO_B, 1501, 500, 1));
    assert_int_equal(flow_count(f), 1);
    assert_int_equal(flow_at(f, 0).payload_bytes, 1000);
    analysis_flows_free(f);
}

static void test_of_two_syn_acks_the_last_before_data_counts(void **state)
{
    (void)state;
    struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, 1 * MS, syn_ack(B_TO_A, 3000000000u, 1001)); /* of an older connection: 3 GB away */
    feed(f, 2 * MS, syn_ack(B_TO_A, 5000, 1001));
    feed(f, 3 * MS, segment(B_TO_A, 5001, 400, 1001));
    assert_int_equal(flow_count(f), 1);
    assert_int_equal(flow_at(f, 0).payload_bytes, 400);
    analysis_flows_free(f);
}

static void test_a_stray_syn_ack_after_data_changes_nothing(void **state)
{
    (void)state;
    struct analysis_flows *f = new_flows();
    feed(f, 0, syn(A_TO_B, 1000));
    feed(f, 1 * MS, syn_ack(B_TO_A, 5000, 1001));
    feed(f, 2 * MS, segment(B_TO_A, 5001, 400, 1001));
    feed(f, 3 * MS, syn_ack(B_TO_A, 3000000000u, 1001));
    feed(f, 4 * MS, segment(B_TO_A, 5401, 100, 1001));
    assert_int_equal(flow_count(f), 1);
    assert_int_equal(flow_at(f, 0).payload_bytes, 500);
    analysis_flows_free(f);
}

static void test_reuse_is_seen_from_the_server_side_alone(void **state)
{
    (void)state;
    struct analysis_flows *f = new_flows(); /* the capture has nothing from a */
    feed(f, 0, syn_ack(B_TO_A, 5000, 1001));
    feed(f, 1 * MS, segment(B_TO_A, 5001, 400, 1001));
    feed(f, 2 * MS, syn_ack(B_TO_A, 4000000000u, 77));
    feed(f, 3 * MS, segment(B_TO_A, 4000000001u, 30, 77));
    assert_int_equal(flow_count(f), 2);
    assert_int_equal(flow_at(f, 1).payload_bytes, 30);
    analysis_flows_free(f);
}

static void test_many_connections_are_all_found_again(void **state)
{
    (void)state;
    struct analysis_flows *f = new_flows();
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            struct capture_segment s = segment(A_TO_B, 100 + 10 * (uint32_t)round, 10, 1);
            s.src_port = (uint16_t)(10000 + i);
            feed(f, 0, s);
        }
    }
    assert_int_equal(flow_count(f), 5000);
    assert_int_equal(flow_at(f, 4999).payload_bytes, 20);
    analysis_flows_free(f);
}

/* CPU time of a segment each of n connections between ports 1000 and 2000. */
static double seconds_of(const uint64_t *addresses, size_t n)
{
    struct analysis_flows *f = new_flows();
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
    analysis_flows_free(f);
    return seconds;
}

/* hash_mix() can be undone: 30,000 pairs of addresses that it gives one value of 32 bits. In a table by it they would
 * need 30,000 * 15,000 looks at others, a hundred times as long as all else. */
static void test_time_is_linear_whatever_addresses_are_chosen(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_directions_are_kept_apart),
        cmocka_unit_test(test_the_same_addresses_in_another_network_are_another_connection),
        cmocka_unit_test(test_a_four_tuple_used_again_is_a_new_connection),
        cmocka_unit_test(test_a_syn_sent_again_is_not_a_new_connection),
        cmocka_unit_test(test_of_two_syn_acks_the_last_before_data_counts),
        cmocka_unit_test(test_a_stray_syn_ack_after_data_changes_nothing),
        cmocka_unit_test(test_reuse_is_seen_from_the_server_side_alone),
        cmocka_unit_test(test_time_is_linear_whatever_addresses_are_chosen),
        cmocka_unit_test(test_many_connections_are_all_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
