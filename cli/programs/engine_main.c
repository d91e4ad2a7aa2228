/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow-ns3, contraflow-native: runs the scenario.yaml of one prepared directory with the engine it is linked to.
 *
 * `contraflow run` starts one process a simulation. It prints "progress FRACTION" on stdout and, on failure, one
 * line on stderr. Exit status as contraflow's, and 4: interrupted, files closed. */
#include "cli/programs/engine_run.h"
#include "sweep/engines.h"

#define THREADS "--threads=" /* for a large network */

static void on_progress(void *user UNUSED, double fraction)
{
    cli_engine_progress(fraction);
}

int main(int argc, char **argv)
{
    int64_t threads = 1, frames = 0;
    if (argc > 1 && (cli_engine_number(argv[1], THREADS, SWEEP_ENGINES_MOST, &threads) ||
                     cli_engine_number(argv[1], SWEEP_ENGINES_FRAMES, INT64_MAX, &frames))) {
        argc--;
        argv++;
    }
    MEMORY_LOCAL char *does = memory_text("Runs DIRECTORY/scenario.yaml with %s and writes the results beside it; 'contraflow run' starts "
                             "it.", emu_engine_name());
    int code = cli_engine_begin(argc, argv, does);
    return code < 0 ? cli_engine_run(argv[argc - 1], (int)threads, frames, false, on_progress, NULL) : code;
}
