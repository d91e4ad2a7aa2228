/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/spell.h - a network by name as the cables it is made of, to begin from when one of them is to differ. */
#pragma once

#include "scenarios/scenario.h"

/* Makes the topology a graph: every cable in network.links, a tree's root in network.nodes. Runs give the same frames
 * but in a mesh, where flows within a rack choose among their NICs as in any graph. ERROR_INPUT with points, which have
 * no network before they run. */
bool scenario_spell(struct scenario *s, struct error *err);
