/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/figures.h - the figures of `contraflow plot`. */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

/* One flow at a shared host: what it got, and what each rule predicts; bit/s, NAN where unknown. */
struct figure_flow {
    bool incoming;
    double measured_bps, ci95_bps;
    double eq5_bps, eq6_bps, window_bps;
};

struct figure_group { /* one shared host of one run or capture */
    char label[64];
    const struct figure_flow *flows; /* borrowed */
    size_t n_flows;
};

/* DIRECTORY/bandwidth.svg and .png: a column a flow, groups side by side. `simulated` says in the
 * figure whether the rates were emulated or measured. */
bool figure_bandwidth(const struct figure_group *groups, size_t n, bool simulated, const char *directory,
                      struct error *err);

struct figure_run {
    char label[64];
    const char *queues_csv; /* borrowed; path */
    const char *directory;  /* borrowed; of the run */
};

/* DIRECTORY/queues.svg and .png: depth over time of each run's deepest queues, a panel a run. */
bool figure_queues(const struct figure_run *runs, size_t n, const char *directory, struct error *err);

/* DIRECTORY/completion.svg and .png: histogram of each run's completion times (operations.csv), a panel a run. */
bool figure_completion(const struct figure_run *runs, size_t n, const char *directory, struct error *err);

/* A gnuplot string in single quotes: a quote inside is doubled. */
void figure_quote(FILE *f, const char *text);

#endif
