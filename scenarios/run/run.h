/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/run.h - runs a scenario in this process's engine and fills its run directory.
 *
 * Into the directory, prepared by scenario_save_directory(), go one pcap a capture, queues.csv
 * (depth of every queue whenever it changed between samples), flows.csv (a line a flow) and,
 * last, summary.json. "complete": true there means everything else is whole. A run that was
 * interrupted leaves its captures and a summary with "complete": false. */
#pragma once

#include "scenarios/scenario.h"

#include <signal.h>

struct scenario_run_options {
    const char *directory; /* prepared */
    void (*progress)(void *user, double fraction); /* of simulated time, 0..1; may be NULL */
    void *user;
    const volatile sig_atomic_t *interrupt; /* nonzero: stop soon and close the files; may be NULL */
    int threads; /* for a large network; at least 1 */
    bool programs; /* those of the scenario may be started: somebody has read them. Without, it is refused */
    int64_t frames; /* that hosts may send, and applications write, in all: then it is over, and whole. 0: no limit */
};

struct scenario_run_result {
    bool interrupted;
    int64_t ended_ps; /* simulated */
};

/* The scenario has no points (scenario_at_point() first). False and *err when something failed:
 * summary.json is not there then. */
bool scenario_run(const struct scenario *s, const struct scenario_run_options *options,
                  struct scenario_run_result *result, struct error *err);
