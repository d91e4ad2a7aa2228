/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic.h - the traffic section of a scenario file: a star, its points, a random pattern, or flows. */
#ifndef SCENARIOS_TRAFFIC_H
#define SCENARIOS_TRAFFIC_H

#include "scenarios/fields.h"
#include "scenarios/scenario.h"
#include "scenarios/schema.h"

#define TRAFFIC_HOSTS 4000
#define TRAFFIC_FLOWS 10000
#define TRAFFIC_POINTS 1000

/* "repeat" of messages of so many bytes, 0 when they have no end. */
bool traffic_repeat(const struct scenario *s, const char *text, int64_t bytes, int64_t *repeat, const struct fields *f);

/* Lists flows or points. s->network.hosts 0 becomes as many as the flows need, and stays 0 with
 * points; everything but captures must be there already. False and f->err on failure. */
bool traffic_load(struct scenario *s, const struct schema_traffic *t, struct fields *f);

#endif
