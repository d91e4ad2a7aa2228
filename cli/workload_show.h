/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/workload_show.h - what 'contraflow check' prints of runs that study/verdict/workload.h judges. */
#pragma once

#include "study/verdict/workload.h"

#include <jansson.h>

void cli_workload_show(const char *directory, const struct study_workload *w);
void cli_workload_show_json(const char *directory, const struct study_workload *w, json_t *list);

/* Prints the contention signature of the runs, or adds it to the list; nothing where they are too few. */
void cli_workload_show_signature(const struct study_workload_signature *s, bool as_json, json_t *list);
