/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/mpi.h"

#include "sweep/job.h"
#include "sweep/temporary.h"

#include <mpi.h>
#include <time.h>

enum { TAG_READY = 1, TAG_RESULT, TAG_POINT, TAG_HALT /* stop what runs */, TAG_END };

#define SLEEP_LEAST_NS 20000
#define SLEEP_MOST_NS 2000000
#define SHOW_EVERY_S 0.2

static volatile sig_atomic_t mpi_signal;
static pid_t mpi_parent;

static void sweep_mpi_on_signal(int number)
{
    mpi_signal = number;
}

/* Longer and longer while nothing comes. MPI itself may not notice that a killed mpirun is gone. */
static void sweep_mpi_sleep(long *ns)
{
    nanosleep(&(struct timespec){.tv_nsec = *ns}, NULL);
    *ns = *ns < SLEEP_MOST_NS / 2 ? 2 * *ns : SLEEP_MOST_NS;
    if (getppid() != mpi_parent)
        _exit(ERROR_SYSTEM);
}

static bool mpi_has(int from, MPI_Status *status)
{
    int flag;
    MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, status);
    return flag;
}

/* NULL for a message without words. */
static json_t *mpi_receive(const MPI_Status *status)
{
    int size;
    json_t *message = NULL;
    MPI_Get_count(status, MPI_BYTE, &size);
    MEMORY_LOCAL char *bytes = memory_zeroed((size_t)size, 1, "a message");
    MPI_Recv(bytes, size, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (size > 0 && !(message = json_loadb(bytes, (size_t)size, 0, NULL)))
        MPI_Abort(MPI_COMM_WORLD, ERROR_SYSTEM);
    return message;
}

/* Takes the message. */
static void mpi_send(int to, int tag, json_t *message)
{
    MEMORY_LOCAL char *text = message ? json_dumps(message, JSON_COMPACT) : memory_text("%s", "");
    if (!text)
        memory_end("a message");
    MPI_Send(text, (int)strlen(text), MPI_BYTE, to, tag, MPI_COMM_WORLD);
    json_decref(message);
}

/* Process 0. What each of the others does: 0 when it waits for a point, else the point's number; -1: not ready yet. */
static int64_t *mpi_running;
static int mpi_processes;

/* A point for every process that waits; false when there is none now. */
static bool mpi_give(struct sweep_work *w)
{
    for (int i = 1; i < mpi_processes; i++) {
        struct sweep_claim c;
        if (mpi_running[i] != 0)
            continue;
        if (!sweep_work_claim(w, &c))
            return false;
        mpi_send(i, TAG_POINT, json_pack("{s:I, s:s, s:i}", "number", (json_int_t)c.number, "scenario", c.yaml,
                                         "engine", (int)c.engine));
        mpi_running[i] = c.number;
        free(c.yaml);
    }
    return true;
}

/* What a process says: that it is ready, or how a point ended. */
static bool mpi_hear(struct sweep_work *w, const MPI_Status *status)
{
    bool ok = true;
    struct results_summary summary = {.title = NULL};
    const json_t *sent;
    json_auto_t *message = mpi_receive(status);
    if (message) {
        struct sweep_engines_job job = {.seconds = json_number_value(json_object_get(message, "seconds"))};
        job.state = (unsigned)json_integer_value(json_object_get(message, "state"));
        job.signalled = json_is_true(json_object_get(message, "signalled"));
        job.error.code = (enum error_code)json_integer_value(json_object_get(message, "code"));
        const char *text = json_string_value(json_object_get(message, "error"));
        snprintf(job.error.message, sizeof job.error.message, "%s", text ? text : "");
        if (job.state == SWEEP_ENGINES_STOPPED && !mpi_signal)
            mpi_signal = SIGTERM; /* somebody stops the others one by one */
        if ((sent = json_object_get(message, "summary")))
            results_summary_from_json(&summary, sent);
        ok = sweep_work_end(w, mpi_running[status->MPI_SOURCE], &job, &summary);
        results_summary_fini(&summary);
    }
    mpi_running[status->MPI_SOURCE] = 0;
    return ok;
}

int sweep_mpi_pool(struct sweep_work *w, int parallel UNUSED, void (*show)(void *work, double elapsed_s))
{
    bool more = true, stop = false, told = false;
    double started = MPI_Wtime(), shown = 0;
    long ns = SLEEP_LEAST_NS;
    for (;;) {
        MPI_Status status;
        int busy = 0;
        if (more && !stop && !mpi_signal)
            more = mpi_give(w);
        stop = stop || mpi_signal || w->err.code != ERROR_NONE;
        for (int i = 1; i < mpi_processes; i++)
            busy += mpi_running[i] > 0;
        for (int i = 1; stop && !told && i < mpi_processes; i++)
            if (mpi_running[i] > 0)
                mpi_send(i, TAG_HALT, NULL);
        told = stop;
        if (busy == 0 && (!more || stop))
            break;
        if (mpi_has(MPI_ANY_SOURCE, &status)) {
            stop = !mpi_hear(w, &status) || stop;
            ns = SLEEP_LEAST_NS;
        } else {
            sweep_mpi_sleep(&ns);
        }
        double now = MPI_Wtime() - started;
        if (show && now >= shown + SHOW_EVERY_S)
            show(w, shown = now);
    }
    if (show)
        show(w, -1);
    return mpi_signal;
}

void sweep_mpi_dismiss(void)
{
    for (int i = 1; i < mpi_processes; i++) {
        MPI_Status status;
        long ns = SLEEP_LEAST_NS;
        while (mpi_running[i] < 0) {
            if (mpi_has(i, &status)) {
                json_decref(mpi_receive(&status));
                mpi_running[i] = 0;
            } else {
                sweep_mpi_sleep(&ns);
            }
        }
        mpi_send(i, TAG_END, NULL);
    }
}

/* The others: one point at a time. */
struct mpi_work {
    struct sweep_job *job; /* not begun; NULL: nothing to begin */
    json_t *result;
};

static struct sweep_engines_job *mpi_next(void *user)
{
    struct mpi_work *w = user;
    struct sweep_job *j = w->job;
    if (!j || mpi_signal) /* it came before sweep_engines_pool() listened, which it does by now */
        return NULL;
    w->job = NULL;
    return &j->job;
}

static json_t *mpi_result(const struct sweep_engines_job *job, json_t *summary)
{
    struct error err = job->error;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (err.code == ERROR_SYSTEM && !job->signalled)
        error_prefix(&err, "%s: ", host); /* whose disk is full */
    json_t *result = json_pack("{s:i, s:f, s:b, s:i, s:o?}", "state", (int)job->state, "seconds", job->seconds,
                               "signalled", (int)job->signalled, "code", (int)err.code, "summary", summary);
    for (char *c = err.message; *c; c++)
        *c = (unsigned char)*c < 0x80 ? *c : '?'; /* a path need not be UTF-8, JSON must */
    json_object_set_new(result, "error", json_string(err.message));
    return result;
}

static bool mpi_done(void *user, struct sweep_engines_job *job)
{
    struct mpi_work *w = user;
    struct sweep_job *j = (struct sweep_job *)job;
    MEMORY_ENDS(results_summary_fini) struct results_summary summary;
    sweep_job_take(j, &summary);
    w->result = mpi_result(job, job->state == SWEEP_ENGINES_DONE ? results_summary_json(&summary) : NULL);
    sweep_job_free(j);
    return true;
}

/* While a point runs: process 0 may stop it. */
static void mpi_watch(void *user UNUSED, double elapsed UNUSED)
{
    MPI_Status status;
    if (getppid() != mpi_parent)
        _exit(ERROR_SYSTEM);
    if (mpi_has(0, &status)) {
        json_decref(mpi_receive(&status));
        raise(SIGTERM); /* as if the user did; sweep_engines_pool() passes it on */
    }
}

static json_t *mpi_run(const json_t *point, const char *directory)
{
    char path[4096];
    struct sweep_engines_job failed = {.state = SWEEP_ENGINES_FAILED}, stopped = {.state = SWEEP_ENGINES_STOPPED};
    struct mpi_work w = {0};
    struct sweep_engines_source source = {mpi_next, mpi_done, mpi_watch, &w, 0};
    snprintf(path, sizeof path, "%s/point", directory);
    w.job = sweep_job_new(json_integer_value(json_object_get(point, "number")), path,
                          json_string_value(json_object_get(point, "scenario")),
                          (enum scenario_engine)json_integer_value(json_object_get(point, "engine")), &failed.error);
    if (!w.job)
        return mpi_result(&failed, NULL);
    sweep_engines_pool(&source, 1);
    sweep_job_free(w.job); /* a signal came before it began */
    return w.result ? w.result : mpi_result(&stopped, NULL);
}

void sweep_mpi_work(void)
{
    json_t *point;
    struct sweep_engines_job failed = {.state = SWEEP_ENGINES_FAILED};
    char *directory = sweep_temporary_begin("mpi", &failed.error);
    mpi_send(0, TAG_READY, NULL);
    for (;;) {
        MPI_Status status;
        long ns = SLEEP_LEAST_NS;
        while (!mpi_has(0, &status))
            sweep_mpi_sleep(&ns);
        point = mpi_receive(&status);
        if (status.MPI_TAG == TAG_END)
            break;
        if (status.MPI_TAG == TAG_POINT) /* what was to halt may have ended */
            mpi_send(0, TAG_RESULT, directory ? mpi_run(point, directory) : mpi_result(&failed, NULL));
        json_decref(point);
    }
    sweep_temporary_end(directory);
}

bool sweep_mpi_start(int *rank, struct error *err)
{
    mpi_parent = getppid();
    setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0); /* an engine's process is forked and replaced at once */
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0); /* containers forbid it, loudly; we send little */
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi_processes);
    struct sigaction action = {.sa_handler = sweep_mpi_on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (mpi_processes == 1)
        return error_set(err, ERROR_SYSTEM, "MPI sees one process; more are needed: mpirun -n 3 contraflow sweep, with "
                         "the mpirun of the Open MPI that contraflow-mpi was built with");
    mpi_running = memory_zeroed((size_t)mpi_processes, sizeof *mpi_running, "the processes of a sweep");
    for (int i = 0; i < mpi_processes; i++)
        mpi_running[i] = -1;
    return true;
}

void sweep_mpi_end(void)
{
    free(mpi_running);
    MPI_Finalize();
}
