/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/cross_check_show.h - what 'contraflow run --cross-check' prints. */
#pragma once

#include "study/compare/cross_check.h"

/* `names`: of the engines, in their order. */
void cli_cross_check_show_run(const struct study_cross_check_run *run, const char *const *names);

/* After the last run: one line, or all of it as JSON. */
void cli_cross_check_show_end(const struct study_cross_check *c);
void cli_cross_check_show_json(const struct study_cross_check *c, const char *const *names);
