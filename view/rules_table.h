/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/rules_table.h - the flows of a shared resource beside what each rule predicts, for check and reports. */
#pragma once

#include "analysis/rules/check_capture.h"
#include "study/explain/explanation.h"
#include "view/table.h"

#define VIEW_RULES_TABLE_TEXTS 3 /* columns in front of the numbers */

/* Initialises and fills *t: a head, a row a flow, and below the rules B fitted, largest error and whether they hold. */
void view_rules_table(struct view_table *t, const struct analysis_resource *r);

/* "1.1 %", "-" where the rule does not apply. */
void view_rules_table_error(struct view_table *t, const struct analysis_rule_fit *fit);

/* A table of explained flows; `wait`: behind the names of waits. The first two columns are texts. */
#define VIEW_EXPLANATION_TABLE(wait)                                                                                  \
    "from|to|whole Mb/s|steady Mb/s|window kB|floor ms|data wait" wait "|ACK wait" wait "|ACK share|compressed|tap|limit"
void view_explanation_table_row(struct view_table *t, const struct study_explanation *e);
