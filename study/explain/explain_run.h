/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/explain/explain_run.h - what a run knows exactly: how long each flow's frames waited, and whether the queues that its
 * data and its ACKs meet take turns. */
#pragma once

#include "analysis/pendulum.h"
#include "results/queues.h"
#include "results/summary.h"

struct study_explain_run_waits {
    const struct results_flow *flow; /* borrowed from the summary: means over all of the run */
    double ack_share;                /* of the round trip */
    double compressed_share;         /* of groups of ACKs; NAN without any */
};

/* Two queues: the fullest on the way of a flow's data, and the fullest on that of its ACKs. */
struct study_explain_run_turns {
    char data[RESULTS_QUEUES_PORT], acks[RESULTS_QUEUES_PORT];
    struct analysis_pendulum busy;
};

struct study_explain_run {
    struct study_explain_run_waits *waits; /* owned; of flows whose waits the run has noted */
    struct study_explain_run_turns *turns; /* owned; every pair once, without those that are hardly ever busy */
    size_t n_waits, n_turns;
    double from_s, to_s; /* of the turns: from the end of the warm-up to the end of the run */
    struct results_summary summary; /* owned */
};

/* False and *err when the directory is not that of a run. */
bool study_explain_run_read(const char *directory, struct study_explain_run *run, struct error *err);
void study_explain_run_fini(struct study_explain_run *run); /* safe on a zeroed one */
