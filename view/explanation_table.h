/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/explanation_table.h - explained flows as a table, for explain and reports. */
#pragma once

#include "study/explain/explanation.h"
#include "view/table.h"

#define VIEW_EXPLANATION_TABLE_COLUMNS 12

/* The first two columns are texts. */
extern const char *const view_explanation_table_head[VIEW_EXPLANATION_TABLE_COLUMNS];
void view_explanation_table_row(struct view_table *t, const struct study_explanation *e);
