/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/beside.h - what a host says of itself beside a capture: its sockets, as `ss -tin` prints them, and the queue before
 * its device, as tc does. */
#pragma once

#include "analysis/rules/check_capture.h"

/* Of a connection that floods in all samples: SEND_BUFFER, LOSSES or WINDOW; that is short of data in most: APPLICATION;
 * UNKNOWN: of any other, and of one that a window of the receiver holds, for the capture shows whether the reader is slow.
 * Either path may be NULL; free in any case. ERROR_INPUT names file and line. */
bool study_beside_read(struct analysis_beside *b, const char *ss, const char *qdisc, struct error *err);
void study_beside_fini(struct analysis_beside *b);
