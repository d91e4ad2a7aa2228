/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/outfile.h - files that appear under their name only when they are whole.
 *
 * Bytes go to PATH.part; outfile_commit() flushes, checks every write so far and renames
 * it to PATH. A full disk, a crash or a kill leaves PATH.part at most. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "base/error.h"

#include <stdio.h>

struct outfile {
    FILE *stream; /* owned; write here. NULL once committed or discarded */
    char *path;   /* owned */
    char *part;   /* owned */
};

bool outfile_open(struct outfile *f, const char *path, struct error *err);

/* On failure PATH does not appear (or keeps its old content) and PATH.part is removed. */
bool outfile_commit(struct outfile *f, struct error *err);

/* Closes and removes PATH.part. Safe on a zeroed, committed or discarded outfile. */
void outfile_discard(struct outfile *f);

/* Closes and leaves what was written as PATH.part. */
void outfile_abandon(struct outfile *f);

/* Creates a directory and its parents; one that exists is fine. */
bool outfile_make_directory(const char *path, struct error *err);

#endif
