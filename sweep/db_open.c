/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/filekind.h"
#include "sweep/db.h"

#include <sys/stat.h>

#define BUSY_MS 60000 /* others hold the lock for milliseconds; while one checks 10^6 points, for seconds */
#define LEAVE_MS 500  /* for others that end now, too, */
#define APART_MS 100  /* and longer by so much for each step of a process's number: two that wait for each other and give up
                       * at once would both leave a file in WAL */
#define APART_STEPS 8
#define TICK 1000     /* instructions of SQLite's machine */
#define TICKS 20000   /* that any database may take: a second */
#define TICK_BYTES 100 /* and one more for so many of its bytes; 20,000 points of 3 kB take one for 20,000 */

/* A file is data: it brings no code that runs, and needs no more than its size accounts for. */
static void open_guard(struct sweep_db *d)
{
    static const int switches[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0}, {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    static const int limits[][2] = {
        {SQLITE_LIMIT_LENGTH, 64 << 20},  {SQLITE_LIMIT_SQL_LENGTH, 10000}, {SQLITE_LIMIT_COLUMN, 64},
        {SQLITE_LIMIT_EXPR_DEPTH, 50},    {SQLITE_LIMIT_VDBE_OP, 10000},    {SQLITE_LIMIT_COMPOUND_SELECT, 3},
        {SQLITE_LIMIT_FUNCTION_ARG, 8},   {SQLITE_LIMIT_TRIGGER_DEPTH, 1},  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
    };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        sqlite3_db_config(d->db, switches[i][0], switches[i][1], NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(d->db, limits[i][0], limits[i][1]);
    sqlite3_exec(d->db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL, NULL);
    sqlite3_busy_timeout(d->db, BUSY_MS);
}

static bool open_file(struct sweep_db *d, const char *path, int flags, struct error *err)
{
    *d = (struct sweep_db){.path = path};
    if (sqlite3_open_v2(path, &d->db, flags, NULL) != SQLITE_OK)
        return sweep_db_fail(d, err);
    open_guard(d);
    return true;
}

static int open_tick(void *user)
{
    struct sweep_db *d = user;
    return --d->ticks < 0;
}

/* The work on a file is bounded, whatever its pages say. */
static void open_limit(struct sweep_db *d)
{
    struct stat file;
    MEMORY_LOCAL char *wal = memory_text("%s-wal", d->path);
    d->ticks = TICKS;
    d->ticks += stat(d->path, &file) == 0 ? file.st_size / TICK_BYTES : 0;
    d->ticks += stat(wal, &file) == 0 ? file.st_size / TICK_BYTES : 0;
    sqlite3_progress_handler(d->db, TICK, open_tick, d);
}

static bool open_version_fits(struct sweep_db *d, struct error *err)
{
    int64_t version;
    if (!sweep_db_number(d, "PRAGMA user_version", &version, err))
        return false;
    return version == SWEEP_DB_VERSION ||
           error_set(err, ERROR_INPUT, "%s: %s", d->path, version > 0 && version < SWEEP_DB_VERSION
                     ? "made by an earlier contraflow; start anew"
                     : "made by a later contraflow, or not the database of a sweep");
}

/* What the file says of its tables, word for word what sweep_db_create_tables() says: the same columns, types and
 * constraints, and no view, trigger or column beside them. */
static bool open_schema_is(struct sweep_db *d, struct sweep_db *made, struct error *err)
{
    static const char list[] = "SELECT type AS schema_type, name AS schema_name, sql AS schema_sql "
                               "FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
                               "ORDER BY type DESC, name";
    sqlite3_stmt *theirs = sweep_db_prepare(d, list, err), *ours = theirs ? sweep_db_prepare(made, list, err) : NULL;
    int has = SQLITE_ROW;
    bool ok = ours != NULL;
    while (ok && (has = sweep_db_step(d, theirs, err)) == SQLITE_ROW && sqlite3_step(ours) == SQLITE_ROW) {
        const char *type = sweep_db_text(theirs, 0), *name = sweep_db_text(theirs, 1), *sql = sweep_db_text(theirs, 2);
        const char *right = sweep_db_text(ours, 2);
        size_t same = 0;
        while (sql[same] && sql[same] == right[same])
            same++;
        if (strcmp(type, sweep_db_text(ours, 0)) != 0 || strcmp(name, sweep_db_text(ours, 1)) != 0)
            ok = error_set(err, ERROR_INPUT, "%s: has a %s '%.40s' where a sweep has a %s '%s'", d->path, type, name,
                           sweep_db_text(ours, 0), sweep_db_text(ours, 1));
        else if (sql[same] != right[same])
            ok = error_set(err, ERROR_INPUT, "%s: its %s %s has '%.40s' where a sweep has '%.40s'", d->path, type, name,
                           sql + same, right + same);
    }
    if (ok && has == SQLITE_ROW)
        ok = error_set(err, ERROR_INPUT, "%s: has a %s '%.40s', which no sweep has", d->path,
                       sweep_db_text(theirs, 0), sweep_db_text(theirs, 1));
    else if (ok && has == SQLITE_DONE && sqlite3_step(ours) == SQLITE_ROW)
        ok = error_set(err, ERROR_INPUT, "%s: has no %s '%s'", d->path, sweep_db_text(ours, 0), sweep_db_text(ours, 1));
    sqlite3_finalize(theirs);
    sqlite3_finalize(ours);
    return ok && has != SQLITE_ERROR;
}

static bool open_schema_fits(struct sweep_db *d, struct error *err)
{
    MEMORY_ENDS(sweep_db_close) struct sweep_db made = {.path = ":memory:"};
    return (sqlite3_open(made.path, &made.db) == SQLITE_OK || sweep_db_fail(&made, err)) &&
           sweep_db_create_tables(&made, err) && open_schema_is(d, &made, err);
}

/* Every page belongs to one table and holds what it should. */
static bool open_is_whole(struct sweep_db *d, struct error *err)
{
    sqlite3_stmt *q = sweep_db_prepare(d, "PRAGMA quick_check(1)", err);
    bool ok = q && sweep_db_step(d, q, err) == SQLITE_ROW;
    const char *says = ok ? sweep_db_text(q, 0) : "", *line = strrchr(says, '\n');
    if (ok && strcmp(says, "ok") != 0)
        ok = error_set(err, ERROR_INPUT, "%s: damaged: %s", d->path, line ? line + 1 : says);
    sqlite3_finalize(q);
    return ok;
}

static bool open_counts_fit(struct sweep_db *d, struct error *err)
{
    int64_t rows, points, last;
    if (!sweep_db_number(d, "SELECT count(*) FROM sweep", &rows, err))
        return false;
    if (rows != 1)
        return error_set(err, ERROR_INPUT, "%s: its table sweep has %lld rows instead of one", d->path,
                         (long long)rows);
    if (!sweep_db_number(d, "SELECT points FROM sweep", &points, err) ||
        !sweep_db_number(d, "SELECT coalesce(max(number), 1) AS number FROM point", &last, err))
        return false;
    if (last > points)
        return error_set(err, ERROR_INPUT, "%s: has a point %lld in a sweep of %lld points", d->path, (long long)last,
                         (long long)points);
    /* One of another state would be waited for in vain: sweep_db_step() refuses it. */
    sqlite3_stmt *q = sweep_db_prepare(d, "SELECT number, state FROM point WHERE state NOT IN ('waiting', 'running', "
                                       "'done', 'failed') LIMIT 1", err);
    return sweep_db_finish(d, q, err);
}

bool sweep_db_open(struct sweep_db *d, const char *path, struct error *err)
{
    struct stat file;
    *d = (struct sweep_db){.path = path};
    if (access(path, R_OK) != 0 || stat(path, &file) != 0) {
        error_set_errno(err, "%s: cannot be read", path);
        err->code = ERROR_INPUT;
        return false;
    }
    if (!S_ISREG(file.st_mode))
        return error_set(err, ERROR_INPUT, "%s: not a file, so not the database of a sweep", path);
    bool ok = open_file(d, path, SQLITE_OPEN_READONLY, err);
    if (ok)
        open_limit(d);
    ok = ok && open_version_fits(d, err) && open_schema_fits(d, err) && open_is_whole(d, err) &&
         open_counts_fit(d, err);
    if (!ok)
        sweep_db_close(d);
    return ok || filekind_blame(path, FILEKIND_DATABASE, err);
}

/* To WAL, or out of it: such a file is whole by itself, and a disk that cannot be written will do for it. Nobody else
 * may have the file open then, and SQLite does not wait for that by itself. The header is written without a journal,
 * which a killed process would leave to those who only read: it is one sector. */
static bool open_use_wal(struct sweep_db *d, bool use, int wait_ms)
{
    int status = SQLITE_BUSY;
    for (int waited = 0; waited <= wait_ms && (status & 0xff) == SQLITE_BUSY; waited += 10) {
        if (waited)
            usleep(10000);
        sqlite3_stmt *q = NULL;
        status = sqlite3_prepare_v2(d->db, "PRAGMA journal_mode", -1, &q, NULL);
        bool wal = status == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW && strcmp(sweep_db_text(q, 0), "wal") == 0;
        sqlite3_finalize(q);
        if (status == SQLITE_OK && wal != use)
            status = sqlite3_exec(d->db, use ? "PRAGMA journal_mode = MEMORY; PRAGMA journal_mode = WAL"
                                  : "PRAGMA journal_mode = MEMORY", NULL, NULL, NULL);
    }
    return status == SQLITE_OK;
}

bool sweep_db_join(struct sweep_db *d, const char *path, struct error *err)
{
    if (!sweep_db_open(d, path, err))
        return false;
    sweep_db_close(d);
    bool ok = open_file(d, path, SQLITE_OPEN_READWRITE, err);
    d->joined = ok && (open_use_wal(d, true, BUSY_MS) || sweep_db_fail(d, err));
    ok = d->joined && sweep_db_do(d, "PRAGMA synchronous = NORMAL", err);
    if (!ok)
        sweep_db_close(d);
    return ok;
}

void sweep_db_close(struct sweep_db *d)
{
    sqlite3_finalize(d->insert_flow);
    for (int i = 0; i < SWEEP_DB_KEPT; i++)
        sqlite3_finalize(d->kept[i].q);
    if (d->joined)
        open_use_wal(d, false, LEAVE_MS + APART_MS * (getpid() % APART_STEPS)); /* or the last one that has it open */
    sqlite3_close(d->db);
    *d = (struct sweep_db){0};
}
