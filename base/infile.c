/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/infile.h"

#include "base/directory.h"

#include <fcntl.h>

#define LEAST 4096 /* bytes of room, at first */

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
    const char *name;
    int in = directory_at(path, &name), fd = openat(in, name, O_RDONLY | O_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (!f)
        infile_fail(path, err);
    if (!f && fd >= 0)
        close(fd);
    return f;
}

char *infile_read(const char *path, size_t most, const char *what, size_t *size, struct error *err)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : infile_open(path, err);
    if (!f)
        return NULL;
    char *bytes = NULL;
    size_t room = 0; /* not for the largest at once: few files are, and its pages would take longer than they */
    *size = 0;
    do {
        room = room < LEAST ? LEAST : 2 * room;
        if (room > most + 1)
            room = most + 1;
        bytes = memory_resized(bytes, room, 1, path);
        *size += fread(bytes + *size, 1, room - *size, f);
    } while (*size == room && room <= most);
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
