/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/decimal.h - numbers as text, the same as printf() writes them to the last digit, for tables of millions.
 *
 * A double is m 2^e with whole m and e, so that its decimals are those of the whole number m 10^k, shifted: in 128 bits
 * that is exact for what results are made of, and rounds as IEEE 754 says, half to even. printf() itself writes what does
 * not fit. Nothing is terminated with a NUL. */
#pragma once

#include "base/std.h"

#define DECIMAL_ROOM 352 /* bytes: 309 digits and a sign, a point, DECIMAL_MOST after it, printf()'s NUL */
#define DECIMAL_MOST 17  /* digits asked for */

/* Each writes at `to`, which has DECIMAL_ROOM bytes, and returns how many; as %PRId64, as %.*f with `places` decimals,
 * 0 to DECIMAL_MOST, and as %.*g with `digits` significant ones, 1 to DECIMAL_MOST. */
size_t decimal_integer(char *to, int64_t value);
size_t decimal_fixed(char *to, double value, int places);
size_t decimal_general(char *to, double value, int digits);

/* The last `digits` decimal digits of the value, with zeros in front. */
void decimal_digits(char *to, uint64_t value, int digits);
