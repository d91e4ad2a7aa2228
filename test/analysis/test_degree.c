/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/degree.h"

#include "test/cm.h"

/* In: 0..10 and 1..9; out: 2..10.001 s. */
static const struct analysis_activity flows[] = {{0, 10, true}, {1, 9, true}, {2, 10.001, false}};

TEST(test_phases_have_a_constant_set_of_flows)
{
    MEMORY_LOCAL struct analysis_phase *phases;
    size_t n;
    analysis_degree_phases(flows, 3, 0, &phases, &n);
    /* 0-1: 1/0, 1-2: 2/0, 2-9: 2/1, 9-10: 1/1, 10-10.001: 0/1 */
    const size_t in[] = {1, 2, 2, 1, 0}, out[] = {0, 0, 1, 1, 1};
    assert_int_equal(n, 5);
    for (size_t i = 0; i < n; i++) {
        assert_ints({phases[i].indegree, in[i]}, {phases[i].outdegree, out[i]});
    }
}

TEST(test_slivers_are_left_out)
{
    MEMORY_LOCAL struct analysis_phase *phases;
    size_t n;
    analysis_degree_phases(flows, 3, 0.01, &phases, &n);
    assert_int_equal(n, 4);
}

TEST(test_idle_time_is_no_phase)
{
    const struct analysis_activity apart[] = {{0, 1, true}, {5, 6, true}};
    MEMORY_LOCAL struct analysis_phase *phases;
    size_t n;
    analysis_degree_phases(apart, 2, 0, &phases, &n);
    assert_int_equal(n, 2);
    assert_null(analysis_degree_dominant(phases, n)); /* never two at once */
}

TEST(test_no_flows_have_no_phases)
{
    struct analysis_phase *phases;
    size_t n;
    analysis_degree_phases(flows, 0, 0, &phases, &n);
    assert_int_equal(n, 0);
    assert_null(phases);
}

TEST(test_dominant_phase_has_most_flow_seconds)
{
    const struct analysis_phase phases[] = {
        {0, 100, 1, 0}, /* one flow shares with nobody */
        {100, 103, 1, 1}, /* 6 flow-seconds */
        {103, 105, 3, 1}, /* 8 */
        {105, 106, 4, 3}, /* 7 */
    };
    assert_ptr_equal(analysis_degree_dominant(phases, 4), &phases[2]);
}

TEST(test_bulk_is_relative_to_the_largest)
{
    assert_int_equal(analysis_degree_bulk_bytes(1000), 20000);
    assert_int_equal(analysis_degree_bulk_bytes(100000000), 500000); /* 0.5 % of 100 MB */
}
