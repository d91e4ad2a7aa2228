/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow-ns3, contraflow-native: runs the scenario.yaml of one prepared directory with the engine it is linked to.
 *
 * `contraflow run` starts one process a simulation. It prints "progress FRACTION" on stdout and, on failure, one
 * line on stderr. Exit status as contraflow's, and 4: interrupted, files closed. */
#include "base/memory.h"
#include "cli/engine_run.h"
#include "emu/engine.h"

#include <stdlib.h>

static void on_progress(void *user, double fraction)
{
    (void)user;
    cli_engine_progress(fraction);
}

int main(int argc, char **argv)
{
    char *does = memory_text("Runs DIRECTORY/scenario.yaml with %s and writes the results beside it; 'contraflow run' starts "
                             "it.", emu_engine_name());
    int code = cli_engine_begin(argc, argv, does);
    free(does);
    return code < 0 ? cli_engine_run(argv[1], false, on_progress, NULL) : code;
}
