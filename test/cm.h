/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/cm.h - cmocka with the headers it wants first, tests that name themselves, and what most of them include. */
#pragma once

#include "base/error.h"

#include <setjmp.h>

#include <cmocka.h>

/* cmocka hands every test a state, of which few have one. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* TEST(name) { ... } is a test, and nothing else names it: a file's tests run in its order. Its `err` is empty when it
 * begins. */
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* The same between a setup and a teardown of its own; NULL where there is none. */
#define TEST_WITH(name, setup, teardown)                                                  \
    static void cm_body_##name(void **state, struct error err);                           \
    static void name(void **state)                                                        \
    {                                                                                     \
        cm_body_##name(state, (struct error){0});                                         \
    }                                                                                     \
    __attribute__((constructor(CM_FIRST + __LINE__))) static void cm_of_##name(void)      \
    {                                                                                     \
        cm_add(__FILE__, &(struct CMUnitTest){#name, name, setup, teardown, NULL});       \
    }                                                                                     \
    static void cm_body_##name(void **state, struct error err)

/* Setup and teardown of the whole file. */
#define CM_GROUP(setup, teardown)                                                         \
    __attribute__((constructor)) static void cm_group_of_this(void)                       \
    {                                                                                     \
        cm_group(__FILE__, setup, teardown);                                              \
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

/* {what is, what shall be}, {...}, ...: each pair is equal, or what differs is said; assert_all(this, that, ...): each
 * holds. None may call what has side effects: C leaves open which it evaluates first. */
#define assert_ints(...)                                                                                \
    do {                                                                                                \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"")          \
        const long long cm_pairs[][2] = {__VA_ARGS__};                                                  \
        _Pragma("GCC diagnostic pop") cm_ints(CM_LIST(cm_pairs), #__VA_ARGS__, __FILE__, __LINE__);     \
    } while (0)
#define assert_all_near(epsilon, ...)                                                                   \
    do {                                                                                                \
        const double cm_pairs[][2] = {__VA_ARGS__};                                                     \
        cm_near(epsilon, CM_LIST(cm_pairs), #__VA_ARGS__, __FILE__, __LINE__);                          \
    } while (0)
#define assert_strings(...)                                                                             \
    do {                                                                                                \
        const char *const cm_pairs[][2] = {__VA_ARGS__};                                                \
        cm_strings(CM_LIST(cm_pairs), __FILE__, __LINE__);                                              \
    } while (0)
#define assert_all(...)                                                                                 \
    do {                                                                                                \
        const bool cm_holds[] = {__VA_ARGS__};                                                          \
        cm_all(CM_LIST(cm_holds), #__VA_ARGS__, __FILE__, __LINE__);                                    \
    } while (0)
#define CM_LIST(list) list, sizeof list / sizeof *list

#define CM_FIRST 1000 /* what runs before main() and is not ours has smaller numbers */

/* What the macros call. */
void cm_add(const char *file, const struct CMUnitTest *test);
void cm_group(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown);
void cm_ints(const long long (*pairs)[2], size_t pairs_n, const char *text, const char *file, int line);
void cm_all(const bool *holds, size_t holds_n, const char *text, const char *file, int line);
void cm_near(double epsilon, const double (*pairs)[2], size_t pairs_n, const char *text, const char *file, int line);
void cm_strings(const char *const (*pairs)[2], size_t pairs_n, const char *file, int line);

/* Runs those of the file of that name, NULL: of the only one; how many failed. The main() that every program of tests has
 * calls it, or a file's own, with what must be around it. */
int cm_run(const char *name);

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
