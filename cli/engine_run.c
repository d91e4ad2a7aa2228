/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/engine_run.h"

#include "results/directory.h"
#include "scenarios/load.h"
#include "scenarios/run.h"
#include "sweep/engines.h"

#include <stdio.h>
#include <stdlib.h>

int cli_engine_run(const char *directory, void (*progress)(void *user, double fraction), void *user,
                   const volatile sig_atomic_t *interrupt)
{
    struct error err = {0};
    struct scenario s = {0};
    char *path = results_directory_path(directory, "scenario.yaml");
    bool ok = scenario_load(&s, path, NULL, 0, &err);
    struct scenario_run_result result = {0};
    if (ok) {
        struct scenario_run_options options = {directory, progress, user, interrupt};
        ok = scenario_run(&s, &options, &result, &err);
        scenario_fini(&s);
    }
    free(path);
    if (!ok) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.code;
    }
    return result.interrupted ? SWEEP_ENGINES_INTERRUPTED : 0;
}
