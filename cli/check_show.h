/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/check_show.h - judged resources, as 'contraflow check' prints them. */
#pragma once

#include "analysis/rules/resource.h"
#include "view/table.h"

/* What was answered; zeroed: nothing yet. The exit status of all of it: 1 something is lost; else 4 some answer is that
 * nobody can tell; else 0. A resource that was not diagnosed is one of which nobody can tell; one for which
 * another speaks is no answer. */
struct cli_check_answers {
    bool lost, unknown;
};
void cli_check_answers_add(struct cli_check_answers *a, const struct analysis_resource *r);
int cli_check_answers_status(const struct cli_check_answers *a);

/* Its flows and the rule that they obey: after the answer, where details are asked for. */
void cli_check_show_resource(const char *source, bool simulated, const struct analysis_resource *r);
json_t *cli_check_show_resource_json(const char *source, bool simulated, const struct analysis_resource *r);

/* The table after all resources: its head, and a row of one. */
void cli_check_show_summary_start(struct view_table *t);
void cli_check_show_summary(struct view_table *t, const char *source, const struct analysis_resource *r);
