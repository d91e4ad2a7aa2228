/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/explain_swing.h - do a host's two directions take turns, by a capture alone? */
#ifndef CLI_EXPLAIN_SWING_H
#define CLI_EXPLAIN_SWING_H

#include "cli/explained.h"

/* Prints a line, or adds to `queues` as explain_run() does; nothing when the capture is beside no host, or nobody waits
 * there both ways. */
bool explain_swing(const char *path, const struct analysis_flows *f, const struct explained *flows, size_t n,
                   bool as_json, json_t *queues, struct error *err);

#endif
