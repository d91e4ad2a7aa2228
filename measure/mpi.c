/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/mpi.h"

#include "base/monotonic.h"
#include "measure/reading.h"
#include "measure/sockets.h"

#include <float.h>
#include <mpi.h>
#include <signal.h>
#include <time.h>

#define LOOK_NS 50000         /* between looks at messages, when nothing comes */
#define LOOK_ORDER_NS 2000000 /* between looks for what process 0 asks */

static volatile sig_atomic_t mpi_signal;
static pid_t mpi_parent;
static bool mpi_first; /* the process that tells people, and has a file to take away */
static struct measure_sockets mpi_sockets; /* Open MPI's */

static void measure_mpi_on_signal(int number)
{
    mpi_signal = number;
}

/* Asleep until data come, or for so long. False when it is time to end. MPI itself may not notice that a killed mpirun
 * is gone. */
static bool measure_mpi_sleep(long most_ns)
{
    measure_sockets_wait(&mpi_sockets, most_ns);
    if (getppid() != mpi_parent && !mpi_first)
        _exit(ERROR_SYSTEM);
    return !mpi_signal && getppid() == mpi_parent;
}

static bool mpi_wait(MPI_Request *request, long most_ns)
{
    int done = 0;
    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done || !measure_mpi_sleep(most_ns))
            return done;
    }
}

/* One pattern, as everybody knows it. */
struct mpi_pattern {
    MPI_Comm comm; /* of those that take part; process 0 first */
    const struct measure_mpi_repeat *repeat;
    const struct measure_degrees_flow *flows;
    size_t n;
    size_t own, *index;     /* owned; the flows of this process */
    char *bytes;            /* owned; a message for each of them */
    MPI_Request *requests;  /* owned; one for each of them */
    struct measure_sockets *ways; /* owned; the connections by which each of them goes out */
    double *times_s, *all_s; /* owned; of this process's flows in, of everybody's; 0 elsewhere */
    double *windows, *all_windows; /* owned; bytes, of this process's flows out, of everybody's; 0 elsewhere */
    bool receives;
    double pauses, all_pauses; /* PAUSE frames of this process's host, of everybody's; 0 elsewhere */
};

static bool pattern_start(struct mpi_pattern *p, const struct measure_mpi *m)
{
    p->index = memory_zeroed(p->n, sizeof *p->index, "the flows of a process");
    for (size_t i = 0; i < p->n; i++)
        if (p->flows[i].from == m->rank || p->flows[i].to == m->rank)
            p->index[p->own++] = i;
    MPI_Comm_split(MPI_COMM_WORLD, p->own ? 0 : MPI_UNDEFINED, m->rank, &p->comm);
    p->bytes = memory_zeroed(p->own ? p->own : 1, (size_t)p->repeat->bytes, "messages");
    p->requests = memory_zeroed(p->own + 1, sizeof *p->requests, "messages");
    p->ways = memory_zeroed(p->own + 1, sizeof *p->ways, "messages");
    p->times_s = memory_zeroed(p->n, sizeof *p->times_s, "times of messages");
    p->all_s = memory_zeroed(p->n, sizeof *p->all_s, "times of messages");
    p->windows = memory_zeroed(p->n, sizeof *p->windows, "windows");
    p->all_windows = memory_zeroed(p->n, sizeof *p->all_windows, "windows");
    return p->own > 0;
}

static void pattern_end(struct mpi_pattern *p)
{
    if (p->comm != MPI_COMM_NULL)
        MPI_Comm_free(&p->comm);
    for (size_t i = 0; i < p->own; i++)
        measure_sockets_fini(&p->ways[i]);
    MEMORY_FREE(p->ways, p->windows, p->all_windows, p->index, p->bytes, p->requests, p->times_s, p->all_s);
}

/* Waits for all messages of this process, and notes when those that it receives are there, and windows of those that it
 * has sent. */
static bool pattern_wait(struct mpi_pattern *p, const struct measure_mpi *m, double started_s)
{
    size_t left = p->own;
    for (;;) {
        for (size_t i = 0; i < p->own; i++) {
            int done = 0;
            if (p->requests[i] == MPI_REQUEST_NULL)
                continue;
            MPI_Test(&p->requests[i], &done, MPI_STATUS_IGNORE);
            left -= (size_t)done;
            size_t flow = p->index[i];
            if (done && p->flows[flow].to == m->rank)
                p->times_s[flow] = monotonic_now_s() - started_s;
            else if (done)
                p->windows[flow] = fmax(p->windows[flow], measure_sockets_window(&p->ways[i]));
        }
        if (left == 0)
            return true;
        if (!measure_mpi_sleep(LOOK_NS))
            return false;
    }
}

/* Senders learn by which connections their messages go: those that the receiver has as well. */
static bool pattern_meet(struct mpi_pattern *p, const struct measure_mpi *m)
{
    size_t most = 2 * (size_t)m->processes + 64; /* of a process's connections */
    uint64_t *names = memory_zeroed(p->own * most, sizeof *names, "names of connections");
    measure_sockets_find(&mpi_sockets);
    for (size_t i = 0; i < p->own; i++) {
        const struct measure_degrees_flow *f = &p->flows[p->index[i]];
        if (f->to == m->rank) {
            measure_sockets_name(&mpi_sockets, names + i * most, most);
            MPI_Isend(names + i * most, (int)most, MPI_UINT64_T, f->from, 0, MPI_COMM_WORLD, &p->requests[i]);
        } else {
            MPI_Irecv(names + i * most, (int)most, MPI_UINT64_T, f->to, 0, MPI_COMM_WORLD, &p->requests[i]);
        }
    }
    if (!pattern_wait(p, m, 0))
        return false; /* MPI may still write there */
    for (size_t i = 0; i < p->own; i++)
        if (p->flows[p->index[i]].from == m->rank)
            measure_sockets_match(&mpi_sockets, names + i * most, most, &p->ways[i]);
    free(names);
    return true;
}

/* Every message once; their times, all of them, are in all_s of process 0 after it. */
static bool pattern_round(struct mpi_pattern *p, const struct measure_mpi *m, int number)
{
    MPI_Request barrier, reduce;
    measure_sockets_find(&mpi_sockets); /* MPI opens them when it needs them */
    memset(p->bytes, number, p->own * (size_t)p->repeat->bytes);
    for (size_t i = 0; i < p->own; i++) {
        const struct measure_degrees_flow *f = &p->flows[p->index[i]];
        p->requests[i] = MPI_REQUEST_NULL;
        if (f->to == m->rank)
            MPI_Irecv(p->bytes + i * (size_t)p->repeat->bytes, p->repeat->bytes, MPI_BYTE, f->from, 0, MPI_COMM_WORLD,
                      &p->requests[i]);
    }
    MPI_Ibarrier(p->comm, &barrier);
    if (!mpi_wait(&barrier, LOOK_NS))
        return false;
    double started_s = monotonic_now_s();
    for (size_t i = 0; i < p->own; i++) {
        const struct measure_degrees_flow *f = &p->flows[p->index[i]];
        if (f->from == m->rank)
            MPI_Isend(p->bytes + i * (size_t)p->repeat->bytes, p->repeat->bytes, MPI_BYTE, f->to, 0, MPI_COMM_WORLD,
                      &p->requests[i]);
    }
    if (!pattern_wait(p, m, started_s))
        return false;
    MPI_Ireduce(p->times_s, p->all_s, (int)p->n, MPI_DOUBLE, MPI_SUM, 0, p->comm, &reduce);
    return mpi_wait(&reduce, LOOK_NS);
}

/* Does everybody go on? Process 0 says so. */
static bool pattern_agree(const struct mpi_pattern *p, int *more)
{
    MPI_Request request;
    MPI_Ibcast(more, 1, MPI_INT, 0, p->comm, &request);
    return mpi_wait(&request, LOOK_NS);
}

bool measure_mpi_precise(const struct estimate_running *times_s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (times_s[i].n < MEASURE_MPI_LEAST ||
            2 * estimate_of(&times_s[i]).ci95 > MEASURE_MPI_PRECISION * times_s[i].mean)
            return false;
    return true;
}

/* times_s is NULL but for process 0. */
static bool pattern_rounds(struct mpi_pattern *p, const struct measure_mpi *m, struct estimate_running *times_s,
                           void (*heard)(void *user), void *user)
{
    double counts_s = 0;
    int more = true;
    p->pauses = measure_reading_pauses();
    for (int number = 1 - MEASURE_MPI_WARMUP; more; number++) {
        if (number == 1 && !pattern_meet(p, m))
            return false;
        if (number == 1)
            counts_s = monotonic_now_s();
        if (!pattern_round(p, m, number))
            return false;
        for (size_t i = 0; times_s && number > 0 && i < p->n; i++)
            estimate_add(&times_s[i], p->all_s[i]);
        if (times_s && number > 0) {
            if (heard)
                heard(user);
            more = number < MEASURE_MPI_MOST && !measure_mpi_precise(times_s, p->n) &&
                   (number < MEASURE_MPI_LEAST || monotonic_now_s() - counts_s < p->repeat->most_s);
        }
        if (!pattern_agree(p, &more))
            return false;
    }
    MPI_Request reduce;
    MPI_Ireduce(p->windows, p->all_windows, (int)p->n, MPI_DOUBLE, MPI_MAX, 0, p->comm, &reduce);
    if (!mpi_wait(&reduce, LOOK_NS))
        return false;
    p->pauses = p->pauses < 0 ? -DBL_MAX / m->processes : measure_reading_pauses() - p->pauses;
    MPI_Ireduce(&p->pauses, &p->all_pauses, 1, MPI_DOUBLE, MPI_SUM, 0, p->comm, &reduce);
    return mpi_wait(&reduce, LOOK_NS);
}

static bool mpi_pattern(const struct measure_mpi *m, const struct measure_mpi_repeat *repeat,
                        const struct measure_degrees_flow *flows, size_t n, struct estimate_running *times_s,
                        double *windows_bytes, double *pauses, void (*heard)(void *user), void *user)
{
    struct mpi_pattern p = {.comm = MPI_COMM_NULL, .repeat = repeat, .flows = flows, .n = n};
    bool ok = !pattern_start(&p, m) || pattern_rounds(&p, m, times_s, heard, user);
    if (ok && windows_bytes)
        memcpy(windows_bytes, p.all_windows, n * sizeof *windows_bytes);
    if (ok && pauses)
        *pauses = p.all_pauses;
    if (ok)
        pattern_end(&p); /* else MPI may still write there */
    return ok;
}

/* What process 0 asks for; all zeros: nothing more. */
enum { ORDER_IN, ORDER_OUT, ORDER_BYTES, ORDER_SECONDS, ORDER };

static bool mpi_order(double order[static ORDER])
{
    MPI_Request request;
    MPI_Ibcast(order, ORDER, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    return mpi_wait(&request, LOOK_ORDER_NS);
}

bool measure_mpi_run(const struct measure_mpi *m, struct measure_degrees d, const struct measure_mpi_repeat *repeat,
                     const struct measure_degrees_flow *flows, struct estimate_running *times_s,
                     double *windows_bytes, double *pauses, void (*heard)(void *user), void *user)
{
    double order[ORDER] = {(double)d.in, (double)d.out, repeat->bytes, repeat->most_s};
    return mpi_order(order) && mpi_pattern(m, repeat, flows, d.in + d.out, times_s, windows_bytes, pauses, heard, user);
}

void measure_mpi_work(const struct measure_mpi *m)
{
    double order[ORDER] = {0};
    struct measure_degrees_flow flows[MEASURE_DEGREES_MOST];
    while (mpi_order(order) && order[ORDER_IN] + order[ORDER_OUT] > 0) {
        struct measure_degrees d = {(size_t)order[ORDER_IN], (size_t)order[ORDER_OUT]};
        struct measure_mpi_repeat repeat = {(int)order[ORDER_BYTES], order[ORDER_SECONDS]};
        measure_degrees_place(m->host, m->processes, d, flows);
        mpi_pattern(m, &repeat, flows, d.in + d.out, NULL, NULL, NULL, NULL, NULL);
    }
}

void measure_mpi_dismiss(void)
{
    mpi_order((double[ORDER]){0});
}

/* The machine as it calls itself, as a word of a table. */
static void mpi_name(char name[static MEASURE_MPI_NAME])
{
    char text[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    MPI_Get_processor_name(text, &length);
    snprintf(name, MEASURE_MPI_NAME, "%.*s", MEASURE_MPI_NAME - 1, text);
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", *c))
            *c = '_';
}

bool measure_mpi_start(struct measure_mpi *m, struct error *err)
{
    char name[MEASURE_MPI_NAME] = "";
    mpi_parent = getppid();
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0); /* containers forbid it, loudly */
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m->processes);
    mpi_first = m->rank == 0;
    m->host = memory_zeroed((size_t)m->processes, sizeof *m->host, "processes");
    m->names = memory_zeroed((size_t)m->processes, sizeof *m->names, "processes");
    mpi_name(name);
    MPI_Allgather(name, MEASURE_MPI_NAME, MPI_CHAR, m->names, MEASURE_MPI_NAME, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < m->processes; i++)
        while (strcmp(m->names[m->host[i]], m->names[i]) != 0)
            m->host[i]++;
    if (mpi_first) {
        struct sigaction action = {.sa_handler = measure_mpi_on_signal};
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
    }
    size_t flows = measure_degrees_flows_most(m->host, m->processes);
    return flows >= 2 ||
           error_set(err, ERROR_INPUT, "measure --mpi: %d processes, %zu of them on other hosts than '%s'; two there at "
                     "least are needed: mpirun -host %s,B,C,D contraflow measure --mpi", m->processes, flows,
                     m->names[0], m->names[0]);
}

void measure_mpi_end(struct measure_mpi *m)
{
    MEMORY_FREE(m->host, m->names);
    measure_sockets_fini(&mpi_sockets);
    MPI_Finalize();
}

void measure_mpi_abort(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}
