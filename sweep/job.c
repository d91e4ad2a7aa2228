/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/job.h"

#include "base/memory.h"
#include "results/directory.h"

#include <ftw.h>
#include <limits.h>
#include <stdlib.h>

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

static void remove_tree(const char *directory)
{
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool write_scenario(const char *directory, const char *yaml, struct error *err)
{
    struct outfile f = {0};
    if (!outfile_make_directory(directory, err) || !results_directory_create(&f, directory, "scenario.yaml", err))
        return false;
    fputs(yaml, f.stream);
    return outfile_commit(&f, err);
}

struct sweep_job *sweep_job_new(int64_t number, const char *directory, const char *yaml, enum scenario_engine engine,
                                struct error *err)
{
    char path[PATH_MAX];
    struct sweep_job *j = memory_zeroed(1, sizeof *j, "a point of a sweep");
    j->directory = memory_text("%s", directory);
    remove_tree(directory);
    bool ok = sweep_engines_path(engine, path, sizeof path, err) && write_scenario(directory, yaml, err);
    if (ok) {
        j->program = memory_text("%s", path);
        j->number = number;
        j->job = (struct sweep_engines_job){.directory = j->directory, .program = j->program};
    }
    if (ok)
        return j;
    sweep_job_free(j);
    return NULL;
}

void sweep_job_take(struct sweep_job *j, struct results_summary *summary)
{
    *summary = (struct results_summary){.title = NULL};
    if (j->job.state == SWEEP_ENGINES_DONE && !results_summary_read(summary, j->directory, &j->job.error))
        j->job.state = SWEEP_ENGINES_FAILED;
    remove_tree(j->directory);
}

void sweep_job_free(struct sweep_job *j)
{
    if (!j)
        return;
    if (j->directory)
        remove_tree(j->directory);
    free(j->directory);
    free(j->program);
    free(j);
}
