/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/outfile.h - files that appear under their name only when they are whole.
 *
 * Bytes go to PATH.part; outfile_commit() flushes, checks every write so far and renames
 * it to PATH. A crash or a kill leaves PATH.part at most, which the next outfile_open() replaces. A symbolic link of that
 * name is replaced, too, and never followed. */
#pragma once

#include "base/error.h"

struct outfile {
    FILE *stream; /* owned; write here. NULL once committed or discarded */
    char *path;   /* owned */
    char *part;   /* owned */
    char *buffer; /* owned; the stream's */
};

/* ERROR_INPUT when another process is writing PATH. */
bool outfile_open(struct outfile *f, const char *path, struct error *err);

/* After a write that failed, errno may still say why. On failure PATH does not appear (or keeps its old content) and
 * PATH.part is removed. */
bool outfile_commit(struct outfile *f, struct error *err);

/* Closes and removes PATH.part. Safe on a zeroed, committed or discarded outfile. */
void outfile_discard(struct outfile *f);

/* A file that is removed when the process exits before outfile_unwatch(). `part` is borrowed until then. */
void outfile_watch(char *part);
void outfile_unwatch(const char *part);

/* Creates a directory and its parents; one that exists is fine. */
bool outfile_make_directory(const char *path, struct error *err);

/* Removes those that this process made and that are still empty: after a failure nothing is left of it. */
void outfile_unmake_directories(void);
