/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/judge_run.h - the shared hosts and backbone of an emulated run, judged from its directory. */
#ifndef STUDY_JUDGE_RUN_H
#define STUDY_JUDGE_RUN_H

#include "analysis/check_capture.h"
#include "model/degree.h"
#include "scenarios/scenario.h"

#define STUDY_JUDGE_RUN_BACKBONE "sw0-sw1" /* of a tree, seen from rack 0: what goes to rack 1 is outgoing */

/* Rates, times and retransmissions from flows.csv (steady goodput where there is one), windows from
 * scenario.yaml: the smaller of a flow's two socket buffers. A tree's backbone is the resource "sw0-sw1", seen from
 * rack 0. As analysis_check_capture() otherwise. */
bool study_judge_run_directory(const char *directory, double tolerance, struct analysis_resources *resources,
                         struct error *err);

/* 0 or 1: the rack of a host as seen by that backbone; 0 where there is none. */
int study_judge_run_rack(const struct scenario *s, int host);

/* A flow's window: the smaller of its two socket buffers. */
double study_judge_run_window(const struct emu_tcp_config *tcp);

/* A host's link as flows of the scenario use it. */
struct model_link study_judge_run_link(const struct scenario *s);

/* Does the directory hold flows.csv? */
bool study_judge_run_exists(const char *directory);

#endif
