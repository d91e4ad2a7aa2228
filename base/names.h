/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/names.h - the names of an enum's values: an array beside the enum, in its order, that ends with NULL. Parsing
 * and printing use the same array. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stddef.h>

#define NAMES_TEXT 256 /* room for the longest list */

/* Index of `text` (may be NULL) among the names; -1 if it is none of them. */
int names_find(const char *const *names, const char *text);

/* Writes "fifo, ack-first, fair" to `list`, cut where it does not fit. Returns `list`. */
char *names_list(const char *const *names, char list[static NAMES_TEXT]);

#endif
