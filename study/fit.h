/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit.h - 'contraflow fit': what measured rates say of the rules, a part for each kind of measurement.
 *
 * Every source is read once, and each of its points is shown to every part, which keeps what is its own and ignores
 * the rest. A new kind of measurement is a part of its own in a file of its own, and a line in study_fit_parts[]. */
#ifndef STUDY_FIT_H
#define STUDY_FIT_H

#include "analysis/check_capture.h"
#include "sweep/read.h"

struct study_fit_part {
    const char *name; /* its member in the JSON: "resources" */
    void *(*new)(struct error *err);
    /* A done point of the database `source`, borrowed. False and *err ends the reading. NULL: not for sweeps. */
    bool (*take)(void *state, const char *source, const struct sweep_result *r, struct error *err);
    /* The shared resources of a capture or a run's directory, borrowed (study/judge.h). NULL: not for them. */
    bool (*take_resources)(void *state, const char *source, const struct analysis_resources *r, struct error *err);
    /* Behind the last point: works out what the next two say. Not called for a part that took nothing. */
    bool (*fit)(void *state, struct error *err);
    size_t (*points)(const void *state); /* taken so far */
    bool (*print)(const void *state, struct error *err);
    json_t *(*json)(const void *state);
    void (*free)(void *state); /* NULL too */
};

extern const struct study_fit_part study_fit_resources, study_fit_patterns, study_fit_engines, study_fit_regimes;

#endif
