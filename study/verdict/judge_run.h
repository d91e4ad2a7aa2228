/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/verdict/judge_run.h - the shared hosts and cables of an emulated run, judged from its directory. */
#pragma once

#include "analysis/rules/check_capture.h"
#include "study/verdict/ack_first.h"

/* Rates, times and retransmissions from flows.csv (steady goodput where there is one), windows from
 * scenario.yaml: the smaller of a flow's two socket buffers. A cable between switches is the resource of its lower
 * switch's port: a tree's backbone "sw0-sw1", seen from rack 0, any other that is full. As
 * analysis_check_capture() otherwise.
 * `again`: the run is emulated once more, with ACKs first, and what the same flows carry then, in the same phase, is
 * what was possible. Where that cannot be, again->why_not says so, and the model says what was possible, as it does
 * where again is NULL. */
bool study_judge_run_directory(const char *directory, double tolerance, struct study_ack_first *again,
                               struct analysis_resources *resources, struct error *err);

/* Does the directory hold flows.csv? */
bool study_judge_run_exists(const char *directory);
