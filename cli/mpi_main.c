/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow-mpi: `contraflow sweep` as processes of mpirun. */
#include "base/process.h"
#include "cli/cli.h"
#include "cli/sweep_run.h"
#include "sweep/mpi.h"

#include <signal.h>

int main(int argc, char **argv)
{
    struct error err = {0};
    int rank, status = 0, number = 0;
    process_start();
    cli_start();
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
