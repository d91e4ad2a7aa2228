/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/program.h"

#include "base/directory.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PLACE "/dev/hosts" /* /dev is the kernel's own: nothing there is the user's */
#define FILES 1024         /* open at once, as programs expect */

static bool program_write(const char *path, const char *text, mode_t mode, struct error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    bool ok = (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text)) ||
              error_set_errno(err, "the kernel inside: %s", path);
    error_close(fd);
    return ok;
}

/* A file of the system outside, for programs with other content. */
static bool program_cover(const char *path, const char *by, const char *text, struct error *err)
{
    return program_write(by, text, 0644, err) &&
           (mount(by, path, NULL, MS_BIND, NULL) == 0 || error_set_errno(err, "the kernel inside: %s", path));
}

/* Hosts by name, and nobody asks a server for others: it would answer never. */
static bool program_names(int n, struct error *err)
{
    MEMORY_LOCAL char *text = NULL;
    size_t size;
    FILE *f = memory_stream(&text, &size);
    fputs("127.0.0.1 localhost\n", f);
    for (int i = 0; i < n; i++) {
        uint32_t a = emu_engine_ipv4(i);
        fprintf(f, "%u.%u.%u.%u h%d\n", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255, i);
    }
    memory_stream_end(f, &text);
    return program_cover("/etc/hosts", PLACE "/names", text, err) &&
           (access("/etc/nsswitch.conf", F_OK) != 0 ||
            program_cover("/etc/nsswitch.conf", PLACE "/services", "hosts: files\n", err));
}

static bool program_namespace(const struct linux_host *host, struct error *err)
{
    char path[32], from[32];
    snprintf(path, sizeof path, PLACE "/h%d", host->number);
    snprintf(from, sizeof from, "/proc/self/fd/%d", host->namespace);
    return program_write(path, "", 0444, err) && (mount(from, path, NULL, MS_BIND, NULL) == 0 ||
                                                  error_set_errno(err, "the kernel inside: %s", path));
}

static bool program_mount(const char *path, const char *type, const char *options, struct error *err)
{
    return ((mkdir(path, 0755) == 0 || errno == EEXIST) && mount(type, path, type, 0, options) == 0) ||
           error_set_errno(err, "the kernel inside: %s", path);
}

/* This program, which programs on hosts know as `on`. */
static bool program_agent(struct error *err)
{
    char own[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    return (n > 0 && symlink(own, PLACE "/" LINUX_PROGRAM_AGENT) == 0) ||
           error_set_errno(err, "the kernel inside: " PLACE "/" LINUX_PROGRAM_AGENT);
}

bool linux_program_prepare(const struct linux_host *hosts, int n, struct error *err)
{
    bool ok = program_mount("/dev/shm", "tmpfs", "mode=1777", err) && program_mount("/dev/pts", "devpts", NULL, err) &&
              program_mount(PLACE, "tmpfs", "mode=755", err) && program_agent(err) && program_names(n, err);
    for (int i = 0; ok && i < n; i++)
        ok = program_namespace(&hosts[i], err);
    return ok;
}

/* Where contraflow is: its programs are found, as the system's. */
static char *program_path(void)
{
    char own[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    char *slash = n > 0 ? strrchr(own, '/') : NULL;
    if (slash)
        *slash = '\0';
    return memory_text("PATH=" PLACE ":%s:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", own);
}

static bool program_enter(int namespace, const char *name)
{
    return setns(namespace, CLONE_NEWNET) == 0 && unshare(CLONE_NEWUTS) == 0 && sethostname(name, strlen(name)) == 0;
}

bool linux_program_enter_by_name(const char *name, struct error *err)
{
    if (name[0] != 'h' || !name[1] || strspn(name + 1, "0123456789") != strlen(name + 1))
        return error_set(err, ERROR_INPUT, "'%s' is not a host; hosts are h0, h1, ...", name);
    MEMORY_LOCAL char *path = memory_text(PLACE "/%s", name);
    int namespace = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = (namespace >= 0 && program_enter(namespace, name)) || error_set_errno(err, "%s", path);
    error_close(namespace);
    return ok;
}

/* execvp() would have a shell read a file that is no program. */
void linux_program_exec(char *const *words)
{
    const char *path = getenv("PATH");
    if (strchr(words[0], '/')) {
        execv(words[0], words);
        return;
    }
    errno = ENOENT;
    for (size_t n; path && *path; path += n + strspn(path + n, ":")) {
        n = strcspn(path, ":");
        char *program = memory_text("%.*s/%s", (int)n, path, words[0]);
        bool there = access(program, X_OK) == 0;
        if (there)
            execv(program, words);
        free(program);
        if (there)
            return;
    }
}

/* The run's directory, by the name that the user knows where it still leads there. */
static bool program_directory(const char *directory)
{
    int in = directory_held(directory);
    struct stat named, held;
    bool same = chdir(directory) == 0 && stat(".", &named) == 0 && fstat(in, &held) == 0 && named.st_ino == held.st_ino;
    return same || fchdir(in) == 0;
}

/* The child: becomes the command. */
static _Noreturn void program_begin(const struct emu_program_config *config, const struct linux_host *host, int output)
{
    char name[16], **words, *environment[] = {program_path(), memory_text("HOME=/dev/shm"),
                                              memory_text("TMPDIR=/dev/shm"), memory_text("LANG=C.UTF-8"), NULL};
    const struct rlimit files = {FILES, FILES};
    int n = 0, null = open("/dev/null", O_RDONLY);
    while (config->command[n])
        n++;
    words = memory_zeroed((size_t)n + 1, sizeof *words, "a command");
    for (int i = 0; i < n; i++)
        words[i] = memory_text("%s", config->command[i]);
    snprintf(name, sizeof name, "h%d", host->number);
    bool ok = program_enter(host->namespace, name) && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
              dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 && program_directory(config->directory) &&
              close_range(STDERR_FILENO + 1, ~0u, 0) == 0 && setrlimit(RLIMIT_NOFILE, &files) == 0;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    setsid();
    environ = environment;
    if (ok)
        linux_program_exec(words);
    dprintf(STDERR_FILENO, "%s: cannot be started: %s\n", words[0], strerror(errno));
    _exit(127);
}

pid_t linux_program_start(const struct emu_program_config *config, const struct linux_host *host, struct error *err)
{
    MEMORY_LOCAL char *path = memory_text("%s/%s", config->directory, config->output);
    const char *name;
    int in = directory_at(path, &name);
    int output = openat(in, name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    pid_t pid = output >= 0 ? fork() : -1;
    if (pid == 0)
        program_begin(config, host, output);
    if (pid < 0)
        error_set_errno(err, "%s", path);
    error_close(output);
    return pid;
}

pid_t linux_program_ended(int *status)
{
    int how = 0;
    pid_t pid = waitpid(-1, &how, WNOHANG);
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    return pid > 0 ? pid : 0;
}

void linux_program_kill_all(void)
{
    kill(-1, SIGKILL);
}
