/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/line.h"
#include "test/cm.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

static void test_lines_come_whole(void **state)
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
static void test_what_has_no_end_is_no_line(void **state)
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

static void test_the_end_is_seen(void **state)
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
static void test_an_end_that_never_reads_is_given_up(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines_come_whole, make, drop),
        cmocka_unit_test_setup_teardown(test_what_has_no_end_is_no_line, make, drop),
        cmocka_unit_test_setup_teardown(test_the_end_is_seen, make, drop),
        cmocka_unit_test_setup_teardown(test_an_end_that_never_reads_is_given_up, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
