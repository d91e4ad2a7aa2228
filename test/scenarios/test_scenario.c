/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/scenarios/text.h"

#include <stdio.h>
#include <string.h>

static void same_flow(const struct scenario_flow *a, const struct scenario_flow *b)
{
    const struct emu_tcp_config *t = &a->tcp, *u = &b->tcp;
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->from, b->from);
    assert_int_equal(a->to, b->to);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->start_ps, b->start_ps);
    assert_int_equal(a->repeat, b->repeat);
    assert_int_equal(a->duplex, b->duplex);
    assert_int_equal(t->congestion, u->congestion);
    assert_int_equal(t->send_buffer_bytes, u->send_buffer_bytes);
    assert_int_equal(t->receive_buffer_bytes, u->receive_buffer_bytes);
    assert_int_equal(t->initial_window_segments, u->initial_window_segments);
    assert_int_equal(t->segment_bytes, u->segment_bytes);
    assert_int_equal(t->delayed_ack, u->delayed_ack);
    assert_int_equal(t->delayed_ack_timeout_ps, u->delayed_ack_timeout_ps);
    assert_int_equal(t->min_rto_ps, u->min_rto_ps);
    assert_int_equal(t->sack, u->sack);
    assert_int_equal(t->hystart, u->hystart);
    assert_int_equal(t->small_queue_bytes, u->small_queue_bytes);
}

static void test_point_is_the_star_of_its_numbers(void **state)
{
    (void)state;
    static const char rest[] = "seed: 5\ntcp: {congestion: bic}\ncapture: [{at: h0, snaplen: 128}, {at: sw0-h0}]\n";
    char points[256], single[256];
    snprintf(points, sizeof points, "%straffic: {star: {points: [1/1, 2/1], outgoing_window: 6MB}}\n", rest);
    snprintf(single, sizeof single, "%straffic: {star: {incoming: 2, outgoing: 1, outgoing_window: 6MB}}\n", rest);
    struct scenario many = text_load(points, NULL), expected = text_load(single, NULL), point;
    struct error err = {0};
    assert_true(scenario_at_point(&many, 1, &point, &err));
    assert_int_equal(point.n_points, 0);
    assert_null(point.points);
    assert_int_equal(point.seed, 5);
    assert_int_equal(point.network.hosts, 4);
    assert_int_equal(point.n_flows, 3);
    for (int i = 0; i < 3; i++)
        same_flow(&point.flows[i], &expected.flows[i]);
    assert_int_equal(point.flows[2].tcp.send_buffer_bytes, 6000000);
    assert_int_equal(point.n_captures, 2);
    assert_memory_equal(point.captures, expected.captures, 2 * sizeof *point.captures);
    assert_ptr_not_equal(point.captures, many.captures);
    scenario_fini(&many); /* the point owns what it has */
    assert_string_equal(point.captures[1].at, "sw0-h0");
    scenario_fini(&expected);
    scenario_fini(&point);
}

static void test_flow_tcp_covers_its_window_when_warm(void **state)
{
    (void)state;
    struct scenario s = {.tcp = {.segment_bytes = 1000, .initial_window_segments = SCENARIO_WARM}};
    assert_int_equal(scenario_flow_tcp(&s, 3000).initial_window_segments, 3);
    assert_int_equal(scenario_flow_tcp(&s, 3001).initial_window_segments, 4);
    s.tcp.initial_window_segments = 10;
    assert_int_equal(scenario_flow_tcp(&s, 3001).initial_window_segments, 10);
    assert_int_equal(scenario_flow_tcp(&s, 3001).send_buffer_bytes, 3001);
}

static void test_fini_is_safe_twice(void **state)
{
    (void)state;
    struct scenario s = text_load("capture: [{at: h0}]\n", NULL);
    scenario_fini(&s);
    assert_int_equal(s.n_flows, 0);
    assert_null(s.flows);
    scenario_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_point_is_the_star_of_its_numbers),
        cmocka_unit_test(test_flow_tcp_covers_its_window_when_warm),
        cmocka_unit_test(test_fini_is_safe_twice),
    };
    return cmocka_run_group_tests(tests, text_enter, text_leave);
}
