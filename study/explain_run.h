/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/explain_run.h - what a run knows exactly: how long each flow's frames waited, and whether the queues that its
 * data and its ACKs meet take turns. */
#ifndef STUDY_EXPLAIN_RUN_H
#define STUDY_EXPLAIN_RUN_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

/* Prints two tables, or adds to the lists: a row each flow, and one each pair of queues, the fullest on the way of a
 * flow's data and on that of its ACKs. Queues from the run's warm-up on, waits over all of it. *n counts rows. */
bool study_explain_run(const char *directory, bool as_json, json_t *simulated, json_t *queues, size_t *n,
                       struct error *err);

#endif
