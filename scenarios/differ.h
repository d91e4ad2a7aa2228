/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/differ.h - the keys in which two saved scenarios differ. */
#pragma once

#include "base/error.h"

/* Hears of one key, "network.nic.queue", with what stands there in either file: NULL where a file has no such key. All
 * three are borrowed until it returns. */
typedef void scenario_differ_visit(void *user, const char *key, const char *before, const char *after);

/* Visits them in the order of the files; what only the second one has comes last in its section. Left out are the title
 * and what the flows say themselves: traffic.flows, whose starts a seed draws, and the tcp.window that they share.
 * False and *err when a file cannot be read. */
bool scenario_differ(const char *before, const char *after, scenario_differ_visit *visit, void *user,
                     struct error *err);
