/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/json.h - a JSON object whose keys, and what each holds, are one string. */
#pragma once

#include <jansson.h>

/* "flow:s points:z gamma:f worst:o": keys and kinds, a value for each behind them. Kinds: s text, NULL is null; t the
 * same, but NULL leaves the key out; b bool; i int; u unsigned; l int64_t; z size_t; f double, null when it is not
 * finite; o json_t, taken. */
json_t *results_json(const char *members, ...);

/* The same members, added to an object. */
void results_json_add(json_t *object, const char *members, ...);

/* An object of such members, at the end of an array. */
void results_json_append(json_t *array, const char *members, ...);

/* A number; null when it is not finite. */
json_t *results_json_number(double value);

/* The member of that name; NAN where it is no number. */
double results_json_real(const json_t *object, const char *key);
