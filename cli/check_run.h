/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/check_run.h - the shared hosts and backbone of an emulated run, judged from its directory. */
#ifndef CLI_CHECK_RUN_H
#define CLI_CHECK_RUN_H

#include "analysis/check_capture.h"

/* Rates, times and retransmissions from flows.csv (steady goodput where there is one), windows from
 * scenario.yaml: the smaller of a flow's two socket buffers. A tree's backbone is the resource "sw0-sw1", seen from
 * rack 0. As analysis_check_capture() otherwise. */
bool check_run_directory(const char *directory, double tolerance, struct analysis_resources *resources,
                         struct error *err);

/* Does the directory hold flows.csv? */
bool check_run_exists(const char *directory);

#endif
