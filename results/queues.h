/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/queues.h - queues.csv of a run: depths of its ports over time. A port has a row when its depth or drops differ
 * from those of its row before. */
#pragma once

#include "base/error.h"

#define RESULTS_QUEUES_PORT 32

struct results_queues_port {
    char name[RESULTS_QUEUES_PORT];
    double peak_bytes, mean_bytes; /* mean over time, from 0 to the trace's last row */
    double last_s, last_bytes;     /* its latest row */
};

struct results_queues_row {
    double time_s, depth_bytes;
    size_t port;
};

struct results_queues {
    struct results_queues_port *ports; /* owned */
    struct results_queues_row *rows;   /* owned; in time order; a port has a row when its depth changed */
    size_t n_ports, n_rows;
};

void results_queues_write_head(FILE *f);
void results_queues_write_row(FILE *f, int64_t time_ps, const char *port, int64_t depth_bytes, int64_t depth_packets,
                              int64_t dropped_packets); /* dropped: in all so far */

/* ERROR_INPUT with file and line when a row is not one. */
bool results_queues_read(struct results_queues *t, const char *path, struct error *err);
void results_queues_fini(struct results_queues *t);

/* Indices of the deepest ports by mean depth, deepest first, at most `most`; returns how many. Ports that hold next to
 * nothing beside the deepest are left out. */
size_t results_queues_deepest(const struct results_queues *t, size_t *chosen, size_t most);

/* A port's depth in one bin of time: its mean over time, the least and the most. */
struct results_queues_bin {
    double mean_bytes, least_bytes, most_bytes;
};

/* Fills n bins of width_s from from_s on. Queues are empty at 0; the last row's depth stays. */
void results_queues_bins(const struct results_queues *t, size_t port, double from_s, double width_s, size_t n,
                         struct results_queues_bin *bins);
