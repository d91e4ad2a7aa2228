/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/compare.h - two captures or runs side by side (study/compare.h): in words, as tables, as JSON, as a page. */
#ifndef VIEW_COMPARE_H
#define VIEW_COMPARE_H

#include "study/compare.h"

#include <jansson.h>
#include <stdio.h>

/* A line on the host, then its table. */
void view_compare_print(FILE *f, const struct study_compare_host *h);

json_t *view_compare_json(const struct study_compare *c);

/* DIRECTORY/compare.html, which needs nothing else; the directory is made, if need be. */
bool view_compare_page(const char *directory, const char *const path[STUDY_COMPARE_SIDES],
                       const struct study_compare *c, struct error *err);

#endif
