/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/cm.h"

#include "base/text.h"

TEST(test_text_grows_to_the_end_of_its_room_and_stays_there)
{
    char text[] = "\0........#";
    for (int i = 0; i < 9; i++)
        text_add(text, 8, "%d,", i);
    assert_string_equal(text, "0,1,2,3"); /* seven characters and a NUL */
    assert_memory_equal(text + 8, ".#", 2);
}

TEST(test_nothing_is_added_where_no_text_ends)
{
    char full[4] = {'f', 'u', 'l', 'l'};
    text_add(full, sizeof full, "more");
    text_add(full, 0, "more");
    assert_memory_equal(full, "full", 4);
}

TEST(test_a_text_ends_with_its_last_characters)
{
    assert_true(text_ends("flows.csv", ".csv") && text_ends(".csv", ".csv") && text_ends("any", ""));
    assert_false(text_ends("flows.csv.gz", ".csv") || text_ends("csv", ".csv") || text_ends("flows.CSV", ".csv"));
}
