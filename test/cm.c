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

int cm_run(void)
{
    return _cmocka_run_group_tests("tests", tests, n, enter, leave);
}
