/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/queue_trace.h - queues.csv of a run, read back for figures. */
#ifndef CLI_QUEUE_TRACE_H
#define CLI_QUEUE_TRACE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define QUEUE_TRACE_PORT 32

struct queue_trace_port {
    char name[QUEUE_TRACE_PORT];
    double peak_bytes, mean_bytes; /* mean over time, from 0 to the trace's last row */
    double last_s, last_bytes;     /* its latest row */
};

struct queue_trace_row {
    double time_s, depth_bytes;
    size_t port;
};

struct queue_trace {
    struct queue_trace_port *ports; /* owned */
    struct queue_trace_row *rows;   /* owned; in time order; a port has a row when its depth changed */
    size_t n_ports, n_rows;
};

/* ERROR_INPUT with file and line when a row is not one. */
bool queue_trace_read(struct queue_trace *t, const char *path, struct error *err);
void queue_trace_fini(struct queue_trace *t);

/* Indices of the deepest ports by mean depth, deepest first, at most `most`; returns how many. Ports that hold next to
 * nothing beside the deepest are left out. */
size_t queue_trace_deepest(const struct queue_trace *t, size_t *chosen, size_t most);

#endif
