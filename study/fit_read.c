/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit_read.h"

#include "study/judge.h"

#include <stdio.h>
#include <string.h>

#define SQLITE_MAGIC "SQLite format 3"

const struct study_fit_part *const study_fit_parts[STUDY_FIT_PARTS] = {&study_fit_resources, &study_fit_patterns,
                                                                       &study_fit_engines, &study_fit_regimes};

bool study_fit_read_start(struct study_fit_read *f, struct error *err)
{
    bool ok = true;
    *f = (struct study_fit_read){0};
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++)
        ok = (f->state[i] = study_fit_parts[i]->new(err)) != NULL;
    return ok;
}

void study_fit_read_free(struct study_fit_read *f)
{
    for (int i = 0; i < STUDY_FIT_PARTS; i++)
        study_fit_parts[i]->free(f->state[i]);
    *f = (struct study_fit_read){0};
}

static bool take_point(void *user, const struct sweep_result *r, struct error *err)
{
    struct study_fit_read *f = user;
    bool ok = true;
    f->seen++;
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++)
        ok = !study_fit_parts[i]->take || study_fit_parts[i]->take(f->state[i], f->source, r, err);
    return ok;
}

static bool take_resources(void *user, const char *source, const char *run, const struct analysis_resources *resources,
                           struct error *err)
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

bool study_fit_read_is_database(const char *path)
{
    char magic[sizeof SQLITE_MAGIC] = "";
    FILE *f = fopen(path, "rb");
    bool is = f && fread(magic, sizeof magic, 1, f) == 1 && memcmp(magic, SQLITE_MAGIC, sizeof magic) == 0;
    if (f)
        fclose(f);
    return is;
}

bool study_fit_read_source(struct study_fit_read *f, const char *path, struct error *err)
{
    struct sweep_db db;
    f->source = path;
    f->seen = 0;
    if (!study_fit_read_is_database(path))
        return study_judge_source(path, ANALYSIS_CHECK_TOLERANCE, take_resources, f, err);
    if (!sweep_db_open(&db, path, err))
        return false;
    bool ok = sweep_read(&db, take_point, f, err);
    sweep_db_close(&db);
    return ok && (f->seen > 0 || error_set(err, ERROR_INPUT, "%s: no point of this sweep is done; 'contraflow sweep' "
                                           "runs them", path));
}

bool study_fit_read_end(struct study_fit_read *f, struct error *err)
{
    bool ok = true;
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++)
        ok = study_fit_parts[i]->points(f->state[i]) == 0 || study_fit_parts[i]->fit(f->state[i], err);
    return ok;
}

json_t *study_fit_read_json(const struct study_fit_read *f)
{
    json_t *root = json_object();
    for (int i = 0; i < STUDY_FIT_PARTS; i++)
        if (study_fit_parts[i]->points(f->state[i]) > 0)
            json_object_set_new(root, study_fit_parts[i]->name, study_fit_parts[i]->json(f->state[i]));
    return root;
}
