/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/fit_read.h - sources into the parts of a fit, for 'contraflow fit' and for the page of 'contraflow report'. */
#pragma once

#include "study/fit/fit.h"
#include "study/infer/measurement.h"

extern const struct study_fit_part *const study_fit_parts[STUDY_FIT_PARTS];

struct study_fit_read {
    void *state[STUDY_FIT_PARTS]; /* owned; by study_fit_kind, each of its part's own type */
    const char *source;           /* borrowed; being read */
    size_t seen;                  /* its points, whoever took them */
    size_t tables;                /* of the sources so far */
    const struct scenario *network; /* borrowed; of tables of measured flows; NULL: there are none */
    struct study_measurement foreign; /* owned; of other programs, together: some ran at the same time */
    const char *foreign_source;   /* borrowed; the first of them */
    const struct study_capture_listener *listener; /* borrowed; NULL after study_fit_read_start(): silent */
    void (*progress)(void *user, size_t seen); /* hears after each of a source's points; NULL: nobody does */
    void *user;                   /* borrowed */
};

void study_fit_read_start(struct study_fit_read *f);
void study_fit_read_free(struct study_fit_read *f); /* safe on a zeroed one */

/* Shows the parts a database, a capture, a run or a directory of runs; or measured flows (study/infer/measurement.h), of
 * a table or another program, in the network given. ERROR_INPUT when it has no point. */
bool study_fit_read_source(struct study_fit_read *f, const char *path, struct error *err);

/* After the last source: lets the parts that took something work out what they show. */
bool study_fit_read_end(struct study_fit_read *f, struct error *err);

/* Has this part anything to show? */
bool study_fit_read_has(const struct study_fit_read *f, enum study_fit_kind part);
