/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/foreign.h - tests that other programs ran (foreign/), as facts for the judge, like a measurement of our own.
 *
 * Tests that were under way at the same time are one phase: of data in alone, out alone, both at once, or both at once
 * at a pace that the program was asked to keep (iperf3 -b). Of phases of one path
 *   possible  what a direction carries alone, less half of what the other's ACKs may take at most, a full one for two
 *             segments; the other half is part of the interval, for the files do not count ACKs
 *   lost      1 - carried / possible; its interval comes from four pieces of each phase, after its first fifth
 * Yes takes what judge/trial.h says. The paced phase among it asks each direction for half of what is possible or
 * more, and both together for 1.5 of these shares: one medium that both use by turns carries 1. How long ACKs of a
 * direction wait in the queue of the other is nobody's word here: both wait T - floor together, by the senders' round
 * trips; data of a direction that carries a share u of what it does alone wait u T / 2 of that at most, as long as
 * half of all it has in flight takes to pass: the ACKs wait for the rest.
 * Without phases of one direction alone the judge has flows only: what they carry, that they got what they were asked to,
 * and how much longer than the least one of every packet round trips are, where no window of the ends is full, which
 * would let a queue stand. Pure. */
#pragma once

#include "analysis/rules/resource.h"
#include "foreign/test.h"

#define MEASURE_FOREIGN_MOST 64 /* tests of one path */

/* Adds a resource for each shared host: that most flows of what is left begin or end at, of equal ones that which wrote
 * the first test. */
void measure_foreign_judge(const struct foreign_test *tests, size_t n, struct analysis_resources *all);
