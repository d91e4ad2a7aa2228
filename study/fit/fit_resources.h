/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/fit_resources.h - part `resources` of a fit: points of bulk flows over one shared link, by link. */
#pragma once

#include "analysis/rules/fit_rule.h"
#include "study/fit/fit.h"

#define STUDY_FIT_RESOURCES_MIXED 0.1 /* rms error beyond which points do not obey one rule */

struct study_fit_point {
    size_t group;
    char *source, *label;   /* owned; label: its axes, or source and degrees; shown to people */
    json_t *axes;           /* owned; NULL for a capture */
    int64_t number, seed;   /* 0 for a capture */
    bool lossy;             /* segments were sent again */
    bool unfilled;          /* its windows do not fill the link: no rule applies */
    double in_bps, out_bps; /* mean of the flows each way; NAN without any */
    double in_ci95_bps, out_ci95_bps;
    size_t n_in, n_out;
    struct analysis_fit_flow *flows; /* owned */
    struct model_link link;
    size_t measurement;     /* the same for several ways to see one point: only one of them is kept */
};

/* A point as a form predicts it; NAN where the form does not apply. */
struct study_fit_predicted {
    double in_bps, out_bps; /* means of the flows each way */
    double worst_error;     /* of its flows, measured / predicted - 1: the largest */
};

struct study_fit_outcome {
    size_t *index; /* owned; of the points in it, in the order of the fit */
    struct study_fit_predicted *best, *eq6; /* owned, one allocation from `best` on; of each: by fit[0], by plain eq6 */
    size_t n, units;
    struct analysis_fit fit[ANALYSIS_FIT_ALL]; /* best first */
    double spread; /* among replicas */
};

/* One resource. */
struct study_fit_group {
    char name[ANALYSIS_CHECK_NAME];
    double rate_bps;       /* on the wire; NAN unknown */
    size_t points;
    size_t lossy;          /* of them */
    bool equal_windows;    /* in every point */
    struct study_fit_outcome all, loss_free; /* loss_free: n is 0 unless it differs from all */
};

/* A host of a capture, diagnosed. */
struct study_fit_diagnosed {
    char *source;                  /* owned */
    struct analysis_resource host; /* without its flows */
    bool empty;                    /* its link is known to be full in neither direction: it is no point of the fit */
};

struct study_fit_resources {
    struct study_fit_diagnosed *diagnosed; /* owned */
    size_t n_diagnosed;
    struct study_fit_point *points; /* owned */
    size_t n, measurements, taken; /* taken: points ever added, and starved runs */
    size_t starved, unfilled; /* runs left out: a flow at 0; windows that do not fill the link */
    struct study_fit_group *groups; /* owned */
    size_t n_groups;
};

/* The resource with most points, the first of equal ones; NULL: none has any. */
const struct study_fit_group *study_fit_resources_main(const struct study_fit_resources *r);
