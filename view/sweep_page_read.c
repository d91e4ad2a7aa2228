/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"
#include "view/sweep_page.h"

#include <stdlib.h>
#include <string.h>

/* The first row's text of a query; "" where it is NULL. */
static bool text_of(struct sweep_db *d, const char *sql, char **text, struct error *err)
{
    sqlite3_stmt *q = sweep_db_prepare(d, sql, err);
    int status = q ? sqlite3_step(q) : SQLITE_ERROR;
    const char *found = status == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    bool ok = status == SQLITE_ROW || status == SQLITE_DONE || (q && sweep_db_fail(d, err));
    *text = memory_text("%s", found ? found : "");
    sqlite3_finalize(q);
    return ok;
}

/* sweeps/fig4a.db -> fig4a */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    return memory_text("%.*s", (int)(n > 3 && strcmp(name + n - 3, ".db") == 0 ? n - 3 : n), name);
}

static bool read_facts(struct view_sweep_page_sweep *s, struct sweep_db *d, struct error *err)
{
    struct sweep_counts c;
    char *wall = NULL, *seed = NULL;
    bool ok = sweep_db_count(d, &c, err) && text_of(d, "SELECT title FROM sweep", &s->title, err) &&
              text_of(d, "SELECT text FROM sweep", &s->text, err) &&
              text_of(d, "SELECT scenario FROM sweep", &s->scenario, err) &&
              text_of(d, "SELECT version FROM sweep", &s->version, err) &&
              text_of(d, "SELECT coalesce(nullif(first_seed, ''), -1) FROM sweep", &seed, err) &&
              text_of(d, "SELECT group_concat(engine, ', ') FROM (SELECT DISTINCT engine FROM point WHERE state = "
                      "'done' ORDER BY 1)", &s->engines, err) &&
              text_of(d, "SELECT min(seed) || CASE WHEN max(seed) > min(seed) THEN ' to ' || max(seed) ELSE '' END "
                      "FROM point", &s->seeds, err) &&
              text_of(d, "SELECT group_concat(key, ' ') FROM (SELECT key FROM json_each((SELECT axes FROM point LIMIT "
                      "1)) ORDER BY key)", &s->axes, err) &&
              text_of(d, "SELECT sum(wall_s) FROM point WHERE state = 'done'", &wall, err);
    if (ok) {
        s->points = c.points;
        s->done = c.done;
        s->failed = c.failed;
        s->wall_s = strtod(wall, NULL);
        s->first_seed = strtoll(seed, NULL, 10);
    }
    free(wall);
    free(seed);
    return ok;
}

bool view_sweep_page_sweep_read(struct view_sweep_page_sweep *s, const char *path, struct error *err)
{
    struct sweep_db d;
    *s = (struct view_sweep_page_sweep){.path = memory_text("%s", path), .name = name_of(path)};
    study_fit_read_start(&s->fit);
    if (!sweep_db_open(&d, path, err))
        return false;
    bool ok = read_facts(s, &d, err);
    sweep_db_close(&d);
    return ok && (s->done == 0 || (study_fit_read_source(&s->fit, s->path, err) && study_fit_read_end(&s->fit, err)));
}

void view_sweep_page_sweep_free(struct view_sweep_page_sweep *s)
{
    free(s->path);
    free(s->name);
    free(s->title);
    free(s->text);
    free(s->scenario);
    free(s->version);
    free(s->engines);
    free(s->seeds);
    free(s->axes);
    study_fit_read_free(&s->fit);
    *s = (struct view_sweep_page_sweep){0};
}
