/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/csv.h - reads the tables of a run directory: a first line with names, columns found by them; writes a
 * field. */
#ifndef RESULTS_CSV_H
#define RESULTS_CSV_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define RESULTS_CSV_COLUMNS 16

struct results_csv {
    char *path; /* owned */
    FILE *f;
    char *line; /* owned */
    size_t size;
    int number; /* of the line, from 1 */
    size_t columns, at[RESULTS_CSV_COLUMNS];
};

/* DIRECTORY/NAME with at least these columns, at most RESULTS_CSV_COLUMNS. False and *err when it cannot be read or
 * lacks one. */
bool results_csv_open(struct results_csv *c, const char *directory, const char *name, const char *const *columns,
                      size_t n, struct error *err);

/* The next row's values, in the order the columns were asked for; valid until the next call. False at the end, and
 * when a row is short: *err says so then, else its code is ERROR_NONE (0). */
bool results_csv_next(struct results_csv *c, char **values, struct error *err);

void results_csv_close(struct results_csv *c);

/* NAN when empty or no number. */
double results_csv_number(const char *text);

/* A field as RFC 4180 has it: between quotes where it must be. */
void results_csv_text(FILE *f, const char *text);

#endif
