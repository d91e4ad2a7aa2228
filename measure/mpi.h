/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/mpi.h - the benchmark of Zhu et al. 2014 (section 3.1, Fig. 2), as processes of mpirun: simultaneous messages
 * between pairs of processes, repeated until their mean times are known. Linked into contraflow-mpi alone.
 *
 * Process 0 says what is measured, the others do it. Nobody waits in MPI's own loops, which take a whole processor, but
 * asleep until one of MPI's connections has something to read: hosts may have more processes than processors, and what
 * comes is read at once. Who reads later acknowledges more at a time, for which senders' bursts wait: Linux leaves part
 * of a window unused then (tcp_tso_should_defer()). */
#pragma once

#include "base/estimate.h"
#include "measure/degrees.h"

#define MEASURE_MPI_NAME 64      /* of a host */
#define MEASURE_MPI_WARMUP 2     /* messages of a pattern that do not count: connections open, windows grow */
#define MEASURE_MPI_LEAST 5      /* that count before an interval is believed */
#define MEASURE_MPI_MOST 2000    /* maxIter of the paper */
#define MEASURE_MPI_PRECISION 0.02 /* full width of the 95 % interval over the mean */
#define MEASURE_MPI_BYTES_MOST (1 << 30)

struct measure_mpi {
    int rank, processes;
    int *host;                         /* owned; of each process: the first process on its host */
    char (*names)[MEASURE_MPI_NAME];   /* owned; of each process's host */
};

/* How messages are repeated. */
struct measure_mpi_repeat {
    int bytes;      /* of a message */
    double most_s;  /* of a pattern, from when its messages count, but for MEASURE_MPI_LEAST of them */
};

/* Once, first. ERROR_INPUT, for process 0 to tell, when fewer than two processes are on other hosts than process 0. */
bool measure_mpi_start(struct measure_mpi *m, struct error *err);

/* The others: what process 0 asks for, until it dismisses them. */
void measure_mpi_work(const struct measure_mpi *m);

/* Process 0: one pattern. In each round all messages of the pattern are written anew and handed to MPI after a barrier,
 * when their receivers wait for them; a message's time is that from its receiver's end of the barrier to its last byte.
 * Rounds end when the full width of every mean time's 95 % interval is MEASURE_MPI_PRECISION of it, or after
 * MEASURE_MPI_MOST of them, or repeat.most_s. times_s[d.in + d.out] starts as zeros; `heard` (may be NULL) hears after
 * each round. windows_bytes[d.in + d.out]: the most that a flow's TCP would have had unacknowledged when a message had
 * been handed to it, 0 where nobody knows. *pauses (may be NULL): PAUSE frames that processes' hosts counted meanwhile, each
 * process once; below 0: not all know. False when a signal ended it, or mpirun. */
bool measure_mpi_run(const struct measure_mpi *m, struct measure_degrees d, const struct measure_mpi_repeat *repeat,
                     const struct measure_degrees_flow *flows, struct estimate_running *times_s,
                     double *windows_bytes, double *pauses, void (*heard)(void *user), void *user);

/* Are all of the n mean times known so well? */
bool measure_mpi_precise(const struct estimate_running *times_s, size_t n);

void measure_mpi_dismiss(void);

/* The last; not after measure_mpi_run() was false: measure_mpi_abort() ends all processes then, and does not return. */
void measure_mpi_end(struct measure_mpi *m);
void measure_mpi_abort(int status);
