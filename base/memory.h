/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/memory.h - memory for what cannot go on without it. When there is none, one line on standard error says for
 * what, and the process ends with exit status 3, as after an ERROR_SYSTEM that the command line reports. This is the
 * one exception to the rule that only cli/ prints or exits. */
#pragma once

#include "base/std.h"

/* The end for want of memory for `what`. */
void memory_end(const char *what) __attribute__((noreturn));

/* n items of `size` bytes, all zero; free() them. `what` finishes the line, such as "queued frames". */
void *memory_zeroed(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));

/* So many bytes at a multiple of a power of two, not set. */
void *memory_aligned(size_t alignment, size_t bytes, const char *what) __attribute__((malloc, returns_nonnull));

/* The array moved to where n items have room; the new ones are not set. */
void *memory_resized(void *array, size_t n, size_t size, const char *what) __attribute__((returns_nonnull));

/* Room for one more in an array of `used` items, of which *capacity have room: doubles it when it is full, from
 * `least` on. Returns the array, which may have moved. */
void *memory_grown(void *array, size_t used, size_t *capacity, size_t least, size_t size, const char *what);

/* printf-style, for free(). */
char *memory_text(const char *format, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));
char *memory_vtext(const char *format, va_list args) __attribute__((format(printf, 1, 0), malloc, returns_nonnull));

/* MEMORY_LOCAL char *path = ...: free()d when its block ends, whichever way that is. Every declarator of the line. */
#define MEMORY_LOCAL MEMORY_ENDS(memory_local_end)

/* The same of what a function ends that gets its address, such as a _fini(). */
#define MEMORY_ENDS(end) __attribute__((cleanup(end)))

static inline void memory_local_end(void *place)
{
    void *memory;
    memcpy(&memory, place, sizeof memory); /* a pointer of whichever type */
    free(memory);
}

/* free() of each: of what one owner has. */
#define MEMORY_FREE(...) memory_free((void *[]){__VA_ARGS__}, sizeof(void *[]){__VA_ARGS__} / sizeof(void *))
void memory_free(void *const *memory, size_t n);

/* A stream that is written to memory; *text is for free() after memory_stream_end(). */
FILE *memory_stream(char **text, size_t *size) __attribute__((returns_nonnull));
void memory_stream_end(FILE *f, char **text);
