/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/infile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

char *infile_read(const char *path, size_t most, const char *what, size_t *size, struct error *err)
{
    FILE *f = fopen(path, "rb");
    char *bytes = f ? malloc(most + 2) : NULL;
    *size = bytes ? fread(bytes, 1, most + 1, f) : 0;
    if (!bytes || ferror(f)) {
        bool mendable = errno == ENOENT || errno == EISDIR || errno == ENOTDIR;
        error_set_errno(err, "%s", path);
        if (mendable)
            err->code = ERROR_INPUT;
    } else if (*size > most) {
        error_set(err, ERROR_INPUT, "%s: larger than %zu MiB, so not %s", path, most >> 20, what);
    } else {
        fclose(f);
        bytes[*size] = '\0';
        return bytes;
    }
    if (f)
        fclose(f);
    free(bytes);
    return NULL;
}
