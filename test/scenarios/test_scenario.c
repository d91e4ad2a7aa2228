/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/save.h"
#include "test/scenarios/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All of a scenario but bytes between its fields. */
static char *written(const struct scenario *s)
{
    char *text = NULL;
    size_t size;
    struct error err = {0};
    FILE *f = open_memstream(&text, &size);
    assert_true(scenario_write(s, f, NULL, &err));
    fclose(f);
    return text;
}

static void test_point_is_the_star_of_its_numbers(void **state)
{
    (void)state;
    static const char rest[] = "seed: 5\ntcp: {congestion: bic}\ncapture: [{at: h0, snaplen: 128}, {at: sw0-h0}]\n";
    char points[256], single[256];
    snprintf(points, sizeof points, "%straffic: {star: {points: [1/1, 2/1], outgoing_window: 6MB}}\n", rest);
    snprintf(single, sizeof single, "%straffic: {star: {incoming: 2, outgoing: 1, outgoing_window: 6MB}}\n", rest);
    struct scenario many = text_load(points, NULL), expected = text_load(single, NULL), point;
    scenario_at_point(&many, 1, &point);
    assert_int_equal(point.n_points, 0);
    assert_null(point.points);
    assert_int_equal(point.seed, 5);
    assert_int_equal(point.network.hosts, 4);
    assert_int_equal(point.n_flows, 3);
    char *as_point = written(&point), *alone = written(&expected);
    assert_string_equal(as_point, alone);
    free(as_point);
    free(alone);
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
