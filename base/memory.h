/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/memory.h - memory for what cannot go on without it. When there is none, one line on standard error says for
 * what, and the process ends with exit status 3. Callers that can report an error use malloc() and struct error. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* n items of `size` bytes, all zero; free() them. `what` finishes the line, such as "queued frames". */
void *memory_zeroed(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));

/* The array moved to where n items have room; the new ones are not set. */
void *memory_resized(void *array, size_t n, size_t size, const char *what) __attribute__((returns_nonnull));

/* Room for one more in an array of `used` items, of which *capacity have room: doubles it when it is full, from
 * `least` on. Returns the array, which may have moved. */
void *memory_grown(void *array, size_t used, size_t *capacity, size_t least, size_t size, const char *what);

#endif
