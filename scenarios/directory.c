/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/directory.h"

#include "results/directory.h"
#include "scenarios/save.h"

#include <stdlib.h>

bool scenario_directory_prepare(const struct scenario *s, const char *directory, const char *comment,
                                struct error *err)
{
    char *path = results_directory_path(directory, "scenario.yaml");
    bool ok = results_directory_clear(directory, err) && scenario_save(s, path, comment, err);
    free(path);
    return ok;
}
