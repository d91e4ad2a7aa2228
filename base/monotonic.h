/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/monotonic.h - a clock that nobody sets. */
#pragma once

#include <stdint.h>

/* Since some moment in the past. */
double monotonic_now_s(void);
int64_t monotonic_now_ns(void);
