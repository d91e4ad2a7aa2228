/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/print.h - outside text as it may be printed: names of files and keys, values from captures and databases.
 *
 * A terminal obeys control characters and takes some others for directions, so that printed text could rewrite what
 * stands above it. Such characters, and bytes that are not UTF-8, are printed as \xNN. Every error message and cell of
 * a table goes through here, and print_guard() sees to what does not. (Cells of CSV: results/csv.h; HTML: view/text.h,
 * which reads characters with print_character().) */
#pragma once

#include "base/std.h"

#define PRINT_PIECE 5 /* "\x1b" and a NUL */

/* Bytes of the character that the n bytes at `s` begin with (RFC 3629); 0 when they begin with none that is printed as
 * it is. */
size_t print_character(const char *s, size_t n);

/* `text` as one piece of a line, where a line break is a control character; for free(). */
char *print_escaped(const char *text);

/* The same into `to`, cut between two characters where there is no more room. */
void print_escape(char *to, size_t room, const char *text);

struct print_guard {
    int descriptor;
    char kept[3]; /* the beginning of a character, whose end the next write brings */
    size_t n_kept;
};

/* A stream to a descriptor, on which text passes with its line breaks and tabs, and everything else is escaped. NULL
 * when there is no memory. *g is the stream's as long as that is open; the descriptor stays open. */
FILE *print_guard(struct print_guard *g, int descriptor);
