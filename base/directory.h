/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/directory.h - directories that this process holds open.
 *
 * Whoever may write around a directory can give its name to another one, or to a link, at any moment. What is done in a
 * directory that is held is done by its descriptor, wherever its name leads by then. */
#pragma once

/* From now on the files of `path`, as callers spell it, are those of the directory that is open as fd, which becomes the
 * table's, until directory_release(). Of two with one name the later counts. */
void directory_hold(const char *path, int fd);

/* Closes it. One that is not held is fine. */
void directory_release(const char *path);

/* The descriptor of a directory that is held, or -1. */
int directory_held(const char *path);

/* Where openat() and its like find PATH: the descriptor of the directory that it is in, and its last part in *name,
 * where that directory is held; else AT_FDCWD and PATH itself. */
int directory_at(const char *path, const char **name);

/* Removes it and what is in it, and follows no link: one in its place, or in it, is removed itself. */
void directory_remove(const char *path);
