/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/figures.h - the figures of `contraflow plot`: SVG files of 700 pixels that need nothing else. */
#pragma once

#include "analysis/rules/check_capture.h"
#include "study/verdict/round_trips.h"

#define VIEW_FIGURES_LABEL 64

struct view_figures_group { /* one shared host of one run or capture */
    char label[VIEW_FIGURES_LABEL];
    char *differs;                     /* owned by the caller; what tells it from the others (study/legend.h); or NULL */
    struct analysis_check_flow *flows; /* owned by the caller */
    size_t n;
};

/* What each flow got, beside what each rule predicts, groups side by side. The title calls the rates
 * simulated or measured. */
bool view_figures_bandwidth(const char *path, const struct view_figures_group *groups, size_t n, bool simulated,
                            struct error *err);

/* What all flows of each group got together, into the host, out of it and both, with their intervals, which are those of
 * the flows added up; below, what tells the groups apart. Whether rates are simulated, measured or both, each line says. */
bool view_figures_totals(const char *path, const struct view_figures_group *groups, size_t n, struct error *err);

/* Round trips of a run or a capture over time. */
struct view_figures_trips {
    char label[VIEW_FIGURES_LABEL];
    char *differs; /* as of a group */
    struct study_round_trips trips;
};

/* A line a source on one scale, logarithmic, and its round trip through empty queues as a level; below, what the answer
 * says of it. */
bool view_figures_latency(const char *path, const struct view_figures_trips *sources, size_t n, struct error *err);

struct view_figures_run {
    char label[VIEW_FIGURES_LABEL];
    char *directory; /* owned by the caller */
};

/* The deepest queues of each run over time (queues.csv), a panel a run, all on one scale. */
bool view_figures_queues(const char *path, const struct view_figures_run *runs, size_t n, struct error *err);

/* How each run's completion times are spread (operations.csv), a panel a run, all on one scale. */
bool view_figures_completion(const char *path, const struct view_figures_run *runs, size_t n, struct error *err);

/* Makes a PNG file of an SVG file with rsvg-convert. *made is false, and no PNG file there, where that is not
 * installed. */
bool view_figures_png(const char *svg, const char *png, bool *made, struct error *err);
