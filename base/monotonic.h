/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/monotonic.h - a clock that nobody sets. */
#ifndef BASE_MONOTONIC_H
#define BASE_MONOTONIC_H

/* Seconds since some moment in the past. */
double monotonic_now_s(void);

#endif
