/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/replay_port.h - 'contraflow replay FILE --port RATE': a capture into an emulated port, open loop. */
#ifndef STUDY_REPLAY_PORT_H
#define STUDY_REPLAY_PORT_H

#include "scenarios/port_replay.h"

#include <jansson.h>

/* As a command: argv[0] is "replay"; returns the exit status. */
int study_replay_port(int argc, char **argv);

/* The report, as text and as the object that --json and summary.json hold; NULL when memory is out. */
bool study_replay_port_show(const struct port_replay_options *o, const struct port_replay_result *r, struct error *err);
json_t *study_replay_port_json(const struct port_replay_options *o, const struct port_replay_result *r);

#endif
