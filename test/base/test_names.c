/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/names.h"
#include "test/cm.h"

static const char *const colours[] = {"red", "green", "dark green", NULL};

TEST(test_a_name_is_found_whole)
{
    for (int i = 0; colours[i]; i++)
        assert_int_equal(names_find(colours, colours[i]), i);
    assert_int_equal(names_find(colours, "gree"), -1);
    assert_int_equal(names_find(colours, "greens"), -1);
    assert_int_equal(names_find(colours, ""), -1);
    assert_int_equal(names_find(colours, NULL), -1);
}

TEST(test_a_list_is_cut_where_it_does_not_fit)
{
    char list[NAMES_TEXT], word[101];
    assert_string_equal(names_list(colours, list), "red, green, dark green");
    assert_string_equal(names_list(&colours[3], list), "");
    memset(word, 'x', 100);
    word[100] = '\0';
    const char *const long_names[] = {word, word, word, word, NULL};
    assert_int_equal(strlen(names_list(long_names, list)), NAMES_TEXT - 1); /* 4 x 100 + 3 x 2 would be 406 */
}

/* Optimal string alignment by hand: one letter dropped, added, changed, swapped with the next; two of them. */
TEST(test_a_distance_counts_slips_of_the_hand)
{
    static const struct {
        const char *name, *word;
        size_t distance;
    } cases[] = {{"check", "check", 0}, {"check", "chck", 1}, {"check", "checkk", 1}, {"check", "chexk", 1},
                 {"check", "chekc", 1}, {"check", "hcekc", 2}, {"check", "", 5},      {"check", "che", 1},
                 {"check", "ch", 3},    {"star", "stars", 1},  {"run", "plot", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(names_distance(cases[i].name, cases[i].word), cases[i].distance);
    assert_int_equal(names_too_far("st"), 2);   /* one slip in two letters */
    assert_int_equal(names_too_far("stra"), 3); /* two in four */
    assert_int_equal(names_too_far("a word of many letters"), 4);
}

/* Whatever its length, a word is no reason to write beyond a table. */
TEST(test_a_word_too_long_for_a_name_is_far)
{
    char word[1000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_true(names_distance("check", word) >= names_too_far(word));
    assert_true(names_distance(word, "check") >= names_too_far("check"));
}
