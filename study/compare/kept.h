/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/compare/kept.h - hosts that were judged before, read back: what `contraflow measure -o DIR` keeps in DIR/summary.json,
 * and what `contraflow check --json` prints. */
#pragma once

#include "analysis/rules/resource.h"
/* Has the directory a summary.json with judged hosts in it, and not that of a run? */
bool study_kept_exists(const char *directory);

/* Fills *all with its hosts, in order: their flows' ends, rates, waits and segments sent again, and the diagnosis'
 * answer, cause, words and losses; rules are left out. A host with a "measured" is live. False and *err (ERROR_INPUT)
 * when a number or a name that has to be there is not. Free *all in any case. */
bool study_kept_read(const char *directory, struct analysis_resources *all, struct error *err);
