/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every value that is read from a database is checked here, by its column's name. */
#include "base/names.h"
#include "sweep/db.h"

static const char *const states[] = {"waiting", "running", "done", "failed", NULL};

#define WHOLE_MOST 9e18

enum step_kind {
    STEP_WHOLE, /* from least to most */
    STEP_REAL,  /* from 0 to most */
    STEP_TEXT,  /* UTF-8 without NUL, in at most `most` bytes unless that is 0 */
    STEP_BYTES, /* text without NUL */
    STEP_NAME,  /* one of the names */
    STEP_AXES,  /* a JSON object of whole numbers and strings */
};

struct step_column {
    const char *name;
    enum step_kind kind;
    bool null; /* may be */
    double least, most;
    const char *const *names;
};

static const struct step_column columns[] = {
    {"number", STEP_WHOLE, false, 1, SWEEP_GRID_POINTS, NULL},
    {"point", STEP_WHOLE, false, 1, SWEEP_GRID_POINTS, NULL},
    {"points", STEP_WHOLE, false, 1, SWEEP_GRID_POINTS, NULL},
    {"shard", STEP_WHOLE, false, 1, SWEEP_GRID_POINTS, NULL},
    {"shards", STEP_WHOLE, false, 1, SWEEP_GRID_POINTS, NULL},
    {"first_seed", STEP_WHOLE, false, -1, WHOLE_MOST, NULL},
    {"seed", STEP_WHOLE, false, 0, WHOLE_MOST, NULL},
    {"pid", STEP_WHOLE, true, 0, WHOLE_MOST, NULL},
    {"pid_start", STEP_WHOLE, true, 0, WHOLE_MOST, NULL},
    {"count(*)", STEP_WHOLE, false, 0, WHOLE_MOST, NULL},
    {"user_version", STEP_WHOLE, false, INT32_MIN, INT32_MAX, NULL},
    {"operations", STEP_WHOLE, true, 1, 9e15, NULL},
    {"operation_s", STEP_REAL, true, 0, 9e6, NULL},
    {"operation_ci95_s", STEP_REAL, true, 0, 9e6, NULL},
    {"wall_s", STEP_REAL, true, 0, 1e15, NULL},
    {"axes", STEP_AXES, false, 0, 0, NULL},
    {"state", STEP_NAME, false, 0, 0, states},
    {"program", STEP_NAME, false, 0, 0, scenario_engine_names},
    {"error", STEP_BYTES, true, 0, 0, NULL},
    {"title", STEP_TEXT, false, 0, 0, NULL},
    {"text", STEP_TEXT, false, 0, 0, NULL},
    {"scenario", STEP_TEXT, false, 0, 0, NULL},
    {"engine", STEP_TEXT, true, 0, 0, NULL},
    {"engines", STEP_TEXT, true, 0, 0, NULL}, /* these and `keys` of all points, put together */
    {"seeds", STEP_TEXT, true, 0, 0, NULL},
    {"keys", STEP_TEXT, true, 0, 0, NULL},
    {"version", STEP_TEXT, true, 0, 0, NULL},
    {"name", STEP_TEXT, false, 0, RESULTS_NAME - 1, NULL},
    {"schema_type", STEP_TEXT, false, 0, 0, NULL},
    {"schema_name", STEP_TEXT, false, 0, 0, NULL},
    {"schema_sql", STEP_TEXT, true, 0, 0, NULL},
    {"quick_check", STEP_BYTES, false, 0, 0, NULL},
};

/* For every value of every row: most names differ in their first letter. */
static bool step_is(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}

/* A flow's columns are those of results/flow.h: any but its texts may be unknown. */
static struct step_column step_flow_column(const char *name)
{
    static const double most[] = {
        [RESULTS_TEXT] = RESULTS_NAME - 1, [RESULTS_COUNT] = 9e15, [RESULTS_TIME] = 9e6,
        [RESULTS_RATE] = 1e18, [RESULTS_SECONDS] = 9e6, [RESULTS_FLAG] = 1,
    };
    for (size_t i = 0; i < results_flow_columns.n; i++) {
        const struct results_column *c = &results_flow_columns.column[i];
        if (!(c->in & RESULTS_IN_SQL) || !step_is(c->name, name))
            continue;
        bool text = c->kind == RESULTS_TEXT, whole = c->kind == RESULTS_COUNT || c->kind == RESULTS_FLAG;
        return (struct step_column){name, text ? STEP_TEXT : whole ? STEP_WHOLE : STEP_REAL, !text, 0, most[c->kind],
                                    NULL};
    }
    return (struct step_column){.name = NULL};
}

static struct step_column step_column(const char *name)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (step_is(columns[i].name, name))
            return columns[i];
    return step_flow_column(name);
}

static bool step_is_utf8(const char *text, size_t size)
{
    json_t *read = json_stringn(text, size);
    json_decref(read);
    return read;
}

static bool step_axes_fit(const char *text)
{
    json_t *axes = json_loads(text, 0, NULL), *value;
    const char *key;
    bool ok = json_is_object(axes);
    json_object_foreach(axes, key, value)
        ok = ok && (json_is_string(value) || json_is_integer(value));
    json_decref(axes);
    return ok;
}

static bool step_fits(sqlite3_stmt *q, int i, const struct step_column *c)
{
    int type = sqlite3_column_type(q, i);
    if (type == SQLITE_NULL)
        return c->null;
    if (c->kind == STEP_WHOLE)
        return type == SQLITE_INTEGER && (double)sqlite3_column_int64(q, i) >= c->least &&
               (double)sqlite3_column_int64(q, i) <= c->most;
    if (c->kind == STEP_REAL)
        return type == SQLITE_FLOAT && sqlite3_column_double(q, i) >= c->least &&
               sqlite3_column_double(q, i) <= c->most;
    if (type != SQLITE_TEXT)
        return false;
    const char *text = sweep_db_text(q, i);
    size_t size = (size_t)sqlite3_column_bytes(q, i);
    if (strlen(text) != size || (c->most > 0 && (double)size > c->most))
        return false;
    switch (c->kind) {
    case STEP_NAME: return names_find(c->names, text) >= 0;
    case STEP_AXES: return step_axes_fit(text);
    case STEP_TEXT: return step_is_utf8(text, size);
    default: return true;
    }
}

static bool step_fail(const struct sweep_db *d, sqlite3_stmt *q, int i, const struct step_column *c, struct error *err)
{
    char list[NAMES_TEXT], wanted[NAMES_TEXT + 64] = "text", found[64] = "NULL", where[64] = "";
    const char *first = sqlite3_column_name(q, 0);
    if (c->kind == STEP_WHOLE || c->kind == STEP_REAL)
        snprintf(wanted, sizeof wanted, "a%s number from %.15g to %.15g", c->kind == STEP_WHOLE ? " whole" : "",
                 c->least, c->most);
    else if (c->kind == STEP_NAME)
        snprintf(wanted, sizeof wanted, "one of %s", names_list(c->names, list));
    else if (c->kind == STEP_AXES)
        snprintf(wanted, sizeof wanted, "a JSON object of whole numbers and strings");
    else if (c->most > 0)
        snprintf(wanted, sizeof wanted, "text of at most %.0f bytes", c->most);
    int type = sqlite3_column_type(q, i);
    const char *text = sweep_db_text(q, i);
    size_t size = (size_t)sqlite3_column_bytes(q, i);
    if (type == SQLITE_BLOB || !step_is_utf8(text, size))
        snprintf(found, sizeof found, "bytes that are no text");
    else if (type != SQLITE_NULL)
        snprintf(found, sizeof found, "'%.40s'%s", text, strlen(text) < size ? " and a NUL" : "");
    if (i > 0 && (strcmp(first, "number") == 0 || strcmp(first, "point") == 0))
        snprintf(where, sizeof where, "point %" PRId64 ": ", (int64_t)sqlite3_column_int64(q, 0));
    return error_set(err, ERROR_INPUT, "%s: %s%s is %s instead of %s", d->path, where, sqlite3_column_name(q, i), found,
                     wanted);
}

int sweep_db_step(struct sweep_db *d, sqlite3_stmt *q, struct error *err)
{
    int status = sqlite3_step(q);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        return sweep_db_fail(d, err) ? SQLITE_OK : SQLITE_ERROR;
    for (int i = 0; status == SQLITE_ROW && i < sqlite3_column_count(q); i++) {
        const char *name = sqlite3_column_name(q, i);
        struct step_column c = step_column(name);
        if (!c.name) {
            error_set(err, ERROR_SYSTEM, "%s: nobody says what a column %s may hold", d->path, name);
            return SQLITE_ERROR;
        }
        if (!step_fits(q, i, &c)) {
            step_fail(d, q, i, &c, err);
            return SQLITE_ERROR;
        }
    }
    return status;
}

bool sweep_db_row(struct sweep_db *d, sqlite3_stmt *q, struct error *err)
{
    int status = sweep_db_step(d, q, err);
    return status == SQLITE_ROW ||
           (status == SQLITE_DONE && error_set(err, ERROR_INPUT, "%s: has no row where one is needed", d->path));
}

const char *sweep_db_text(sqlite3_stmt *q, int i)
{
    const char *text = (const char *)sqlite3_column_text(q, i);
    return text ? text : "";
}
