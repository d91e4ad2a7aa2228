/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic/collective.h - collective operations as schedules: who sends what to whom after what. A row of the table in
 * scenarios/traffic/collective.c each, with its source; what they take: model/collective.h. */
#pragma once

#include "model/collective.h"
#include "scenarios/traffic/schedule.h"

struct collective_config {
    enum model_collective algorithm;
    int ranks, root;
    int64_t bytes;     /* of the whole vector; barrier, halo: of each message */
    int dimensions[3]; /* of the halo's torus, whose product is `ranks`; 0: there is none */
};

/* Into parts of so many blocks the vector is cut. */
int collective_blocks(const struct collective_config *c);

/* How many operations there are, or more: what a schedule takes is known before it is made. */
int64_t collective_count(const struct collective_config *c);

/* For schedule_fini(). A message of no byte has one: TCP carries no empty ones. */
void collective_schedule(const struct collective_config *c, struct schedule *s);
