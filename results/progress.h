/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/progress.h - progress.csv of a run: what each flow had had done by some times, so that a phase of its life
 * can be judged. Of messages behind a barrier the first of each. */
#pragma once

#include "results/flow.h"

struct results_progress_point { /* in all since the run began */
    double bytes, back_bytes;   /* delivered; back: by a duplex flow to its source */
    double data_frames, data_wait_s, ack_frames, ack_wait_s; /* waits: sums */
};

struct results_progress { /* zeroed: none */
    double *time_s;       /* owned; rising */
    struct results_progress_point *point; /* owned; of flow f at time i: [i * flows + f] */
    size_t flows, n;
    size_t room; /* times that there is memory for */
};

/* The points of the flows at a time, no earlier than the last, for the caller to fill. */
struct results_progress_point *results_progress_add(struct results_progress *p, double time_s);

/* When there are many times, every other one goes; returns whether it did. */
bool results_progress_thin(struct results_progress *p);

/* The flows are those of the rows, in their order. A directory without the file has no progress. */
bool results_progress_write(const struct results_progress *p, const struct results_flow *rows, const char *directory,
                            struct error *err);
bool results_progress_read(struct results_progress *p, const struct results_flow *rows, size_t n,
                           const char *directory, struct error *err);
void results_progress_fini(struct results_progress *p);

/* What a flow that lived from start_s to end_s did in [from_s, to_s), as if evenly from one time to the next. */
struct results_progress_point results_progress_between(const struct results_progress *p, size_t flow, double start_s,
                                                       double end_s, double from_s, double to_s);

/* Known times within [from_s, to_s). */
size_t results_progress_times(const struct results_progress *p, double from_s, double to_s);
