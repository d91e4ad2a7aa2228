/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic/sizes.h - sizes of flows by a table (scenarios/sizes/): bytes,cdf - so many of 1 are no larger. Between two
 * rows sizes are uniform, as in the generators that the papers' tables come from; the first row's share is its own. */
#pragma once

#include "base/error.h"
#include "base/random.h"

struct sizes {
    double (*row)[2]; /* owned; bytes, cdf */
    size_t n;
};

/* False and *err (ERROR_INPUT, file and line) when there is none, or no distribution: neither column may fall, the last
 * share is 1, the mean not 0. */
bool sizes_read(struct sizes *s, const char *path, struct error *err);
void sizes_fini(struct sizes *s);

double sizes_mean(const struct sizes *s);

/* At least 1 byte. */
int64_t sizes_draw(const struct sizes *s, struct random *random);

/* With the mean given, exponential. */
double sizes_draw_exponential(double mean, struct random *random);
