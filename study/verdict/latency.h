/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/verdict/latency.h - round trips of a run's flows, by its progress.csv: through empty queues, and from one of its times to
 * the next, a mean each. */
#pragma once

#include "judge/latency.h"
#include "results/progress.h"
#include "results/summary.h"

struct study_latency { /* zeroed: none */
    double *idle_s, *loaded_s; /* owned */
    size_t idle, loaded, idle_room, loaded_room;
};

/* What a flow's frame and its ACK waited, means from time k - 1 of the progress to time k; NAN where none went one way. */
double study_latency_wait_s(const struct results_progress *p, size_t flow, size_t k);

/* Those of a flow of the progress within [from_s, to_s]. floor_s: NAN unknown, which adds none. */
void study_latency_add(struct study_latency *x, const struct results_progress *p, size_t flow, double floor_s,
                       double from_s, double to_s);

/* Takes x. */
void study_latency_get(struct study_latency *x, struct judge_latency *l);

/* Of all flows of the directory's run after its warm-up. */
bool study_latency_of_run(const char *directory, const struct results_summary *s, struct judge_latency *l,
                          struct error *err);
