/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/csv.h - tables as RFC 4180 has them: a first line with names, columns found by them; fields and figures
 * written. Lines that are empty or start with '#' are passed over. A quoted field may hold commas and quotes, but no
 * line break. */
#pragma once

#include "base/error.h"

#define RESULTS_CSV_COLUMNS 32

struct results_csv {
    char *path; /* owned */
    FILE *f;
    char *line; /* owned */
    int number; /* of the line, from 1 */
    const char *const *names; /* borrowed; of the columns */
    size_t columns, at[RESULTS_CSV_COLUMNS];
};

enum results_csv_next { RESULTS_CSV_ROW, RESULTS_CSV_END, RESULTS_CSV_FAILED };

/* Opens a table for `n` columns (borrowed), at most RESULTS_CSV_COLUMNS, of which the first `required` must be there. False and
 * *err (naming file, line and column) when it cannot be read or lacks one. */
bool results_csv_open(struct results_csv *c, const char *path, const char *const *columns, size_t n, size_t required,
                      struct error *err);

/* The same for DIRECTORY/NAME, every column required. */
bool results_csv_open_in(struct results_csv *c, const char *directory, const char *name, const char *const *columns,
                         size_t n, struct error *err);

/* The next row's values in the order of the columns, "" where an optional one is absent; valid until the next call.
 * FAILED, with *err, when a row is short or reading fails. */
enum results_csv_next results_csv_next(struct results_csv *c, char **values, struct error *err);

/* False with *err: FILE:LINE: and what the format says. */
bool results_csv_fail(const struct results_csv *c, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void results_csv_close(struct results_csv *c);

/* What any result can be: nothing is negative, and a rate, a size or a time of more digits than an int64_t has comes
 * from another program, or from somebody who wishes to see what happens. */
#define RESULTS_CSV_MOST 1e19
bool results_csv_fits(double value);

/* A value of a row as a number, NAN where it is empty. False with *err (file, line, column) when it is no number that
 * fits. The second one takes the first n columns. */
bool results_csv_number(const struct results_csv *c, char *const *values, size_t column, double *number,
                        struct error *err);
bool results_csv_numbers(const struct results_csv *c, char *const *values, size_t n, double *numbers,
                         struct error *err);

/* Writes a field: between quotes where RFC 4180 wants them, control characters as \xNN, and what a spreadsheet would
 * take for a formula behind an apostrophe, which reading takes off. Numbers stay numbers. */
void results_csv_text(FILE *f, const char *text);

/* The same field for free(): for names that come in every row. */
char *results_csv_field(const char *text);

/* Writes seconds with every picosecond ("1.000000000002"), nothing when negative. */
void results_csv_time(FILE *f, int64_t time_ps);

/* The same at `to`, which has DECIMAL_ROOM bytes (base/decimal.h); returns how many, no NUL among them. */
size_t results_csv_put_time(char *to, int64_t time_ps);
