/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fit_read.h"

#include "cli/judge.h"

#include <stdio.h>
#include <string.h>

#define SQLITE_MAGIC "SQLite format 3"

const struct fit_part *const fit_parts[FIT_PARTS] = {&fit_resources, &fit_patterns, &fit_engines,
                                                         &fit_regimes};

bool fit_read_start(struct fit_read *f, struct error *err)
{
    bool ok = true;
    *f = (struct fit_read){0};
    for (int i = 0; ok && i < FIT_PARTS; i++)
        ok = (f->state[i] = fit_parts[i]->new(err)) != NULL;
    return ok;
}

void fit_read_free(struct fit_read *f)
{
    for (int i = 0; i < FIT_PARTS; i++)
        fit_parts[i]->free(f->state[i]);
    *f = (struct fit_read){0};
}

static bool take_point(void *user, const struct sweep_result *r, struct error *err)
{
    struct fit_read *f = user;
    bool ok = true;
    f->seen++;
    for (int i = 0; ok && i < FIT_PARTS; i++)
        ok = !fit_parts[i]->take || fit_parts[i]->take(f->state[i], f->source, r, err);
    return ok;
}

static bool take_resources(void *user, const char *source, const char *run, const struct analysis_resources *resources,
                           struct error *err)
{
    struct fit_read *f = user;
    bool ok = true;
    (void)run;
    f->seen++;
    for (int i = 0; ok && resources && i < FIT_PARTS; i++)
        ok = !fit_parts[i]->take_resources || fit_parts[i]->take_resources(f->state[i], source, resources, err);
    return ok;
}

bool fit_read_is_database(const char *path)
{
    char magic[sizeof SQLITE_MAGIC] = "";
    FILE *f = fopen(path, "rb");
    bool is = f && fread(magic, sizeof magic, 1, f) == 1 && memcmp(magic, SQLITE_MAGIC, sizeof magic) == 0;
    if (f)
        fclose(f);
    return is;
}

bool fit_read_source(struct fit_read *f, const char *path, struct error *err)
{
    struct sweep_db db;
    f->source = path;
    f->seen = 0;
    if (!fit_read_is_database(path))
        return judge_source(path, ANALYSIS_CHECK_TOLERANCE, take_resources, f, err);
    if (!sweep_db_open(&db, path, err))
        return false;
    bool ok = sweep_read(&db, take_point, f, err);
    sweep_db_close(&db);
    return ok && (f->seen > 0 || error_set(err, ERROR_INPUT, "%s: no point of this sweep is done; 'contraflow sweep' "
                                           "runs them", path));
}

bool fit_read_end(struct fit_read *f, struct error *err)
{
    bool ok = true;
    for (int i = 0; ok && i < FIT_PARTS; i++)
        ok = fit_parts[i]->points(f->state[i]) == 0 || fit_parts[i]->fit(f->state[i], err);
    return ok;
}

json_t *fit_read_json(const struct fit_read *f)
{
    json_t *root = json_object();
    for (int i = 0; i < FIT_PARTS; i++)
        if (fit_parts[i]->points(f->state[i]) > 0)
            json_object_set_new(root, fit_parts[i]->name, fit_parts[i]->json(f->state[i]));
    return root;
}
