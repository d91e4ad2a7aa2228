/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/table.h - what analyze and check share to show figures: aligned columns, JSON and CSV numbers. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "analysis/flows.h"
#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#define CLI_TABLE_COLUMNS 12

struct cli_table {
    size_t columns;
    char **cell; /* owned, row by row; the first row is the head */
    size_t n, capacity;
    bool failed; /* memory ran out: the table is not whole */
};

void cli_table_init(struct cli_table *t, size_t columns);
/* With its head. */
void cli_table_start(struct cli_table *t, const char *const *head, size_t columns);
void cli_table_fini(struct cli_table *t); /* without printing */

/* Adds the next cell, printf-style; rows fill from the left. */
void cli_table_add(struct cli_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds "12.3" (value / scale, one to three digits behind the point by size), "-" when it is not finite. */
void cli_table_add_number(struct cli_table *t, double value, double scale);

/* Adds seconds as "12.3", in ms, and a share as "12 %"; "-" when they are not finite. */
void cli_table_add_ms(struct cli_table *t, double s);
void cli_table_add_percent(struct cli_table *t, double share);

/* Adds a share in percent, "12.34", to a column that says so; "-" when it is not finite. */
void cli_table_add_share(struct cli_table *t, double share);

/* Adds two cells, from and to: address and port of either end. */
void cli_table_add_flow(struct cli_table *t, const struct analysis_flow *flow);

/* Prints and frees. Columns from `numbers` on are flushed right. False and *err when memory ran out. */
bool cli_table_print(struct cli_table *t, const char *indent, size_t numbers, FILE *f, struct error *err);

double cli_json_number(const json_t *object, const char *key); /* NAN when it is not there, or no number */
json_t *cli_table_json_number(double value); /* null when it is not finite */
void cli_table_csv_number(FILE *f, double value); /* empty when it is not finite */

#endif
