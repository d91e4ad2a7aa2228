/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What printf() writes is what is expected: the C standard's own definition of these texts. */
#include "base/decimal.h"
#include "base/random.h"
#include "test/cm.h"

#define CASES 4000 /* of each kind */

static void same(const char *expected, const char *text, size_t n)
{
    if (n != strlen(expected) || memcmp(expected, text, n) != 0)
        fail_msg("'%.*s' instead of '%s'", (int)n, text, expected);
}

static void check(double value)
{
    char expected[DECIMAL_ROOM], text[DECIMAL_ROOM];
    for (int digits = 0; digits <= DECIMAL_MOST; digits++) {
        snprintf(expected, sizeof expected, "%.*f", digits, value);
        same(expected, text, decimal_fixed(text, value, digits));
        if (digits == 0)
            continue;
        snprintf(expected, sizeof expected, "%.*g", digits, value);
        same(expected, text, decimal_general(text, value, digits));
    }
}

TEST(test_doubles_are_printed_as_printf_does)
{
    const double values[] = {0, -0.0, 1, -1, 9, 10, 0.1, 0.5, 1.5, 2.5, -2.5, 0.25, 0.125, 1e-4, 1e-5, 9.9995e-5, 99999999.5,
                             999999999.5, 9.9999999949999, 9.99999999951, 1e15, 1e16, 1e22, 1e300, 5e-324, 1e-300,
                             4503599627370496, 4503599627370497.5, 9007199254740992, 123456.789, 0.099999999999999999,
                             INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check(values[i]);
}

TEST(test_ties_and_their_neighbours_round_as_printf_does)
{
    struct random r = random_of(3);
    for (int i = 0; i < CASES; i += cm_every()) { /* k / 2^j has an end in decimals, often at a tie */
        double value = (double)(random_next(&r) >> (11 + random_next(&r) % 50)) / (double)(UINT64_C(1) << random_next(&r) % 60);
        check(value);
        check(nextafter(value, 0));
        check(nextafter(value, INFINITY));
    }
}

TEST(test_any_bits_are_printed_as_printf_does)
{
    struct random r = random_of(4);
    for (int i = 0; i < CASES; i += cm_every()) {
        uint64_t bits = random_next(&r), shift = random_next(&r) % 64;
        double value;
        memcpy(&value, &bits, sizeof value);
        check(value);
        check((double)(bits >> shift) * 1e-12); /* what times in picoseconds become */
        check(round((double)(bits >> 20) * 1e-3) / 1e4);
    }
}

TEST(test_integers_are_printed_as_printf_does)
{
    struct random r = random_of(5);
    int64_t ends[] = {0, 1, -1, 9, 10, 99, 100, INT64_MAX, INT64_MIN, -10};
    for (int i = 0; i < CASES; i += cm_every()) {
        char expected[DECIMAL_ROOM], text[DECIMAL_ROOM];
        int64_t value = (size_t)i < sizeof ends / sizeof *ends ? ends[i] : (int64_t)random_next(&r) >> random_next(&r) % 64;
        snprintf(expected, sizeof expected, "%" PRId64, value);
        same(expected, text, decimal_integer(text, value));
    }
}
