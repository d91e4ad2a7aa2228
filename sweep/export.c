/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/export.h"

#include "results/csv.h"
#include "sweep/db.h"

#include <stdio.h>

static void export_column(sqlite3_stmt *q, int i, FILE *f)
{
    switch (sqlite3_column_type(q, i)) {
    case SQLITE_NULL: break;
    case SQLITE_FLOAT: fprintf(f, "%.17g", sqlite3_column_double(q, i)); break; /* SQLite itself says 15 digits */
    default: results_csv_text(f, sweep_db_text(q, i));
    }
}

/* The values of the axes: a field each, a comma before it. False unless they are the axes of the first line. */
static bool export_axes(const char *text, json_t *first, FILE *f)
{
    json_t *axes = json_loads(text, 0, NULL), *value;
    const char *key;
    bool same = json_object_size(axes) == json_object_size(first);
    json_object_foreach(first, key, value)
    {
        const json_t *mine = json_object_get(axes, key);
        same = same && mine;
        putc(',', f);
        if (json_is_string(mine))
            results_csv_text(f, json_string_value(mine));
        else
            fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(mine));
    }
    json_decref(axes);
    return same;
}

/* The first line. *axes, those of the first point, is NULL in a shard that has none. */
static bool export_head(struct sweep_db *d, sqlite3_stmt *q, json_t **axes, FILE *out, struct error *err)
{
    sqlite3_stmt *first = sweep_db_prepare(d, "SELECT axes FROM point ORDER BY number LIMIT 1", err);
    int status = first ? sweep_db_step(d, first, err) : SQLITE_ERROR;
    json_t *value;
    const char *key;
    *axes = status == SQLITE_ROW ? json_loads(sweep_db_text(first, 0), 0, NULL) : NULL;
    for (int i = 0; status != SQLITE_ERROR && i < sqlite3_column_count(q); i++) {
        if (i != 1)
            fprintf(out, "%s%s", i ? "," : "", sqlite3_column_name(q, i));
        else
            json_object_foreach(*axes, key, value) {
                putc(',', out);
                results_csv_text(out, key);
            }
    }
    putc('\n', out);
    sqlite3_finalize(first);
    return status != SQLITE_ERROR;
}

bool sweep_export(const char *path, bool flows, FILE *out, struct error *err)
{
    struct sweep_db d;
    json_t *axes = NULL;
    if (!sweep_db_open(&d, path, err))
        return false;
    sqlite3_stmt *q =
        flows ? sweep_db_flow_prepare(&d, "SELECT number AS point, axes, seed, ", SWEEP_DB_FLOW_LABELS,
                                      " FROM point JOIN flow ON flow.point = number ORDER BY number, name", err)
              : sweep_db_prepare(&d, "SELECT number AS point, axes, seed, state, error, wall_s, engine, version, "
                                 "operations, operation_s, operation_ci95_s FROM point ORDER BY number", err);
    int status = SQLITE_DONE;
    bool ok = q && export_head(&d, q, &axes, out, err);
    while (ok && !ferror(out) && (status = sweep_db_step(&d, q, err)) == SQLITE_ROW) {
        for (int i = 0; ok && i < sqlite3_column_count(q); i++) {
            if (i > 1)
                putc(',', out);
            if (i != 1)
                export_column(q, i, out);
            else if (!export_axes(sweep_db_text(q, 1), axes, out))
                ok = error_set(err, ERROR_INPUT, "%s: point %lld has other axes than the first", path,
                               (long long)sqlite3_column_int64(q, 0));
        }
        putc('\n', out);
    }
    json_decref(axes);
    sqlite3_finalize(q);
    sweep_db_close(&d);
    return ok && status != SQLITE_ERROR;
}
