/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/live.h - an interface in place of a capture file: -i of check, analyze and explain; and pulses of load meanwhile (probe.c),
 * --probe of check. */
#pragma once

#include "analysis/rules/check_capture.h"
#include "cli/options.h"
#include "study/capture.h"

#include <netdb.h>

struct cli_probe {
    char host[NI_MAXHOST], port[8]; /* a numeric address */
    struct analysis_probe at;       /* port 0: there is none */
    int pipe;                       /* from the process that sends them, where one does */
    struct error err;               /* why it could not */
};

/* --probe HOST[:PORT], HOST a name, an address, or [an address of IPv6]; `to`: a struct cli_probe. */
cli_options_call cli_probe_option;

/* Begins to send them, in a process of its own without privileges that ends with us. Before anything is captured. */
bool cli_probe_begin(struct cli_probe *p, const char *token, struct error *err);

/* Is it done? If it failed p->err says why. Never waits. */
bool cli_probe_done(struct cli_probe *p);

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
