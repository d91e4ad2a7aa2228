/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sweeps/sweep_page_table2.h - inside the page of sweeps: Table II, and the errors of every model. */
#pragma once

#include "study/fit/fit_patterns.h"
#include "view/sweeps/sweep_page.h"

/* Cells of a fit that are shown beside each other. All borrowed. */
struct view_sweep_page_cells {
    const struct study_fit_patterns *fit;
    const struct study_fit_patterns_cell **cell;
    /* What each cell is besides hosts and d, by its other axes: "window=3MB"; "" nothing. */
    char **setting;
    size_t n;
    size_t order[STUDY_FIT_PATTERNS_MODELS]; /* in which models are shown: the paper's two first */
};

/* Table II, of cells of one setting: "" or what to add to the title. */
void view_sweep_page_table2(struct view_sweep_page *p, const struct view_sweep_page_cells *cells, const char *setting);

/* Mean |error| of every model in every cell. */
void view_sweep_page_errors(struct view_sweep_page *p, const struct view_sweep_page_cells *cells);
