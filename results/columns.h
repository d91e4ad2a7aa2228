/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/columns.h - a result is a field of a struct and a row of its columns: reading and writing follow from that. */
#pragma once

#include "results/csv.h"

#include <jansson.h>

#define RESULTS_NAME 32 /* of a flow, a host, a port; with its NUL */

/* What a field is, and how it is written. Unknown: an empty field of a CSV, null in JSON and SQL. */
enum results_kind {
    RESULTS_TEXT,    /* char[RESULTS_NAME] */
    RESULTS_COUNT,   /* int64_t; -1 unknown */
    RESULTS_TIME,    /* int64_t, ps; -1 unknown; in files seconds, every picosecond in a CSV */
    RESULTS_RATE,    /* double, bit/s; NAN unknown; whole bits per second in a CSV */
    RESULTS_SECONDS, /* double, s; NAN unknown; 12 digits in a CSV */
    RESULTS_FLAG,    /* bool */
};

/* Where a column is: any of these together. RESULTS_WHEN_KNOWN: in JSON only where its value is known. */
enum {
    RESULTS_IN_CSV = 1, RESULTS_IN_JSON = 2, RESULTS_IN_SQL = 4, RESULTS_IN_JSON_SQL = 6, RESULTS_IN_ALL = 7,
    RESULTS_WHEN_KNOWN = 8, RESULTS_IN_JSON_KNOWN = RESULTS_IN_JSON | RESULTS_WHEN_KNOWN
};

/* A list of ROW(field, KIND, WHERE, name, json, object, meaning) is a struct, of RESULTS_FIELD rows, and its columns, of
 * RESULTS_COLUMN rows, where RESULTS_OF is the struct. doc/columns.py makes the JSON Schema from the same list. */
#define RESULTS_FIELD(field, kind, where, name, json, object, meaning) RESULTS_FIELD_##kind(field);
#define RESULTS_FIELD_TEXT(field) char field[RESULTS_NAME]
#define RESULTS_FIELD_COUNT(field) int64_t field
#define RESULTS_FIELD_TIME(field) int64_t field
#define RESULTS_FIELD_RATE(field) double field
#define RESULTS_FIELD_SECONDS(field) double field
#define RESULTS_FIELD_FLAG(field) bool field
#define RESULTS_COLUMN(field, kind, where, name, json, object, meaning)                                                \
    {name, json, object, RESULTS_##kind, RESULTS_IN_##where, offsetof(struct RESULTS_OF, field), meaning},
#define RESULTS_COLUMNS(column) {column, sizeof column / sizeof *column, sizeof(struct RESULTS_OF)}

struct results_column {
    const char *name;    /* in CSV and SQL */
    const char *json;    /* key of the JSON object; NULL: the same */
    const char *object;  /* of a JSON object inside it that holds the key; NULL: none */
    enum results_kind kind;
    unsigned in;
    size_t offset;       /* of the field */
    const char *meaning; /* one line */
};

struct results_columns {
    const struct results_column *column;
    size_t n, size; /* size: of the struct */
};

/* Fields of a struct that nobody has filled: unknown. */
void results_columns_clear(const struct results_columns *c, void *row);

/* The first line, and a row, of a CSV. */
void results_columns_csv_head(const struct results_columns *c, FILE *f);
void results_columns_csv_row(const struct results_columns *c, const void *row, FILE *f);

/* A whole CSV into an array, for free(). Every column of the CSV up to `required` must be there. */
bool results_columns_read(const struct results_columns *c, const char *path, size_t required, void **rows, size_t *n,
                          struct error *err);

/* As a JSON object; an inner object stands at its end, null when its first value is unknown. */
json_t *results_columns_json(const struct results_columns *c, const void *row);

/* What is not there, or of another type, stays unknown. */
void results_columns_from_json(const struct results_columns *c, const json_t *object, void *row);

/* One field as a number (times in seconds), NAN when unknown or a text; and back. */
double results_columns_number(const struct results_column *c, const void *row);
void results_columns_put_number(const struct results_column *c, double value, void *row);
