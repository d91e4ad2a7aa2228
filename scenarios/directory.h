/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/directory.h - a run directory before the run. */
#ifndef SCENARIOS_DIRECTORY_H
#define SCENARIOS_DIRECTORY_H

#include "scenarios/scenario.h"

/* Makes the directory, removes the results of an earlier run by name (summary.json first: it must
 * not vouch for files of the next one; the captures that its summary lists), and writes
 * scenario.yaml, starting with `comment`. Other people's files stay. */
bool scenario_directory_prepare(const struct scenario *s, const char *directory, const char *comment,
                                struct error *err);

#endif
