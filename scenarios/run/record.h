/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/run/record.h - what a run writes beside its captures: flows.csv, queues.csv, summary.json. */
#pragma once

#include "base/outfile.h"
#include "results/progress.h"
#include "results/summary.h"
#include "scenarios/run/waits.h"
#include "scenarios/scenario.h"

struct record_flow {
    struct emu_flow_stats stats;
    struct estimate steady_bps; /* goodput after the warm-up; NAN when the flow ended before */
    struct waits_flow waits, warm; /* warm: as they were after the warm-up */
    int64_t steady_loss_events;    /* -1 unknown */
    struct estimate_running message_s; /* times of its messages that count */
};

/* queues.csv (results/queues.h). */
struct record_queues {
    struct outfile file;
    struct record_queue_row *last; /* owned; one a port */
};

bool record_queues_open(struct record_queues *r, int ports, const char *directory, struct error *err);
/* Port i, settled, whose frames wait in `buffer`. */
void record_queues_port(struct record_queues *r, int i, const struct emu_port *p, const struct emu_queue *buffer,
                        int64_t time_ps);
void record_queues_sample(struct record_queues *r, struct emu_network *n, int64_t time_ps);
/* keep: the file appears; otherwise it is removed. */
bool record_queues_close(struct record_queues *r, bool keep, struct error *err);

/* flows.csv, progress.csv and summary.json (results/flow.h, results/progress.h, results/summary.h). progress: freed once it
 * is written. captures: of the scenario. operations: times of whole ones, s; n 0: there were none, and so for messages.
 * lateness: NULL in virtual time. */
bool record_run(const struct scenario *s, const struct record_flow *flows, struct emu_network *n,
                struct results_progress *progress, const struct results_capture *captures,
                const struct estimate_running *operations, const struct results_messages *messages,
                const struct emu_lateness *lateness, int64_t ended_ps, bool complete, const char *directory,
                struct error *err);
