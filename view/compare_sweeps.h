/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/compare_sweeps.h - two sweeps side by side (study/compare/compare_sweeps.h): in words, as tables, as JSON, as a page. */
#pragma once

#include "study/compare/compare_sweeps.h"

/* A line on all points, then tables: of their means, by the values of each axis, and of the points that changed most. */
void view_compare_sweeps_print(FILE *f, const struct study_compare_sweeps *c);

json_t *view_compare_sweeps_json(const struct study_compare_sweeps *c);

/* DIRECTORY/compare.html, which needs nothing else; the directory is made, if need be. */
bool view_compare_sweeps_page(const char *directory, const char *const path[STUDY_COMPARE_SIDES],
                              const struct study_compare_sweeps *c, struct error *err);
