/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/workload.h - judges runs whose hosts run more than bulk flows over TCP: what their files say, against the
 * papers' formulas. */
#ifndef STUDY_WORKLOAD_H
#define STUDY_WORKLOAD_H

#include "base/error.h"
#include "model/signature.h"
#include "scenarios/scenario.h"

#include <jansson.h>

struct study_workloads {
    bool json;
    double tolerance;  /* of a rule; study_workload_loss() is content with twice as much: estimated probabilities */
    json_t *list;      /* owned by the caller; what each run said */
    bool no;           /* some answer was no */
    struct model_signature_point *points; /* owned; of MPI_Alltoall runs */
    size_t n_points;
    struct model_alltoall_link link;      /* of the first of them */
};

/* Whether a run directory holds such a run: its scenario has a program, or its flows repeat messages. *flows: it has
 * bulk flows over TCP as well. False with *err's code set when the scenario cannot be read. */
bool study_workload_is(const char *directory, bool *flows, struct error *err);

/* Says, or adds to the list, what this run's kind is judged by. */
bool study_workload_judge(struct study_workloads *c, const char *directory, struct error *err);

/* After all runs: the contention signature of MPI_Alltoall, from four of them on. */
bool study_workload_signature(struct study_workloads *c, struct error *err);

/* The kinds. Each prints or adds to c->list. */
bool study_workload_loss(struct study_workloads *c, const char *directory, const struct scenario *s, struct error *err);
bool study_workload_operations(struct study_workloads *c, const char *directory, const struct scenario *s,
                              struct error *err);
bool study_workload_bursts(struct study_workloads *c, const char *directory, const struct scenario *s,
                          struct error *err);
bool study_workload_pingpong(struct study_workloads *c, const char *directory, const struct scenario *s,
                            struct error *err);
bool study_workload_uniform(struct study_workloads *c, const char *directory, const struct scenario *s,
                           struct error *err);

#endif
