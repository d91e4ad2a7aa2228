/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/text.h - how words and numbers of others get into pages, drawings and commands: nowhere else is anything
 * escaped. (CSV fields: results/csv.h.) */
#pragma once

#include <stdio.h>

/* What HTML and XML would read as markup is escaped; what is not UTF-8 or not printable becomes U+FFFD. The second one
 * formats first. The third one takes markup, in which every %s is such a text; it knows %s and %% only. */
void view_text_html(FILE *f, const char *text);
void view_text_htmlf(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void view_text_markup(FILE *f, const char *markup, ...) __attribute__((format(printf, 2, 3)));

/* A word of a POSIX shell command line; for free(). */
char *view_text_shell_word(const char *text);

/* The unit that fits values up to `top`, given in "b/s", "B", "s" or the like: "Mb/s". Returns what to divide by. */
#define VIEW_TEXT_UNIT 16
double view_text_unit(double top, const char *unit, char text[static VIEW_TEXT_UNIT]);

/* "941.5 Mb/s"; "-" when the value is not finite. Returns `text`. */
#define VIEW_TEXT_QUANTITY 40
const char *view_text_quantity(double value, const char *unit, char text[static VIEW_TEXT_QUANTITY]);
