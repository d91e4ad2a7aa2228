/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/mpi.h - a sweep's points run by processes of mpirun. Process 0 has the database and gives out points; each of
 * the others runs one at a time on its machine and sends back what came of it. All of them wait asleep, not in MPI's
 * receive, which takes a whole processor from a simulation. Messages are JSON. */
#pragma once

#include "sweep/work.h"

/* Once, first. False when this is the only process. */
bool sweep_mpi_start(int *rank, struct error *err);
void sweep_mpi_end(void);

/* Process 0: the pool, and after it the end of the others, ready or not. */
sweep_pool sweep_mpi_pool;
void sweep_mpi_dismiss(void);

/* The others: returns when process 0 dismisses them. */
void sweep_mpi_work(void);
