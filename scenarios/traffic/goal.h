/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic/goal.h - GOAL text, as LogGOPSim's txt2bin reads it (Hoefler, Siebert and Lumsdaine 2009, Group operation
 * assembly language; Hoefler, Schneider and Lumsdaine 2010, LogGOPSim):
 *
 *   num_ranks 2
 *   rank 0 {
 *   l1: calc 1000              ns of a processor; all may end with "cpu N", a processor of its own
 *   l2: send 100b to 1 tag 5   "tag", "cpu" and "nic" may be left out: 0
 *   l2 requires l1             l2 starts when l1 is over; irequires: when it has started
 *   }
 *
 * A line holds one of these; a label before the colon may be left out; comments go from // to the end of a line or from
 * slash-star to star-slash. A host has one NIC, so that nic is read and not kept. A receive takes messages of any tag
 * with tag -1; from anybody, -1, is refused. */
#pragma once

#include "scenarios/traffic/schedule.h"

#define GOAL_BYTES ((size_t)64 << 20) /* of a text, at most */

/* eager_bytes: of schedule_finishes(). Every dependency leads to an operation that is there, and all come to their end: schedule_finishes(). False and *err
 * (ERROR_INPUT), which begins with the line: "7: ..."; else *s is for schedule_fini(). */
bool goal_read(const char *text, int64_t eager_bytes, struct schedule *s, struct error *err);
