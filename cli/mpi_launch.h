/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/mpi_launch.h - commands that go on as contraflow-mpi when mpirun starts them. Only that program is linked with
 * MPI: nobody who analyses a pcap should wait for that to load. */
#pragma once

#include <stdint.h>

/* How many processes mpirun has started, by the environment; 0: none did. */
int64_t cli_mpi_processes(void);

/* Replaces this process by contraflow-mpi, whose argv[0] says the command. If that fails, one of the processes prints
 * why and the others stay silent: each working by itself would write one file from n machines. Returns the exit
 * status. */
int cli_mpi_launch(char **argv);

/* 'contraflow measure --mpi': goes on as contraflow-mpi, or says how it is started. */
int cli_mpi_measure(int argc, char **argv);
