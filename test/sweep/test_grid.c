/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "sweep/grid.h"

#include "test/scenarios/text.h"

#define STAR "scenario: again.yaml\nset: {duration: 50ms, warmup: 10ms}\n"

static char got[4096];

static bool take(void *user, const struct sweep_grid_point *p, struct error *err)
{
    int64_t *number = user;
    assert_int_equal(p->number, ++*number);
    assert_string_equal(p->engine, "native");
    assert_non_null(strstr(p->yaml, "duration"));
    text_add(got, sizeof got, "%s %" PRId64 "\n", p->axes, p->seed);
    return true;
}

/* Expands text after STAR; what every point is goes into `got`. False: *err. */
static bool expand(const char *text, int64_t seed, struct error *err)
{
    char all[1024];
    int64_t number = 0;
    got[0] = '\0';
    snprintf(all, sizeof all, STAR "%s", text);
    text_write("again.yaml", "traffic: {star: {incoming: 2, outgoing: 1}}\n", 44);
    text_write("s.yaml", all, strlen(all));
    struct sweep *s = sweep_grid_load("s.yaml", seed, err);
    bool ok = s && sweep_grid_expand(s, take, &number, err);
    if (s)
        assert_string_equal(sweep_grid_facts(s)->text, all);
    sweep_grid_free(s);
    return ok;
}

static void gives(const char *text, const char *points)
{
    struct error err = {0};
    if (!expand(text, -1, &err))
        fail_msg("%s: %s", text, err.message);
    assert_string_equal(got, points);
}

static void rejects(const char *text, const char *message)
{
    struct error err = {0};
    if (expand(text, -1, &err))
        fail_msg("expands: %s", text);
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, ERROR_INPUT);
}

TEST(test_points_go_like_nested_loops_seeds_innermost)
{
    gives("axes: {traffic.star.incoming: [3, 1], tcp.window: [1MB, 64KiB]}\nseeds: 2\n",
          "{\"traffic.star.incoming\":3,\"tcp.window\":\"1MB\"} 1\n"
          "{\"traffic.star.incoming\":3,\"tcp.window\":\"1MB\"} 2\n"
          "{\"traffic.star.incoming\":3,\"tcp.window\":\"64KiB\"} 1\n"
          "{\"traffic.star.incoming\":3,\"tcp.window\":\"64KiB\"} 2\n"
          "{\"traffic.star.incoming\":1,\"tcp.window\":\"1MB\"} 1\n"
          "{\"traffic.star.incoming\":1,\"tcp.window\":\"1MB\"} 2\n"
          "{\"traffic.star.incoming\":1,\"tcp.window\":\"64KiB\"} 1\n"
          "{\"traffic.star.incoming\":1,\"tcp.window\":\"64KiB\"} 2\n");
}

TEST(test_no_axes_is_one_point_with_the_scenarios_seed)
{
    gives("", "{} 1\n");
    gives("seeds: [7, 5]\n", "{} 7\n{} 5\n");
    gives("seeds: 3..5\n", "{} 3\n{} 4\n{} 5\n");
}

TEST(test_seeds_count_from_the_first)
{
    assert_true(expand("seeds: 2\n", 9, &err));
    assert_string_equal(got, "{} 9\n{} 10\n");
    assert_true(expand("", 9, &err));
    assert_string_equal(got, "{} 9\n");
}

TEST(test_ranges_keep_their_units)
{
    gives("axes: {traffic.star.incoming: 0..2}\n",
          "{\"traffic.star.incoming\":0} 1\n{\"traffic.star.incoming\":1} 1\n{\"traffic.star.incoming\":2} 1\n");
    gives("axes: {traffic.star.incoming: {from: 1, to: 6, step: 2}}\n",
          "{\"traffic.star.incoming\":1} 1\n{\"traffic.star.incoming\":3} 1\n{\"traffic.star.incoming\":5} 1\n");
    gives("axes: {network.link.delay: {from: 50us, to: 1ms, step: 475us}}\n", "{\"network.link.delay\":\"50us\"} 1\n"
          "{\"network.link.delay\":\"525us\"} 1\n{\"network.link.delay\":\"1ms\"} 1\n");
    gives("axes: {network.link.rate: 1Gbps..2Gbps}\n",
          "{\"network.link.rate\":\"1Gbps\"} 1\n{\"network.link.rate\":\"2Gbps\"} 1\n");
}

TEST(test_log_ranges_round_to_the_unit_of_their_start)
{
    gives("axes: {tcp.window: {from: 10kB, to: 1MB, points: 4, scale: log}}\n", /* 10, 46.4, 215.4, 1000 */
          "{\"tcp.window\":\"10kB\"} 1\n"
          "{\"tcp.window\":\"46kB\"} 1\n"
          "{\"tcp.window\":\"215kB\"} 1\n"
          "{\"tcp.window\":\"1MB\"} 1\n");
    gives("axes: {traffic.star.incoming: {from: 1, to: 3, points: 6, scale: log}}\n", /* 1 1.2 1.6 1.9 2.4 3 */
          "{\"traffic.star.incoming\":1} 1\n{\"traffic.star.incoming\":2} 1\n{\"traffic.star.incoming\":3} 1\n");
}

TEST(test_skipped_points_take_no_number)
{
    gives("axes: {traffic.star.incoming: 0..1, traffic.star.outgoing: 0..1}\n"
          "skip: [{traffic.star.incoming: 0, traffic.star.outgoing: 0}]\n",
          "{\"traffic.star.incoming\":0,\"traffic.star.outgoing\":1} 1\n"
          "{\"traffic.star.incoming\":1,\"traffic.star.outgoing\":0} 1\n"
          "{\"traffic.star.incoming\":1,\"traffic.star.outgoing\":1} 1\n");
    gives("axes: {tcp.window: [1MB, 2MB, 3MB]}\nseeds: 3\nskip: [{tcp.window: [1MB, 3MB], seed: 2..3}, {seed: 1}]\n",
          "{\"tcp.window\":\"2MB\"} 2\n{\"tcp.window\":\"2MB\"} 3\n");
    rejects("axes: {tcp.window: [1MB]}\nskip: [{tcp.window: 1MB}]\n", "s.yaml: skip: leaves no point");
    rejects("axes: {tcp.window: [1MB]}\nseeds: 3\nskip: [{seed: 2..4}]\n",
            "s.yaml:5: skip: seed never has the value '4'");
}

static bool take_numbers(void *user, const struct sweep_grid_point *p, struct error *err)
{
    int64_t *numbers = user;
    numbers[++numbers[0]] = p->number;
    return true;
}

/* Six points less a skipped one: what is left is numbered 1 to 5. */
TEST(test_a_shard_has_every_nth_number_skipped_points_left_out)
{
    static const char text[] = "scenario: again.yaml\naxes: {traffic.star.incoming: 1..3, tcp.window: [1MB, 2MB]}\n"
                               "skip: [{traffic.star.incoming: 2, tcp.window: 1MB}]\n";
    static const int64_t expected[][4] = {{3, 1, 3, 5}, {2, 2, 4, 0}, {1, 5, 0, 0}, {0, 0, 0, 0}};
    static const int64_t shards[][2] = {{1, 2}, {2, 2}, {5, 5}, {6, 6}};
    text_write("again.yaml", "traffic: {star: {incoming: 2, outgoing: 1}}\n", 44);
    text_write("s.yaml", text, strlen(text));
    struct sweep *s = sweep_grid_load("s.yaml", -1, &err);
    if (!s)
        fail_msg("%s", err.message);
    assert_int_equal(sweep_grid_points(s), 5);
    for (int i = 0; i < 4; i++) {
        int64_t numbers[8] = {0};
        sweep_grid_divide(s, shards[i][0], shards[i][1]);
        assert_true(sweep_grid_expand(s, take_numbers, numbers, &err));
        assert_memory_equal(numbers, expected[i], sizeof expected[i]);
    }
    sweep_grid_free(s);
}

TEST(test_errors_name_line_and_key)
{
    rejects("axes: {tcp.window: [1MB, fast]}\n",
            "s.yaml:3: tcp.window=fast: 'fast' is not a size; try 3MB, 500kB or 64KiB");
    rejects("axes:\n  tcp.window: 1MB..2s\n", "s.yaml:4: axes: tcp.window: '1MB' to '2s' is no range of numbers, "
            "sizes, rates or times; list the values");
    rejects("axes: {tcp.window: {from: 2MB, to: 1MB}}\n", "s.yaml:3: axes: tcp.window: from 2MB to 1MB is backwards");
    rejects("axes: {tcp.window: {from: 1MB, to: 2MB, step: 0}}\n",
            "s.yaml:3: axes: tcp.window: '0' is no step above 0 of the same kind as 1MB");
    rejects("axes: {tcp.window: {from: 1MB, to: 2MB, points: 1, scale: log}}\n",
            "s.yaml:3: axes: tcp.window: a log range takes points: 2 to 100000, and no step");
    rejects("axes: {tcp.window: {from: 0B, to: 2MB, points: 3, scale: log}}\n",
            "s.yaml:3: axes: tcp.window: a log range starts above 0, not at 0B");
    rejects("axes: {tcp.window: {from: 1MB, till: 2MB}}\n", "s.yaml:3: axes: tcp.window: a range goes {from: 10kB, to: "
            "1MB, points: 8, scale: log} or {from: 1, to: 12, step: 1}; 'till' is wrong there");
    rejects("axes: {tcp.window: []}\n", "s.yaml:3: axes: tcp.window: '' is neither a list [1, 2, 3] nor a range 1..12");
    rejects("axes: {traffic.star.incoming: 1..1000000}\n",
            "s.yaml:3: axes: traffic.star.incoming: more than 100000 values");
    rejects("axes: {traffic.star.incoming: 1..10000}\nseeds: 101\n", "s.yaml: axes: more than 1000000 points");
    rejects("axes: {seed: [1]}\n", "s.yaml:3: axes: seeds go into 'seeds: 8' or a list there");
    rejects("skip: 3\n", "s.yaml:3: skip: not a list of points; write [{KEY: VALUE, ...}, ...]");
    rejects("skip: {tcp.window: 1MB}\n", "s.yaml:3: skip: not a list of points; write [{KEY: VALUE, ...}, ...]");
    rejects("set: 3\n", "s.yaml:3: set: given twice, first in line 2");
}

CM_GROUP(text_enter, text_leave)
