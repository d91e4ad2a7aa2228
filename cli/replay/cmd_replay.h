/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/replay/cmd_replay.h - the two ways of 'contraflow replay' that are open loop, and what all three print. */
#pragma once

#include "cli/options.h"
#include "scenarios/run/port_replay.h"
#include "study/replay/replay.h"

#include <jansson.h>

/* 'contraflow replay FILE --interface NAME': onto a real interface. As a command: argv[0] is "replay"; returns the exit
 * status. Refuses to run without --interface. */
int cmd_replay_interface(int argc, char **argv);

/* 'contraflow replay FILE --port RATE': into an emulated port. */
int cmd_replay_port(int argc, char **argv);

/* --speed: a finite number above 0, a double. */
cli_options_call cmd_replay_speed;

/* The closed loop's tables; runs[0] is the baseline. `host`: the capture's `file` as judged, NULL when no host was. */
struct cli_replay_show {
    const char *file;
    const struct study_replay *replay;
    const struct study_replay_run *runs;
    int n;
    const struct analysis_resource *host;
};
void cli_replay_show(const struct cli_replay_show *show);
json_t *cli_replay_show_json(const struct cli_replay_show *show);

/* The report of a port, as text and as the object that --json and summary.json hold. */
void cli_replay_port_show(const struct port_replay_options *o, const struct port_replay_result *r);
json_t *cli_replay_port_show_json(const struct port_replay_options *o, const struct port_replay_result *r);
