/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/verdict/judge.h - the shared resources of whatever the user names: captures, runs, directories of runs. */
#pragma once

#include "analysis/rules/check_capture.h"
#include "study/capture.h"
#include "study/verdict/ack_first.h"

struct study_judge_options {
    double tolerance;       /* of rules, relative */
    struct study_ack_first *again; /* borrowed; runs are emulated once more for what was possible; NULL: none is */
    const struct analysis_beside *beside; /* borrowed; what the captures' host says besides; NULL: nothing */
    double capacity_bps[2]; /* of the hosts' links in captures, in and out, on the wire; NAN unknown */
    /* Gets a capture's table, once it is judged and before the visit, whose `user` is its own, too. NULL: nobody asks */
    void (*table)(void *user, const char *source, const struct analysis_flows *f, const struct analysis_resources *hosts);
};

struct study_judge_options study_judge_options_default(void);

/* Gets each source in turn; `run` is its run directory, NULL for a capture outside of one. `resources` NULL: a run to
 * be judged by study/verdict/workload.h. False ends the walk with *err. */
typedef bool study_judge_visit(void *user, const char *source, const char *run,
                               const struct analysis_resources *resources, struct error *err);

/* The run directory a capture lies in, copied to `directory`: then it is simulated. NULL when that is none. */
const char *study_judge_run_of(const char *path, char directory[static PATH_MAX]);

/* The listener hears of a run that was interrupted. */
void study_judge_warn_partial(const struct results_summary *summary, const char *directory,
                              const struct study_capture_listener *listener);

/* Judges a capture file, a run directory, or every run one level below a directory, by name. The
 * listener hears of a run that cannot be emulated again. */
bool study_judge_source(const char *path, const struct study_judge_options *options,
                        const struct study_capture_listener *listener, study_judge_visit *visit, void *user,
                        struct error *err);
