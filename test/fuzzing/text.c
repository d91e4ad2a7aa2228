/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/fuzzing/text.h"

#include "base/print.h"

#include <sys/mman.h>

void text_check(const struct error *err)
{
    const char *m = err->message;
    if (err->code != ERROR_INPUT || !*m)
        abort();
    for (size_t n = strlen(m), taken; n > 0; m += taken, n -= taken)
        if (!(taken = print_character(m, n)))
            abort();
}

int text_file(const void *data, size_t size, char path[static 40])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, 40, "/proc/self/fd/%d", fd);
    return fd;
}
