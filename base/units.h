/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/units.h - human units to integers and back.
 *
 * Rates are bits per second, sizes bytes (kB = 10^3, KiB = 2^10), times picoseconds.
 * Parsing is exact: decimal digits are shifted, never rounded through a double. A value
 * finer than one bit/s, byte or picosecond, or beyond int64_t, is an error. */
#pragma once

#include "base/error.h"

#define UNITS_PS_PER_NS INT64_C(1000)
#define UNITS_PS_PER_US INT64_C(1000000)
#define UNITS_PS_PER_MS INT64_C(1000000000)
#define UNITS_PS_PER_S INT64_C(1000000000000)

#define UNITS_TEXT 32 /* room for any formatted quantity */

/* "1Gbps", "100 Mb/s", "9600bps", "10gbit" as tc(8), "25G" as iperf3(1): a unit is required. ERROR_INPUT otherwise.
 * Always bits: tc(8) takes its bps for bytes, which is not done here. */
bool units_parse_rate(const char *text, int64_t *rate_bps, struct error *err);

/* "3MB", "500kB", "64KiB", "3M" (as 3MB), "500k", "1448": bytes when there is no unit. iperf3(1) and tc(8) take 3M
 * for 3 MiB, which is "3MiB" here. */
bool units_parse_bytes(const char *text, int64_t *bytes, struct error *err);

/* "2s", "600ms", "50us", "12.5ns", "800ps"; "0" alone needs no unit. */
bool units_parse_time(const char *text, int64_t *time_ps, struct error *err);

/* A whole number, decimal, optional sign. */
bool units_parse_integer(const char *text, int64_t *value, struct error *err);

/* "2%" or "0.02" as 0.02, whatever its size or sign; false, without a word, when it is no finite number. */
bool units_parse_share(const char *text, double *share);

/* The shortest exact text that parses back to the same value ("1Gbps", "1500kB", "50us"). */
void units_format_rate(int64_t rate_bps, char text[static UNITS_TEXT]);
/* The same of a rate > 0 to so many digits. */
void units_format_rate_rounded(double rate_bps, int digits, char text[static UNITS_TEXT]);
void units_format_bytes(int64_t bytes, char text[static UNITS_TEXT]);
void units_format_time(int64_t time_ps, char text[static UNITS_TEXT]);

/* A figure as people read it: as many significant digits, but every one before the point and no exponent, and no zeros
 * that end a fraction: of three digits "5072", "93.8", "0.0257", "2"; "-" when it is not finite. Returns `text`. */
const char *units_figure(double value, int digits, char text[static UNITS_TEXT]);
/* A rate in Mb/s as sentences have it: "1829.4", "93.8", and below 1 to three digits, "0.686". Returns `text`. */
const char *units_mbps(double bps, char text[static UNITS_TEXT]);
/* The same, in a text of the enclosing block. */
#define UNITS_FIGURE(value, digits) units_figure(value, digits, (char[UNITS_TEXT]){0})
#define UNITS_MBPS(bps) units_mbps(bps, (char[UNITS_TEXT]){0})
