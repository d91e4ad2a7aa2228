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
    default: results_csv_text(f, (const char *)sqlite3_column_text(q, i));
    }
}

/* The axes' names or their values: a field each, a comma before it. */
static void export_axes(const char *json, bool names, FILE *f)
{
    json_t *axes = json_loads(json, 0, NULL), *value;
    const char *key;
    json_object_foreach(axes, key, value)
    {
        putc(',', f);
        if (names || json_is_string(value))
            results_csv_text(f, names ? key : json_string_value(value));
        else
            fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    }
    json_decref(axes);
}

bool sweep_export(const char *path, bool flows, FILE *out, struct error *err)
{
    struct sweep_db d;
    if (!sweep_db_open(&d, path, err))
        return false;
    sqlite3_stmt *q =
        flows ? sweep_db_flow_prepare(&d, "SELECT number AS point, axes, seed, ", SWEEP_DB_FLOW_LABELS,
                                      " FROM point JOIN flow ON flow.point = number ORDER BY number, name", err)
              : sweep_db_prepare(&d, "SELECT number AS point, axes, seed, state, error, wall_s, engine, version "
                                 "FROM point ORDER BY number", err);
    sqlite3_stmt *first = q ? sweep_db_prepare(&d, "SELECT axes FROM point LIMIT 1", err) : NULL;
    int status = first ? sqlite3_step(first) : SQLITE_DONE;
    bool ok = first && (status == SQLITE_ROW || status == SQLITE_DONE || sweep_db_fail(&d, err));
    for (int i = 0; ok && i < sqlite3_column_count(q); i++) {
        if (i == 1 && status == SQLITE_ROW) /* a shard may have no point */
            export_axes((const char *)sqlite3_column_text(first, 0), true, out);
        else if (i != 1)
            fprintf(out, "%s%s", i ? "," : "", sqlite3_column_name(q, i));
    }
    status = SQLITE_DONE;
    while (ok && !ferror(out)) {
        putc('\n', out);
        if ((status = sqlite3_step(q)) != SQLITE_ROW)
            break;
        for (int i = 0; i < sqlite3_column_count(q); i++) {
            if (i == 1) {
                export_axes((const char *)sqlite3_column_text(q, 1), false, out);
                continue;
            }
            if (i)
                putc(',', out);
            export_column(q, i, out);
        }
    }
    if (ok && status != SQLITE_DONE && status != SQLITE_ROW)
        ok = sweep_db_fail(&d, err);
    sqlite3_finalize(first);
    sqlite3_finalize(q);
    sweep_db_close(&d);
    return ok;
}
