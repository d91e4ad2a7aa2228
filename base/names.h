/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/names.h - the names of an enum's values: an array beside the enum, in its order, that ends with NULL. Parsing
 * and printing use the same array. */
#pragma once

#include <stddef.h>

#define NAMES_TEXT 256 /* room for the longest list */

/* Index of `text` (may be NULL) among the names; -1 if it is none of them. */
int names_find(const char *const *names, const char *text);

/* Writes "fifo, ack-first, fair" to `list`, cut where it does not fit. Returns `list`. */
char *names_list(const char *const *names, char list[static NAMES_TEXT]);

/* How far a misspelt `word` is from a name: letters to add, drop, change or swap with the next one (optimal string
 * alignment); 1 where three letters or more are the name's beginning. What is names_too_far() or farther is no
 * suggestion: more than a third of the word's letters and one, or more than three. */
size_t names_distance(const char *name, const char *word);
size_t names_too_far(const char *word);
