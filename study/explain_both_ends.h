/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/explain_both_ends.h - explain --both-ends: two captures of the same flows, one beside either end. */
#ifndef STUDY_EXPLAIN_BOTH_ENDS_H
#define STUDY_EXPLAIN_BOTH_ENDS_H

#include "base/error.h"

#include <stddef.h>

/* Prints a table, or JSON, of the bulk flows that are in both files; *n counts them. */
bool study_explain_both_ends(const char *const path[2], bool as_json, size_t *n, struct error *err);

#endif
