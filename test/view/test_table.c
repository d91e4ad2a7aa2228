/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line before a long table. */
#include "test/cm.h"
#include "view/table.h"

/* What is printed of n rows: values 1.5, 2.5, ... and a last row that has no such number. */
static char *printed(const char *head, int n, const char *last)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    struct view_table t = view_table_of(head);
    for (int i = 1; i <= n; i++)
        view_table_add(&t, "h%d|h0|%d|%.1f", i, 7 * i, i + 0.5);
    if (last)
        view_table_add(&t, "%s||x|-", last);
    view_table_print(&t, "  ", 2, f);
    fclose(f);
    return text;
}

static void begins(char *text, const char *with)
{
    if (strncmp(text, with, strlen(with)) != 0)
        fail_msg("%s", text);
    free(text);
}

/* Of 1.5 to 21.5 the sum is 21 * 11.5, the one in the middle 11.5. */
TEST(test_a_long_one_is_summed_up_first)
{
    begins(printed("from|to|segments|x Mb/s", 21, "B fitted"),
           "  21 flows: x Mb/s 241.50 in all, median 11.50, least 1.5 (h1 > h0), most 21.5 (h21 > h0)\n  from ");
    begins(printed("flow|to|segments|x Mb/s", 22, NULL), /* 1.5 to 22.5 */
           "  22 flows: x Mb/s 264.00 in all, median 12.00, least 1.5 (h1), most 22.5 (h22)\n  flow ");
    begins(printed("point|to|segments|x Mb/s", 21, NULL), /* of different runs: no sum */
           "  21 rows: x Mb/s median 11.50, least 1.5 (h1), most 21.5 (h21)\n  point ");
    begins(printed("port|to|segments|wait ms", 21, NULL),
           "  21 rows: wait ms median 11.50, least 1.5 (h1), most 21.5 (h21)\n");
    begins(printed("port|to|segments|share", 21, NULL), "  21 rows: segments median 77.00, least 7 (h1), most 147 (h21)\n");
}

TEST(test_a_short_one_is_not)
{
    begins(printed("from|to|segments|x Mb/s", 20, NULL), "  from ");
    begins(printed("from|to|segments|x Mb/s", 20, "total"), "  from ");
}

/* As many digits as the number that is shown has: rounding must not make one of a thousand have two. */
TEST(test_digits_by_what_is_shown)
{
    static const struct {
        double value;
        const char *shown;
    } cases[] = {{1000, "1000.0"}, {999.9999999, "1000.0"}, {999.994, "999.99"}, {-999.996, "-1000.0"},
                 {9.99999, "10.00"}, {9.9994, "9.999"}, {0, "0.000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MEMORY_LOCAL char *text = NULL;
        size_t bytes = 0;
        FILE *f = open_memstream(&text, &bytes);
        struct view_table t = view_table_with(1);
        view_table_add(&t, "%f", cases[i].value);
        view_table_print(&t, "", 0, f);
        fclose(f);
        text[strcspn(text, "\n")] = '\0';
        assert_string_equal(text + strspn(text, " "), cases[i].shown);
    }
}
