/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/start.h"

#include "base/directory.h"
#include "base/monotonic.h"
#include "emu/linux/key.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#define MEMORY_MB 1024 /* of the kernel inside, as far as it uses it. With 64, TCP's own limits change rates */
#define PROGRESS "progress "
#define POLL_MS 100
#define STOP_S 30 /* of wall time: a program that computes without end stops the kernel's clock, and what waits for it. A
                   * kernel one of whose processes somebody killed may spin in its panic, about once in a hundred */
#define IDLE (STOP_S * 1000 / POLL_MS) /* looks at the kernel, by the first of which it had its last time on a processor */

struct start {
    const struct linux_start *config;
    char *kernel, *directory; /* owned; absolute */
    int run, own;             /* the run's directory, borrowed, and the private one in it, as they were opened; -1 */
    pid_t pid, watchdog;                /* of the kernel, whose process group it leads; -1: none */
    int console, leash;                 /* what it prints; the watchdog waits for its end */
    double told_s;                      /* when it was told to stop; 0: not yet */
    bool stuck;                         /* and did not, or a program does not let it go on: it was killed */
    unsigned long used;                 /* processor time of the kernel, in ticks, */
    int idle;                           /* unchanged for so many looks */
    FILE *log;                          /* owned; the console, in the private directory */
    char line[256];
    size_t line_bytes;
};

/* The kernel that belongs to these sources, in the user's cache. */
static bool start_find_kernel(struct start *s, struct error *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    s->kernel = cache && cache[0] == '/' ? memory_text("%s/contraflow/kernel-%s/linux", cache, LINUX_KEY)
                                         : memory_text("%s/.cache/contraflow/kernel-%s/linux", home ? home : "", LINUX_KEY);
    return access(s->kernel, X_OK) == 0 ||
           error_set(err, ERROR_SYSTEM, "--engine linux runs a Linux kernel, which is built once: type 'make linux' in "
                     "contraflow's sources (%s is not there)", s->kernel);
}

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) /* and never what a link leads to */

/* Removes files of a directory in another one, and it; a link of its name is removed itself. */
static void start_remove(int in, const char *name, const char *const *files)
{
    struct stat st;
    int fd = openat(in, name, DIRECTORY);
    if (fd < 0 && fstatat(in, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
        unlinkat(in, name, 0);
    if (fd < 0)
        return;
    for (; *files; files++)
        unlinkat(fd, *files, 0);
    if (strcmp(name, LINUX_START_PRIVATE) == 0)
        start_remove(fd, "uml", (const char *const[]){"pid", NULL});
    close(fd);
    unlinkat(in, name, AT_REMOVEDIR);
}

/* What a run leaves in its private directory. */
static void start_clean(const struct start *s)
{
    start_remove(s->run, LINUX_START_PRIVATE, (const char *const[]){"console", "said", "status", "stop", NULL});
}

static bool start_prepare(struct start *s, struct error *err)
{
    char link[32], path[PATH_MAX];
    s->run = directory_held(s->config->directory); /* passed on to the kernel, which works by it */
    snprintf(link, sizeof link, "/proc/self/fd/%d", s->run);
    ssize_t length = s->run >= 0 ? readlink(link, path, sizeof path) : -1;
    if (length <= 0 || length == sizeof path)
        return error_set_errno(err, "%s", s->config->directory);
    s->directory = memory_text("%.*s", (int)length, path);
    start_clean(s);
    int console = -1;
    bool ok = mkdirat(s->run, LINUX_START_PRIVATE, 0700) == 0 && (s->own = openat(s->run, LINUX_START_PRIVATE, DIRECTORY)) >= 0 &&
              (console = openat(s->own, "console", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) >= 0 &&
              (s->log = fdopen(console, "w")) != NULL;
    if (!ok)
        error_set_errno(err, "%s/" LINUX_START_PRIVATE, s->directory);
    if (!ok && console >= 0)
        close(console);
    return ok;
}

/* Where the kernel may keep its memory, in a file that is removed at once: it runs code from there. */
static const char *start_memory_place(void)
{
    const char *places[] = {"/dev/shm", getenv("TMPDIR"), "/tmp", "/var/tmp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct statvfs v;
        if (places[i] && places[i][0] == '/' && access(places[i], W_OK) == 0 && statvfs(places[i], &v) == 0 &&
            !(v.f_flag & ST_NOEXEC) && v.f_bavail * v.f_frsize >= (uint64_t)MEMORY_MB << 20)
            return places[i];
    }
    return "/tmp";
}

/* Processors change hands at every system call inside: on one of them that is twice as fast. Each engine takes one that
 * no other has, as far as there are any. The lock lasts as long as the process. */
static void start_pin(const struct start *s)
{
    cpu_set_t allowed, one;
    int here = sched_getcpu(), most = CPU_SETSIZE;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    char *place = memory_text("%.*s", (int)(strrchr(s->kernel, '/') - s->kernel), s->kernel);
    int cpu = here >= 0 ? here : 0;
    for (int i = 0; i < most; i++) {
        int candidate = (cpu + i) % most;
        if (!CPU_ISSET((size_t)candidate, &allowed))
            continue;
        char *path = memory_text("%s/cpu-%d", place, candidate);
        int fd = open(path, O_RDWR | O_CREAT, 0600); /* passed on to the kernel, which holds it */
        free(path);
        if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) {
            cpu = candidate;
            break;
        }
        close(fd);
    }
    free(place);
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static char *hexadecimal(const char *text)
{
    size_t n = strlen(text);
    char *hex = memory_zeroed(2 * n + 1, 1, "a path");
    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = "0123456789abcdef"[(unsigned char)text[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[(unsigned char)text[i] & 15];
    }
    return hex;
}

/* The child: becomes the kernel. */
static void start_exec(const struct start *s, int console)
{
    char *directory = hexadecimal(s->directory);
    char *const arguments[] = {
        memory_text("contraflow-linux"),
        memory_text("mem=%dM", MEMORY_MB),
        memory_text("root=/dev/root"),
        memory_text("rootfstype=hostfs"),
        memory_text("rootflags=/"),
        memory_text("rw"),
        memory_text("init=\"%s\"", s->config->program), /* which may have spaces */
        memory_text("con=null"),
        memory_text("con0=null,fd:1"),
        memory_text("quiet"),
        memory_text("panic=-1"),
        memory_text("time-travel=inf-cpu"),
        memory_text("time-travel-start=1000000000000000000"),
        memory_text("uml_dir=."),
        memory_text("umid=uml"),
        memory_text(LINUX_START_DIRECTORY "=%s", directory),
        memory_text(LINUX_START_OPENED "=%d", s->run),
        memory_text(LINUX_START_FRAMES "=%lld", (long long)s->config->frames),
        s->config->programs ? memory_text(LINUX_START_PROGRAMS "=allowed") : NULL,
        NULL,
    };
    char *const environment[] = {
        memory_text("UML_SEED=%llu", (unsigned long long)s->config->seed),
        memory_text("TMPDIR=%s", start_memory_place()),
        memory_text("HOME=%s/" LINUX_START_PRIVATE, s->directory),
        NULL,
    };
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(console, STDOUT_FILENO) < 0 ||
        dup2(console, STDERR_FILENO) < 0 || fchdir(s->own) != 0)
        return;
    start_pin(s);
    personality(PER_LINUX | ADDR_NO_RANDOMIZE); /* as much memory each time: Open MPI tells others of it */
    execve(s->kernel, arguments, environment);
    dprintf(STDERR_FILENO, "%s: %s\n", s->kernel, strerror(errno));
}

/* The kernel's process, which leads a group and dies with this one. */
static bool start_fork(struct start *s, struct error *err)
{
    int out[2];
    pid_t parent = getpid();
    if (pipe2(out, O_CLOEXEC) != 0 || (s->pid = fork()) < 0)
        return error_set_errno(err, "the kernel cannot be started");
    if (s->pid == 0) {
        struct rlimit none = {0, 0};
        setpgid(0, 0);
        setrlimit(RLIMIT_CORE, &none);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            start_exec(s, out[1]);
        _exit(ERROR_SYSTEM);
    }
    setpgid(s->pid, s->pid); /* whoever comes first */
    close(out[1]);
    s->console = out[0];
    return true;
}

/* A process that outlives this one for a moment: it kills the kernel's group then. */
static bool start_watchdog(struct start *s, struct error *err)
{
    int leash[2];
    if (pipe2(leash, O_CLOEXEC) != 0 || (s->watchdog = fork()) < 0)
        return error_set_errno(err, "the kernel's watchdog cannot be started");
    if (s->watchdog == 0) {
        char byte;
        setpgid(0, 0);
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        prctl(PR_SET_PDEATHSIG, 0);
        close(leash[1]);
        close(s->console);
        while (read(leash[0], &byte, 1) < 0 && errno == EINTR)
            ;
        kill(-s->pid, SIGKILL);
        _exit(0);
    }
    close(leash[0]);
    s->leash = leash[1];
    return true;
}

static void start_print(struct start *s, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            if (s->line_bytes + 1 < sizeof s->line && bytes[i] != '\r')
                s->line[s->line_bytes++] = bytes[i];
            continue;
        }
        s->line[s->line_bytes] = '\0';
        s->line_bytes = 0;
        if (strncmp(s->line, PROGRESS, strlen(PROGRESS)) == 0 && s->config->progress)
            s->config->progress(strtod(s->line + strlen(PROGRESS), NULL));
        else
            fprintf(s->log, "%s\n", s->line);
    }
}

/* The kernel waits for nothing but a program that computes: virtual time has no other waiting. Looks are counted, not
 * seconds, in which this process may have been stopped itself. */
static bool start_is_idle(struct start *s)
{
    char path[32], text[512] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)s->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    error_close(fd);
    const char *after = n > 0 ? strrchr(text, ')') : NULL; /* the name before it may hold anything */
    if (!after || sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        return false;
    s->idle = user + system == s->used ? s->idle + 1 : 0;
    s->used = user + system;
    return s->idle > IDLE;
}

/* Until the kernel's process is gone: what it prints, and the user's wish to stop. Returns its wait status. */
static int start_wait(struct start *s)
{
    int status = 0;
    for (;;) {
        struct pollfd p = {.fd = s->console, .events = POLLIN};
        int ready = poll(&p, 1, POLL_MS);
        bool late = s->told_s > 0 && monotonic_now_s() - s->told_s > STOP_S;
        if (!s->stuck && (late || (s->config->programs && ready == 0 && start_is_idle(s)))) {
            s->stuck = true;
            kill(-s->pid, SIGKILL);
        }
        if (*s->config->interrupt && !(s->told_s > 0)) {
            int fd = openat(s->own, "stop", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
            s->told_s = monotonic_now_s();
            error_close(fd);
        }
        char bytes[4096];
        ssize_t n = ready > 0 ? read(s->console, bytes, sizeof bytes) : -1;
        if (n > 0) {
            start_print(s, bytes, (size_t)n);
            continue;
        }
        pid_t gone = waitpid(s->pid, &status, n == 0 ? 0 : WNOHANG);
        if (gone == s->pid || (gone < 0 && errno == ECHILD))
            return status;
    }
}

static bool start_read(const struct start *s, const char *name, char *text, size_t size)
{
    int fd = openat(s->own, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    error_close(fd);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    return n >= 0;
}

/* How it went, from what the program inside left; the kernel's own end says nothing more. */
static int start_judge(struct start *s, int status, struct error *err)
{
    char number[16], said[sizeof err->message];
    if (!start_read(s, "status", number, sizeof number) || !number[0]) {
        char how[64] = "", *to = memory_text("%s/" LINUX_START_CONSOLE, s->directory);
        fflush(s->log);
        if (s->stuck && s->config->programs)
            unlinkat(s->own, "console", 0);
        else if (renameat(s->own, "console", s->run, LINUX_START_CONSOLE) != 0)
            fprintf(stderr, "%s: %s\n", to, strerror(errno));
        if (WIFSIGNALED(status))
            snprintf(how, sizeof how, " (signal %d, %s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
        if (s->stuck && !s->config->programs)
            error_set(err, ERROR_SYSTEM, "told to stop, the kernel inside went on for %d s; what it printed is in %s",
                      STOP_S, to);
        else if (s->stuck)
            error_set(err, ERROR_SYSTEM, "%s for %d s: a program computes without a system call, which stops the clock "
                      "(traffic.programs)", s->told_s > 0 ? "told to stop, the kernel inside went on" :
                      "virtual time stood still", STOP_S);
        else
            error_set(err, ERROR_SYSTEM, "the kernel inside crashed%s; what it printed is in %s", how, to);
        free(to);
        return ERROR_SYSTEM;
    }
    int code = (int)strtol(number, NULL, 10);
    if (!start_read(s, "said", said, sizeof said) || !said[0])
        snprintf(said, sizeof said, "the program inside failed without a word");
    if (code == ERROR_INPUT || code == ERROR_SYSTEM)
        error_set(err, (enum error_code)code, "%s", said);
    return code;
}

/* Nothing of the group is left, whatever its members do. */
static void start_end(struct start *s)
{
    if (s->pid > 0) {
        kill(-s->pid, SIGKILL);
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        while (waitpid(-s->pid, NULL, 0) > 0) /* those whose parent it was */
            ;
    }
    error_close(s->leash);
    if (s->watchdog > 0)
        while (waitpid(s->watchdog, NULL, 0) < 0 && errno == EINTR)
            ;
    error_close(s->console);
}

int linux_start(const struct linux_start *config, struct error *err)
{
    struct start s = {.config = config, .pid = -1, .watchdog = -1, .console = -1, .leash = -1, .run = -1,
                      .own = -1};
    int code = ERROR_SYSTEM;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (start_find_kernel(&s, err) && start_prepare(&s, err) && start_fork(&s, err) && start_watchdog(&s, err)) {
        int status = start_wait(&s);
        code = start_judge(&s, status, err);
    }
    start_end(&s);
    if (s.log)
        fclose(s.log);
    error_close(s.own);
    if (s.run >= 0)
        start_clean(&s);
    MEMORY_FREE(s.kernel, s.directory);
    return err->code ? (int)err->code : code;
}
