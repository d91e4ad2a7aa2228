/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/temporary.h"

#include "base/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define RANDOM "XXXXXX" /* mkdtemp() */

/* -1, and EWOULDBLOCK where somebody else has it. */
static int temporary_lock(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW); /* not O_CLOEXEC: engines have the lock, too */
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        if (fstat(fd, &st) == 0 && st.st_nlink > 0)
            return fd;
        errno = EWOULDBLOCK; /* somebody who tidies up was faster */
    }
    error_close(fd);
    return -1;
}

static void temporary_tidy(const char *directory, const char *word)
{
    MEMORY_LOCAL char *begin = memory_text("contraflow-%s-", word);
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (strncmp(e->d_name, begin, strlen(begin)) != 0 || strlen(e->d_name) != strlen(begin) + strlen(RANDOM))
            continue;
        MEMORY_LOCAL char *path = memory_text("%s/%s", directory, e->d_name);
        int fd = temporary_lock(path);
        if (fd >= 0) {
            directory_remove(path);
            close(fd);
        }
    }
    if (d)
        closedir(d);
}

char *sweep_temporary_begin(const char *word, struct error *err)
{
    const char *tmp = getenv("TMPDIR"), *directory = tmp && *tmp ? tmp : "/tmp";
    temporary_tidy(directory, word);
    for (;;) {
        char *path = memory_text("%s/contraflow-%s-" RANDOM, directory, word);
        if (!mkdtemp(path)) {
            error_set_errno(err, "%s: cannot be made", path);
            free(path);
            return NULL;
        }
        int fd = temporary_lock(path);
        if (fd >= 0) {
            directory_hold(path, fd);
            return path;
        }
        if (errno != EWOULDBLOCK && errno != ENOENT) /* a file system without locks */
            return path;
        free(path);
    }
}

void sweep_temporary_end(char *path)
{
    if (!path)
        return;
    directory_remove(path);
    directory_release(path);
    free(path);
}
