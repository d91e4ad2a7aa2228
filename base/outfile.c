/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outfile.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void outfile_free(struct outfile *f)
{
    free(f->path);
    free(f->part);
    *f = (struct outfile){0};
}

bool outfile_open(struct outfile *f, const char *path, struct error *err)
{
    *f = (struct outfile){0};
    f->path = memory_text("%s", path);
    f->part = memory_text("%s.part", path);
    f->stream = fopen(f->part, "wb");
    if (!f->stream) {
        error_set_errno(err, "%s: cannot be written", f->part);
        outfile_free(f);
        return false;
    }
    return true;
}

bool outfile_commit(struct outfile *f, struct error *err)
{
    bool ok = !ferror(f->stream) && fflush(f->stream) == 0;
    int saved = errno;
    if (fclose(f->stream) != 0 && ok) {
        ok = false;
        saved = errno;
    }
    f->stream = NULL;
    if (ok && rename(f->part, f->path) != 0) {
        ok = false;
        saved = errno;
    }
    if (!ok) {
        errno = saved ? saved : EIO;
        error_set_errno(err, "%s: cannot be written", f->path);
        unlink(f->part);
    }
    outfile_free(f);
    return ok;
}

void outfile_discard(struct outfile *f)
{
    if (f->stream) {
        fclose(f->stream);
        unlink(f->part);
    }
    outfile_free(f);
}

void outfile_abandon(struct outfile *f)
{
    if (f->stream)
        fclose(f->stream);
    outfile_free(f);
}

bool outfile_make_directory(const char *path, struct error *err)
{
    char *copy = memory_text("%s", path);
    bool ok = true;
    for (char *p = copy + 1; ok; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        struct stat st;
        if (mkdir(copy, 0777) != 0 && !(errno == EEXIST && stat(copy, &st) == 0 && S_ISDIR(st.st_mode)))
            ok = error_set_errno(err, "%s: directory cannot be made", copy);
        *p = kept;
        if (kept == '\0')
            break;
    }
    free(copy);
    return ok;
}
