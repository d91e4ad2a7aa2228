/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/live.h - an interface in place of a capture file: -i of check, analyze and explain. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "analysis/rules/check_capture.h"
#include "cli/measure/probe.h"
#include "study/capture.h"

/* Opens the interface and gives up what it took (capture/confine.h); with `filter`, opening files, too. SIGINT and
 * SIGTERM end the capture from then on, a second one ends us. The listener goes with the interface's name as a path: on
 * a terminal it shows, once a second, the answers so far and the flows that carry most. `capacity_bps`, borrowed, and
 * `beside` as analysis/rules/check_capture.h has it. The capture ends when `probe` is done, unless that is NULL. NULL and
 * *err when that fails. */
const struct study_capture_listener *cli_live_open(const char *interface, bool filter, const double capacity_bps[2],
                                                   const struct analysis_beside *beside, struct cli_probe *probe,
                                                   struct error *err);

/* For commands: no file may be named besides. */
bool cli_live_alone(const char *command, const char *interface, int files, struct error *err);

#endif
