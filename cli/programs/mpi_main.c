/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow-mpi: `contraflow sweep` and `contraflow measure --mpi` as processes of mpirun. */
#include "base/process.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/measure/measure.h"
#include "sweep/mpi.h"

static int mpi_sweep(int argc, char **argv)
{
    struct error err = {0};
    int rank, status = 0, number = 0;
    if (!sweep_mpi_start(&rank, &err)) {
        status = cli_fail(&err);
    } else if (rank == 0) {
        status = cli_finish(cli_sweep_command(argc, argv, sweep_mpi_pool, &number));
        sweep_mpi_dismiss();
    } else {
        sweep_mpi_work();
    }
    sweep_mpi_end();
    if (number) {
        signal(number, SIG_DFL);
        raise(number);
    }
    return status;
}

int main(int argc, char **argv)
{
    process_start();
    cli_start();
    bool measure = argc > 0 && strcmp(argv[0], "measure") == 0; /* cli/mpi_launch.h */
    return measure ? cli_measure_mpi(argc, argv) : mpi_sweep(argc, argv);
}
