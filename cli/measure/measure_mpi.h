/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/measure/measure_mpi.h - 'contraflow measure --mpi', which only contraflow-mpi can do. */
#pragma once

/* In contraflow-mpi: the command itself, by each of the processes; argv[0] is "measure". */
int cli_measure_mpi(int argc, char **argv);
