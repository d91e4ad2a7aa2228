/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/explain_run.h - a run's queues: do a host's two queues take turns? */
#ifndef CLI_EXPLAIN_RUN_H
#define CLI_EXPLAIN_RUN_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

/* For each host's NIC and the switch port towards it, where both ever held frames: prints a row each, or adds to
 * `list`. *n counts them. From the run's warm-up on. */
bool explain_run(const char *directory, bool as_json, json_t *list, size_t *n, struct error *err);

#endif
