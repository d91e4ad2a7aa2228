/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic_collective.h - the kinds of traffic that are more than a list of flows. */
#ifndef SCENARIOS_TRAFFIC_COLLECTIVE_H
#define SCENARIOS_TRAFFIC_COLLECTIVE_H

#include "scenarios/fields.h"
#include "scenarios/scenario.h"
#include "scenarios/schema.h"

/* As traffic_load(), for one kind each; flows are listed where the kind has some. */
bool traffic_pairs(struct scenario *s, const struct schema_pairs *t, struct fields *f);
bool traffic_exchange(struct scenario *s, const struct schema_exchange *t, struct fields *f);
bool traffic_burst(struct scenario *s, const struct schema_burst *t, struct fields *f);
bool traffic_pingpong(struct scenario *s, const struct schema_pingpong *t, struct fields *f);
bool traffic_uniform(struct scenario *s, const struct schema_uniform *t, struct fields *f);

#endif
