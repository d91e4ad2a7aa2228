/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/check_show.h - judged resources, as 'contraflow check' prints them. */
#ifndef CLI_CHECK_SHOW_H
#define CLI_CHECK_SHOW_H

#include "analysis/resource.h"
#include "view/table.h"

void cli_check_show_resource(const char *source, bool simulated, const struct analysis_resource *r);
json_t *cli_check_show_resource_json(const char *source, bool simulated, const struct analysis_resource *r);

/* The table after all resources: its head, and a row of one. */
void cli_check_show_summary_start(struct view_table *t);
void cli_check_show_summary(struct view_table *t, const char *source, const struct analysis_resource *r);

#endif
