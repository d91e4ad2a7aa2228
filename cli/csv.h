/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/csv.h - reads the tables of a run directory: a first line with names, columns found by them; writes a field. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CLI_CSV_COLUMNS 16

struct cli_csv {
    char *path; /* owned */
    FILE *f;
    char *line; /* owned */
    size_t size;
    int number; /* of the line, from 1 */
    size_t columns, at[CLI_CSV_COLUMNS];
};

/* DIRECTORY/NAME with at least these columns, at most CLI_CSV_COLUMNS. False and *err when it cannot be read or lacks
 * one. */
bool cli_csv_open(struct cli_csv *c, const char *directory, const char *name, const char *const *columns, size_t n,
                  struct error *err);

/* The next row's values, in the order the columns were asked for; valid until the next call. False at the end, and
 * when a row is short: *err says so then, else its code is ERROR_NONE (0). */
bool cli_csv_next(struct cli_csv *c, char **values, struct error *err);

void cli_csv_close(struct cli_csv *c);

/* NAN when empty or no number. */
double cli_csv_number(const char *text);

/* A field as RFC 4180 has it: between quotes where it must be. */
void cli_csv_text(FILE *f, const char *text);

#endif
