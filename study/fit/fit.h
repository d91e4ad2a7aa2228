/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/fit.h - what measured rates and times show about the rules, a part for each kind of measurement.
 *
 * Every source is read once (study/fit/fit_read.h), and each of its points is shown to every part, which keeps what is its
 * own and ignores the rest. A new kind of measurement is a row of STUDY_FIT_ROWS and what it names. */
#pragma once

#include "analysis/rules/check_capture.h"
#include "sweep/read.h"

/* ROW(NAME, name), in order of print: study_fit_NAME_part, its texts and JSON in cli/fit/fit_show.h, its figures in
 * view/sweeps/sweep_page.h. */
#define STUDY_FIT_ROWS(ROW)                                                                                           \
    ROW(RESOURCES, resources)                                                                                         \
    ROW(PATTERNS, patterns)                                                                                           \
    ROW(CONNECTIONS, connections)                                                                                     \
    ROW(SIGNATURES, signatures)                                                                                       \
    ROW(ENGINES, engines)                                                                                             \
    ROW(REGIMES, regimes)                                                                                             \
    ROW(REMEDIES, remedies)

#define STUDY_FIT_ENUM(NAME, name) STUDY_FIT_##NAME,
enum study_fit_kind { STUDY_FIT_ROWS(STUDY_FIT_ENUM) STUDY_FIT_PARTS };

/* A part's state is the struct of its header, such as struct study_fit_engines. It begins as zeros. */
struct study_fit_part {
    const char *name; /* its member in the JSON: "resources" */
    size_t size, points; /* of its state; where in it a size_t has the points taken so far */
    /* A done point of the database `source`, borrowed. False and *err ends the reading. NULL: not for sweeps. */
    bool (*take)(void *state, const char *source, const struct sweep_result *r, struct error *err);
    /* The shared resources of a capture or a run's directory, borrowed (study/verdict/judge.h). NULL: not for them. */
    void (*take_resources)(void *state, const char *source, const struct analysis_resources *r);
    /* After the last point: works out what is shown. Not called for a part that took nothing. */
    void (*fit)(void *state);
    void (*fini)(void *state); /* frees what it owns */
};

/* The part `part` of PART_take(), PART_fit() and PART_fini(), whose struct study_fit_PART counts its points in `count`. */
#define STUDY_FIT_PART(part, count)                                                                                   \
    const struct study_fit_part study_fit_##part##_part = {.name = #part, .size = sizeof(struct study_fit_##part),    \
                                                           .points = offsetof(struct study_fit_##part, count),        \
                                                           .take = part##_take, .fit = part##_fit, .fini = part##_fini}

/* Axes without those of these names, which NULL ends, and with the seed, if that is not -1, as a text: points of one
 * group have the same. For free(). */
char *study_fit_group(const json_t *axes, const char *const *without, int64_t seed);

#define STUDY_FIT_DECLARE(NAME, name) extern const struct study_fit_part study_fit_##name##_part;
STUDY_FIT_ROWS(STUDY_FIT_DECLARE)
