/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/work.h"

#include "sweep/job.h"

bool sweep_work_claim(struct sweep_work *w, struct sweep_claim *c)
{
    *c = (struct sweep_claim){0};
    return w->err.code == ERROR_NONE && sweep_db_claim(&w->db, c, &w->err) && c->number;
}

bool sweep_work_end(struct sweep_work *w, int64_t number, const struct sweep_engines_job *job,
                    const struct results_summary *summary)
{
    struct error ignored; /* the first one is told; a point of a process that is gone is free anyway */
    if (w->err.code != ERROR_NONE) { /* stopping */
        sweep_db_leave(&w->db, number, NULL, &ignored);
        return false;
    }
    if (job->state == SWEEP_ENGINES_STOPPED)
        return sweep_db_leave(&w->db, number, NULL, &w->err);
    if (job->state == SWEEP_ENGINES_DONE) {
        w->finished++;
        return sweep_db_done(&w->db, number, summary, job->seconds, &w->err);
    }
    if (job->signalled || job->error.code == ERROR_INPUT) {
        w->finished++;
        return sweep_db_leave(&w->db, number, job->error.message, &w->err);
    }
    w->err = job->error;
    error_prefix(&w->err, "point %" PRId64 ": ", number);
    sweep_db_leave(&w->db, number, NULL, &ignored);
    return false;
}

static struct sweep_engines_job *work_next(void *user)
{
    struct sweep_work *w = user;
    struct sweep_claim c;
    struct sweep_job *j = NULL;
    char *directory = NULL;
    if (sweep_work_claim(w, &c)) {
        directory = memory_text("%s.point-%" PRId64, w->path, c.number);
        j = sweep_job_new(c.number, directory, c.yaml, c.engine, &w->err);
        struct error ignored;
        if (!j)
            sweep_db_leave(&w->db, c.number, NULL, &ignored);
        free(directory);
    }
    free(c.yaml);
    return j ? &j->job : NULL;
}

static bool work_done(void *user, struct sweep_engines_job *job)
{
    struct sweep_work *w = user;
    struct sweep_job *j = (struct sweep_job *)job;
    MEMORY_ENDS(results_summary_fini) struct results_summary summary;
    sweep_job_take(j, &summary);
    bool ok = sweep_work_end(w, j->number, job, &summary);
    sweep_job_free(j);
    return ok;
}

int sweep_work_pool(struct sweep_work *w, int parallel, void (*show)(void *work, double elapsed_s))
{
    struct sweep_engines_source source = {work_next, work_done, show, w, 0};
    return sweep_engines_pool(&source, parallel);
}
