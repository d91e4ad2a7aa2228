/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/job.h"

#include "base/directory.h"
#include "results/directory.h"

#include <fcntl.h>
#include <sys/file.h>

#define ORPHAN_LOOKS 3000 /* a minute: twice what contraflow-linux gives a kernel that it tells to stop */
#define ORPHAN_LOOK_US 20000

/* An engine outlives a killed sweep until it hears of it, and writes its files then. It has its directory's lock. */
static bool wait_for_orphan(const char *directory, struct error *err)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), looks = 0;
    bool busy = fd >= 0;
    while (busy && (busy = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) && looks++ < ORPHAN_LOOKS &&
           usleep(ORPHAN_LOOK_US) == 0)
        ;
    error_close(fd);
    return !busy || error_set(err, ERROR_SYSTEM, "%s: an engine of a sweep that was killed still writes there; end it",
                              directory);
}

static bool write_scenario(const char *directory, const char *yaml, struct error *err)
{
    struct outfile f = {0};
    if (!results_directory_create(&f, directory, "scenario.yaml", err))
        return false;
    fputs(yaml, f.stream);
    return outfile_commit(&f, err);
}

struct sweep_job *sweep_job_new(int64_t number, const char *directory, const char *yaml, enum scenario_engine engine,
                                struct error *err)
{
    char path[PATH_MAX];
    if (!wait_for_orphan(directory, err))
        return NULL;
    struct sweep_job *j = memory_zeroed(1, sizeof *j, "a point of a sweep");
    j->directory = memory_text("%s", directory);
    directory_remove(directory);
    bool ok = sweep_engines_path(engine, path, sizeof path, err) && results_directory_take(directory, true, err) &&
              write_scenario(directory, yaml, err);
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
    directory_remove(j->directory);
}

void sweep_job_free(struct sweep_job *j)
{
    if (!j)
        return;
    if (j->directory)
        directory_remove(j->directory);
    directory_release(j->directory);
    MEMORY_FREE(j->directory, j->program, j);
}
