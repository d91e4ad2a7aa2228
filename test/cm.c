/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/cm.h"

#define TESTS 256 /* of a file: the largest has a quarter */

static struct CMUnitTest tests[TESTS];
static size_t n;
static CMFixtureFunction enter, leave;

void cm_add(const struct CMUnitTest *test)
{
    if (n == TESTS)
        abort();
    tests[n++] = *test;
}

void cm_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    enter = setup;
    leave = teardown;
}

void cm_ints(const long long (*pairs)[2], size_t pairs_n, const char *text, const char *file, int line)
{
    for (size_t i = 0; i < pairs_n; i++)
        if (pairs[i][0] != pairs[i][1]) {
            print_error("%lld is not %lld: pair %zu of %s\n", pairs[i][0], pairs[i][1], i + 1, text);
            _fail(file, line);
        }
}

void cm_all(const bool *holds, size_t holds_n, const char *text, const char *file, int line)
{
    for (size_t i = 0; i < holds_n; i++)
        if (!holds[i]) {
            print_error("does not hold: number %zu of %s\n", i + 1, text);
            _fail(file, line);
        }
}

void cm_near(double epsilon, const double (*pairs)[2], size_t pairs_n, const char *text, const char *file, int line)
{
    for (size_t i = 0; i < pairs_n; i++)
        if (!(fabs(pairs[i][0] - pairs[i][1]) <= epsilon)) {
            print_error("%.17g is not %.17g: pair %zu of %s\n", pairs[i][0], pairs[i][1], i + 1, text);
            _fail(file, line);
        }
}

void cm_strings(const char *const (*pairs)[2], size_t pairs_n, const char *file, int line)
{
    for (size_t i = 0; i < pairs_n; i++)
        _assert_string_equal(pairs[i][0], pairs[i][1], file, line);
}

int cm_run(void)
{
    return _cmocka_run_group_tests("tests", tests, n, enter, leave);
}
