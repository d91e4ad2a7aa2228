/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outfile.h"

#include "base/directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define BUFFER_BYTES ((size_t)1 << 16) /* of a stream */

/* The parts of this process: whatever exits, for want of memory say, leaves none. */
static char **outfile_parts;
static size_t outfile_n, outfile_capacity;

static int outfile_unlink(const char *path)
{
    const char *name;
    int in = directory_at(path, &name);
    return unlinkat(in, name, 0);
}

static void outfile_at_exit(void)
{
    while (outfile_n > 0)
        outfile_unlink(outfile_parts[--outfile_n]);
}

void outfile_watch(char *part)
{
    if (outfile_capacity == 0)
        atexit(outfile_at_exit);
    outfile_parts = memory_grown(outfile_parts, outfile_n, &outfile_capacity, 16, sizeof *outfile_parts, "files");
    outfile_parts[outfile_n++] = part;
}

void outfile_unwatch(const char *part)
{
    for (size_t i = 0; i < outfile_n; i++)
        if (outfile_parts[i] == part)
            outfile_parts[i--] = outfile_parts[--outfile_n];
}

static void outfile_free(struct outfile *f)
{
    outfile_unwatch(f->part);
    MEMORY_FREE(f->buffer, f->path, f->part);
    *f = (struct outfile){0};
}

/* A new, empty file that nobody else writes: whoever has the lock of the file of this name owns it. What a process that
 * is gone left is removed, and so is what others put there: a link, to have another file written. */
static int outfile_open_part(const char *path, bool *busy)
{
    const char *part;
    int in = directory_at(path, &part);
    for (;;) {
        struct stat opened, named;
        int fd = openat(in, part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (fd < 0 && errno == ELOOP && fstatat(in, part, &named, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(named.st_mode) &&
            unlinkat(in, part, 0) == 0)
            continue;
        if (fd < 0)
            return -1;
        *busy = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (*busy || fstat(fd, &opened) != 0) {
            close(fd);
            return -1;
        }
        bool ours = fstatat(in, part, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
        if (ours && S_ISREG(opened.st_mode) && opened.st_nlink == 1 && opened.st_size == 0)
            return fd;
        if (ours && unlinkat(in, part, 0) != 0) {
            close(fd);
            return -1;
        }
        close(fd);
    }
}

bool outfile_open(struct outfile *f, const char *path, struct error *err)
{
    *f = (struct outfile){0};
    f->path = memory_text("%s", path);
    f->part = memory_text("%s.part", path);
    bool busy = false;
    outfile_watch(f->part);
    int fd = outfile_open_part(f->part, &busy);
    if (fd >= 0)
        f->stream = fdopen(fd, "wb");
    if (f->stream) {
        f->buffer = memory_resized(NULL, BUFFER_BYTES, 1, "a file");
        setvbuf(f->stream, f->buffer, _IOFBF, BUFFER_BYTES);
        return true;
    }
    if (busy)
        error_set(err, ERROR_INPUT, "%s: another process is writing it; wait for its end, or give another name", path);
    else
        error_set_errno(err, "%s: cannot be written", f->part);
    if (fd >= 0) {
        outfile_unlink(f->part);
        close(fd);
    }
    outfile_free(f);
    return false;
}

bool outfile_commit(struct outfile *f, struct error *err)
{
    int why = errno, lock = dup(fileno(f->stream)); /* until the file has its name */
    bool ok = lock >= 0 && fflush(f->stream) == 0;
    if (!ok)
        why = errno;
    ok = ok && !ferror(f->stream);
    if (fclose(f->stream) != 0 && ok) {
        ok = false;
        why = errno;
    }
    f->stream = NULL;
    const char *from, *to;
    int from_in = directory_at(f->part, &from), to_in = directory_at(f->path, &to);
    if (ok && renameat(from_in, from, to_in, to) != 0) {
        ok = false;
        why = errno;
    }
    if (!ok) {
        errno = why ? why : EIO;
        error_set_errno(err, "%s: cannot be written", f->path);
        outfile_unlink(f->part);
    }
    error_close(lock);
    outfile_free(f);
    return ok;
}

void outfile_discard(struct outfile *f)
{
    if (f->stream) {
        outfile_unlink(f->part);
        fclose(f->stream);
    }
    outfile_free(f);
}

#define MADE 32 /* directories that are remembered: the first ones, which hold a sweep's thousands */

static char *outfile_made[MADE]; /* owned */
static size_t outfile_made_n;

void outfile_unmake_directories(void)
{
    while (outfile_made_n > 0) {
        MEMORY_LOCAL char *path = outfile_made[--outfile_made_n];
        rmdir(path);
    }
}

bool outfile_make_directory(const char *path, struct error *err)
{
    const char *name;
    int in = directory_at(path, &name);
    if (in != AT_FDCWD) {
        /* In a directory that is held nothing but the last part of the path is made. */
        struct stat st;
        return mkdirat(in, name, 0777) == 0 ||
               (errno == EEXIST && fstatat(in, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)) ||
               error_set_errno(err, "%s: directory cannot be made", path);
    }
    MEMORY_LOCAL char *copy = memory_text("%s", path);
    bool ok = true;
    for (char *p = copy + 1; ok; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        struct stat st;
        if (mkdir(copy, 0777) == 0) {
            if (outfile_made_n < MADE)
                outfile_made[outfile_made_n++] = memory_text("%s", copy);
        } else if (!(errno == EEXIST && stat(copy, &st) == 0 && S_ISDIR(st.st_mode))) {
            ok = error_set_errno(err, "%s: directory cannot be made", copy);
        }
        *p = kept;
        if (kept == '\0')
            break;
    }
    return ok;
}
