/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/pendulum.h - do two queues take turns? (data pendulum: Heusse, Merritt, Brown and Duda 2011)
 *
 * With data one way and ACKs the other way in each of two FIFO queues, the backlog can swing between them: while one is
 * full the other runs empty. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define ANALYSIS_PENDULUM_BUSY 3036 /* bytes: more than two full frames wait */

/* A queue's depth from a time on, until the next row: bytes, or seconds of waiting. */
struct analysis_depth {
    double time_s, depth;
};

struct analysis_pendulum {
    double one, both, neither; /* shares of the time in which so many of the two are busy; their sum is 1 */
    double correlation;        /* of the two depths over time, -1 to 1; NAN when one never changes */
    double period_s;           /* twice the mean time between changes of which one holds more, by a tenth of the larger
                                * peak; INFINITY without two changes */
};

/* Over [from_s, to_s); rows of each in order of time. `busy`: the depth above which a queue is. ERROR_INPUT when the
 * span is empty. */
bool analysis_pendulum_make(const struct analysis_depth *a, size_t n_a, const struct analysis_depth *b, size_t n_b,
                            double busy, double from_s, double to_s, struct analysis_pendulum *p, struct error *err);
