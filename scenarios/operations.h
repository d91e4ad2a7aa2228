/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/operations.h - when each process was through with each repetition of a collective: operations.csv. */
#ifndef SCENARIOS_OPERATIONS_H
#define SCENARIOS_OPERATIONS_H

#include "base/error.h"
#include "base/estimate.h"

#include <stddef.h>
#include <stdint.h>

struct operations {
    struct operations_row *row; /* owned */
    size_t n, capacity;
    struct estimate_running whole_s; /* of each operation that all processes are through with: operations_end() */
};

void operations_add(struct operations *o, int64_t operation, int process, int64_t start_ps, int64_t end_ps);

/* All processes are through with it. */
void operations_end(struct operations *o, int64_t start_ps, int64_t end_ps);

/* DIRECTORY/operations.csv: operation,process,start_s,end_s. */
bool operations_write(const struct operations *o, const char *directory, struct error *err);

void operations_fini(struct operations *o);

#endif
