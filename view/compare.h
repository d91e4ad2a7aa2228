/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/compare.h - two captures or runs side by side (study/compare/compare.h): in words, as tables, as JSON, as a
 * page. */
#pragma once

#include "study/compare/compare_sweeps.h"
#include "view/table.h"

/* A drawing is as wide as its page. There are two, and one is in sight: of a page in the hand, and of one on a desk. */
#define VIEW_COMPARE_NARROW 640
#define VIEW_COMPARE_WIDE 1200
#define VIEW_COMPARE_CLASS(width) ((width) == VIEW_COMPARE_WIDE ? "full desk" : "full hand")

/* A figure of both sides: the head of its cells, the cells, divided by `scale`, and an object. */
#define VIEW_COMPARE_HEAD "before|+-|after|+-|change|+-|%|changed"
void view_compare_row(struct view_table *t, const struct study_compare_value *v, double scale);
json_t *view_compare_value_json(const struct study_compare_value *v);

/* A line on the host, and on what else differs, then its tables. */
void view_compare_print(FILE *f, const struct study_compare_host *h);

json_t *view_compare_json(const struct study_compare *c);

/* DIRECTORY/compare.html, which needs nothing else; the directory is made, if need be. */
bool view_compare_page(const char *directory, const char *const path[STUDY_COMPARE_SIDES],
                       const struct study_compare *c, struct error *err);

/* The same of two sweeps: a line on all points, then tables: of their means, by the values of each axis, and of the
 * points that changed most. */
void view_compare_sweeps_print(FILE *f, const struct study_compare_sweeps *c);

json_t *view_compare_sweeps_json(const struct study_compare_sweeps *c);

/* DIRECTORY/compare.html, which needs nothing else; the directory is made, if need be. */
bool view_compare_sweeps_page(const char *directory, const char *const path[STUDY_COMPARE_SIDES],
                              const struct study_compare_sweeps *c, struct error *err);
