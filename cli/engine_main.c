/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow-ns3, contraflow-native: runs the scenario.yaml of one prepared directory with the engine it is linked to.
 *
 * `contraflow run` starts one process a simulation. It prints "progress FRACTION" on stdout and, on failure, one
 * line on stderr. Exit status as contraflow's, and 4: interrupted, files closed. */
#include "base/memory.h"
#include "base/units.h"
#include "cli/engine_run.h"
#include "emu/engine.h"
#include "sweep/engines.h"

#include <stdlib.h>
#include <string.h>

#define THREADS "--threads="

static void on_progress(void *user, double fraction)
{
    (void)user;
    cli_engine_progress(fraction);
}

/* --threads=N before the directory: how many for a large network. */
static bool threads_given(const char *text, int *threads)
{
    const size_t length = strlen(THREADS);
    int64_t n = 0;
    bool ok = strncmp(text, THREADS, length) == 0 && units_parse_integer(text + length, &n, &(struct error){0}) && n >= 1 &&
              n <= SWEEP_ENGINES_MOST;
    *threads = ok ? (int)n : 1;
    return ok;
}

int main(int argc, char **argv)
{
    int threads = 1;
    if (argc > 1 && threads_given(argv[1], &threads)) {
        argc--;
        argv++;
    }
    char *does = memory_text("Runs DIRECTORY/scenario.yaml with %s and writes the results beside it; 'contraflow run' starts "
                             "it.", emu_engine_name());
    int code = cli_engine_begin(argc, argv, does);
    free(does);
    return code < 0 ? cli_engine_run(argv[1], threads, false, on_progress, NULL) : code;
}
