/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/load.h - a scenario from YAML, checked key by key. */
#pragma once

#include "scenarios/document.h"
#include "scenarios/scenario.h"

/* Reads `path` (NULL: an empty file, "-": standard input; the name of a scenario that comes with contraflow, see
 * scenarios/shipped.h), applies `sets`, fills defaults, lists the flows and draws their starts by the
 * seed.
 *
 * The text of a set is "path=value", such as "network.nic.queue=ack-first"; later ones win. List entries go by
 * number from 0 ("traffic.flows.0.window=1MB"; one beyond the last adds an entry). A value that
 * starts with [, { or a quote is YAML; anything else is taken as it stands.
 *
 * ERROR_INPUT names file, line and key, what was found and what would be right:
 * "star.yaml:7: network.link.rate: 'fast' is not a rate; try 1Gbps or 100Mbps". A value that came
 * from a set is blamed on it by the words of the one who gave
 * it: "--set network.link.rate=fast: 'fast' is ...". On failure *s is zeroed. */
bool scenario_load(struct scenario *s, const char *path, const struct document_set *sets, size_t n_sets,
                   struct error *err);

/* The same, and whether the file or one of the sets gives each of the `keys` ("network.link.rate"), which NULL ends. */
bool scenario_load_asking(struct scenario *s, const char *path, const struct document_set *sets, size_t n_sets,
                          const char *const *keys, bool *gives, struct error *err);

/* As scenario_load(), of a text without sets: one that scenario_write() made, say. `name` is what errors call it. */
bool scenario_load_text(struct scenario *s, const char *name, const char *text, struct error *err);
