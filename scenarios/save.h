/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/save.h - a resolved scenario back to YAML. */
#pragma once

#include "scenarios/scenario.h"

/* The scenario as YAML on a stream; otherwise as scenario_save(). The stream's own errors are the caller's. */
bool scenario_write(const struct scenario *s, FILE *f, const char *comment, struct error *err);

/* Writes `path` (base/outfile.h), starting with `comment` as a YAML comment line (may be NULL).
 * scenario_load() of the file gives the same scenario: every default is spelt out, quantities
 * are exact, flows are listed with their starts. */
bool scenario_save(const struct scenario *s, const char *path, const char *comment, struct error *err);

/* Makes the directory of a run, removes the results of an earlier run by name (summary.json first: it must not vouch
 * for files of the next one; the captures that its summary lists), and saves scenario.yaml there. Other people's files
 * stay. */
bool scenario_save_directory(const struct scenario *s, const char *directory, const char *comment, struct error *err);

/* Makes the topology a graph: every cable in network.links, a tree's root in network.nodes. Runs give the same frames
 * but in a mesh, where flows within a rack choose among their NICs as in any graph. ERROR_INPUT with points, which have
 * no network before they run. */
bool scenario_spell(struct scenario *s, struct error *err);
