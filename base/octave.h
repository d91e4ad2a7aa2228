/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/octave.h - which part of an octave a number lies in, without a logarithm for nearly all of them. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

/* floor(log2(x) * per_octave) to the last bit of log2(), for finite x >= 1 and per_octave of 1, 2, 4, 8 or 16. -1: x is so
 * near to a step that log2() decides, or whatever rounds x: octave_steps() then. */
static inline int octave_steps_clear(double x, int per_octave)
{
    /* Of 1 + i / 32 to the next: the only 2^(k / 16) in it, or 2; and k of the one before that. */
    static const double begins[32] = {
        1, 1.0442737824274138, 1.0905077326652577, 2, 1.1387886347566916, 2, 1.189207115002721, 1.241857812073484, 2,
        1.2968395546510096, 2, 1.3542555469368927, 2, 1.4142135623730951, 2, 1.4768261459394993, 2, 1.5422108254079407,
        2, 1.6104903319492543, 2, 1.681792830507429, 2, 2, 1.7562521603732995, 2, 1.8340080864093424, 2, 2,
        1.9152065613971474, 2, 2};
    static const int8_t before[32] = {-1, 0, 1,  2,  2,  3,  3,  4,  5,  5,  6,  6,  7,  7,  8,  8,
                                      9,  9, 10, 10, 11, 11, 12, 12, 12, 13, 13, 14, 14, 14, 15, 15};
    const double near = 1e-12; /* thousands of times the spacing of numbers there */
    uint64_t bits, mantissa;
    double m;
    memcpy(&bits, &x, sizeof bits);
    mantissa = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000);
    memcpy(&m, &mantissa, sizeof m);
    const double beyond = m - begins[bits >> 47 & 31];
    const int step = before[bits >> 47 & 31] + (beyond >= 0);
    return fabs(beyond) < near ? -1 : (((int)(bits >> 52) - 1023) * 16 + step) / (16 / per_octave);
}

/* The same of any such x. */
static inline int octave_steps(double x, int per_octave)
{
    int step = octave_steps_clear(x, per_octave);
    return step >= 0 ? step : (int)floor(log2(x) * per_octave);
}

/* Of a rate in steps from `least` bit/s on, which count from 0; slower ones are there. `near`: it, over `least`, within
 * some roundings of bytes * 8 / seconds / least, which counts. */
static inline int octave_steps_rate(double near, double bytes, double seconds, double least, int per_octave)
{
    int step = near > 2 ? octave_steps_clear(near, per_octave) : -1;
    double rate = step >= 0 ? 0 : bytes * 8 / seconds / least;
    return step >= 0 ? step : rate > 1 ? octave_steps(rate, per_octave) : 0;
}
