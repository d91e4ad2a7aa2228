/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/directory.h"

#include "base/memory.h"

#include <dirent.h>
#include <fcntl.h>

#define DEEPEST 16 /* below it; those of an engine go down to 2 (emu/linux/start.c) */

static struct held {
    char *path; /* owned */
    int fd;
} *directories;
static size_t directories_n, directories_capacity;

static struct held *directory_find(const char *path, size_t length)
{
    for (size_t i = directories_n; i-- > 0;)
        if (strncmp(directories[i].path, path, length) == 0 && directories[i].path[length] == '\0')
            return &directories[i];
    return NULL;
}

void directory_hold(const char *path, int fd)
{
    directories = memory_grown(directories, directories_n, &directories_capacity, 8, sizeof *directories, "directories");
    directories[directories_n++] = (struct held){memory_text("%s", path), fd};
}

void directory_release(const char *path)
{
    struct held *d = directory_find(path, strlen(path));
    if (!d)
        return;
    close(d->fd);
    free(d->path);
    size_t after = directories_n - (size_t)(d - directories) - 1;
    memmove(d, d + 1, after * sizeof *d);
    directories_n--;
}

int directory_held(const char *path)
{
    const struct held *d = directory_find(path, strlen(path));
    return d ? d->fd : -1;
}

int directory_at(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    const struct held *d = slash ? directory_find(path, (size_t)(slash - path)) : NULL;
    *name = d ? slash + 1 : path;
    return d ? d->fd : AT_FDCWD;
}

static void directory_remove_in(int in, const char *name, int deep)
{
    int fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && deep < DEEPEST && (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            directory_remove_in(fd, e->d_name, deep + 1);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    unlinkat(in, name, fd >= 0 ? AT_REMOVEDIR : 0);
}

void directory_remove(const char *path)
{
    const char *name;
    int in = directory_at(path, &name);
    directory_remove_in(in, name, 0);
}
