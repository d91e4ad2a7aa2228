/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hash.h"
#include "test/cm.h"

/* CPython 3.11 hashes bytes by SipHash-1-3, with PYTHONHASHSEED=0 by a key of zeros: hash(bytes(range(n))). Its last
 * word is what is left of the bytes, n in the top byte. */
TEST(test_keyed_hash_is_siphash_1_3)
{
    static const struct {
        uint64_t word[3], hash;
        int n;
    } row[] = {
        {{UINT64_C(0x0706050403020100), UINT64_C(0x0800000000000000)}, UINT64_C(0xead411e67ebe2eea), 2},
        {{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}, UINT64_C(0xf30eb725bb91c9ea), 2},
        {{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908), UINT64_C(0x1716151413121110)},
         UINT64_C(0x37332b1389daa4ff), 3},
    };
    const struct hash_key zero = {{0, 0}};
    for (int i = 0; i < 3; i++) {
        struct hash_keyed h = hash_begin(&zero);
        for (int k = 0; k < row[i].n; k++)
            hash_add(&h, row[i].word[k]);
        assert_true(hash_end(&h) == row[i].hash);
    }
}

TEST(test_key_changes_the_hash)
{
    const struct hash_key key[] = {{{0, 0}}, {{1, 0}}, {{0, 1}}};
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        struct hash_keyed h = hash_begin(&key[i]);
        hash_add(&h, 1);
        hash[i] = hash_end(&h);
    }
    assert_true(hash[0] != hash[1] && hash[0] != hash[2] && hash[1] != hash[2]);
}

TEST(test_secret_is_drawn_once)
{
    struct hash_key a = hash_secret(), b = hash_secret();
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.word[0] != 0 && a.word[1] != 0 && a.word[0] != a.word[1]);
}
