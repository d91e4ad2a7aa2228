/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/error.h - what went wrong, as a code and one sentence.
 *
 * A function that can fail takes a caller-owned `struct error *` last, fills it where
 * the failure happens and returns false, -1 or NULL. Callers add context in front.
 * Only cli/ prints or exits; the code is the exit status the command line promises. */
#pragma once

#include "base/memory.h" /* and base/std.h: nearly every file has all three */

enum error_code {
    ERROR_NONE = 0,
    ERROR_INPUT = 2,  /* bad input or usage: a file, key, value or flag the user can mend */
    ERROR_SYSTEM = 3, /* the system failed: disk, memory, permission, a child process */
};

struct error {
    enum error_code code;
    char message[512]; /* one line, fit to be printed (base/print.h), no trailing period */
};

/* Sets code and message (printf-style). Always returns false, so that
 * `return error_set(...)` reads as the failure it is. A message too long is cut. */
#define error_set(...) error_false(error_put(__VA_ARGS__))

/* As error_set() with ERROR_SYSTEM, and ": " plus the text of errno at the end. */
#define error_set_errno(...) error_false(error_put_errno(__VA_ARGS__))

/* close() of a descriptor that is not -1; errno stays for error_set_errno(). */
void error_close(int fd);

/* Puts printf-style context in front of the message; the code stays. Returns false. */
#define error_prefix(...) error_false(error_put_prefix(__VA_ARGS__))

/* What those three call. Compilers and analysers see one file at a time: here they see that false comes back. */
int error_put(struct error *err, enum error_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int error_put_errno(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int error_put_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool error_false(int put)
{
    (void)put;
    return false;
}
