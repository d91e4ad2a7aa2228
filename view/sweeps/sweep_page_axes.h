/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sweeps/sweep_page_axes.h - points of a sweep as a grid: which values its axes have, and the point at some of them. */
#pragma once

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
    size_t n, x, y; /* x, y: the two axes of numbers with the most values; the same one when there is one */
    size_t *at;     /* owned; 1 + the point at a place of the grid, 0 none */
};

/* Of points' axes, an object each; borrowed. ERROR_INPUT when they span more than the above. */
bool view_sweep_page_axes_make(struct view_sweep_page_axes *a, json_t *const *points, size_t n, struct error *err);
void view_sweep_page_axes_free(struct view_sweep_page_axes *a);

/* The index of the point there, SIZE_MAX where the grid has a hole. at[i] counts the values of axis i. */
size_t view_sweep_page_axes_point(const struct view_sweep_page_axes *a, const size_t *at);

/* The last two words of an axis: "switch.limit". */
const char *view_sweep_page_axes_name(const char *key);

/* An axis' value as the sweep file writes it. */
const char *view_sweep_page_axes_text(const json_t *value, char text[static 32]);
