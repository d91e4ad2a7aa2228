/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/compare/compare_sweeps.h - what a change brought at every point of a grid: the databases of two sweeps side by side. */
#pragma once

#include "study/compare/compare.h"

/* What is compared of a point. Waits and messages are means over its flows, waits by their rates. */
enum study_compare_sweeps_figure {
    STUDY_COMPARE_SWEEPS_OPERATION, /* s: exchanges, barriers, collectives */
    STUDY_COMPARE_SWEEPS_GOODPUT,   /* bit/s, of all flows together: steady, or of repeated messages */
    STUDY_COMPARE_SWEEPS_MESSAGE,   /* s: repeated messages */
    STUDY_COMPARE_SWEEPS_DATA_WAIT, /* s */
    STUDY_COMPARE_SWEEPS_ACK_WAIT,  /* s */
    STUDY_COMPARE_SWEEPS_RETRANSMITTED, /* segments sent again */
    STUDY_COMPARE_SWEEPS_FIGURES
};

struct study_compare_sweeps_point {
    json_t *axes; /* owned; the values of the grid, without the seed; only to read */
    int64_t runs[STUDY_COMPARE_SIDES];   /* seeds that are done; 0: the point is not there */
    int64_t number[STUDY_COMPARE_SIDES]; /* of the first of them, in its sweep */
    struct study_compare_value value[STUDY_COMPARE_SWEEPS_FIGURES];
};

/* A mean over points of both sides: of all, or of those with this value of this axis. Its interval is that of a mean of
 * independent points, sqrt(sum of squares) / n, and unknown where that of a point is. */
struct study_compare_sweeps_mean {
    const char *axis;  /* borrowed; NULL: of all */
    char *level;       /* owned; the value as text; NULL: of all */
    size_t n;
    size_t answers[STUDY_COMPARE_LESS + 1]; /* of them, by what became of the main figure */
    struct study_compare_value value[STUDY_COMPARE_SWEEPS_FIGURES]; /* of points that have it on both sides */
    size_t known[STUDY_COMPARE_SWEEPS_FIGURES]; /* how many these are */
};

struct study_compare_sweeps {
    struct study_compare_sweeps_point *point; /* owned; those of both sides first, as the sweep before numbers them */
    size_t n, n_both, only[STUDY_COMPARE_SIDES];
    struct study_compare_sweeps_mean all, *level; /* owned; of axes with several values, in the order of the points */
    size_t n_levels;
    enum study_compare_sweeps_figure main; /* the first one that points of both sides have */
};

/* Pairs the done points of two databases whose axes have the same values. The interval of a point with one seed is
 * that of the run: the sum of its flows' for goodput, the operations' own; of others it is not known. With several it
 * is Student's t over their figures, but not narrower than what the runs' own leave of their mean: a few seeds may
 * agree by chance. Where both sides have the same seeds, two or more, the change's interval is so made of their
 * changes, after less before of each seed, instead of both sides' intervals. False and *err when a database
 * cannot be read, or no point is in both. */
bool study_compare_sweeps_make(struct study_compare_sweeps *c, const char *const path[STUDY_COMPARE_SIDES],
                               struct error *err);
void study_compare_sweeps_fini(struct study_compare_sweeps *c);
