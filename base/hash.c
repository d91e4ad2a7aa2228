/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hash.h"

#include "base/std.h"

#include <sys/auxv.h>
#include <sys/random.h>

struct hash_key hash_secret(void)
{
    static struct hash_key key;
    static bool drawn;
    if (!drawn && getrandom(&key, sizeof key, 0) != sizeof key) /* an old kernel: what it drew for this process */
        memcpy(&key, (const void *)getauxval(AT_RANDOM), sizeof key);
    drawn = true;
    return key;
}
