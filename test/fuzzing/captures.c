/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/fuzzing/captures.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define INPUT_MAX 16384
#define MUTATIONS 40

void captures_must(bool holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

bool captures_amount(double x)
{
    return isnan(x) || (isfinite(x) && x >= 0);
}

int captures_file(const uint8_t *data, size_t size, char path[static CAPTURES_PATH])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(path, CAPTURES_PATH, "/proc/self/fd/%d", fd);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    return fd;
}

uint64_t captures_take(const uint8_t **data, size_t *size, size_t bytes)
{
    uint64_t number = 0;
    for (; bytes > 0 && *size > 0; bytes--, ++*data, --*size)
        number = number << 8 | **data;
    return number;
}

#ifndef CONTRAFLOW_LIBFUZZER
/* Up to eight bytes changed and maybe an end cut off. */
static void mutate(struct random *r, const uint8_t *from, size_t n)
{
    static uint8_t data[INPUT_MAX];
    memcpy(data, from, n);
    for (uint64_t k = random_below(r, 9); k > 0 && n > 0; k--)
        data[random_below(r, n)] = (uint8_t)random_next(r);
    LLVMFuzzerTestOneInput(data, random_below(r, 4) == 0 ? random_below(r, n + 1) : n);
}

int main(int argc, char **argv)
{
    static uint8_t data[INPUT_MAX];
    struct random r = random_of(1);
    MUST(argc > 1);
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        MUST(f != NULL);
        size_t n = fread(data, 1, sizeof data, f);
        fclose(f);
        LLVMFuzzerTestOneInput(data, n);
        for (int k = 0; k < MUTATIONS; k++)
            mutate(&r, data, n);
    }
    return 0;
}
#endif
