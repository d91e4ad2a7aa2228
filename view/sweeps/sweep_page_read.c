/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/sweeps/sweep_page.h"

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
    sqlite3_stmt *q = sweep_db_prepare(
        d, "SELECT title, text, scenario, version, (SELECT group_concat(engine, ', ') FROM (SELECT DISTINCT engine FROM "
        "point WHERE state = 'done' ORDER BY 1)) AS engines, (SELECT min(seed) || CASE WHEN max(seed) > min(seed) THEN "
        "' to ' || max(seed) ELSE '' END FROM point) AS seeds, (SELECT group_concat(key, ' ') FROM (SELECT key FROM "
        "json_each((SELECT axes FROM point LIMIT 1)) ORDER BY key)) AS keys, first_seed, (SELECT sum(wall_s) FROM point "
        "WHERE state = 'done') AS wall_s FROM sweep", err);
    bool ok = q && sweep_db_row(d, q, err) && sweep_db_count(d, &c, err);
    if (ok) {
        char **const texts[] = {&s->title, &s->text, &s->scenario, &s->version, &s->engines, &s->seeds, &s->axes};
        int column = 0;
        for (; column < (int)(sizeof texts / sizeof *texts); column++)
            *texts[column] = memory_text("%s", sweep_db_text(q, column));
        s->first_seed = sqlite3_column_int64(q, column++);
        s->wall_s = sqlite3_column_double(q, column);
        s->points = c.points;
        s->done = c.done;
        s->failed = c.failed;
    }
    sqlite3_finalize(q);
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
    MEMORY_FREE(s->path, s->name, s->title, s->text, s->scenario, s->version, s->engines, s->seeds, s->axes);
    study_fit_read_free(&s->fit);
    *s = (struct view_sweep_page_sweep){0};
}
