/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/random.h - seeded random numbers: xoshiro256** (Blackman and Vigna 2018), seeded
 * by SplitMix64. The same seed gives the same stream on every machine. Not for secrets. */
#pragma once

#include <stdint.h>

struct random {
    uint64_t state[4];
};

/* A stream from its beginning. */
struct random random_of(uint64_t seed);

/* 64 uniform bits. */
uint64_t random_next(struct random *r);

/* 64 bits that look like chance and depend on each of x's: SplitMix64's step from x. */
uint64_t random_mix(uint64_t x);

/* Uniform in [0, bound), without bias (Lemire 2019); 0 when bound is 0. */
uint64_t random_below(struct random *r, uint64_t bound);

/* Uniform in [0, 1): a multiple of 2^-53. */
static inline double random_share(struct random *r)
{
    return (double)(random_next(r) >> 11) * 0x1p-53;
}
