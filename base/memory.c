/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void memory_end(const char *what)
{
    fprintf(stderr, "contraflow: out of memory for %s\n", what);
    exit(3); /* as ERROR_SYSTEM */
}

void *memory_zeroed(size_t n, size_t size, const char *what)
{
    void *p = calloc(n > 0 ? n : 1, size);
    if (!p)
        memory_end(what);
    return p;
}

void *memory_aligned(size_t alignment, size_t bytes, const char *what)
{
    void *p = aligned_alloc(alignment, bytes);
    if (!p)
        memory_end(what);
    return p;
}

void *memory_resized(void *array, size_t n, size_t size, const char *what)
{
    void *p = n <= SIZE_MAX / size ? realloc(array, n > 0 ? n * size : 1) : NULL;
    if (!p)
        memory_end(what);
    return p;
}

void *memory_grown(void *array, size_t used, size_t *capacity, size_t least, size_t size, const char *what)
{
    if (used < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : least;
    return memory_resized(array, *capacity, size, what);
}

char *memory_vtext(const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        memory_end("text");
    return text;
}

char *memory_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = memory_vtext(format, args);
    va_end(args);
    return text;
}

FILE *memory_stream(char **text, size_t *size)
{
    FILE *f = open_memstream(text, size);
    if (!f)
        memory_end("text");
    return f;
}

void memory_stream_end(FILE *f, char **text)
{
    bool whole = fflush(f) == 0 && !ferror(f); /* of a stream in memory, fclose() does not tell */
    if (fclose(f) != 0 || !whole || !*text)
        memory_end("text");
}
