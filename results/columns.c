/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/columns.h"

#include "base/decimal.h"
#include "base/print.h"
#include "base/units.h"
#include "results/json.h"

#define DIGITS 12 /* of a figure */

static const void *columns_field(const struct results_column *c, const void *row)
{
    return (const char *)row + c->offset;
}

static void *columns_place(const struct results_column *c, void *row)
{
    return (char *)row + c->offset;
}

void results_columns_clear(const struct results_columns *c, void *row)
{
    memset(row, 0, c->size);
    for (size_t i = 0; i < c->n; i++)
        if (c->column[i].kind != RESULTS_TEXT && c->column[i].kind != RESULTS_FLAG)
            results_columns_put_number(&c->column[i], NAN, row);
}

double results_columns_number(const struct results_column *c, const void *row)
{
    const void *field = columns_field(c, row);
    switch (c->kind) {
    case RESULTS_COUNT:
    case RESULTS_TIME: {
        int64_t value = *(const int64_t *)field;
        double unit = c->kind == RESULTS_TIME ? (double)UNITS_PS_PER_S : 1;
        return value < 0 ? (double)NAN : (double)value / unit;
    }
    case RESULTS_RATE:
    case RESULTS_SECONDS:
        return *(const double *)field;
    case RESULTS_FLAG:
        return *(const bool *)field;
    default:
        return NAN;
    }
}

void results_columns_put_number(const struct results_column *c, double value, void *row)
{
    void *place = columns_place(c, row);
    double unit = c->kind == RESULTS_TIME ? (double)UNITS_PS_PER_S : 1;
    switch (c->kind) {
    case RESULTS_COUNT:
    case RESULTS_TIME: /* not above what a double holds of an int64_t; comparisons are false for NAN */
        *(int64_t *)place = value >= 0 && value * unit < 9e18 ? llround(value * unit) : -1;
        break;
    case RESULTS_RATE:
    case RESULTS_SECONDS:
        *(double *)place = value;
        break;
    case RESULTS_FLAG:
        *(bool *)place = value > 0;
        break;
    default:
        break;
    }
}

void results_columns_csv_head(const struct results_columns *c, FILE *f)
{
    const char *comma = "";
    for (size_t i = 0; i < c->n; i++)
        if (c->column[i].in & RESULTS_IN_CSV) {
            fprintf(f, "%s%s", comma, c->column[i].name);
            comma = ",";
        }
    putc('\n', f);
}

static void columns_csv_field(const struct results_column *c, const void *row, FILE *f)
{
    const void *field = columns_field(c, row);
    double value = results_columns_number(c, row);
    char text[DECIMAL_ROOM];
    size_t n = 0;
    if (c->kind == RESULTS_TEXT)
        results_csv_text(f, field);
    else if (c->kind == RESULTS_TIME)
        results_csv_time(f, *(const int64_t *)field);
    else if (c->kind == RESULTS_COUNT && *(const int64_t *)field >= 0)
        n = decimal_integer(text, *(const int64_t *)field);
    else if (c->kind == RESULTS_FLAG)
        putc(value > 0 ? '1' : '0', f);
    else if (!isnan(value))
        n = c->kind == RESULTS_RATE ? decimal_fixed(text, value, 0) : decimal_general(text, value, DIGITS);
    fwrite_unlocked(text, 1, n, f);
}

void results_columns_csv_row(const struct results_columns *c, const void *row, FILE *f)
{
    const char *comma = "";
    for (size_t i = 0; i < c->n; i++)
        if (c->column[i].in & RESULTS_IN_CSV) {
            fputs(comma, f);
            columns_csv_field(&c->column[i], row, f);
            comma = ",";
        }
    putc('\n', f);
}

/* A time to the picosecond: a double holds seconds with every one of them for an hour or so only. */
static int64_t columns_time_ps(const char *text)
{
    char *end;
    int64_t seconds = strtoll(text, &end, 10), ps = 0, unit = UNITS_PS_PER_S;
    if (end == text || seconds < 0 || seconds > INT64_MAX / UNITS_PS_PER_S - 1)
        return -1;
    if (*end == '.')
        for (end++; *end >= '0' && *end <= '9' && unit > 1; end++)
            ps += (*end - '0') * (unit /= 10);
    return seconds * UNITS_PS_PER_S + ps;
}

static void columns_put_text(const struct results_column *c, const char *text, double number, void *row)
{
    if (c->kind == RESULTS_TEXT)
        print_escape(columns_place(c, row), RESULTS_NAME, text); /* as it is written, so that it is read again */
    else if (c->kind == RESULTS_TIME)
        *(int64_t *)columns_place(c, row) = columns_time_ps(text);
    else
        results_columns_put_number(c, number, row);
}

bool results_columns_read(const struct results_columns *c, const char *path, size_t required, void **rows, size_t *n,
                          struct error *err)
{
    const struct results_column *column[RESULTS_CSV_COLUMNS];
    const char *names[RESULTS_CSV_COLUMNS];
    char *value[RESULTS_CSV_COLUMNS], *all = NULL;
    struct results_csv csv;
    enum results_csv_next next = RESULTS_CSV_END;
    size_t columns = 0, room = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->column[i].in & RESULTS_IN_CSV) {
            column[columns] = &c->column[i];
            names[columns++] = c->column[i].name;
        }
    *rows = NULL;
    *n = 0;
    if (!results_csv_open(&csv, path, names, columns, required, err))
        return false;
    bool ok = true;
    while (ok && (next = results_csv_next(&csv, value, err)) == RESULTS_CSV_ROW) {
        all = memory_grown(all, *n, &room, 16, c->size, "the rows of a table");
        void *row = all + (*n)++ * c->size;
        results_columns_clear(c, row);
        for (size_t k = 0; ok && k < columns; k++) {
            double number = NAN;
            ok = column[k]->kind == RESULTS_TEXT || results_csv_number(&csv, value, k, &number, err);
            columns_put_text(column[k], value[k], number, row);
        }
    }
    results_csv_close(&csv);
    ok = ok && next != RESULTS_CSV_FAILED;
    if (ok) {
        *rows = all;
    } else {
        free(all);
        *n = 0;
    }
    return ok;
}

static json_t *columns_json_field(const struct results_column *c, const void *row)
{
    double value = results_columns_number(c, row);
    if (c->kind == RESULTS_TEXT)
        return json_string(columns_field(c, row));
    if (c->kind == RESULTS_FLAG)
        return json_boolean(value > 0);
    if (c->kind == RESULTS_COUNT && !isnan(value))
        return json_integer(*(const int64_t *)columns_field(c, row));
    return results_json_number(value);
}

json_t *results_columns_json(const struct results_columns *c, const void *row)
{
    json_t *object = json_object(), *inner = NULL;
    const char *name = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const struct results_column *column = &c->column[i];
        const char *key = column->json ? column->json : column->name;
        if (!(column->in & RESULTS_IN_JSON))
            continue;
        if ((column->in & RESULTS_WHEN_KNOWN) && isnan(results_columns_number(column, row)))
            continue;
        if (!column->object) {
            json_object_set_new(object, key, columns_json_field(column, row));
            continue;
        }
        if (!name) {
            name = column->object;
            inner = isnan(results_columns_number(column, row)) ? json_null() : json_object();
        }
        if (json_is_object(inner))
            json_object_set_new(inner, key, columns_json_field(column, row));
    }
    if (name)
        json_object_set_new(object, name, inner);
    return object;
}

void results_columns_from_json(const struct results_columns *c, const json_t *object, void *row)
{
    results_columns_clear(c, row);
    for (size_t i = 0; i < c->n; i++) {
        const struct results_column *column = &c->column[i];
        const json_t *in = column->object ? json_object_get(object, column->object) : object;
        const json_t *value = json_object_get(in, column->json ? column->json : column->name);
        if (column->kind == RESULTS_TEXT && json_is_string(value))
            columns_put_text(column, json_string_value(value), NAN, row);
        else if (column->kind == RESULTS_COUNT && json_is_integer(value))
            *(int64_t *)columns_place(column, row) = json_integer_value(value);
        else if (json_is_number(value) || json_is_boolean(value))
            results_columns_put_number(column, json_is_number(value) ? json_number_value(value) : json_is_true(value),
                                       row);
    }
}
