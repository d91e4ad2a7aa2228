/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/show.h - what commands print of what they found, as text and as JSON: cli/NAME_show.c. */
#pragma once

#include "study/compare/cross_check.h"
#include "study/infer/infer.h"
#include "study/verdict/workload.h"
#include "view/table.h"

/* 'contraflow check': what was answered; zeroed: nothing yet. The exit status of all of it: 1 something is lost; else 4 some
 * answer is that nobody can tell; else 0. A resource that was not diagnosed is one of which nobody can tell; one for which
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

/* Runs that study/verdict/workload.h judges. */
void cli_workload_show(const char *directory, const struct study_workload *w);
void cli_workload_show_json(const char *directory, const struct study_workload *w, json_t *list);

/* Prints the contention signature of the runs, or adds it to the list; nothing where they are too few. */
void cli_workload_show_signature(const struct study_workload_signature *s, bool as_json, json_t *list);

/* 'contraflow run --cross-check'. `names`: of the engines, in their order. */
void cli_cross_check_show_run(const struct study_cross_check_run *run, const char *const *names);

/* After the last run: one line, or all of it as JSON. */
void cli_cross_check_show_end(const struct study_cross_check *c);
void cli_cross_check_show_json(const struct study_cross_check *c, const char *const *names);

/* 'contraflow explain': the members of --json. */
struct cli_explain_show_lists {
    json_t *hosts, *flows, *simulated, *queues; /* owned */
};

/* Each prints, or adds to the lists when `as_json`. *n grows by the bulk flows of a capture, or by the flows and pairs
 * of queues of a run. */
bool cli_explain_show_capture(const char *path, const struct study_capture_listener *listener, bool as_json,
                              struct cli_explain_show_lists *lists, size_t *n, struct error *err);
bool cli_explain_show_run(const char *directory, bool as_json, struct cli_explain_show_lists *lists, size_t *n,
                          struct error *err);

/* Prints a table, or JSON, of the bulk flows that are in both files; *n counts them. */
bool cli_explain_show_both_ends(const char *const path[2], bool as_json, size_t *n, struct error *err);

/* 'contraflow infer'. */
void cli_infer_print(const struct study_infer *x);
json_t *cli_infer_json(const struct study_infer *x);
