/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/launch.h"

#include "cli/cli.h"

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

int64_t cli_mpi_processes(void)
{
    return launch_number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
}

int cli_mpi_launch(char **argv)
{
    struct error err = {0};
    char path[PATH_MAX];
    if (sweep_engines_path_mpi(path, sizeof path, &err)) {
        execv(path, argv);
        error_set_errno(&err, "%s: cannot be started", path);
    }
    if (launch_number("OMPI_COMM_WORLD_RANK", "PMI_RANK") > 0)
        return 0;
    error_prefix(&err, "started as %d processes: ", (int)cli_mpi_processes());
    return cli_fail(&err);
}

int cli_mpi_measure(int argc, char **argv)
{
    struct error err = {0};
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return cli_help("measure mpi");
    if (cli_mpi_processes() > 0)
        return cli_mpi_launch(argv);
    error_set(&err, ERROR_INPUT, "measure --mpi: mpirun starts it, a process on each of three hosts or more: mpirun -host "
              "A,B,C contraflow measure --mpi");
    return cli_fail(&err);
}
