/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow-exchange: times a collective operation of MPI, for programs on hosts (traffic.programs).
 *
 * As Zhu et al. 2014, Fig. 2: a barrier, the operation, and its time is that of the process that takes longest. */
#include "base/std.h"
#include <mpi.h>

#include <time.h>

#define WARMUP 3 /* operations on connections that are opened by them */
#define MOST (1 << 28)

/* MPI_Wtime() may ask the processor, whose clock is not virtual. */
static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void exchange_all(char *out, char *in, int bytes, int rank UNUSED, int n UNUSED)
{
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/* Allreduce as a ring: 2 (n - 1) steps, in each of which everybody sends one n-th to the next. */
static void exchange_ring(char *out, char *in, int bytes, int rank, int n)
{
    for (int step = 0; step < 2 * (n - 1); step++)
        MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % n, step, in, bytes, MPI_BYTE, (rank + n - 1) % n, step,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static bool parse(const char *text, int *value)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    *value = (int)v;
    return errno == 0 && *text && !*end && v > 0 && v <= MOST;
}

int main(int argc, char **argv)
{
    int rank, n, bytes, repeat;
    bool ring = argc == 4 && strcmp(argv[1], "ring") == 0;
    if (argc != 4 || (!ring && strcmp(argv[1], "alltoall") != 0) || !parse(argv[2], &bytes) || !parse(argv[3], &repeat)) {
        fprintf(stderr, "usage: mpirun ... contraflow-exchange alltoall|ring BYTES REPEAT\n"
                        "Prints the time of each operation, in which a process sends BYTES to each other one "
                        "(alltoall) or 2 (n - 1) times BYTES to\nthe next one (ring: an allreduce of n times BYTES)\n");
        return 2;
    }
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    char *out = NULL, *in = NULL;
    if (MPI_Alloc_mem((MPI_Aint)bytes * n, MPI_INFO_NULL, &out) != MPI_SUCCESS ||
        MPI_Alloc_mem((MPI_Aint)bytes * n, MPI_INFO_NULL, &in) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    memset(out, 0, (size_t)bytes * (size_t)n);
    if (rank == 0)
        printf("operation,bytes,processes,number,time_s\n");
    for (int i = -WARMUP; i < repeat; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double time_s = now_s(), most_s = 0;
        (ring ? exchange_ring : exchange_all)(out, in, bytes, rank, n);
        time_s = now_s() - time_s;
        MPI_Reduce(&time_s, &most_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0 && i >= 0)
            printf("%s,%d,%d,%d,%.9f\n", argv[1], bytes, n, i, most_s);
    }
    MPI_Free_mem(out);
    MPI_Free_mem(in);
    MPI_Finalize();
    return fflush(stdout) == 0 ? 0 : 3;
}
