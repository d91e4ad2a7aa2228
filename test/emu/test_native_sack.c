/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/sack.h"

#include "base/random.h"

#include "test/cm.h"

#define LENGTH 400

/* A list against a map with a flag a byte. */
static void same(const struct native_intervals *l, const bool *map, uint64_t below)
{
    uint64_t bytes = 0, at = 0;
    for (int i = 0; i < l->n; i++) {
        assert_all(l->at[i].from < l->at[i].to, i == 0 || l->at[i - 1].to < l->at[i].from);
        for (; at < l->at[i].from; at++)
            assert_false(at >= below && map[at]);
        for (; at < l->at[i].to; at++)
            assert_true(map[at]);
        bytes += l->at[i].to - l->at[i].from;
    }
    for (; at < LENGTH; at++)
        assert_false(at >= below && map[at]);
    assert_true(bytes == l->bytes);
}

TEST(test_random_intervals_are_what_a_map_says)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        MEMORY_ENDS(native_intervals_fini) struct native_intervals l = {0};
        bool map[LENGTH] = {false};
        uint64_t below = 0;
        struct random r = random_of(seed);
        for (int step = 0; step < 60; step++) {
            uint64_t from = below + random_below(&r, LENGTH - below - 1), to = from + 1 + random_below(&r, 30);
            to = to < LENGTH ? to : LENGTH;
            uint64_t news = 0;
            for (uint64_t i = from; i < to; i++) {
                news += !map[i];
                map[i] = true;
            }
            assert_true(native_intervals_add(&l, from, to) == news);
            same(&l, map, below);
            uint64_t within = 0, a = random_below(&r, LENGTH), b = a + random_below(&r, LENGTH - a);
            for (uint64_t i = a; i < b; i++)
                within += i >= below && map[i];
            assert_true(native_intervals_within(&l, a, b) == within);
            if (random_below(&r, 6) == 0 && below < LENGTH / 2) {
                below += random_below(&r, 20);
                native_intervals_cut(&l, below);
                same(&l, map, below);
            }
        }
    }
}

/* RFC 2018, section 4: the block that the latest segment belongs to comes first. */
TEST(test_blocks_tell_the_latest_first)
{
    struct native_reassembly r = {.n_recent = 0};
    uint64_t blocks[3][2];
    native_reassembly_insert(&r, 100, 200);
    native_reassembly_insert(&r, 300, 400);
    native_reassembly_insert(&r, 500, 600);
    native_reassembly_insert(&r, 700, 800);
    assert_int_equal(native_reassembly_blocks(&r, blocks, 3), 3);
    assert_ints({blocks[0][0], 700}, {blocks[1][0], 500}, {blocks[2][0], 300});
    native_reassembly_insert(&r, 200, 250); /* grows the first */
    assert_int_equal(native_reassembly_blocks(&r, blocks, 3), 3);
    assert_ints({blocks[0][0], 100}, {blocks[0][1], 250}, {blocks[1][0], 700});
    assert_true(native_reassembly_advance(&r, 100) == 250); /* the hole before it is filled */
    assert_true(native_reassembly_advance(&r, 260) == 260);
    assert_int_equal(native_reassembly_blocks(&r, blocks, 3), 3);
    assert_int_equal(blocks[0][0], 700);
    assert_true(native_reassembly_advance(&r, 800) == 800);
    assert_int_equal(r.held.n, 0);
    assert_int_equal(native_reassembly_blocks(&r, blocks, 3), 0);
    native_intervals_fini(&r.held);
}

/* RFC 6675, IsLost(): three SACKed stretches above, or more than two segments of SACKed bytes. */
TEST(test_loss_is_certain_with_three_stretches_or_more_than_two_segments)
{
    MEMORY_ENDS(native_intervals_fini) struct native_intervals b = {0};
    assert_true(native_scoreboard_lost_end(&b, 0, 100) == 0);
    native_intervals_add(&b, 100, 300); /* two segments: not more */
    assert_true(native_scoreboard_lost_end(&b, 0, 100) == 0);
    native_intervals_add(&b, 300, 301);
    assert_true(native_scoreboard_lost_end(&b, 0, 100) == 100);
    native_intervals_cut(&b, 301);
    native_intervals_add(&b, 400, 410);
    native_intervals_add(&b, 500, 510);
    assert_true(native_scoreboard_lost_end(&b, 301, 100) == 301);
    native_intervals_add(&b, 600, 610);
    assert_true(native_scoreboard_lost_end(&b, 301, 100) == 400);
    assert_true(native_scoreboard_highest(&b) == 610);
    uint64_t from, to;
    assert_true(native_scoreboard_hole(&b, 301, 600, &from, &to));
    assert_true(from == 301 && to == 400);
    assert_true(native_scoreboard_hole(&b, 405, 600, &from, &to));
    assert_true(from == 410 && to == 500);
    assert_false(native_scoreboard_hole(&b, 600, 605, &from, &to));
}
