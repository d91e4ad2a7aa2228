/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"

#define STREAM_LEAST 256 /* bytes of its text, at first */

void memory_end(const char *what)
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

/* What a stream has written, which always ends with a NUL, and where its caller looks for it. */
struct stream {
    char *bytes;
    size_t written, capacity;
    char **text;  /* of the caller: gets bytes */
    size_t *size; /* of the caller: gets written */
    bool growing;
};

static ssize_t stream_write(void *cookie, const char *bytes, size_t n)
{
    struct stream *s = cookie;
    size_t capacity = s->capacity;
    if (s->growing)
        return 0; /* the process ends for want of memory, and its streams are flushed */
    while (s->written + n >= capacity)
        capacity *= 2;
    if (capacity > s->capacity) {
        s->growing = true;
        s->bytes = memory_resized(s->bytes, capacity, 1, "text");
        s->capacity = capacity;
        s->growing = false;
    }
    memcpy(s->bytes + s->written, bytes, n);
    s->written += n;
    s->bytes[s->written] = '\0';
    *s->text = s->bytes;
    *s->size = s->written;
    return (ssize_t)n;
}

static int stream_close(void *cookie)
{
    free(cookie);
    return 0;
}

/* Not open_memstream(): where its text cannot grow, glibc drops what was to be written and says so to nobody but the
 * caller of that fprintf(). */
FILE *memory_stream(char **text, size_t *size)
{
    struct stream *s = memory_zeroed(1, sizeof *s, "text");
    *s = (struct stream){.bytes = memory_zeroed(STREAM_LEAST, 1, "text"), .capacity = STREAM_LEAST, .text = text,
                         .size = size};
    *text = s->bytes;
    *size = 0;
    FILE *f = fopencookie(s, "w", (cookie_io_functions_t){.write = stream_write, .close = stream_close});
    if (!f)
        memory_end("text");
    return f;
}

void memory_stream_end(FILE *f, char **text)
{
    bool whole = !ferror(f);
    if (fclose(f) != 0 || !whole || !*text)
        memory_end("text");
}

void memory_free(void *const *memory, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(memory[i]);
}
