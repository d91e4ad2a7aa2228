/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/db.h"

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

/* False unless it has the axes of the first line. */
static bool export_row(sqlite3_stmt *q, json_t *axes, FILE *out)
{
    bool same = true;
    for (int i = 0; i < sqlite3_column_count(q); i++) {
        if (i > 1)
            putc(',', out);
        if (i == 1)
            same = export_axes(sweep_db_text(q, 1), axes, out);
        else
            export_column(q, i, out);
    }
    putc('\n', out);
    return same;
}

static json_t *export_value(sqlite3_stmt *q, int i)
{
    if (i == 1)
        return json_loads(sweep_db_text(q, i), 0, NULL); /* sweep_db_step() saw that it is an object */
    switch (sqlite3_column_type(q, i)) {
    case SQLITE_NULL: return json_null();
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(q, i));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(q, i));
    default: return json_string(sweep_db_text(q, i));
    }
}

static void export_row_json(sqlite3_stmt *q, bool first, FILE *out)
{
    json_auto_t *row = json_object();
    for (int i = 0; i < sqlite3_column_count(q); i++)
        json_object_set_new(row, sqlite3_column_name(q, i), export_value(q, i));
    fputs(first ? "\n    " : ",\n    ", out);
    json_dumpf(row, out, JSON_REAL_PRECISION(17)); /* a row a line */
}

bool sweep_export(const char *path, bool flows, const char *schema, FILE *out, struct error *err)
{
    MEMORY_ENDS(sweep_db_close) struct sweep_db d;
    json_t *axes = NULL;
    if (!sweep_db_open(&d, path, err))
        return false;
    sqlite3_stmt *q =
        flows ? sweep_db_flow_prepare(&d, "SELECT number AS point, axes, seed, ", SWEEP_DB_FLOW_LABELS,
                                      " FROM point JOIN flow ON flow.point = number ORDER BY number, name", err)
              : sweep_db_prepare(&d, "SELECT number AS point, axes, seed, state, error, wall_s, engine, version, "
                                 "operations, operation_s, operation_ci95_s FROM point ORDER BY number", err);
    int status = SQLITE_DONE;
    bool ok = q && (schema || export_head(&d, q, &axes, out, err)), first = true;
    if (ok && schema)
        fprintf(out, "{\n  \"schema\": \"%s\",\n  \"rows\": [", schema);
    for (; ok && !ferror(out) && (status = sweep_db_step(&d, q, err)) == SQLITE_ROW; first = false) {
        if (schema)
            export_row_json(q, first, out);
        else if (!export_row(q, axes, out))
            ok = error_set(err, ERROR_INPUT, "%s: point %lld has other axes than the first", path,
                           (long long)sqlite3_column_int64(q, 0));
    }
    if (ok && schema && status != SQLITE_ERROR)
        fputs(first ? "]\n}\n" : "\n  ]\n}\n", out);
    json_decref(axes);
    sqlite3_finalize(q);
    return ok && status != SQLITE_ERROR;
}
