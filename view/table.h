/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/table.h - tables of text cells, as aligned columns or HTML, and numbers in them, in JSON and in CSV. */
#pragma once

#include "analysis/flows/flows.h"

#include <jansson.h>

#define VIEW_TABLE_COLUMNS 20
#define VIEW_TABLE_LONG 20

struct view_table {
    size_t columns;
    char *text;  /* owned: the cells, row by row, each with its end; the first row is the head */
    size_t n, bytes, capacity;
};

/* The cell behind another; the first one for NULL, NULL for the last. */
const char *view_table_next(const struct view_table *t, const char *cell);

/* One with its head, "flow|Mb/s|+-"; with room for so many columns, whose head is the first row added. */
struct view_table view_table_of(const char *names);
struct view_table view_table_with(size_t columns);
void view_table_fini(struct view_table *t); /* without printing */

/* Adds the next cells: printf-style, a '|' in the format between each two. Rows fill from the left. A cell is "-" where
 * a number in it is not finite. "%f" alone shows one to three digits after the point, by size. */
void view_table_add(struct view_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds two cells, from and to: address and port of either end. */
void view_table_add_flow(struct view_table *t, const struct analysis_flow *flow);

/* Of a table with more than VIEW_TABLE_LONG rows a line on what it says, before it:
 *   50 flows: whole Mb/s 12300.0 in all, median 245.0, least 3.1 (f7), most 500.0 (f12)
 * It is about the first column in Mb/s, or else in ms, or else of numbers, from column `numbers` on, over the rows that
 * have a number there but those called "total". Only rates of flows, whose table begins with "flow" or "from", are
 * added up. */
void view_table_sum_up(const struct view_table *t, const char *indent, size_t numbers, FILE *f);

/* Prints, summed up where it is long, and frees. Columns from `numbers` on are flushed right. */
void view_table_print(struct view_table *t, const char *indent, size_t numbers, FILE *f);

/* The same as HTML; caption: NULL none. A column "+-" is part of the one before. Of more than VIEW_TABLE_SHOWN columns the
 * rest comes into sight by a switch, without a script. */
#define VIEW_TABLE_SHOWN 8
void view_table_html(FILE *f, const char *caption, struct view_table *t, size_t numbers);

json_t *view_table_json_estimate(const struct estimate *e); /* its value and half its 95 % interval */
