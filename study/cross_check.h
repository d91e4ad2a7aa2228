/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/cross_check.h - the same scenario by both engines, flow by flow. */
#ifndef STUDY_CROSS_CHECK_H
#define STUDY_CROSS_CHECK_H

#include "base/error.h"

#include <jansson.h>

#define STUDY_CROSS_CHECK_RATE 0.01       /* steady goodput of flows without losses: within so much of ns-3's */
#define STUDY_CROSS_CHECK_COMPLETION 0.02 /* time from first to last payload */

struct study_cross_check {
    json_t *runs;  /* owned; what --json prints */
    double worst;  /* largest difference of a judged figure, relative */
    int judged, failed; /* figures */
};

bool study_cross_check_init(struct study_cross_check *c, struct error *err);
void study_cross_check_fini(struct study_cross_check *c);

/* Compares the summaries of two finished runs, and prints a table unless quiet. In a run where an engine retransmitted
 * anything nothing is judged: losses make rates a matter of chance, which takes many seeds to compare. */
bool study_cross_check_add(struct study_cross_check *c, const char *label, const char *ns3_directory,
                           const char *native_directory, bool quiet, struct error *err);

#endif
