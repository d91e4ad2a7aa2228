/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/infile.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>

bool infile_fail(const char *path, struct error *err)
{
    bool mendable = errno == ENOENT || errno == EISDIR || errno == ENOTDIR || errno == ENAMETOOLONG || errno == ELOOP;
    error_set_errno(err, "%s", path);
    if (mendable)
        err->code = ERROR_INPUT;
    return false;
}

FILE *infile_open(const char *path, struct error *err)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        infile_fail(path, err);
    return f;
}

char *infile_read(const char *path, size_t most, const char *what, size_t *size, struct error *err)
{
    FILE *f = infile_open(path, err);
    if (!f)
        return NULL;
    char *bytes = memory_resized(NULL, most + 2, 1, path);
    *size = fread(bytes, 1, most + 1, f);
    if (ferror(f)) {
        infile_fail(path, err);
    } else if (*size > most) {
        error_set(err, ERROR_INPUT, "%s: larger than %zu MiB, so not %s", path, most >> 20, what);
    } else {
        fclose(f);
        bytes[*size] = '\0';
        return bytes;
    }
    fclose(f);
    free(bytes);
    return NULL;
}
