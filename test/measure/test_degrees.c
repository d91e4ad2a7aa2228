/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/degrees.h"

#include "test/cm.h"

/* One, two, three ... flows into one host and out of it, as counted by hand. */
TEST(test_all_splits_of_few_flows)
{
    static const struct measure_degrees three[] = {{0, 1}, {1, 0}, {1, 1}, {0, 2}, {1, 2}, {2, 0}, {2, 1}, {0, 3}, {3, 0}};
    struct measure_degrees *list;
    assert_int_equal(measure_degrees_all(3, &list), 9);
    for (size_t i = 0; i < 9; i++) {
        assert_ints({list[i].in, three[i].in}, {list[i].out, three[i].out});
    }
    free(list);
    assert_int_equal(measure_degrees_all(1, &list), 2);
    free(list);
}

/* The largest of Fig. 4 (Zhu et al. 2014), 12 in and 1 out, is among those of 13 processes; no degree is 5. */
TEST(test_many_flows_in_steps)
{
    MEMORY_LOCAL struct measure_degrees *list;
    size_t n = measure_degrees_all(13, &list);
    bool most = false;
    for (size_t i = 0; i < n; i++) {
        most = most || (list[i].in == 12 && list[i].out == 1);
        assert_true(list[i].in != 5 && list[i].out != 5 && list[i].in != 7 && list[i].in + list[i].out <= 13);
    }
    assert_true(most);
    assert_int_equal(n, 49); /* pairs of 0, 1, 2, 3, 4, 6, 8 and 12 with a sum up to 13, less 0/0 */
}

TEST(test_words)
{
    static const char *const wrong[] = {"", "2", "2/", "/1", "a/1", "2/1,", "0/0", "3/1", "-1/2", "1/1;2/1", "2/1/1",
                                        "99999999999999999999/1"};
    struct measure_degrees *list;
    size_t n;
    assert_true(measure_degrees_parse("1/1,2/1,0/3", 3, &list, &n, &err));
    assert_ints({n, 3}, {list[1].in, 2}, {list[1].out, 1}, {list[2].in, 0});
    free(list);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        err = (struct error){0};
        assert_false(measure_degrees_parse(wrong[i], 3, &list, &n, &err));
        assert_int_equal(err.code, ERROR_INPUT);
    }
}

/* Two processes a host: flows meet at the shared host alone until every other host has one. */
TEST(test_flows_spread_over_hosts)
{
    static const int host[] = {0, 0, 1, 1, 2, 2, 3, 3};
    struct measure_degrees_flow flows[6];
    assert_int_equal(measure_degrees_flows_most(host, 8), 6);
    measure_degrees_place(host, 8, (struct measure_degrees){2, 1}, flows);
    static const struct measure_degrees_flow three[] = {{0, 2}, {4, 1}, {6, 0}};
    assert_memory_equal(flows, three, sizeof three);
    measure_degrees_place(host, 8, (struct measure_degrees){4, 2}, flows);
    for (int i = 0; i < 6; i++) /* no two flows between the same two processes: they would share a connection */
        for (int k = 0; k < i; k++)
            assert_true(flows[i].from != flows[k].from || flows[i].to != flows[k].to);
    assert_int_equal(flows[3].from, 3);
    assert_int_equal(measure_degrees_flows_most(host, 2), 0);
}
