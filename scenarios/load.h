/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/load.h - a scenario from YAML, checked key by key. */
#ifndef SCENARIOS_LOAD_H
#define SCENARIOS_LOAD_H

#include "scenarios/scenario.h"

#include <stddef.h>

/* Reads `path`, applies `sets` ("network.nic.queue=ack-first", later ones win; list entries by
 * number: "traffic.flows.0.window=1MB"), fills defaults, lists the flows and draws their starts
 * by the seed. ERROR_INPUT names file, line and key, what was found and what would be right:
 * "star.yaml:7: network.link.rate: 'fast' is not a rate; try 1Gbps or 100Mbps"; a value that came
 * from a set is blamed on it: "--set network.link.rate=fast: ...". */
bool scenario_load(struct scenario *s, const char *path, const char *const *sets, size_t n_sets, struct error *err);

/* The i-th point of a scenario with points as a scenario of its own (flows listed, no points). */
bool scenario_at_point(const struct scenario *s, int i, struct scenario *point, struct error *err);

#endif
