/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into a program: lets one of its allocations fail, of its own or of its libraries, and counts them.
 *
 * FAILING_PROGRAM is the name of the program that it works in, FAILING_AT which allocation fails, from 1 on (0: none).
 * At exit it appends a line to FAILING_LOG: how many there were, how many were not freed, whether one failed. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);

static atomic_long allocations, live;
static long at = -1; /* -1: another program, or not begun */
static bool failed;

static bool fails(void)
{
    if (at < 0)
        return false;
    long number = atomic_fetch_add(&allocations, 1) + 1;
    if (number != at)
        return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

static void *counted(void *p)
{
    if (p)
        atomic_fetch_add(&live, 1);
    return p;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
    if (fails())
        return NULL;
    void *moved = __libc_realloc(p, size);
    return p ? moved : counted(moved);
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    *p = memalign(alignment, size);
    return *p ? 0 : ENOMEM;
}

void free(void *p)
{
    if (p)
        atomic_fetch_sub(&live, 1);
    __libc_free(p);
}

__attribute__((constructor)) static void begin(void)
{
    const char *program = getenv("FAILING_PROGRAM"), *number = getenv("FAILING_AT");
    if (program && number && strcmp(program, program_invocation_short_name) == 0) {
        at = strtol(number, NULL, 10);
        live = 0;
    }
}

__attribute__((destructor)) static void end(void)
{
    const char *log = getenv("FAILING_LOG");
    char line[96];
    if (at < 0 || !log)
        return;
    int n = snprintf(line, sizeof line, "%ld %ld %d\n", allocations, live, failed);
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0 && write(fd, line, (size_t)n) == n)
        close(fd);
}
