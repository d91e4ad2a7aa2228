/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/db.h"

#include "base/names.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static sqlite3_mem_methods db_memory; /* SQLite's own */

static void *db_allocate(int bytes)
{
    void *p = db_memory.xMalloc(bytes);
    if (!p)
        memory_end("a database");
    return p;
}

static void *db_reallocate(void *p, int bytes)
{
    void *moved = db_memory.xRealloc(p, bytes);
    if (!moved)
        memory_end("a database");
    return moved;
}

/* A text that there is no memory for is NULL to SQLite, as one that is not there: so the process ends instead. Before
 * main(), which no program can forget. */
__attribute__((constructor)) static void db_start(void)
{
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &db_memory);
    sqlite3_mem_methods ending = db_memory;
    ending.xMalloc = db_allocate;
    ending.xRealloc = db_reallocate;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &ending);
}

static const char db_tables[] =
    "CREATE TABLE sweep(title TEXT NOT NULL, text TEXT NOT NULL, version TEXT NOT NULL, scenario TEXT NOT NULL,"
    " first_seed INTEGER NOT NULL, points INTEGER NOT NULL, shard INTEGER NOT NULL, shards INTEGER NOT NULL);"
    "CREATE TABLE point(number INTEGER PRIMARY KEY, axes TEXT NOT NULL, scenario TEXT NOT NULL,"
    " seed INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', pid INTEGER, pid_start INTEGER, error TEXT,"
    " program TEXT NOT NULL, wall_s REAL, engine TEXT, version TEXT,"
    " operations INTEGER, operation_s REAL, operation_ci95_s REAL);"
    "CREATE INDEX point_state ON point(state);"
    "PRAGMA user_version = " TEXT(SWEEP_DB_VERSION);

static void db_flow_item(FILE *f, enum sweep_db_flow_list list, const struct results_column *c)
{
    static const char *const types[] = {
        [RESULTS_TEXT] = "TEXT", [RESULTS_COUNT] = "INTEGER", [RESULTS_TIME] = "REAL",
        [RESULTS_RATE] = "REAL", [RESULTS_SECONDS] = "REAL",  [RESULTS_FLAG] = "INTEGER",
    };
    /* The column's name in the table flow, where a flow's name is the key with its point. */
    const char *name = c->offset == offsetof(struct results_flow, name) ? "name" : c->name;
    switch (list) {
    case SWEEP_DB_FLOW_NAMES: fputs(name, f); break;
    case SWEEP_DB_FLOW_LABELS: fprintf(f, "%s AS %s", name, c->name); break;
    case SWEEP_DB_FLOW_TYPES:
        fprintf(f, "%s %s%s", name, types[c->kind], c->kind == RESULTS_TEXT ? " NOT NULL" : "");
        break;
    case SWEEP_DB_FLOW_MARKS: putc('?', f); break;
    }
}

static char *db_flow_sql(const char *before, enum sweep_db_flow_list list, const char *after)
{
    char *sql = NULL;
    size_t size;
    FILE *f = memory_stream(&sql, &size);
    fputs(before, f);
    for (size_t i = 0, n = 0; i < results_flow_columns.n; i++)
        if (results_flow_columns.column[i].in & RESULTS_IN_SQL) {
            fputs(n++ ? ", " : "", f);
            db_flow_item(f, list, &results_flow_columns.column[i]);
        }
    fputs(after, f);
    memory_stream_end(f, &sql);
    return sql;
}

sqlite3_stmt *sweep_db_flow_prepare(struct sweep_db *d, const char *before, enum sweep_db_flow_list list,
                                    const char *after, struct error *err)
{
    MEMORY_LOCAL char *sql = db_flow_sql(before, list, after);
    return sweep_db_prepare(d, sql, err);
}

bool sweep_db_create_tables(struct sweep_db *d, struct error *err)
{
    MEMORY_LOCAL char *sql = db_flow_sql("CREATE TABLE flow(point INTEGER NOT NULL REFERENCES point, ", SWEEP_DB_FLOW_TYPES,
                                  ", PRIMARY KEY(point, name)) WITHOUT ROWID");
    return sweep_db_do(d, db_tables, err) && sweep_db_do(d, sql, err);
}

bool sweep_db_fail(struct sweep_db *d, struct error *err)
{
    int code = sqlite3_extended_errcode(d->db), number = sqlite3_system_errno(d->db);
    if (code == SQLITE_READONLY_ROLLBACK)
        return error_set(err, ERROR_INPUT, "%s: beside it lies %s-journal, of a program that was killed while it wrote",
                         d->path, d->path);
    switch (code & 0xff) {
    case SQLITE_NOTADB: return error_set(err, ERROR_INPUT, "%s: not the database of a sweep", d->path);
    case SQLITE_INTERRUPT: return error_set(err, ERROR_INPUT, "%s: damaged: it has no end", d->path);
    case SQLITE_IOERR:
    case SQLITE_FULL:
        if (number)
            return error_set(err, ERROR_SYSTEM, "%s: %s (%s)", d->path, sqlite3_errmsg(d->db), strerror(number));
        /* fall through */
    case SQLITE_NOMEM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_PROTOCOL: return error_set(err, ERROR_SYSTEM, "%s: %s", d->path, sqlite3_errmsg(d->db));
    default: return error_set(err, ERROR_INPUT, "%s: damaged: %s", d->path, sqlite3_errmsg(d->db));
    }
}

sqlite3_stmt *sweep_db_prepare(struct sweep_db *d, const char *sql, struct error *err)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(d->db, sql, -1, &q, NULL) != SQLITE_OK)
        sweep_db_fail(d, err);
    return q;
}

/* One that runs for every point: prepared once, kept until sweep_db_close(). `sql` is a literal. */
static sqlite3_stmt *db_kept(struct sweep_db *d, const char *sql, struct error *err)
{
    int i = 0;
    while (d->kept[i].q && d->kept[i].sql != sql)
        i++;
    if (!d->kept[i].q)
        d->kept[i].q = sweep_db_prepare(d, d->kept[i].sql = sql, err);
    return d->kept[i].q;
}

bool sweep_db_finish(struct sweep_db *d, sqlite3_stmt *q, struct error *err)
{
    int status = q ? sweep_db_step(d, q, err) : SQLITE_ERROR;
    bool ok = status == SQLITE_DONE;
    if (status == SQLITE_ROW)
        error_set(err, ERROR_INPUT, "%s: has a row where there should be none", d->path);
    bool kept = q == d->insert_flow;
    for (int i = 0; i < SWEEP_DB_KEPT; i++)
        kept = kept || d->kept[i].q == q;
    if (kept) {
        sqlite3_reset(q);
        return ok;
    }
    sqlite3_finalize(q);
    return ok;
}

bool sweep_db_do(struct sweep_db *d, const char *sql, struct error *err)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK || sweep_db_fail(d, err);
}

bool sweep_db_end(struct sweep_db *d, bool ok, struct error *err)
{
    if (ok && sweep_db_do(d, "COMMIT", err))
        return true;
    sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool sweep_db_number(struct sweep_db *d, const char *sql, int64_t *value, struct error *err)
{
    sqlite3_stmt *q = sweep_db_prepare(d, sql, err);
    bool ok = q && sweep_db_row(d, q, err);
    if (ok)
        *value = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return ok;
}

/* When a process started, in clock ticks since boot; 0 when it lives no longer. With the pid it is one process for
 * good: pids come again. */
static int64_t process_start(int64_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    char state = 'X', *after = strrchr(text, ')'); /* the name may have anything in it */
    unsigned long long start = 0;
    if (!after || sscanf(after + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                         &state, &start) != 2)
        return 0;
    return state == 'Z' || state == 'X' ? 0 : (int64_t)start;
}

bool sweep_db_free_orphans(struct sweep_db *d, struct error *err)
{
    sqlite3_stmt *q = sweep_db_prepare(d, "SELECT DISTINCT pid, pid_start FROM point WHERE state = 'running'", err);
    int status = SQLITE_ERROR;
    bool ok = q != NULL;
    while (ok && (status = sweep_db_step(d, q, err)) == SQLITE_ROW) {
        int64_t pid = sqlite3_column_int64(q, 0), start = sqlite3_column_int64(q, 1);
        if (start != 0 && process_start(pid) == start)
            continue;
        sqlite3_stmt *u = sweep_db_prepare(d, "UPDATE point SET state = 'waiting', pid = NULL, pid_start = NULL "
                                           "WHERE state = 'running' AND pid IS ? AND pid_start IS ?", err);
        sqlite3_bind_value(u, 1, sqlite3_column_value(q, 0));
        sqlite3_bind_value(u, 2, sqlite3_column_value(q, 1));
        ok = sweep_db_finish(d, u, err);
        sqlite3_reset(q); /* what it walks has changed */
    }
    sqlite3_finalize(q);
    return ok && status == SQLITE_DONE;
}

static bool db_take_first(struct sweep_db *d, struct sweep_claim *c, struct error *err)
{
    sqlite3_stmt *q = db_kept(d, "UPDATE point SET state = 'running', pid = ?, pid_start = ? WHERE number = "
                              "(SELECT number FROM point WHERE state = 'waiting' ORDER BY number LIMIT 1) "
                              "RETURNING number, scenario, program", err);
    sqlite3_bind_int64(q, 1, getpid());
    sqlite3_bind_int64(q, 2, process_start(getpid()));
    int status = q ? sweep_db_step(d, q, err) : SQLITE_ERROR;
    if (status == SQLITE_ROW) {
        c->number = sqlite3_column_int64(q, 0);
        c->yaml = memory_text("%s", sweep_db_text(q, 1));
        c->engine = (enum scenario_engine)names_find(scenario_engine_names, sweep_db_text(q, 2));
        status = sweep_db_step(d, q, err);
    }
    sqlite3_reset(q);
    return status == SQLITE_DONE;
}

bool sweep_db_claim(struct sweep_db *d, struct sweep_claim *c, struct error *err)
{
    *c = (struct sweep_claim){0};
    if (!sweep_db_do(d, "BEGIN IMMEDIATE", err))
        return false;
    bool ok = db_take_first(d, c, err);
    if (ok && !c->number) /* only now: it reads the row of every point that runs, thousands on a cluster */
        ok = sweep_db_free_orphans(d, err) && db_take_first(d, c, err);
    if (sweep_db_end(d, ok, err))
        return true;
    free(c->yaml);
    *c = (struct sweep_claim){0};
    return false;
}

static void db_bind_known(sqlite3_stmt *q, int i, double value)
{
    if (isnan(value))
        sqlite3_bind_null(q, i);
    else
        sqlite3_bind_double(q, i, value);
}

static void db_bind_column(sqlite3_stmt *q, int i, const struct results_column *c, const void *row)
{
    double value = results_columns_number(c, row);
    if (c->kind == RESULTS_TEXT)
        sqlite3_bind_text(q, i, (const char *)row + c->offset, -1, SQLITE_TRANSIENT);
    else if (!isnan(value) && (c->kind == RESULTS_COUNT || c->kind == RESULTS_FLAG))
        sqlite3_bind_int64(q, i, (int64_t)value);
    else
        db_bind_known(q, i, value);
}

static bool db_add_flow(struct sweep_db *d, int64_t number, const struct results_flow *flow, struct error *err)
{
    if (!d->insert_flow)
        d->insert_flow = sweep_db_flow_prepare(d, "INSERT INTO flow VALUES(?, ", SWEEP_DB_FLOW_MARKS, ")", err);
    sqlite3_bind_int64(d->insert_flow, 1, number);
    for (size_t i = 0, n = 2; i < results_flow_columns.n; i++)
        if (results_flow_columns.column[i].in & RESULTS_IN_SQL)
            db_bind_column(d->insert_flow, (int)n++, &results_flow_columns.column[i], flow);
    return sweep_db_finish(d, d->insert_flow, err);
}

bool sweep_db_done(struct sweep_db *d, int64_t number, const struct results_summary *summary, double wall_s,
                   struct error *err)
{
    if (!sweep_db_do(d, "BEGIN IMMEDIATE", err))
        return false;
    sqlite3_stmt *q = db_kept(d, "UPDATE point SET state = 'done', pid = NULL, pid_start = NULL, wall_s = ?, "
                              "engine = ?, version = ?, operations = ?, operation_s = ?, operation_ci95_s = ? "
                              "WHERE number = ?", err);
    sqlite3_bind_double(q, 1, wall_s);
    sqlite3_bind_text(q, 2, summary->engine, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(q, 3, summary->contraflow, -1, SQLITE_TRANSIENT);
    const struct results_operations *o = &summary->operations;
    if (o->n > 0)
        sqlite3_bind_int64(q, 4, o->n);
    db_bind_known(q, 5, o->n > 0 ? o->mean_s : (double)NAN);
    db_bind_known(q, 6, o->n > 0 ? o->ci95_s : (double)NAN);
    sqlite3_bind_int64(q, 7, number);
    bool ok = sweep_db_finish(d, q, err);
    for (size_t i = 0; ok && i < summary->n_flows; i++)
        ok = db_add_flow(d, number, &summary->flows[i], err);
    return sweep_db_end(d, ok, err);
}

bool sweep_db_leave(struct sweep_db *d, int64_t number, const char *sentence, struct error *err)
{
    sqlite3_stmt *q = sweep_db_prepare(d, "UPDATE point SET state = ?, pid = NULL, pid_start = NULL, error = ? "
                                       "WHERE number = ?", err);
    sqlite3_bind_text(q, 1, sentence ? "failed" : "waiting", -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, sentence, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(q, 3, number);
    return sweep_db_finish(d, q, err);
}

bool sweep_db_count(struct sweep_db *d, struct sweep_counts *c, struct error *err)
{
    return sweep_db_number(d, "SELECT count(*) FROM point", &c->points, err) &&
           sweep_db_number(d, "SELECT count(*) FROM point WHERE state = 'done'", &c->done, err) &&
           sweep_db_number(d, "SELECT count(*) FROM point WHERE state = 'failed'", &c->failed, err) &&
           sweep_db_number(d, "SELECT count(*) FROM point WHERE state = 'running'", &c->running, err);
}
