/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/cm.h - cmocka with the headers it wants first. */
#ifndef TEST_CM_H
#define TEST_CM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* cmocka hands every test a state, of which few have one. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

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

#endif
