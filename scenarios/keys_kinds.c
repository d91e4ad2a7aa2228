/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each kind of value looks like: from text, to text, and in words. */
#include "base/names.h"
#include "base/text.h"
#include "scenarios/keys.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

/* The numeric value of KEY_INTEGER and KEY_CHOICE, of any size. */
static int64_t kind_integer(const struct key *key, const void *value)
{
    return key->size == sizeof(int64_t)    ? *(const int64_t *)value
           : key->size == sizeof(int32_t)  ? *(const int32_t *)value
           : key->size == sizeof(uint16_t) ? *(const uint16_t *)value
                                           : *(const uint8_t *)value;
}

static bool kind_store(const struct key *key, int64_t number, void *value)
{
    if (key->size == sizeof(int64_t))
        *(int64_t *)value = number;
    else if (key->size == sizeof(int32_t))
        *(int32_t *)value = (int32_t)number;
    else if (key->size == sizeof(uint16_t))
        *(uint16_t *)value = (uint16_t)number;
    else
        *(uint8_t *)value = (uint8_t)number;
    return true;
}

static void kind_format_number(const struct key *key, int64_t value, char text[static UNITS_TEXT])
{
    if (key->kind == KEY_RATE)
        units_format_rate(value, text);
    else if (key->kind == KEY_TIME)
        units_format_time(value, text);
    else if (key->kind == KEY_INTEGER || key->bare)
        snprintf(text, UNITS_TEXT, "%" PRId64, value);
    else
        units_format_bytes(value, text);
}

static bool kind_outside(const struct key *key, const char *text, struct error *err)
{
    char low[UNITS_TEXT], high[UNITS_TEXT];
    struct key unit = *key;
    unit.bare = false;
    kind_format_number(&unit, key->min, low);
    kind_format_number(&unit, key->max, high);
    return error_set(err, ERROR_INPUT, "'%s' is outside %s to %s", text, low, high);
}

/* Integers, bytes, times and rates. */
static bool kind_parse_integer(const struct key *key, const char *text, int64_t *number, struct error *err)
{
    bool zero = key->zero && strcmp(text, key->zero) == 0;
    *number = 0;
    bool ok = zero                       ? true
              : key->kind == KEY_RATE    ? units_parse_rate(text, number, err)
              : key->kind == KEY_TIME    ? units_parse_time(text, number, err)
              : key->kind == KEY_INTEGER ? units_parse_integer(text, number, err)
                                         : units_parse_bytes(text, number, err);
    if (!ok)
        return key->zero && key->noun && strspn(text, "-0123456789") < strlen(text)
                   ? error_set(err, ERROR_INPUT, "'%s' is neither '%s' nor %s", text, key->zero, key->noun)
                   : false;
    if (key->kind == KEY_WINDOW)
        return *number <= SCENARIO_WINDOW ||
               error_set(err, ERROR_INPUT, "'%s' is more than TCP can advertise, %" PRId64 " bytes", text, SCENARIO_WINDOW);
    return zero || (*number >= key->min && *number <= key->max) || kind_outside(key, text, err);
}

static bool kind_parse_range(const struct key *key, const char *text, int64_t range[2], struct error *err)
{
    const char *dots = strstr(text, "..");
    char low[UNITS_TEXT + 1];
    if (!dots) {
        bool ok = kind_parse_integer(key, text, &range[0], err);
        range[1] = range[0];
        return ok;
    }
    if (dots - text > UNITS_TEXT)
        return error_set(err, ERROR_INPUT, "'%s' is no range of sizes; try 10MB..60MB", text);
    snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
    return kind_parse_integer(key, low, &range[0], err) && kind_parse_integer(key, dots + 2, &range[1], err) &&
           (range[0] <= range[1] || error_set(err, ERROR_INPUT, "'%s' is backwards", text));
}

static bool kind_parse_number(const struct key *key, const char *text, double *value, struct error *err)
{
    char *end;
    double parsed = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(parsed))
        return error_set(err, ERROR_INPUT, "'%s' is not a number", text);
    if (parsed < key->low || parsed > key->high)
        return error_set(err, ERROR_INPUT, "'%s' is outside %g to %g", text, key->low, key->high);
    *value = parsed;
    return true;
}

static bool kind_parse_share(const char *text, double *value, struct error *err)
{
    double parsed;
    if (!units_parse_share(text, &parsed))
        return error_set(err, ERROR_INPUT, "'%s' is not a share; write such as 2%% or 0.02", text);
    if (parsed <= 0 || parsed > 1)
        return error_set(err, ERROR_INPUT, "'%s' is not a share above 0 and up to 1 (100%%)", text);
    *value = parsed;
    return true;
}

/* "1000p", "1 packet", "85 packets", "20MB" or "none". */
static bool kind_parse_level(const char *text, struct emu_level *level, struct error *err)
{
    static const struct key packets = {.kind = KEY_INTEGER, .min = 1, .max = 1000000000};
    size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits + strspn(text + digits, " ");
    *level = (struct emu_level){EMU_QUEUE_UNLIMITED, EMU_QUEUE_UNLIMITED};
    if (strcmp(text, "none") == 0)
        return true;
    if (digits > 0 && (strcmp(unit, "p") == 0 || strcmp(unit, "packet") == 0 || strcmp(unit, "packets") == 0)) {
        char number[24];
        snprintf(number, sizeof number, "%.*s", digits < 20 ? (int)digits : 20, text);
        return kind_parse_integer(&packets, number, &level->packets, err);
    }
    return units_parse_bytes(text, &level->bytes, err) ||
           error_prefix(err, "neither bytes (20MB), nor packets (1000p), nor none: ");
}

static bool kind_parse_host(const char *text, int *host, struct error *err)
{
    char canonical[16] = "";
    int number = -1;
    if (sscanf(text, "h%9d", &number) == 1 && number >= 0)
        snprintf(canonical, sizeof canonical, "h%d", number);
    if (number < 0 || strcmp(text, canonical) != 0 || number >= SCENARIO_HOSTS) /* "" is like no host */
        return error_set(err, ERROR_INPUT, "'%s' is not a host; hosts are h0, h1, ... h%d", text, SCENARIO_HOSTS - 1);
    *host = number;
    return true;
}

static bool kind_parse_point(const char *text, struct scenario_point *p, struct error *err)
{
    char canonical[24] = "";
    *p = (struct scenario_point){-1, -1};
    if (sscanf(text, "%6d/%6d", &p->incoming, &p->outgoing) == 2)
        snprintf(canonical, sizeof canonical, "%d/%d", p->incoming, p->outgoing);
    if (strcmp(text, canonical) != 0 || p->incoming < 0 || p->outgoing < 0)
        return error_set(err, ERROR_INPUT, "'%s' is not a point; write in/out, such as 2/1", text);
    int flows = p->incoming + p->outgoing;
    return (flows >= 1 && flows <= SCENARIO_FLOWS) ||
           error_set(err, ERROR_INPUT, "'%s' has %d flows; 1 to %d can run", text, flows, SCENARIO_FLOWS);
}

static bool kind_parse_pause(const char *text, struct scenario_pause *p, struct error *err)
{
    static const struct key pause = {.kind = KEY_TIME, .min = 1, .max = INT64_MAX / 4};
    static const struct key after = {.kind = KEY_BYTES, .min = 1, .max = INT64_MAX / 4};
    char time[32], bytes[32];
    int length = 0;
    if (sscanf(text, "%31s after %31s%n", time, bytes, &length) != 2 || text[length] != '\0')
        return error_set(err, ERROR_INPUT, "'%s' is not a pause; write such as 200ms after 1MB", text);
    return kind_parse_integer(&pause, time, &p->pause_ps, err) &&
           kind_parse_integer(&after, bytes, &p->after_bytes, err);
}

static bool kind_parse_text(const struct key *key, const char *text, char *value, struct error *err)
{
    size_t length = strlen(text);
    if (key->kind == KEY_NAME && (length < 1 || length >= key->size || strspn(text, NAME_CHARACTERS) != length))
        return error_set(err, ERROR_INPUT, "'%s' is not a name: 1 to %zu of the characters A-Z a-z 0-9 _ . -", text,
                         key->size - 1);
    if (length >= key->size)
        return error_set(err, ERROR_INPUT, "%zu bytes long; %zu fit", length, key->size - 1);
    memcpy(value, text, length + 1);
    return true;
}

bool keys_kind_parse(const struct key *key, const char *text, void *value, struct error *err)
{
    static const char *const switches[] = {"false", "true", NULL};
    bool on = key->kind == KEY_SWITCH;
    const char *const *names = on ? switches : key->names;
    int64_t number = 0;
    char known[NAMES_TEXT];
    switch (key->kind) {
    case KEY_TEXT:
    case KEY_NAME: return kind_parse_text(key, text, value, err);
    case KEY_RANGE: return kind_parse_range(key, text, value, err);
    case KEY_NUMBER: return kind_parse_number(key, text, value, err);
    case KEY_SHARE: return kind_parse_share(text, value, err);
    case KEY_LEVEL: return kind_parse_level(text, value, err);
    case KEY_HOST: return kind_parse_host(text, value, err);
    case KEY_POINT: return kind_parse_point(text, value, err);
    case KEY_PAUSE: return kind_parse_pause(text, value, err);
    case KEY_SWITCH:
    case KEY_CHOICE:
        number = names_find(names, text);
        return number >= 0 ? kind_store(key, number, value)
                           : error_set(err, ERROR_INPUT, "'%s' is not %s; there are: %s", text,
                                       on ? "a yes or no" : key->noun, names_list(names, known));
    default: return kind_parse_integer(key, text, &number, err) && kind_store(key, number, value);
    }
}

/* The shortest text that is the same number. */
static void kind_format_double(double value, char text[static KEYS_TEXT])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, UNITS_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

static void kind_format_level(const struct emu_level *level, char text[static KEYS_TEXT])
{
    if (level->bytes != EMU_QUEUE_UNLIMITED)
        units_format_bytes(level->bytes, text);
    else if (level->packets != EMU_QUEUE_UNLIMITED)
        snprintf(text, UNITS_TEXT, "%" PRId64 "p", level->packets);
    else
        snprintf(text, UNITS_TEXT, "none");
}

void keys_kind_format(const struct key *key, const void *value, char text[static KEYS_TEXT])
{
    const struct scenario_pause *pause = value;
    const struct scenario_point *point = value;
    const int64_t *range = value;
    int64_t number;
    char after[UNITS_TEXT];
    switch (key->kind) {
    case KEY_TEXT:
    case KEY_NAME:
        snprintf(text, KEYS_TEXT, "%s", (const char *)value);
        return;
    case KEY_RANGE:
        units_format_bytes(range[0], text);
        units_format_bytes(range[1], after);
        text_add(text, KEYS_TEXT, "..%s", after);
        return;
    case KEY_NUMBER:
    case KEY_SHARE:
        kind_format_double(*(const double *)value, text);
        return;
    case KEY_LEVEL:
        kind_format_level(value, text);
        return;
    case KEY_POINT:
        snprintf(text, KEYS_TEXT, "%d/%d", point->incoming, point->outgoing);
        return;
    case KEY_PAUSE:
        units_format_time(pause->pause_ps, text);
        units_format_bytes(pause->after_bytes, after);
        text_add(text, KEYS_TEXT, " after %s", after);
        return;
    case KEY_HOST:
        snprintf(text, KEYS_TEXT, "h%d", *(const int *)value);
        return;
    default: break;
    }
    number = kind_integer(key, value);
    if (key->kind == KEY_SWITCH)
        snprintf(text, KEYS_TEXT, number ? "true" : "false");
    else if (key->kind == KEY_CHOICE)
        snprintf(text, KEYS_TEXT, "%s", key->names[number]);
    else if (key->zero && number == 0)
        snprintf(text, KEYS_TEXT, "%s", key->zero);
    else
        kind_format_number(key, number, text);
}

void keys_kind_describe(const struct key *key, char text[static KEYS_WORDS])
{
    static const char *const nouns[] = {
        [KEY_TEXT] = "text",      [KEY_NAME] = "name",           [KEY_INTEGER] = "whole number",
        [KEY_BYTES] = "size",     [KEY_WINDOW] = "size, at least a segment",
        [KEY_TIME] = "time",      [KEY_RATE] = "rate",           [KEY_RANGE] = "size, or two such as 10MB..60MB",
        [KEY_NUMBER] = "number",  [KEY_SHARE] = "share, such as 2% or 0.02", [KEY_SWITCH] = "true or false",
        [KEY_LEVEL] = "size, packets such as 1000p, or none", [KEY_HOST] = "host, such as h3",
        [KEY_POINT] = "point, in/out such as 2/1", [KEY_PAUSE] = "pause, such as 200ms after 1MB",
        [KEY_SECTION] = "section", [KEY_OPTION] = "section",     [KEY_HOSTS] = "list of hosts",
    };
    char low[UNITS_TEXT], high[UNITS_TEXT], entry[KEYS_WORDS];
    if (key->kind == KEY_CHOICE) {
        names_list(key->names, text);
    } else if (key->kind == KEY_LIST || key->kind == KEY_ARRAY) {
        keys_kind_describe(key->entry, entry);
        snprintf(text, KEYS_WORDS, "list: %.250s", entry);
    } else if (key->kind == KEY_NUMBER) {
        snprintf(text, KEYS_WORDS, "number, %g to %g", key->low, key->high);
    } else if (key->max == 0 || key->kind == KEY_HOSTS) {
        snprintf(text, KEYS_WORDS, "%s", nouns[key->kind]);
    } else {
        kind_format_number(key, key->min, low);
        kind_format_number(key, key->max, high);
        bool bounded = key->max < INT64_MAX;
        snprintf(text, KEYS_WORDS, "%s%s%s, %s%s%s", key->zero ? key->zero : "", key->zero ? ", or " : "",
                 nouns[key->kind], bounded ? low : "from ", bounded ? " to " : low, bounded ? high : "");
    }
}
