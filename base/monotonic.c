/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/monotonic.h"

#include <time.h>

#define NS_PER_S 1000000000

double monotonic_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int64_t monotonic_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}
