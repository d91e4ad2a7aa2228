/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/decimal.h"

__extension__ typedef unsigned __int128 wide;

#define FRACTION_BITS 52
#define WIDEST_SHIFT 127 /* of a `wide` */
#define TENS 20          /* powers of ten that 64 bits hold */
#define LOG10_2 1233     /* by 2^LOG10_2_BITS: 0.30103 */
#define LOG10_2_BITS 12
#define WHOLE 9.2e18     /* a whole number below it is an int64_t */

static const uint64_t ten[TENS] = {
    UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000), UINT64_C(1000000),
    UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000),
    UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
    UINT64_C(10000000000000000), UINT64_C(100000000000000000), UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000)};

static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
                            "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

void decimal_digits(char *to, uint64_t value, int digits)
{
    char *at = to + digits; /* the first of those that are written */
    for (; at - to >= 4; value /= 10000) {
        uint32_t four = (uint32_t)(value % 10000);
        at -= 4;
        memcpy(at, pairs + 2 * (four / 100), 2);
        memcpy(at + 2, pairs + 2 * (four % 100), 2);
    }
    if (at - to >= 2) {
        at -= 2;
        memcpy(at, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (at > to)
        *to = (char)('0' + value % 10);
}

/* How many digits the value has; 1 for 0. */
static int decimal_length(uint64_t value)
{
    int n = (64 - __builtin_clzll(value | 1)) * LOG10_2 >> LOG10_2_BITS;
    return n + (n == 0 || value >= ten[n]);
}

static size_t decimal_whole(char *to, uint64_t value)
{
    if (value < 10) {
        *to = (char)('0' + value);
        return 1;
    }
    int n = decimal_length(value);
    decimal_digits(to, value, n);
    return (size_t)n;
}

size_t decimal_integer(char *to, int64_t value)
{
    if (value >= 0)
        return decimal_whole(to, (uint64_t)value);
    *to = '-';
    return 1 + decimal_whole(to + 1, 0 - (uint64_t)value);
}

/* |value| is *m / 2^*shift. False where it is no number, or the shift is none of a `wide`. */
static bool decimal_parts(double value, uint64_t *m, int *shift)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> FRACTION_BITS & 0x7ff);
    *m = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
    if (exponent > 0)
        *m |= UINT64_C(1) << FRACTION_BITS;
    else
        exponent = 1;
    *shift = 1023 + FRACTION_BITS - exponent;
    if (*m == 0)
        *shift = 1;
    return *shift >= 1 && *shift <= WIDEST_SHIFT;
}

/* m 10^power / 2^shift to the nearest, half to even. False where that takes more than 64 bits. */
static inline __attribute__((always_inline)) bool decimal_scaled(uint64_t m, int power, int shift, uint64_t *scaled)
{
    if (power >= TENS) /* m has 53 bits, and ten[TENS - 1] 64: their product fits */
        return false;
    wide product = (wide)m * ten[power], whole = product >> shift;
    if (shift < 64) { /* what is shifted out is of the lower half */
        uint64_t rest = (uint64_t)product << (64 - shift), half = UINT64_C(1) << 63;
        whole += rest > half || (rest == half && whole & 1);
    } else {
        wide rest = product << (128 - shift), half = (wide)1 << 127;
        whole += rest > half || (rest == half && whole & 1);
    }
    *scaled = (uint64_t)whole;
    return whole >> 64 == 0;
}

/* What printf() writes without the NUL. */
static size_t decimal_printed(int printed)
{
    return printed > 0 ? (size_t)printed : 0;
}

size_t decimal_fixed(char *to, double value, int places)
{
    uint64_t m, scaled;
    int shift;
    if (places == 0 && value < WHOLE && ((value > 0 && (double)(int64_t)value == value) || (value == 0 && !signbit(value))))
        return decimal_whole(to, (uint64_t)value);
    if (!decimal_parts(value, &m, &shift) || !decimal_scaled(m, places, shift, &scaled))
        return decimal_printed(snprintf(to, DECIMAL_ROOM, "%.*f", places, value));
    size_t n = 0;
    if (signbit(value))
        to[n++] = '-';
    n += decimal_whole(to + n, scaled / ten[places]);
    if (places == 0)
        return n;
    to[n++] = '.';
    decimal_digits(to + n, scaled % ten[places], places);
    return n + (size_t)places;
}

/* `digits` of them, the first for 10^exponent, as %g shows them: zeros at the end of a fraction are left out. */
static size_t decimal_shown(char *to, uint64_t scaled, int digits, int exponent)
{
    bool scientific = exponent < -4 || exponent >= digits;
    int before = scientific ? 1 : exponent + 1; /* digits before the point */
    char *end, *whole;
    if (before <= 0) {
        memcpy(to, "0.000", 5);
        whole = to + 1; /* of its fraction a digit is no zero */
        end = to + 2 - before + digits;
        decimal_digits(end - digits, scaled, digits);
    } else {
        whole = to + before;
        end = to + 1 + digits;
        decimal_digits(to + 1, scaled, digits);
        for (int i = 0; i < before; i++)
            to[i] = to[i + 1];
        *whole = '.';
    }
    while (end[-1] == '0' && end - 1 > whole)
        end--;
    if (end - 1 == whole) /* no fraction is left */
        end--;
    if (!scientific)
        return (size_t)(end - to);
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    *end++ = 'e';
    *end++ = exponent < 0 ? '-' : '+';
    decimal_digits(end, size, size < 100 ? 2 : 3);
    return (size_t)(end - to) + (size < 100 ? 2 : 3);
}

size_t decimal_general(char *to, double value, int digits)
{
    uint64_t m, scaled = 0;
    int shift, exponent = 0;
    bool exact = decimal_parts(value, &m, &shift);
    if (exact && m > 0) {
        /* 2^bits <= |value| < 2^(bits + 1): of the two exponents that leaves the smaller, unless that has a digit too many,
         * be it because the digits round up to the next power of ten. */
        int bits = 63 - __builtin_clzll(m) - shift;
        exponent = bits * LOG10_2 >> LOG10_2_BITS; /* right for all of their 180 values */
        exact = digits - 1 >= exponent && decimal_scaled(m, digits - 1 - exponent, shift, &scaled);
        if (exact && scaled >= ten[digits]) {
            exponent++;
            exact = digits - 1 >= exponent && decimal_scaled(m, digits - 1 - exponent, shift, &scaled);
        }
    }
    if (!exact)
        return decimal_printed(snprintf(to, DECIMAL_ROOM, "%.*g", digits, value));
    size_t n = 0;
    if (signbit(value))
        to[n++] = '-';
    if (m == 0) {
        to[n++] = '0';
        return n;
    }
    return n + decimal_shown(to + n, scaled, digits, exponent);
}
