/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign/read.h - a file of another program into a test. */
#pragma once

#include "base/error.h"
#include "foreign/test.h"

#define FOREIGN_MOST ((size_t)64 << 20) /* bytes of a file, unpacked */

/* Does a regular file begin as one of them: with '{', with ss's header or a socket's line, or with a line of a time and
 * then these? Packed with gzip or not. False of what cannot be read. */
bool foreign_read_is(const char *path);

/* Fills *t, for foreign_test_fini() in any case. ERROR_INPUT names file and key; ERROR_SYSTEM: it cannot be read. */
bool foreign_read(struct foreign_test *t, const char *path, struct error *err);

/* The same of text in memory, which ends with NUL; `path` is for messages. */
bool foreign_read_text(struct foreign_test *t, const char *path, const char *text, size_t size, struct error *err);
