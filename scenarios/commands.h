/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/commands.h - traffic.programs, which start with the rights of whoever runs them: a scenario of somebody
 * else's would start anything. So nothing starts them without the user's word for it. */
#pragma once

#include "scenarios/scenario.h"

/* ERROR_INPUT when the scenario has programs: the file, the key, the commands and what to do instead, one line. `path`
 * is the scenario's; NULL: there are --set alone. */
bool scenario_commands_refuse(const struct scenario *s, const char *path, const char *instead, struct error *err);

/* The file in a run's directory that holds what a program prints; for free(). */
char *scenario_commands_output(const struct scenario_program *p);

/* Removes these of the run before, as the scenario.yaml in its directory lists them. */
bool scenario_commands_clear(const char *directory, struct error *err);
