/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/traffic/random_pattern.h"

#include <stdbool.h>

size_t random_pattern_draw(int hosts, int d, double probability, struct random *random,
                           struct random_pattern_pair *pairs)
{
    size_t n = 0;
    bool all = d == RANDOM_PATTERN_ALL;
    for (int from = 0; from < hosts; from++)
        for (int k = 0; k < (all ? hosts - 1 : d); k++) {
            int to = all ? k : (int)random_below(random, (uint64_t)hosts - 1);
            to += to >= from; /* skip the sender itself */
            /* With the probability given: 53 random bits are a fraction of 1. */
            if (random_share(random) < probability)
                pairs[n++] = (struct random_pattern_pair){from, to};
        }
    return n;
}
