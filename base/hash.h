/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/hash.h - words of 64 bits into one that looks drawn at random.
 *
 * Where data from outside choose what goes into a table, SipHash-1-3 (Aumasson and Bernstein 2012) with a secret of the
 * process: nobody can choose data that meet in one place. Such a hash may decide where something is kept, never in what
 * order it is shown: results are the same in every process. Fibonacci hashing (Knuth 6.4) is for what must be the same,
 * fingerprints and samples. */
#pragma once

#include <stdint.h>

/* Fibonacci: `h` with `v` mixed in; order matters. Top bits are mixed best. Start from 0 or a constant: two numbers that
 * both vary are only XORed when the first of them is `h`. */
static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

struct hash_key {
    uint64_t word[2];
};

/* Drawn at the first call. */
struct hash_key hash_secret(void);

/* hash_begin(), hash_add() of each word, hash_end(). The words of all that share a table tell its kinds, and so how many
 * there are, apart. */
struct hash_keyed {
    uint64_t v[4];
};

static inline uint64_t hash_rotated(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void hash_round(struct hash_keyed *h)
{
    uint64_t *v = h->v;
    v[0] += v[1];
    v[2] += v[3];
    v[1] = hash_rotated(v[1], 13) ^ v[0];
    v[3] = hash_rotated(v[3], 16) ^ v[2];
    v[0] = hash_rotated(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = hash_rotated(v[1], 17) ^ v[2];
    v[3] = hash_rotated(v[3], 21) ^ v[0];
    v[2] = hash_rotated(v[2], 32);
}

static inline struct hash_keyed hash_begin(const struct hash_key *key)
{
    return (struct hash_keyed){{key->word[0] ^ UINT64_C(0x736f6d6570736575), key->word[1] ^ UINT64_C(0x646f72616e646f6d),
                                key->word[0] ^ UINT64_C(0x6c7967656e657261),
                                key->word[1] ^ UINT64_C(0x7465646279746573)}};
}

static inline void hash_add(struct hash_keyed *h, uint64_t word)
{
    h->v[3] ^= word;
    hash_round(h);
    h->v[0] ^= word;
}

static inline uint64_t hash_end(struct hash_keyed *h)
{
    h->v[2] ^= 0xff;
    hash_round(h);
    hash_round(h);
    hash_round(h);
    return h->v[0] ^ h->v[1] ^ h->v[2] ^ h->v[3];
}
