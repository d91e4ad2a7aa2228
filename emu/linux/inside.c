/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/inside.h"

#include "base/directory.h"
#include "emu/linux/host.h"
#include "emu/linux/start.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PLACE "/dev/run" /* /dev is the kernel's own: nothing there is the user's */
#define FILES (1 << 20) /* open at once, at most: fs.nr_open */

bool linux_inside(void)
{
    return getpid() == 1 && getenv(LINUX_START_DIRECTORY);
}

/* A file of the private directory, which neither is a link nor is behind one. -1 and errno. */
static int inside_open(const char *directory, const char *name, int flags)
{
    int in = openat(directory_held(directory), LINUX_START_PRIVATE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = in >= 0 ? openat(in, name, flags | O_NOFOLLOW, 0600) : -1;
    error_close(in);
    return fd;
}

/* The run's directory is mounted by the descriptor of the kernel's process: wherever its name leads by now, files go
 * there. Where that fails, nothing is left for whoever waits, who says so. */
static void inside_hold(const char *directory)
{
    const char *opened = getenv(LINUX_START_OPENED);
    char *from = memory_text("/proc/self/fd/%s/.", opened ? opened : "");
    if ((mkdir(PLACE, 0755) != 0 && errno != EEXIST) || mount("none", PLACE, "hostfs", 0, from) != 0)
        fprintf(stderr, "%s: %s\n", from, strerror(errno));
    else
        directory_hold(directory, open(PLACE, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    free(from);
}

bool linux_inside_interrupted(const char *directory)
{
    int fd = inside_open(directory, "stop", O_RDONLY | O_CLOEXEC);
    error_close(fd);
    return fd >= 0;
}

static char *inside_directory(void)
{
    const char *hex = getenv(LINUX_START_DIRECTORY);
    size_t n = strlen(hex) / 2;
    char *directory = memory_zeroed(n + 1, 1, "a path");
    for (size_t i = 0; i < n; i++)
        directory[i] = (char)strtol((char[]){hex[2 * i], hex[2 * i + 1], '\0'}, NULL, 16);
    return directory;
}

static void inside_write(const char *directory, const char *name, const char *text)
{
    int fd = inside_open(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        fprintf(stderr, "%s: %s\n", name, strerror(errno));
    error_close(fd);
}

/* File systems, and file writes that never make their writer wait: that would take virtual time. */
static bool inside_prepare(struct error *err)
{
    const struct rlimit files = {FILES, FILES};
    return (setrlimit(RLIMIT_NOFILE, &files) == 0 || error_set_errno(err, "the kernel inside: open files")) &&
           ((mount("proc", "/proc", "proc", 0, NULL) == 0 && mount("sysfs", "/sys", "sysfs", 0, NULL) == 0) ||
            error_set_errno(err, "the kernel inside: /proc and /sys")) &&
           linux_host_set("/proc/sys/vm/dirty_background_bytes", 4 << 20, err) &&
           linux_host_set("/proc/sys/vm/dirty_bytes", 512 << 20, err);
}

static int inside_child(int (*work)(const char *directory), const char *directory)
{
    int fd = inside_open(directory, "said", O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
        return ERROR_SYSTEM;
    close(fd);
    struct error err = {0};
    if (inside_prepare(&err))
        return work(directory);
    fprintf(stderr, "%s\n", err.message);
    return (int)err.code;
}

void linux_inside_run(int (*work)(const char *directory))
{
    char *directory = inside_directory(), status[16];
    int how = 0;
    inside_hold(directory);
    pid_t child = fork(), gone;
    if (child == 0) {
        int code = inside_child(work, directory);
        fflush(NULL);
        _exit(code);
    }
    while ((gone = wait(&how)) != child && gone > 0) /* programs' orphans, too */
        ;
    if (child > 0 && WIFSIGNALED(how)) {
        MEMORY_LOCAL char *said = memory_text("the program inside was ended by signal %d (%s)", WTERMSIG(how),
                                              strsignal(WTERMSIG(how)));
        inside_write(directory, "said", said);
    }
    sync(); /* a status is there when all else is */
    snprintf(status, sizeof status, "%d\n", child > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : ERROR_SYSTEM);
    inside_write(directory, "status", status);
    sync();
    reboot(RB_POWER_OFF);
    for (;;)
        pause();
}
