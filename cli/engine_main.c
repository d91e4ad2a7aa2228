/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow-ns3, contraflow-native: runs the scenario.yaml of one prepared directory with the engine it is linked to.
 *
 * `contraflow run` starts one process a simulation. It prints "progress FRACTION" on stdout and, on failure, one
 * line on stderr. Exit status as contraflow's, and 4: interrupted, files closed. */
#include "base/process.h"
#include "cli/engine_run.h"
#include "emu/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

static void on_progress(void *user, double fraction)
{
    (void)user;
    printf("progress %.4f\n", fraction);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    process_start();
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a parent that dies takes its simulations with it */
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGPIPE, SIG_IGN);
    if (argc != 2 || argv[1][0] == '-') {
        bool asked = argc == 2 && strcmp(argv[1], "--help") == 0;
        fprintf(asked ? stdout : stderr,
                "usage: %s DIRECTORY\n"
                "Runs DIRECTORY/scenario.yaml with %s and writes the results beside it; 'contraflow run' starts it.\n",
                program_invocation_short_name, emu_engine_name());
        return !asked ? ERROR_INPUT : fflush(stdout) == 0 ? 0 : ERROR_SYSTEM;
    }
    return cli_engine_run(argv[1], on_progress, NULL, &interrupted);
}
