/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"

__extension__ typedef unsigned __int128 random_wide;

#define STEP UINT64_C(0x9e3779b97f4a7c15)

uint64_t random_mix(uint64_t x)
{
    x += STEP;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

struct random random_of(uint64_t seed)
{
    struct random r;
    for (int i = 0; i < 4; i++, seed += STEP)
        r.state[i] = random_mix(seed);
    return r;
}

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t random_next(struct random *r)
{
    uint64_t *s = r->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random *r, uint64_t bound)
{
    if (bound == 0)
        return 0;
    random_wide product = (random_wide)random_next(r) * bound;
    if ((uint64_t)product < bound) {
        uint64_t threshold = -bound % bound;
        while ((uint64_t)product < threshold)
            product = (random_wide)random_next(r) * bound;
    }
    return (uint64_t)(product >> 64);
}
