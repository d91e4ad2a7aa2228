/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results/directory.h - the files of a run's directory. */
#pragma once

#include "base/outfile.h"

/* DIRECTORY/NAME, for free(). */
char *results_directory_path(const char *directory, const char *name);

/* Begins DIRECTORY/NAME; outfile_commit() makes it appear. */
bool results_directory_create(struct outfile *f, const char *directory, const char *name, struct error *err);

/* Does the directory hold a file of this name? */
bool results_directory_has(const char *directory, const char *name);

/* Removes it; one that is not there is fine. */
bool results_directory_remove(const char *directory, const char *name, struct error *err);

/* Makes the directory and takes it for this process and those that it starts, until all have ended or gave it to
 * directory_release(); a process that is killed holds nothing. It is opened once: what this process and its engines write and remove there goes by that
 * descriptor (base/directory.h), whatever becomes of the name. `ours`: one that we make in another, which no link is.
 * ERROR_INPUT when another process has it, or where a link is. */
bool results_directory_take(const char *directory, bool ours, struct error *err);
