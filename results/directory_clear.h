/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/directory_clear.h - a run's directory without what an earlier run left there. */
#pragma once

#include "base/error.h"

/* Makes the directory and removes the results of an earlier run by name: summary.json first, which must not vouch for
 * files of the next run, then the tables, and the captures and events that the summary lists. Other files stay. */
bool results_directory_clear(const char *directory, struct error *err);
