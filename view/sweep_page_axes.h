/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sweep_page_axes.h - points of a sweep as a grid: which values its axes have, and the point at some of them. */
#ifndef VIEW_SWEEP_PAGE_AXES_H
#define VIEW_SWEEP_PAGE_AXES_H

#include "base/error.h"

#include <jansson.h>

#define VIEW_SWEEP_PAGE_AXES 12   /* at most */
#define VIEW_SWEEP_PAGE_VALUES 64 /* of an axis, at most */

struct view_sweep_page_axis {
    const char *key;  /* borrowed: "network.switch.limit" */
    char name[32];    /* as view_sweep_page_axes_name() */
    char text[VIEW_SWEEP_PAGE_VALUES][32];
    size_t n;
    bool numbers;     /* all values are: they stand by size, others as they come */
};

struct view_sweep_page_axes {
    struct view_sweep_page_axis *axis; /* owned */
    size_t n, x, y;         /* x, y: the two axes of numbers with the most values; the same one when there is one */
    const json_t **point;   /* owned; points borrowed, in their order */
    size_t points;
    size_t *at;             /* owned; 1 + the point at a place of the grid, 0 none */
};

/* Of points with a member "axes". ERROR_INPUT when they span more than the above. */
bool view_sweep_page_axes_make(struct view_sweep_page_axes *a, const json_t *points, struct error *err);
void view_sweep_page_axes_free(struct view_sweep_page_axes *a);

/* NULL: the grid has a hole there. at[i] counts the values of axis i. */
const json_t *view_sweep_page_axes_point(const struct view_sweep_page_axes *a, const size_t *at);

/* The last two words of an axis: "switch.limit". */
const char *view_sweep_page_axes_name(const char *key);

/* An axis' value as the sweep file writes it. */
const char *view_sweep_page_axes_text(const json_t *value, char text[static 32]);

#endif
