/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/cm.h"

#include "base/text.h"

static void test_text_grows_to_the_end_of_its_room_and_stays_there(void **state)
{
    char text[] = "\0........#";
    for (int i = 0; i < 9; i++)
        text_add(text, 8, "%d,", i);
    assert_string_equal(text, "0,1,2,3"); /* seven characters and a NUL */
    assert_memory_equal(text + 8, ".#", 2);
}

static void test_nothing_is_added_where_no_text_ends(void **state)
{
    char full[4] = {'f', 'u', 'l', 'l'};
    text_add(full, sizeof full, "more");
    text_add(full, 0, "more");
    assert_memory_equal(full, "full", 4);
}

static void test_a_text_ends_with_its_last_characters(void **state)
{
    assert_true(text_ends("flows.csv", ".csv") && text_ends(".csv", ".csv") && text_ends("any", ""));
    assert_false(text_ends("flows.csv.gz", ".csv") || text_ends("csv", ".csv") || text_ends("flows.CSV", ".csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_grows_to_the_end_of_its_room_and_stays_there),
        cmocka_unit_test(test_nothing_is_added_where_no_text_ends),
        cmocka_unit_test(test_a_text_ends_with_its_last_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
