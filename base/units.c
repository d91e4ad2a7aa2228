/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"

#include <strings.h>

struct unit {
    const char *name;
    int64_t scale;
};

/* As they are written here, largest first; unit_name() leads other spellings to these. */
static const struct unit rate_units[] = {
    {"Tbps", 1000000000000}, {"Gbps", 1000000000}, {"Mbps", 1000000}, {"kbps", 1000}, {"bps", 1}, {NULL, 0},
};
static const struct unit byte_units[] = {
    {"TB", 1000000000000}, {"GB", 1000000000}, {"MB", 1000000}, {"kB", 1000}, {"B", 1},
    {"TiB", INT64_C(1) << 40}, {"GiB", INT64_C(1) << 30}, {"MiB", INT64_C(1) << 20}, {"kiB", INT64_C(1) << 10},
    {NULL, 0},
};
static const struct unit time_units[] = {
    {"s", UNITS_PS_PER_S}, {"ms", UNITS_PS_PER_MS}, {"us", UNITS_PS_PER_US}, {"ns", UNITS_PS_PER_NS}, {"ps", 1},
    {NULL, 0},
};

/* "gbit" of tc(8), "G" of iperf3(1) and "Gb/s" as "Gbps"; "m" and "M" as "MB", "mib" as "MiB". Capitals matter where
 * they tell bits from bytes. */
static void unit_name(const struct unit *units, const char *text, char name[static 16])
{
    static const char *const bits[] = {"bit", "bit/s", "b/s"};
    static const char prefixes[] = "kKmMgGtT", canonical[] = "kkMMGGTT";
    const char *prefix = *text ? strchr(prefixes, *text) : NULL, *rest = text + (prefix != NULL);
    snprintf(name, 16, "%s", text);
    if (units == time_units)
        return;
    if (units == rate_units) {
        rest = prefix && !*rest ? "bps" : rest;
        for (int i = 0; i < 3; i++)
            rest = (i < 2 ? strcasecmp : strcmp)(rest, bits[i]) == 0 ? "bps" : rest;
    } else {
        rest = !*rest ? "B" : prefix && strcmp(rest, "ib") == 0 ? "iB" : rest;
    }
    snprintf(name, 16, "%.*s%s", prefix != NULL, prefix ? canonical + (prefix - prefixes) : "", rest);
}

static const struct unit *unit_find(const struct unit *units, const char *text)
{
    char name[16];
    unit_name(units, text, name);
    for (const struct unit *u = units; u->name; u++)
        if (strcmp(u->name, name) == 0)
            return u;
    return NULL;
}

/* digits[.digits][ ]unit, exactly. `what` and `example` make the sentence. */
static bool units_parse(const char *text, const struct unit *units, const char *what, const char *example,
                        int64_t *value, struct error *err)
{
    const char *p = text;
    while (isspace((unsigned char)*p))
        p++;
    if (*p == '-')
        return error_set(err, ERROR_INPUT, "'%s' is negative; %s is at least 0, such as %s", text, what, example);
    const char *number = p;
    while (isdigit((unsigned char)*p))
        p++;
    const char *point = p, *fraction_end = p;
    if (*p == '.') {
        p++;
        while (isdigit((unsigned char)*p))
            p++;
        fraction_end = p;
    }
    size_t digits = (size_t)(point - number) + (fraction_end > point ? (size_t)(fraction_end - point - 1) : 0);
    if (digits == 0)
        return error_set(err, ERROR_INPUT, "'%s' is not %s; try %s", text, what, example);
    while (isspace((unsigned char)*p))
        p++;
    char name[16];
    size_t n = strlen(p);
    while (n > 0 && isspace((unsigned char)p[n - 1]))
        n--;
    bool zero = true;
    for (const char *d = number; d < fraction_end; d++)
        if (*d != '.' && *d != '0')
            zero = false;
    const struct unit *unit = NULL;
    if (n < sizeof name) {
        memcpy(name, p, n);
        name[n] = '\0';
        unit = unit_find(units, name);
        if (!unit && n == 0 && zero)
            unit = &units[0];
    }
    if (!unit)
        return n ? error_set(err, ERROR_INPUT, "'%s' has unknown unit '%s'; %s looks like %s", text, p, what, example)
                 : error_set(err, ERROR_INPUT, "'%s' has no unit; %s looks like %s", text, what, example);
    /* value = digits without the point, times scale, over 10^places: all in 128 bits. */
    __extension__ typedef unsigned __int128 wide;
    wide total = 0, divisor = 1;
    for (const char *d = number; d < fraction_end; d++) {
        if (*d == '.')
            continue;
        total = total * 10 + (unsigned)(*d - '0');
        if (d > point)
            divisor *= 10;
        if (total > (wide)INT64_MAX * 1000000 || divisor > (wide)INT64_MAX)
            return error_set(err, ERROR_INPUT, "'%s' is too large or too precise for %s", text, what);
    }
    total *= (uint64_t)unit->scale;
    if (total % divisor != 0)
        return error_set(err, ERROR_INPUT, "'%s' is finer than %s can hold; round it", text, what);
    total /= divisor;
    if (total > (wide)INT64_MAX)
        return error_set(err, ERROR_INPUT, "'%s' is too large for %s", text, what);
    *value = (int64_t)total;
    return true;
}

bool units_parse_rate(const char *text, int64_t *rate_bps, struct error *err)
{
    return units_parse(text, rate_units, "a rate", "1Gbps or 100Mbps", rate_bps, err);
}

bool units_parse_bytes(const char *text, int64_t *bytes, struct error *err)
{
    return units_parse(text, byte_units, "a size", "3MB, 500kB or 64KiB", bytes, err);
}

bool units_parse_time(const char *text, int64_t *time_ps, struct error *err)
{
    return units_parse(text, time_units, "a time", "2s, 600ms or 50us", time_ps, err);
}

bool units_parse_integer(const char *text, int64_t *value, struct error *err)
{
    char *end;
    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || isspace((unsigned char)*text))
        return error_set(err, ERROR_INPUT, "'%s' is not a whole number", text);
    if (errno == ERANGE)
        return error_set(err, ERROR_INPUT, "'%s' is too large for a whole number of 64 bits", text);
    *value = parsed;
    return true;
}

bool units_parse_share(const char *text, double *share)
{
    char *end;
    double value = strtod(text, &end);
    bool percent = end != text && strcmp(end, "%") == 0;
    if (end == text || (*end != '\0' && !percent) || !isfinite(value))
        return false;
    *share = percent ? value / 100 : value;
    return true;
}

static void units_format(int64_t value, const struct unit *units, char *text)
{
    const struct unit *u = units;
    while (u[1].name && u[1].scale < u->scale && value % u->scale != 0)
        u++;
    snprintf(text, UNITS_TEXT, "%" PRId64 "%s", value / u->scale, u->name);
}

void units_format_rate(int64_t rate_bps, char text[static UNITS_TEXT])
{
    units_format(rate_bps, rate_units, text);
}

void units_format_rate_rounded(double rate_bps, int digits, char text[static UNITS_TEXT])
{
    double unit = pow(10, floor(log10(rate_bps)) - digits + 1);
    units_format_rate((int64_t)(round(rate_bps / unit) * unit + 0.5), text);
}

void units_format_bytes(int64_t bytes, char text[static UNITS_TEXT])
{
    if (bytes == 0)
        snprintf(text, UNITS_TEXT, "0B"); /* rather than of the largest unit */
    else
        units_format(bytes, byte_units, text);
}

void units_format_time(int64_t time_ps, char text[static UNITS_TEXT])
{
    units_format(time_ps, time_units, text);
}

const char *units_figure(double value, int digits, char text[static UNITS_TEXT])
{
    double size = fabs(value);
    if (!(size < 1e15)) { /* beyond, a double does not tell whole numbers apart */
        snprintf(text, UNITS_TEXT, isfinite(value) ? "%.*g" : "-", digits, value);
        return text;
    }
    int decimals = size < 1e-12 ? 0 : digits - 1 - (int)floor(log10(size));
    snprintf(text, UNITS_TEXT, "%.*f", decimals > 0 ? decimals : 0, size < 1e-12 ? 0 : value);
    if (strchr(text, '.')) {
        size_t n = strlen(text);
        while (text[n - 1] == '0')
            n--;
        text[text[n - 1] == '.' ? n - 1 : n] = '\0';
    }
    return text;
}

const char *units_mbps(double bps, char text[static UNITS_TEXT])
{
    if (bps != 0 && fabs(bps) < 0.9995e6)
        return units_figure(bps / 1e6, 3, text);
    snprintf(text, UNITS_TEXT, isfinite(bps) ? "%.1f" : "-", bps / 1e6);
    return text;
}
