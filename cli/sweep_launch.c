/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow sweep as the user starts it. */
#include "cli/cli.h"
#include "cli/launch.h"

int cmd_sweep(int argc, char **argv)
{
    int number = 0;
    if (cli_mpi_processes() > 1)
        return cli_mpi_launch(argv);
    int status = cli_sweep_command(argc, argv, sweep_work_pool, &number);
    if (number)
        raise(number); /* the shell learns how we ended */
    return status;
}
