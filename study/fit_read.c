/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit_read.h"

#include "base/filekind.h"
#include "base/memory.h"
#include "study/judge.h"

#include <stdlib.h>

const struct study_fit_part *const study_fit_parts[STUDY_FIT_PARTS] = {
    [STUDY_FIT_RESOURCES] = &study_fit_resources_part,
    [STUDY_FIT_PATTERNS] = &study_fit_patterns_part,
    [STUDY_FIT_CONNECTIONS] = &study_fit_connections_part,
    [STUDY_FIT_SIGNATURES] = &study_fit_signatures_part,
    [STUDY_FIT_ENGINES] = &study_fit_engines_part,
    [STUDY_FIT_REGIMES] = &study_fit_regimes_part,
};

void study_fit_read_start(struct study_fit_read *f)
{
    *f = (struct study_fit_read){0};
    for (int i = 0; i < STUDY_FIT_PARTS; i++)
        f->state[i] = memory_zeroed(1, study_fit_parts[i]->size, "a part of a fit");
}

void study_fit_read_free(struct study_fit_read *f)
{
    for (int i = 0; i < STUDY_FIT_PARTS; i++) {
        if (f->state[i])
            study_fit_parts[i]->fini(f->state[i]);
        free(f->state[i]);
    }
    *f = (struct study_fit_read){0};
}

static bool fit_read_point(void *user, const struct sweep_result *r, struct error *err)
{
    struct study_fit_read *f = user;
    bool ok = true;
    f->seen++;
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++)
        ok = !study_fit_parts[i]->take || study_fit_parts[i]->take(f->state[i], f->source, r, err);
    return ok;
}

static bool fit_read_resources(void *user, const char *source, const char *run,
                               const struct analysis_resources *resources, struct error *err)
{
    struct study_fit_read *f = user;
    bool ok = true;
    (void)run;
    f->seen++;
    for (int i = 0; ok && resources && i < STUDY_FIT_PARTS; i++)
        ok = !study_fit_parts[i]->take_resources ||
             study_fit_parts[i]->take_resources(f->state[i], source, resources, err);
    return ok;
}

bool study_fit_read_source(struct study_fit_read *f, const char *path, struct error *err)
{
    const struct study_judge_options options = study_judge_options_default();
    struct sweep_db db;
    f->source = path;
    f->seen = 0;
    enum filekind kind;
    if (!filekind_read(path, &kind, err))
        return false;
    if (kind != FILEKIND_DATABASE)
        return study_judge_source(path, &options, f->listener, fit_read_resources, f, err);
    if (!sweep_db_open(&db, path, err))
        return false;
    bool ok = sweep_read(&db, fit_read_point, f, err);
    sweep_db_close(&db);
    return ok && (f->seen > 0 || error_set(err, ERROR_INPUT, "%s: no point of this sweep is done; 'contraflow sweep' "
                                           "runs them", path));
}

bool study_fit_read_has(const struct study_fit_read *f, enum study_fit_kind part)
{
    return *(const size_t *)(const void *)((const char *)f->state[part] + study_fit_parts[part]->points) > 0;
}

bool study_fit_read_end(struct study_fit_read *f, struct error *err)
{
    bool ok = true;
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++)
        ok = !study_fit_read_has(f, (enum study_fit_kind)i) || study_fit_parts[i]->fit(f->state[i], err);
    return ok;
}
