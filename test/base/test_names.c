/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/names.h"
#include "test/cm.h"

#include <string.h>

static const char *const colours[] = {"red", "green", "dark green", NULL};

static void test_a_name_is_found_whole(void **state)
{
    (void)state;
    for (int i = 0; colours[i]; i++)
        assert_int_equal(names_find(colours, colours[i]), i);
    assert_int_equal(names_find(colours, "gree"), -1);
    assert_int_equal(names_find(colours, "greens"), -1);
    assert_int_equal(names_find(colours, ""), -1);
    assert_int_equal(names_find(colours, NULL), -1);
}

static void test_a_list_is_cut_where_it_does_not_fit(void **state)
{
    (void)state;
    char list[NAMES_TEXT], word[101];
    assert_string_equal(names_list(colours, list), "red, green, dark green");
    assert_string_equal(names_list(&colours[3], list), "");
    memset(word, 'x', 100);
    word[100] = '\0';
    const char *const long_names[] = {word, word, word, word, NULL};
    assert_int_equal(strlen(names_list(long_names, list)), NAMES_TEXT - 1); /* 4 x 100 + 3 x 2 would be 406 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_name_is_found_whole),
        cmocka_unit_test(test_a_list_is_cut_where_it_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
