/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/range.h"

#include "base/units.h"

static bool parse_integer(const char *text, int64_t *value, struct error *err)
{
    return units_parse_integer(text, value, err);
}

static void format_integer(int64_t value, char text[static UNITS_TEXT])
{
    snprintf(text, UNITS_TEXT, "%" PRId64, value);
}

/* What a range can be of; a plain number is tried before sizes, which need no unit. */
static const struct sweep_kind {
    bool (*parse)(const char *text, int64_t *value, struct error *err);
    void (*format)(int64_t value, char text[static UNITS_TEXT]);
} kinds[] = {
    {parse_integer, format_integer},
    {units_parse_time, units_format_time},
    {units_parse_rate, units_format_rate},
    {units_parse_bytes, units_format_bytes},
};

bool sweep_range_has(const struct sweep_range *v, const char *text)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->texts[i], text) == 0)
            return true;
    return false;
}

bool sweep_range_add(struct sweep_range *v, const char *text, struct error *err)
{
    if (v->n == SWEEP_RANGE_VALUES)
        return error_set(err, ERROR_INPUT, "more than %d values", SWEEP_RANGE_VALUES);
    if ((v->n & (v->n - 1)) == 0)
        v->texts = memory_resized(v->texts, 2 * v->n + 1, sizeof *v->texts, "values of an axis");
    v->texts[v->n++] = memory_text("%s", text);
    return true;
}

bool sweep_range_count(struct sweep_range *v, int64_t first, int64_t count, struct error *err)
{
    char text[UNITS_TEXT];
    for (int64_t i = 0; i < count; i++) {
        format_integer(first + i, text);
        if (!sweep_range_add(v, text, err))
            return false;
    }
    return true;
}

/* What stands behind the digits of "10kB", as one of it: "1kB". */
static bool range_unit(const struct sweep_kind *kind, const char *from, int64_t *unit, struct error *err)
{
    char text[UNITS_TEXT + 1];
    const char *suffix = from + strspn(from, "+-0123456789.");
    snprintf(text, sizeof text, "1%s", suffix);
    return kind->parse(text, unit, err) || (*suffix == '\0' && (*unit = 1, true)); /* "0" is a time */
}

static bool range_linear(struct sweep_range *v, const struct sweep_kind *kind, int64_t from, int64_t to, int64_t step,
                         struct error *err)
{
    char text[UNITS_TEXT];
    if ((to - from) / step >= SWEEP_RANGE_VALUES)
        return error_set(err, ERROR_INPUT, "more than %d values", SWEEP_RANGE_VALUES);
    for (int64_t value = from; value <= to; value += step) {
        kind->format(value, text);
        if (!sweep_range_add(v, text, err))
            return false;
        if (value > to - step) /* the next one may not fit 64 bits */
            break;
    }
    return true;
}

static bool range_log(struct sweep_range *v, const struct sweep_kind *kind, int64_t from, int64_t to, int64_t points,
                      int64_t unit, struct error *err)
{
    char text[UNITS_TEXT];
    int64_t last = -1;
    for (int64_t i = 0; i < points; i++) {
        double exact = (double)from * pow((double)to / (double)from, (double)i / (double)(points - 1));
        int64_t value = (int64_t)llround(exact / (double)unit) * unit;
        if (i == 0 || i == points - 1)
            value = i == 0 ? from : to;
        kind->format(value, text);
        if (value != last && !sweep_range_add(v, text, err))
            return false;
        last = value;
    }
    return true;
}

static bool range_load(struct sweep_range *v, const char *from, const char *to, const char *step, const char *points,
                       bool log, struct error *err)
{
    const struct sweep_kind *kind = NULL;
    int64_t a = 0, b = 0, unit = 0, by = 0, count = 0;
    struct error other; /* what it is not */
    for (size_t k = 0; !kind && k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].parse(from, &a, &other) && kinds[k].parse(to, &b, &other))
            kind = &kinds[k];
    if (!kind || !range_unit(kind, from, &unit, &other))
        return error_set(err, ERROR_INPUT, "'%s' to '%s' is no range of numbers, sizes, rates or times; "
                         "list the values", from, to);
    if (b < a || a < INT64_MIN / 2 || b > INT64_MAX / 2)
        return error_set(err, ERROR_INPUT, "from %s to %s is %s", from, to, b < a ? "backwards" : "too far");
    if (log) {
        if (a < 1)
            return error_set(err, ERROR_INPUT, "a log range starts above 0, not at %s", from);
        if (step || !points || !units_parse_integer(points, &count, err) || count < 2 || count > SWEEP_RANGE_VALUES)
            return error_set(err, ERROR_INPUT, "a log range takes points: 2 to %d, and no step", SWEEP_RANGE_VALUES);
        return range_log(v, kind, a, b, count, unit, err);
    }
    if (points)
        return error_set(err, ERROR_INPUT, "points go with scale: log; a plain range takes a step");
    by = unit;
    if (step && (!kind->parse(step, &by, err) || by < 1))
        return error_set(err, ERROR_INPUT, "'%s' is no step above 0 of the same kind as %s", step, from);
    return range_linear(v, kind, a, b, by, err);
}

static bool range_load_mapping(struct sweep_range *v, const struct document *d, int node, struct error *err)
{
    static const char *const keys[] = {"from", "to", "step", "points", "scale"};
    const char *values[5] = {NULL}, *key;
    int value;
    for (size_t i = 0; (value = document_entry(d, node, i, &key)); i++) {
        size_t k = 0;
        while (k < 5 && strcmp(keys[k], key) != 0)
            k++;
        if (k == 5 || !(values[k] = document_scalar(d, value)))
            return error_set(err, ERROR_INPUT, "a range goes {from: 10kB, to: 1MB, points: 8, scale: log} or {from: 1, "
                             "to: 12, step: 1}; '%s' is wrong there", key);
    }
    if (!values[0] || !values[1])
        return error_set(err, ERROR_INPUT, "a range takes from and to");
    bool log = values[4] && strcmp(values[4], "log") == 0;
    if (values[4] && !log && strcmp(values[4], "linear") != 0)
        return error_set(err, ERROR_INPUT, "scale '%s' is neither log nor linear", values[4]);
    return range_load(v, values[0], values[1], values[2], values[3], log, err);
}

bool sweep_range_load(struct sweep_range *v, const struct document *d, int node, struct error *err)
{
    const char *text = document_scalar(d, node), *key = "", *dots = text ? strstr(text, "..") : NULL;
    int value;
    if (dots) {
        MEMORY_LOCAL char *from = memory_text("%.*s", (int)(dots - text), text);
        return range_load(v, from, dots + 2, NULL, NULL, false, err);
    }
    if (text || !document_entry(d, node, 0, &key))
        return error_set(err, ERROR_INPUT, "'%s' is neither a list [1, 2, 3] nor a range 1..12", text ? text : "");
    if (*key)
        return range_load_mapping(v, d, node, err);
    for (size_t i = 0; (value = document_entry(d, node, i, &key)); i++) {
        const char *entry = document_scalar(d, value);
        if (!entry || !*entry)
            return error_set(err, ERROR_INPUT, "entry %zu is no single value", i + 1);
        if (sweep_range_has(v, entry))
            return error_set(err, ERROR_INPUT, "'%s' is listed twice", entry);
        if (!sweep_range_add(v, entry, err))
            return false;
    }
    return true;
}

void sweep_range_fini(struct sweep_range *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->texts[i]);
    free(v->texts);
    *v = (struct sweep_range){0};
}
