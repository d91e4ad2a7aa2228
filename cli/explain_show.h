/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/explain_show.h - what 'contraflow explain' prints of captures, of runs and of two captures. */
#pragma once

#include "study/capture.h"

#include <jansson.h>

/* The members of --json. */
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
