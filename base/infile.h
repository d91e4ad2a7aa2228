/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/infile.h - a small file as one piece of memory. */
#pragma once

#include "base/error.h"

/* NULL and *err: ERROR_INPUT when there is no such file, or it is a directory; ERROR_SYSTEM when it cannot be read. */
FILE *infile_open(const char *path, struct error *err);

/* What errno says of a file that cannot be read, as infile_open(). Returns false. */
bool infile_fail(const char *path, struct error *err);

/* The bytes of PATH ("-": of standard input), `most` of them or fewer, malloc'ed, with a NUL after them. NULL and *err: ERROR_INPUT when there
 * is no such file, or it is larger ("..., so not `what`"); ERROR_SYSTEM when it cannot be read. */
char *infile_read(const char *path, size_t most, const char *what, size_t *size, struct error *err);
