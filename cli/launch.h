/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/launch.h - simulations and sweeps from their first to their last line, and commands that go on as
 * contraflow-mpi. */
#pragma once

#include "sweep/work.h"

/* Runs `program DIRECTORY` for every job, at most `parallel` at once, with a progress line on stderr when that is a
 * terminal and a line a finished job otherwise (none when quiet). Signals as in sweep_engines_pool(). Returns the
 * signal, or 0. Each job's state shows how it went; after `until_s` (base/monotonic.h) only the first one is still
 * begun. */
int cli_engines_run(const char *program, struct sweep_engines_job *jobs, int n, int parallel, double until_s, bool quiet);

/* A sweep, whoever runs the points. Returns the exit status, after its lines on stderr and, with `json`, its counts on
 * stdout; *number is the signal that stopped it, or 0. */
int cli_sweep_run(const struct sweep *s, const char *path, sweep_pool *pool, int parallel, bool quiet, bool json,
                  int *number);

/* What --json prints of a sweep that ran or was merged. */
json_t *cli_sweep_run_json(const char *path, const struct sweep_counts *c);

/* `contraflow sweep` with that pool. */
int cli_sweep_command(int argc, char **argv, sweep_pool *pool, int *number);

/* How many processes mpirun has started, by the environment; 0: none did. Commands go on as contraflow-mpi then, which
 * alone is linked with MPI: nobody who analyses a pcap should wait for that to load. */
int64_t cli_mpi_processes(void);

/* Replaces this process by contraflow-mpi, whose argv[0] says the command. If that fails, one of the processes prints
 * why and the others stay silent: each working by itself would write one file from n machines. Returns the exit
 * status. */
int cli_mpi_launch(char **argv);

/* 'contraflow measure --mpi': goes on as contraflow-mpi, or says how it is started. */
int cli_mpi_measure(int argc, char **argv);
