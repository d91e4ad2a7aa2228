/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/traffic/played.h - the schedule of a scenario with traffic.collective or traffic.goal. */
#pragma once

#include "scenarios/scenario.h"
#include "scenarios/traffic/schedule.h"

/* Of one that is loaded; for schedule_fini(). */
void played_schedule(const struct scenario *s, struct schedule *out);

/* Operations of a scenario with traffic.collective, or more. */
int64_t played_count(const struct scenario *s);

/* The lines of traffic.goal, which need not be right; for schedule_fini() when it returns true. *err begins with the
 * number of a line. */
bool played_goal(const struct scenario *s, struct schedule *out, struct error *err);

/* Its lines become those of a schedule. False when they are too many. */
bool played_keep(struct scenario *s, const struct schedule *schedule, struct error *err);
