/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/job.h - one point of a sweep as an engine's process: its directory, and what it leaves there. */
#pragma once

#include "results/summary.h"
#include "sweep/engines.h"

struct sweep_job {
    struct sweep_engines_job job; /* first: sweep/engines.h gives it back */
    int64_t number;
    char *directory, *program; /* owned */
};

/* Makes the directory and puts the scenario in, after removing one that a killed process left there, whose engine has a
 * minute to end. NULL and *err on failure; sweep_job_free() removes the directory. */
struct sweep_job *sweep_job_new(int64_t number, const char *directory, const char *yaml, enum scenario_engine engine,
                                struct error *err);
void sweep_job_free(struct sweep_job *j);

/* What a point that has ended leaves: *summary where it is done, without a readable one it has failed. The directory
 * goes before anybody commits the result: a process killed in between leaves a point that waits, not a directory. */
void sweep_job_take(struct sweep_job *j, struct results_summary *summary);
