/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis/floors.h - round trips of a host's flows through empty queues, although not every flow met them empty.
 *
 * The tap cuts a round trip into two loops, to the host and back and to the other end and back, and both are timed
 * without stamps. All flows share the way from the tap to the host: the least of that loop is the same for all of
 * them. On the other side each has its own way and all share the queue towards the host. A flow that begins behind a
 * standing queue never meets it empty. It has one that began earlier for a measure: behind a shared queue the two
 * loops differ by a constant, so the least of one follows from the least of the other. */
#pragma once

#include "analysis/evidence.h"

/* Fills near_least_s and far_least_s of each flow. */
void analysis_floors_find(struct analysis_evidence_set *s);
