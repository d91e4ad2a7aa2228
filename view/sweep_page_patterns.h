/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sweep_page_patterns.h - inside the page: what its histograms (sweep_page_patterns.c) and tables
 * (sweep_page_table2.c) share. */
#ifndef VIEW_SWEEP_PAGE_PATTERNS_H
#define VIEW_SWEEP_PAGE_PATTERNS_H

#include "view/sweep_page.h"

#define VIEW_SWEEP_PAGE_MODELS 12 /* at most */

/* Names of the cells' models, borrowed: the paper's two first, others as the JSON has them. */
size_t view_sweep_page_models(const json_t *cells, const char *name[static VIEW_SWEEP_PAGE_MODELS]);

/* What a cell has of a model; NULL: nothing. */
const json_t *view_sweep_page_model(const json_t *cell, const char *name);

/* What a cell of random patterns is besides hosts and d, by its other axes: "window=3MB"; "" nothing. Cells of one
 * setting stand beside each other as in the paper. For free(); NULL when memory is out. */
char *view_sweep_page_setting(const json_t *cell);

/* Table II, of cells of one setting ("" or what to add to the title), and errors of all models, of all cells. */
bool view_sweep_page_table2(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *cells,
                            const char *setting, struct error *err);
bool view_sweep_page_errors(struct view_sweep_page *p, const struct view_sweep_page_sweep *s, const json_t *cells,
                            struct error *err);

#endif
