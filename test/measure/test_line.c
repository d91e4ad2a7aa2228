/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/line.h"
#include "test/cm.h"

#include <sys/socket.h>

struct pair {
    struct measure_line line;
    int other;
};

static int make(void **state)
{
    static struct pair p;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    measure_line_open(&p.line, fds[0]);
    p.other = fds[1];
    *state = &p;
    return 0;
}

static int drop(void **state)
{
    struct pair *p = *state;
    measure_line_close(&p->line);
    close(p->other);
    return 0;
}

static void put(const struct pair *p, const char *text)
{
    assert_int_equal(write(p->other, text, strlen(text)), strlen(text));
}

TEST_WITH(test_lines_come_whole, make, drop)
{
    struct pair *p = *state;
    put(p, "one\ntw");
    measure_line_fill(&p->line);
    assert_string_equal(measure_line_next(&p->line), "one");
    assert_null(measure_line_next(&p->line));
    put(p, "o\n");
    measure_line_fill(&p->line);
    assert_string_equal(measure_line_next(&p->line), "two");
    assert_false(p->line.ended);
}

/* 512 bytes without an end are none of ours, however many more would come. */
TEST_WITH(test_what_has_no_end_is_no_line, make, drop)
{
    struct pair *p = *state;
    char text[MEASURE_LINE_MOST + 1];
    memset(text, 'a', sizeof text);
    text[MEASURE_LINE_MOST - 1] = '\0';
    put(p, text);
    measure_line_fill(&p->line);
    assert_null(measure_line_next(&p->line));
    assert_false(p->line.ended);
    put(p, "a");
    measure_line_fill(&p->line);
    assert_null(measure_line_next(&p->line));
    assert_true(p->line.ended);
}

TEST_WITH(test_the_end_is_seen, make, drop)
{
    struct pair *p = *state;
    put(p, "last\n");
    shutdown(p->other, SHUT_WR);
    measure_line_fill(&p->line);
    measure_line_fill(&p->line);
    assert_string_equal(measure_line_next(&p->line), "last");
    assert_true(p->line.ended);
}

/* Who never reads is no reason to wait, nor to remember for ever. */
TEST_WITH(test_an_end_that_never_reads_is_given_up, make, drop)
{
    struct pair *p = *state;
    char text[1001];
    memset(text, 'a', sizeof text - 1);
    text[1000] = '\0';
    for (int i = 0; i < 1000; i++)
        measure_line_say(&p->line, "%s", text);
    assert_true(measure_line_waits(&p->line));
    assert_false(p->line.ended);
    for (int i = 0; i < 20000; i++)
        measure_line_say(&p->line, "%s", text);
    assert_true(p->line.ended);
}

/* Whatever a peer says is a number within a range, and what is behind it, or none. */
TEST(test_numbers_have_ranges)
{
    const struct {
        const char *text;
        int decimals;
        int64_t least, most, value;
        const char *rest; /* NULL: refused */
    } cases[] = {
        {"0", 0, 0, 10, 0, ""},
        {"10 x", 0, 0, 10, 10, "x"},
        {"11", 0, 0, 10, 0, NULL},
        {"-1", 0, 0, 10, 0, NULL},
        {"-1", 0, -1, 10, -1, ""},
        {"9223372036854775807", 0, 0, INT64_MAX, INT64_MAX, ""},
        {"9223372036854775808", 0, 0, INT64_MAX, 0, NULL},
        {"99999999999999999999999999", 0, 0, INT64_MAX, 0, NULL},
        {"1.5", 3, 0, 10000, 1500, ""},
        {"1.5005", 3, 0, 10000, 0, NULL},
        {"1.5", 0, 0, 10, 0, NULL},
        {"9223372036854775.808", 3, 0, INT64_MAX, 0, NULL},
        {"9223372036854776", 3, 0, INT64_MAX, 0, NULL}, /* times 1000 beyond 64 bits */
        {"", 0, 0, 10, 0, NULL},
        {"-", 0, -10, 10, 0, NULL},
        {" 1", 0, 0, 10, 0, NULL},
        {"+1", 0, 0, 10, 0, NULL},
        {"1e3", 0, 0, 10000, 0, NULL},
        {"0x10", 0, 0, 100, 0, NULL},
        {"inf", 3, 0, INT64_MAX, 0, NULL},
        {"nan", 3, 0, INT64_MAX, 0, NULL},
        {"1x", 0, 0, 10, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text;
        int64_t value = -77;
        bool ok = measure_line_number(&at, cases[i].decimals, cases[i].least, cases[i].most, &value);
        assert_int_equal(ok, cases[i].rest != NULL);
        if (ok) {
            assert_int_equal(value, cases[i].value);
            assert_string_equal(at, cases[i].rest);
        }
    }
}
