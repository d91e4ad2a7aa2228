/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic/random_pattern.h - random communication patterns as Zhu et al. 2014 draw them (section 7.1). */
#pragma once

#include "base/random.h"

#include <stddef.h>

struct random_pattern_pair {
    int from, to;
};

#define RANDOM_PATTERN_ALL 0

/* For each of `hosts` (2 or more) in turn, d times: another host, any with the same chance, and the transfer
 * to it joins the pattern with `probability` (0 to 1). Pairs may repeat. Fills at most hosts * d of pairs and
 * returns how many; the expected number is probability * hosts * d. With RANDOM_PATTERN_ALL instead of d every other
 * host comes once, in turn: with probability 1 all exchange with all. */
size_t random_pattern_draw(int hosts, int d, double probability, struct random *random,
                           struct random_pattern_pair *pairs);
