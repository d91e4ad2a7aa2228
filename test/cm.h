/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/cm.h - cmocka with the headers it wants first, tests that name themselves, and what most of them include. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

/* cmocka hands every test a state, of which few have one. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* TEST(name) { ... } is a test, and nothing else names it: a file's tests run in its order. */
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* The same between a setup and a teardown of its own; NULL where there is none. */
#define TEST_WITH(name, setup, teardown)                                                  \
    static void name(void **state);                                                       \
    __attribute__((constructor(CM_FIRST + __LINE__))) static void cm_of_##name(void)      \
    {                                                                                     \
        cm_add(&(struct CMUnitTest){#name, name, setup, teardown, NULL});                 \
    }                                                                                     \
    static void name(void **state)

/* Setup and teardown of the whole file. */
#define CM_GROUP(setup, teardown)                                                         \
    __attribute__((constructor)) static void cm_group_of_this(void)                       \
    {                                                                                     \
        cm_group(setup, teardown);                                                        \
    }

/* CM_OWNED(end) struct type *x = ...: ended at the end of its block, where CM_OWNER(type, end) has said what ends one. */
#define CM_OWNED(end) MEMORY_ENDS(cm_end_##end)
#define CM_OWNER(type, end)                               \
    static inline void cm_end_##end(struct type **owned)  \
    {                                                     \
        end(*owned);                                      \
    }

/* Doubles, as close as that; NAN is not. */
#define assert_near(a, b, epsilon) assert_true(fabs((a) - (b)) <= (epsilon))

#define CM_FIRST 1000 /* what runs before main() and is not ours has smaller numbers */

/* What the macros call. */
void cm_add(const struct CMUnitTest *test);
void cm_group(CMFixtureFunction setup, CMFixtureFunction teardown);

/* Runs them; how many failed. The main() that every test has calls it, or the file's own, with what must be around it. */
int cm_run(void);

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define CM_SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define CM_SANITIZED 1
#endif
#ifndef CM_SANITIZED
#define CM_SANITIZED 0
#endif

/* for (int k = 0; k < n; k += cm_every()): of n cases drawn by their numbers all; under sanitizers, which see the same
 * code at work in each, one in eleven, unless CONTRAFLOW_ALL asks for all. A prime, so that what k % 2, 3, 5, 6 or 7
 * chooses all comes. */
static inline int cm_every(void)
{
    return CM_SANITIZED && !getenv("CONTRAFLOW_ALL") ? 11 : 1;
}
