/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/cm.h"

#define TESTS 1024 /* of a room: the largest has a third */

static struct {
    const char *file;
    struct CMUnitTest test;
} all[TESTS];
static struct {
    const char *file;
    CMFixtureFunction enter, leave;
} groups[TESTS];
static size_t all_n, groups_n;

void cm_add(const char *file, const struct CMUnitTest *test)
{
    if (all_n == TESTS)
        abort();
    all[all_n].file = file;
    all[all_n++].test = *test;
}

void cm_group(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown)
{
    if (groups_n == TESTS)
        abort();
    groups[groups_n].file = file;
    groups[groups_n].enter = setup;
    groups[groups_n++].leave = teardown;
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

static bool cm_of(const char *file, const char *name)
{
    const char *last = strrchr(file, '/');
    return !name || strcmp(last ? last + 1 : file, name) == 0;
}

int cm_run(const char *name)
{
    static struct CMUnitTest tests[TESTS];
    CMFixtureFunction enter = NULL, leave = NULL;
    size_t n = 0;
    for (size_t i = 0; i < all_n; i++)
        if (cm_of(all[i].file, name))
            tests[n++] = all[i].test;
    for (size_t i = 0; i < groups_n; i++)
        if (cm_of(groups[i].file, name)) {
            enter = groups[i].enter;
            leave = groups[i].leave;
        }
    if (n == 0) { /* misspelt, nothing would be asked */
        print_error("no tests of %s\n", name ? name : "any file");
        return 1;
    }
    return _cmocka_run_group_tests("tests", tests, n, enter, leave);
}
