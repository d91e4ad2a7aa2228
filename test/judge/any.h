/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/judge/any.h - random facts. */
#pragma once

#include "base/random.h"

/* From 0 to `most`. */
static inline double any(struct random *r, double most)
{
    return most * (double)random_below(r, 1 << 20) / (1 << 20);
}
