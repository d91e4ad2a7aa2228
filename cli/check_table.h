/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/check_table.h - the flows of a shared resource beside what each rule predicts, for check and reports. */
#ifndef CLI_CHECK_TABLE_H
#define CLI_CHECK_TABLE_H

#include "analysis/check_capture.h"
#include "cli/table.h"

#define CHECK_TABLE_TEXTS 3 /* columns in front of the numbers */

/* Initialises and fills *t: a head, a row a flow, and below the rules B fitted, largest error and whether they hold.
 * `origin`: "simulated" or "measured" rates. */
void check_table(struct cli_table *t, const char *origin, const struct analysis_resource *r);

/* "1.1 %", "-" where the rule does not apply. */
void check_table_error(struct cli_table *t, const struct analysis_rule_fit *fit);

#endif
