/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In what two saved scenarios differ. */
#include "base/text.h"
#include "scenarios/differ.h"
#include "test/scenarios/text.h"

static void differ_add(void *user, const char *key, const char *before, const char *after)
{
    text_add(user, 512, "%s: %s, then %s\n", key, before ? before : "none", after ? after : "none");
}

static void differs(const char *before, const char *after, const char *wanted)
{
    struct error err = {0};
    char said[512] = "";
    text_write("before.yaml", before, strlen(before));
    text_write("after.yaml", after, strlen(after));
    assert_true(scenario_differ("before.yaml", "after.yaml", differ_add, said, &err));
    assert_string_equal(said, wanted);
}

TEST(test_values_that_differ_have_their_key)
{
    differs("seed: 1\nnetwork: {nic: {queue: fifo, limit: 1MB}}\n", "seed: 1\nnetwork: {nic: {queue: fair, limit: 1MB}}\n",
            "network.nic.queue: fifo, then fair\n");
    differs("seed: 1\n", "seed: 1\n", "");
}

TEST(test_what_one_side_alone_has_is_none_on_the_other)
{
    differs("seed: 1\nnetwork: {hosts: 4}\n", "network: {hosts: 4, links: [{from: h0, to: h1}]}\n",
            "seed: 1, then none\nnetwork.links.0.from: none, then h0\nnetwork.links.0.to: none, then h1\n");
    differs("network: {links: [{from: h0}, {from: h1}]}\n", "network: {links: [{from: h0}]}\n",
            "network.links.1.from: h1, then none\n");
}

/* Starts of flows are drawn by a seed; how many there are and their windows whoever judged them knows. */
TEST(test_flows_and_titles_are_left_out)
{
    differs("title: a\ntcp: {window: 1MB, sack: true}\ntraffic: {flows: [{start: 1ns}]}\n",
            "title: b\ntcp: {window: 2MB, sack: false}\ntraffic: {flows: [{start: 2ns}, {start: 3ns}]}\n",
            "tcp.sack: true, then false\n");
}

TEST(test_a_file_that_is_not_there_is_named)
{
    text_write("before.yaml", "seed: 1\n", 8);
    assert_false(scenario_differ("before.yaml", "none.yaml", differ_add, NULL, &err));
    assert_string_equal(err.message, "none.yaml: No such file or directory");
}

CM_GROUP(text_enter, text_leave)
