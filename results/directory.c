/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/directory.h"

#include "base/directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

char *results_directory_path(const char *directory, const char *name)
{
    return memory_text("%s/%s", directory, name);
}

bool results_directory_create(struct outfile *f, const char *directory, const char *name, struct error *err)
{
    MEMORY_LOCAL char *path = results_directory_path(directory, name);
    return outfile_open(f, path, err);
}

bool results_directory_has(const char *directory, const char *name)
{
    const char *file;
    MEMORY_LOCAL char *path = results_directory_path(directory, name);
    int in = directory_at(path, &file);
    return faccessat(in, file, F_OK, 0) == 0;
}

bool results_directory_remove(const char *directory, const char *name, struct error *err)
{
    const char *file;
    MEMORY_LOCAL char *path = results_directory_path(directory, name);
    int in = directory_at(path, &file);
    return unlinkat(in, file, 0) == 0 || errno == ENOENT ||
           (errno == EISDIR && unlinkat(in, file, AT_REMOVEDIR) == 0) ||
           error_set_errno(err, "%s: cannot be replaced", path);
}

/* Something else that stands where a directory of ours goes. */
static bool directory_is_link(const char *directory)
{
    struct stat st;
    const char *name;
    int in = directory_at(directory, &name);
    return fstatat(in, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

bool results_directory_take(const char *directory, bool ours, struct error *err)
{
    const char *name;
    int in = directory_at(directory, &name);
    if (!(ours && directory_is_link(directory)) && !outfile_make_directory(directory, err))
        return false;
    /* Not O_CLOEXEC: an engine works by it, and may outlive us by a moment. */
    int fd = openat(in, name, O_RDONLY | O_DIRECTORY | (ours ? O_NOFOLLOW : 0)), why = errno;
    if (fd < 0 && ours && directory_is_link(directory))
        return error_set(err, ERROR_INPUT, "%s: a link, where a directory of results goes; remove it, or give -o another "
                         "directory", directory);
    errno = why;
    if (fd < 0)
        return error_set_errno(err, "%s: cannot be opened", directory);
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) { /* some file systems have no locks */
        directory_hold(directory, fd);
        return true;
    }
    close(fd);
    return error_set(err, ERROR_INPUT, "%s: another process writes its results there; wait for its end, or give -o "
                     "another directory", directory);
}
