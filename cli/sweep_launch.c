/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow sweep as the user starts it. Only contraflow-mpi is linked with MPI: nobody who analyses a pcap should
 * wait for that to load. */
#include "base/units.h"
#include "cli/cli.h"
#include "cli/sweep_run.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* A whole number of the environment: Open MPI's mpirun sets the first name, other launchers the second. */
static int64_t launch_number(const char *open_mpi, const char *other)
{
    struct error ignored = {0};
    int64_t number;
    const char *text = getenv(open_mpi);
    if (!text)
        text = getenv(other);
    return text && units_parse_integer(text, &number, &ignored) ? number : 0;
}

/* Replaces this process by contraflow-mpi. If that fails, one of the n processes prints why and the others stay silent:
 * each sweeping by itself would write one file from n machines. */
static int launch_mpi(int64_t processes, char **argv)
{
    struct error err = {0};
    char path[PATH_MAX];
    if (sweep_engines_path_mpi(path, sizeof path, &err)) {
        execv(path, argv);
        error_set_errno(&err, "%s: cannot be started", path);
    }
    if (launch_number("OMPI_COMM_WORLD_RANK", "PMI_RANK") > 0)
        return 0;
    error_prefix(&err, "started as %d processes: ", (int)processes);
    return cli_fail(&err);
}

int cmd_sweep(int argc, char **argv)
{
    int64_t processes = launch_number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
    int number = 0;
    if (processes > 1)
        return launch_mpi(processes, argv);
    int status = cli_sweep_command(argc, argv, sweep_work_pool, &number);
    if (number)
        raise(number); /* the shell learns how we ended */
    return status;
}
