/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/figures.h - the figures of `contraflow plot`. */
#ifndef VIEW_FIGURES_H
#define VIEW_FIGURES_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

/* One flow at a shared host: what it got, and what each rule predicts; bit/s, NAN where unknown. */
struct view_figure_flow {
    bool incoming;
    double measured_bps, ci95_bps;
    double eq5_bps, eq6_bps, window_bps;
};

struct view_figure_group { /* one shared host of one run or capture */
    char label[64];
    const struct view_figure_flow *flows; /* borrowed */
    size_t n_flows;
};

/* DIRECTORY/bandwidth.svg and .png: a column a flow, groups side by side. `simulated` says in the
 * figure whether the rates were emulated or measured. */
bool view_figure_bandwidth(const struct view_figure_group *groups, size_t n, bool simulated, const char *directory,
                      struct error *err);

struct view_figure_run {
    char label[64];
    const char *queues_csv; /* borrowed; path */
    const char *directory;  /* borrowed; of the run */
};

/* DIRECTORY/queues.svg and .png: depth over time of each run's deepest queues, a panel a run. */
bool view_figure_queues(const struct view_figure_run *runs, size_t n, const char *directory, struct error *err);

/* DIRECTORY/completion.svg and .png: histogram of each run's completion times (operations.csv), a panel a run. */
bool view_figure_completion(const struct view_figure_run *runs, size_t n, const char *directory, struct error *err);

/* A gnuplot string in single quotes: a quote inside is doubled. */
void view_figure_quote(FILE *f, const char *text);

#endif
