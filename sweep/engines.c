/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/engines.h"

#include "base/directory.h"
#include "base/monotonic.h"
#include "base/place.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define SHOW_EVERY_S 0.2

struct child {
    pid_t pid;
    int out, err; /* read ends; -1 at end of file */
    struct sweep_engines_job *job;
    double started;
    char line[256]; /* unfinished line of its stdout */
    size_t line_bytes;
    char said[sizeof((struct error *)0)->message]; /* start of its stderr */
    size_t said_bytes;
};

static volatile sig_atomic_t engines_signal, engines_signals;

static void engines_on_signal(int number)
{
    engines_signal = number;
    engines_signals++;
}

bool sweep_engines_parse_jobs(const char *option, const char *text, int64_t *jobs, struct error *err)
{
    return (units_parse_integer(text, jobs, err) && *jobs >= 1 && *jobs <= SWEEP_ENGINES_MOST) ||
           error_set(err, ERROR_INPUT, "--%s: '%s' is not a number from 1 to %d", option, text, SWEEP_ENGINES_MOST);
}

int sweep_engines_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}

static bool engines_beside(const char *name, const char *needs, char *path, size_t size, struct error *err)
{
    return place_program(name, path, size, err) &&
           (access(path, X_OK) == 0 || error_set(err, ERROR_SYSTEM, "%s is not there: build it%s", path, needs));
}

bool sweep_engines_path(enum scenario_engine engine, char *path, size_t size, struct error *err)
{
    static const char *const needs[] = {
        [SCENARIO_ENGINE_NS3] = " (ns-3 3.37 is needed: apt install libns3-dev), or install the package contraflow-ns3",
        [SCENARIO_ENGINE_NATIVE] = "",
        [SCENARIO_ENGINE_LINUX] = " (x86-64 Linux is needed, and no sanitizer)",
    };
    return engines_beside(scenario_engine_names[engine], needs[engine], path, size, err);
}

bool sweep_engines_path_mpi(char *path, size_t size, struct error *err)
{
    return engines_beside("mpi", " (Open MPI is needed: apt install libopenmpi-dev), or install the package "
                          "contraflow-mpi", path, size, err);
}

/* Ours, and that malloc asks for large pages where the system leaves that to programs: what a thousand hosts touch lies far apart,
 * and looking up where small pages are takes a third of their time. Who sets tunables has decided for himself. */
static char **child_environment(void)
{
    static char tunables[] = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
    size_t n = 0;
    while (environ[n])
        n++;
    char **all = memory_zeroed(n + 2, sizeof *all, "an environment");
    memcpy(all, environ, n * sizeof *all);
    if (!getenv("GLIBC_TUNABLES"))
        all[n] = tunables;
    return all;
}

/* `PROGRAM [OPTION] [SWEEP_ENGINES_OPENED=N] DIRECTORY` */
static void child_exec(const struct sweep_engines_job *job, char **environment)
{
    char opened[sizeof SWEEP_ENGINES_OPENED + 12];
    const char *words[3] = {NULL}; /* the last that are NULL end the list */
    int n = 0, fd = directory_held(job->directory);
    if (job->option)
        words[n++] = job->option;
    if (fd >= 0) {
        snprintf(opened, sizeof opened, SWEEP_ENGINES_OPENED "%d", fd);
        words[n++] = opened;
    }
    words[n] = job->directory;
    environ = environment; /* not by execle(), whose environment comes after the first NULL */
    execl(job->program, job->program, words[0], words[1], words[2], (char *)NULL);
}

static bool child_start(struct child *c, struct sweep_engines_job *job)
{
    const char *program = job->program;
    pid_t parent = getpid();
    char **environment MEMORY_LOCAL = child_environment();
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    /* What is sent to a child that still has our handlers would be lost: it waits until they are gone. */
    sigprocmask(SIG_BLOCK, &stops, &before);
    *c = (struct child){.pid = -1, .out = -1, .err = -1, .job = job, .started = monotonic_now_s()};
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 || (c->pid = fork()) < 0) {
        error_set_errno(&job->error, "%s: cannot be started", program);
        sigprocmask(SIG_SETMASK, &before, NULL);
        for (int i = 0; i < 2; i++) {
            error_close(out[i]);
            error_close(err[i]);
        }
        job->state = SWEEP_ENGINES_FAILED;
        return false;
    }
    if (c->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody is left to read its results */
        if (getppid() != parent)
            _exit(ERROR_SYSTEM);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        child_exec(job, environment);
        dprintf(STDERR_FILENO, "%s: cannot be started: %s\n", program, strerror(errno));
        _exit(ERROR_SYSTEM);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(out[1]);
    close(err[1]);
    c->out = out[0];
    c->err = err[0];
    job->state = SWEEP_ENGINES_RUNNING;
    return true;
}

/* Reads what there is, 0 when nothing; closes *fd at the end of file. */
static size_t child_read(int *fd, char *bytes, size_t size)
{
    ssize_t n = read(*fd, bytes, size);
    if (n > 0)
        return (size_t)n;
    if (n == 0 || errno != EINTR) {
        close(*fd);
        *fd = -1;
    }
    return 0;
}

static void child_read_progress(struct child *c)
{
    char bytes[4096];
    size_t n = child_read(&c->out, bytes, sizeof bytes);
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            if (c->line_bytes + 1 < sizeof c->line)
                c->line[c->line_bytes++] = bytes[i];
            continue;
        }
        c->line[c->line_bytes] = '\0';
        c->line_bytes = 0;
        double fraction;
        if (sscanf(c->line, "progress %lf", &fraction) == 1)
            c->job->fraction = fraction;
    }
}

static void child_read_error(struct child *c)
{
    char bytes[4096];
    size_t n = child_read(&c->err, bytes, sizeof bytes);
    size_t room = sizeof c->said - 1 - c->said_bytes, take = n < room ? n : room;
    memcpy(c->said + c->said_bytes, bytes, take);
    c->said_bytes += take;
}

static void child_reap(struct child *c)
{
    int status = 0;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    struct sweep_engines_job *job = c->job;
    job->seconds = monotonic_now_s() - c->started;
    c->pid = -1;
    c->said[c->said_bytes] = '\0';
    c->said[strcspn(c->said, "\n")] = '\0';
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        job->state = SWEEP_ENGINES_DONE;
        job->fraction = 1;
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == SWEEP_ENGINES_INTERRUPTED) {
        job->state = SWEEP_ENGINES_STOPPED;
    } else {
        job->state = SWEEP_ENGINES_FAILED;
        job->signalled = WIFSIGNALED(status);
        if (job->signalled)
            error_set(&job->error, ERROR_SYSTEM,
                      "the engine was ended by signal %d (%s) %.0f %% into the run; its files are incomplete%s%s",
                      WTERMSIG(status), strsignal(WTERMSIG(status)), 100 * job->fraction, c->said[0] ? ": " : "",
                      c->said);
        else
            error_set(&job->error, WEXITSTATUS(status) == ERROR_INPUT ? ERROR_INPUT : ERROR_SYSTEM, "%s",
                      c->said[0] ? c->said : "the engine failed without a word");
    }
}

static void engines_poll(struct child *children, int running)
{
    struct pollfd fds[2 * SWEEP_ENGINES_MOST];
    nfds_t n = 0;
    for (int i = 0; i < running; i++) {
        fds[n++] = (struct pollfd){.fd = children[i].out, .events = POLLIN};
        fds[n++] = (struct pollfd){.fd = children[i].err, .events = POLLIN};
    }
    if (n == 0 || poll(fds, n, 500) <= 0)
        return;
    for (int i = 0; i < running; i++) {
        if (fds[2 * i].revents)
            child_read_progress(&children[i]);
        if (fds[2 * i + 1].revents)
            child_read_error(&children[i]);
    }
}

int sweep_engines_pool(const struct sweep_engines_source *source, int parallel)
{
    struct child children[SWEEP_ENGINES_MOST];
    int running = 0, told = 0;
    bool more = true, stop = false;
    double started = monotonic_now_s(), shown = 0;
    if (parallel > SWEEP_ENGINES_MOST)
        parallel = SWEEP_ENGINES_MOST;
    engines_signal = engines_signals = 0;
    struct sigaction action = {.sa_handler = engines_on_signal}, old_int, old_term;
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
    while (running > 0 || (more && !stop && !engines_signal)) {
        stop = stop || (source->until_s > 0 && monotonic_now_s() > source->until_s);
        while (more && !stop && !engines_signal && running < parallel) {
            struct sweep_engines_job *job = source->next(source->user);
            more = job != NULL;
            if (job && child_start(&children[running], job))
                running++;
            else if (job && !source->done(source->user, job))
                stop = true;
        }
        if (engines_signals + stop > told) {
            told = engines_signals + stop;
            for (int i = 0; i < running; i++)
                kill(children[i].pid, told == 1 ? SIGTERM : SIGKILL);
        }
        engines_poll(children, running);
        for (int i = 0; i < running; i++) {
            if (children[i].out >= 0 || children[i].err >= 0)
                continue;
            child_reap(&children[i]);
            if ((told > 0 || engines_signal) && children[i].job->signalled) /* before it could say so itself */
                children[i].job->state = SWEEP_ENGINES_STOPPED;
            if (!source->done(source->user, children[i].job))
                stop = true;
            children[i--] = children[--running];
        }
        if (source->show && monotonic_now_s() >= shown + SHOW_EVERY_S) {
            shown = monotonic_now_s();
            source->show(source->user, shown - started);
        }
    }
    if (source->show)
        source->show(source->user, -1);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    return engines_signal;
}
