/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/fit_read.h - sources into the parts of a fit, for 'contraflow fit' and for the page of 'contraflow report'. */
#ifndef CLI_FIT_READ_H
#define CLI_FIT_READ_H

#include "cli/fit.h"

#define FIT_PARTS 4
extern const struct fit_part *const fit_parts[FIT_PARTS]; /* in order of print */

struct fit_read {
    void *state[FIT_PARTS]; /* owned, of the parts */
    const char *source;     /* borrowed; being read */
    size_t seen;            /* its points, whoever took them */
};

bool fit_read_start(struct fit_read *f, struct error *err);
void fit_read_free(struct fit_read *f); /* safe on a zeroed one */

/* Is the file SQLite's? False, too, where it cannot be read. */
bool fit_read_is_database(const char *path);

/* Shows the parts a database, a capture, a run or a directory of runs. ERROR_INPUT when it has no point. */
bool fit_read_source(struct fit_read *f, const char *path, struct error *err);

/* Behind the last source: lets the parts that took something work out what they say. */
bool fit_read_end(struct fit_read *f, struct error *err);

/* A member for each part that took something, as 'contraflow fit --json' has it. The caller's. */
json_t *fit_read_json(const struct fit_read *f);

#endif
