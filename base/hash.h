/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/hash.h - numbers into one number that looks drawn at random: Fibonacci hashing (Knuth 6.4). */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

/* `h` with `v` mixed in; order matters. Top bits are mixed best. Start from 0 or a constant: two numbers that both vary
 * are only XORed when the first of them is `h`. */
static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

#endif
