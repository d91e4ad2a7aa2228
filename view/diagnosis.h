/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/diagnosis.h - a host's diagnosis in words, for check, explain, replay, fit and reports alike: the answer, what
 * to do about it, and what to try. */
#ifndef VIEW_DIAGNOSIS_H
#define VIEW_DIAGNOSIS_H

#include "analysis/resource.h"
#include "judge/cause.h"

#include <jansson.h>
#include <stdio.h>

#define VIEW_DIAGNOSIS_TEXT 512

/* "yes", "no", "cannot tell" */
const char *view_diagnosis_answer(const struct judge_diagnosis *d);

/* What to do, or what would tell, without a command. */
void view_diagnosis_what(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_TEXT]);

/* The i-th thing to type or to set for it; false when there are no more. */
bool view_diagnosis_remedy(const struct analysis_resource *r, size_t i, char text[static VIEW_DIAGNOSIS_TEXT]);

/* On which queues the i-th works; it is there. */
enum judge_remedy_way view_diagnosis_remedy_way(const struct analysis_resource *r, size_t i);

/* The command that estimates what that wins, for free(); NULL when there is none. `source`: a capture or a
 * run's directory. A capture of a run is played through the run's own network. */
char *view_diagnosis_command(const char *source, const struct analysis_resource *r);

/* The answer, a line; "FILE: host HOST: yes: ..." */
void view_diagnosis_print_answer(FILE *f, const char *source, const struct analysis_resource *r);

/* Up to three lines: the answer; what to do; what to try. */
void view_diagnosis_print(FILE *f, const char *source, const struct analysis_resource *r);

/* Member "diagnosis" of a host; null when it was not diagnosed. */
json_t *view_diagnosis_json(const char *source, const struct analysis_resource *r);

#endif
