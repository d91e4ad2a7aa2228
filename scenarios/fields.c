/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/fields.h"

#include "base/names.h"
#include "base/units.h"
#include "emu/engine.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE_MIN_BPS 1000
#define RATE_MAX_BPS INT64_C(8000000000000) /* a byte a picosecond: event time holds nothing faster */
#define WINDOW_MAX INT64_C(1073725440)      /* 65535 << 14: RFC 7323, 2.3 */

static void fields_path(const struct fields *f, const char *key, char path[static FIELDS_PATH])
{
    snprintf(path, FIELDS_PATH, "%s%s%s", f->section, *f->section ? "." : "", key);
}

void fields_section(struct fields *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->section, sizeof f->section, format, args);
    va_end(args);
}

bool fields_fail(const struct fields *f, const char *key, const char *format, ...)
{
    char path[FIELDS_PATH], message[sizeof f->err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    fields_path(f, key, path);
    return fields_fail_at(f, path, "%s", message);
}

bool fields_fail_at(const struct fields *f, const char *key_path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    f->err->code = ERROR_INPUT;
    vsnprintf(f->err->message, sizeof f->err->message, format, args);
    va_end(args);
    return document_blame(f->doc, key_path, f->err);
}

/* base/units.c has said what is wrong; this says where. */
static bool fields_blame(const struct fields *f, const char *key)
{
    char path[FIELDS_PATH];
    fields_path(f, key, path);
    return document_blame(f->doc, path, f->err);
}

bool fields_rate(const struct fields *f, const char *key, const char *text, int64_t *rate_bps)
{
    if (!text)
        return true;
    int64_t rate;
    if (!units_parse_rate(text, &rate, f->err))
        return fields_blame(f, key);
    if (rate < RATE_MIN_BPS || rate > RATE_MAX_BPS)
        return fields_fail(f, key, "'%s' is outside 1kbps to 8Tbps", text);
    *rate_bps = rate;
    return true;
}

bool fields_time(const struct fields *f, const char *key, const char *text, int64_t min_ps, int64_t max_ps,
                 int64_t *time_ps)
{
    if (!text)
        return true;
    int64_t time;
    if (!units_parse_time(text, &time, f->err))
        return fields_blame(f, key);
    if (time < min_ps || time > max_ps) {
        char low[UNITS_TEXT], high[UNITS_TEXT];
        units_format_time(min_ps, low);
        units_format_time(max_ps, high);
        return fields_fail(f, key, "'%s' is outside %s to %s", text, low, high);
    }
    *time_ps = time;
    return true;
}

bool fields_bytes(const struct fields *f, const char *key, const char *text, int64_t min, int64_t max, int64_t *bytes)
{
    if (!text)
        return true;
    int64_t value;
    if (!units_parse_bytes(text, &value, f->err))
        return fields_blame(f, key);
    if (value < min || value > max) {
        char low[UNITS_TEXT], high[UNITS_TEXT];
        units_format_bytes(min, low);
        units_format_bytes(max, high);
        return fields_fail(f, key, "'%s' is outside %s to %s", text, low, high);
    }
    *bytes = value;
    return true;
}

bool fields_bytes_range(const struct fields *f, const char *key, const char *text, int64_t min, int64_t max,
                        int64_t range[2])
{
    const char *dots = text ? strstr(text, "..") : NULL;
    if (!dots) {
        if (!fields_bytes(f, key, text, min, max, &range[0]))
            return false;
        range[1] = text ? range[0] : range[1];
        return true;
    }
    char low[UNITS_TEXT + 1];
    if (dots - text > UNITS_TEXT)
        return fields_fail(f, key, "'%s' is no range of sizes; try 10MB..60MB", text);
    snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
    if (!fields_bytes(f, key, low, min, max, &range[0]) || !fields_bytes(f, key, dots + 2, min, max, &range[1]))
        return false;
    return range[0] <= range[1] || fields_fail(f, key, "'%s' is backwards", text);
}

bool fields_integer(const struct fields *f, const char *key, const char *text, int64_t min, int64_t max,
                    int64_t *value)
{
    if (!text)
        return true;
    int64_t parsed;
    if (!units_parse_integer(text, &parsed, f->err))
        return fields_blame(f, key);
    if (parsed < min || parsed > max)
        return fields_fail(f, key, "'%s' is outside %" PRId64 " to %" PRId64, text, min, max);
    *value = parsed;
    return true;
}

bool fields_number(const struct fields *f, const char *key, const char *text, double min, double max, double *value)
{
    if (!text)
        return true;
    char *end;
    double parsed = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(parsed))
        return fields_fail(f, key, "'%s' is not a number", text);
    if (parsed < min || parsed > max)
        return fields_fail(f, key, "'%s' is outside %g to %g", text, min, max);
    *value = parsed;
    return true;
}

bool fields_share(const struct fields *f, const char *key, const char *text, double *share)
{
    if (!text)
        return true;
    double parsed;
    if (!units_parse_share(text, &parsed))
        return fields_fail(f, key, "'%s' is not a share; write such as 2%% or 0.02", text);
    if (parsed <= 0 || parsed > 1)
        return fields_fail(f, key, "'%s' is not a share above 0 and up to 1 (100%%)", text);
    *share = parsed;
    return true;
}

bool fields_choice(const struct fields *f, const char *key, const char *text, const char *const *names,
                   const char *noun, int *index)
{
    if (!text)
        return true;
    int found = names_find(names, text);
    if (found >= 0) {
        *index = found;
        return true;
    }
    char known[NAMES_TEXT];
    return fields_fail(f, key, "'%s' is not %s; there are: %s", text, noun, names_list(names, known));
}

/* "1000p", "1 packet", "85 packets": the number of digits, or 0 when it is not a number of packets. */
static size_t packets_digits(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits + strspn(text + digits, " ");
    bool packets = strcmp(unit, "p") == 0 || strcmp(unit, "packet") == 0 || strcmp(unit, "packets") == 0;
    return packets ? digits : 0;
}

bool fields_switch(const struct fields *f, const char *key, const char *text, int *on)
{
    static const char *const switches[] = {"false", "true", NULL};
    return fields_choice(f, key, text, switches, "a yes or no", on);
}

bool fields_level(const struct fields *f, const char *key, const char *text, struct emu_level *level)
{
    if (!text)
        return true;
    if (strcmp(text, "none") == 0) {
        *level = (struct emu_level){EMU_QUEUE_UNLIMITED, EMU_QUEUE_UNLIMITED};
        return true;
    }
    size_t digits = packets_digits(text);
    if (digits > 0) {
        char number[24];
        snprintf(number, sizeof number, "%.*s", digits < 20 ? (int)digits : 20, text);
        if (!fields_integer(f, key, number, 1, INT64_C(1000000000), &level->packets))
            return false;
        level->bytes = EMU_QUEUE_UNLIMITED;
        return true;
    }
    if (!units_parse_bytes(text, &level->bytes, f->err)) {
        error_prefix(f->err, "neither bytes (20MB), nor packets (1000p), nor none: ");
        return fields_blame(f, key);
    }
    level->packets = EMU_QUEUE_UNLIMITED;
    return true;
}

bool fields_limit(const struct fields *f, const char *key, const char *text, struct emu_queue_config *queue)
{
    struct emu_level level = {queue->limit_bytes, queue->limit_packets};
    if (!fields_level(f, key, text, &level))
        return false;
    queue->limit_bytes = level.bytes;
    queue->limit_packets = level.packets;
    return true;
}

bool fields_host(const struct fields *f, const char *key, const char *text, int hosts, int *host)
{
    char canonical[16] = "";
    int number = -1;
    if (sscanf(text, "h%9d", &number) == 1 && number >= 0)
        snprintf(canonical, sizeof canonical, "h%d", number);
    if (strcmp(text, canonical) != 0 || number >= hosts)
        return fields_fail(f, key, "'%s' is not in this network; hosts are h0 to h%d", text, hosts - 1);
    *host = number;
    return true;
}

bool fields_window(const struct fields *f, const char *key, const char *text, int64_t segment_bytes,
                   int64_t *window_bytes)
{
    int64_t window;
    if (!text)
        return true;
    if (!units_parse_bytes(text, &window, f->err))
        return fields_blame(f, key);
    if (window < segment_bytes) {
        char path[FIELDS_PATH];
        fields_path(f, key, path);
        return fields_fail_at(f, document_culprit(f->doc, path, "tcp.segment"),
                              "a window of '%s' is smaller than one segment of %" PRId64 " bytes", text,
                              segment_bytes);
    }
    if (window > WINDOW_MAX)
        return fields_fail(f, key, "'%s' is more than TCP can advertise, %" PRId64 " bytes", text, WINDOW_MAX);
    *window_bytes = window;
    return true;
}

bool fields_congestion(const struct fields *f, const char *key, const char *text, enum emu_congestion *congestion)
{
    int index = (int)*congestion;
    if (!fields_choice(f, key, text, emu_congestion_names, "a congestion control", &index))
        return false;
    *congestion = (enum emu_congestion)index;
    return true;
}
