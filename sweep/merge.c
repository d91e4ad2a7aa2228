/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/db.h"

/* What makes two databases those of one sweep, whichever points they have. */
#define SAME "title, text, version, scenario, first_seed, points"

struct merge {
    char *const *shards;
    int n;
};

/* Statements of one shard going into *out. */
struct merge_shard {
    struct sweep_db *out, in;
    sqlite3_stmt *points, *flows;             /* of the shard */
    sqlite3_stmt *here, *here_flows;          /* of *out */
    sqlite3_stmt *put_point, *put_flow;
};

static void merge_bind_row(sqlite3_stmt *to, sqlite3_stmt *from)
{
    sqlite3_reset(to);
    for (int i = 0; i < sqlite3_column_count(from); i++)
        sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
}

static bool merge_same_column_of(sqlite3_stmt *a, int i, sqlite3_stmt *b, int j)
{
    if (sqlite3_column_type(a, i) != sqlite3_column_type(b, j))
        return false;
    if (sqlite3_column_type(a, i) == SQLITE_FLOAT)
        return !(sqlite3_column_double(a, i) < sqlite3_column_double(b, j)) &&
               !(sqlite3_column_double(a, i) > sqlite3_column_double(b, j));
    return strcmp(sweep_db_text(a, i), sweep_db_text(b, j)) == 0;
}

static bool merge_same_column(sqlite3_stmt *a, sqlite3_stmt *b, int i)
{
    return merge_same_column_of(a, i, b, i);
}

static bool merge_same_row(sqlite3_stmt *a, sqlite3_stmt *b)
{
    bool same = true;
    for (int i = 0; same && i < sqlite3_column_count(a); i++)
        same = merge_same_column(a, b, i);
    return same;
}

static void merge_select(sqlite3_stmt *q, int64_t number)
{
    sqlite3_reset(q);
    sqlite3_bind_int64(q, 1, number);
}

static bool merge_copy(struct merge_shard *m, int64_t number, bool done, struct error *err)
{
    int status = SQLITE_DONE;
    merge_bind_row(m->put_point, m->points);
    if (sqlite3_step(m->put_point) != SQLITE_DONE)
        return sweep_db_fail(m->out, err);
    merge_select(m->flows, number);
    while (done && (status = sweep_db_step(&m->in, m->flows, err)) == SQLITE_ROW) {
        merge_bind_row(m->put_flow, m->flows);
        if (sqlite3_step(m->put_flow) != SQLITE_DONE)
            return sweep_db_fail(m->out, err);
    }
    return status == SQLITE_DONE;
}

/* Both ran the point: the same engine gives the same. */
static bool merge_compare(struct merge_shard *m, int64_t number, struct error *err)
{
    int ours, theirs;
    bool same = true;
    for (int i = 0; same && i < 3; i++) /* of whole operations */
        same = merge_same_column_of(m->points, 12 + i, m->here, 5 + i);
    merge_select(m->here_flows, number);
    merge_select(m->flows, number);
    do {
        ours = sweep_db_step(m->out, m->here_flows, err);
        theirs = ours == SQLITE_ERROR ? ours : sweep_db_step(&m->in, m->flows, err);
    } while (ours == SQLITE_ROW && theirs == SQLITE_ROW && merge_same_row(m->here_flows, m->flows));
    if (theirs == SQLITE_ERROR)
        return false;
    return (same && ours == SQLITE_DONE && theirs == SQLITE_DONE) ||
           error_set(err, ERROR_INPUT, "%s: point %" PRId64 " has other results than in those before it: one of the "
                     "two comes from another engine or machine that is not to be trusted", m->in.path, number);
}

static bool merge_point(struct merge_shard *m, struct error *err)
{
    int64_t number = sqlite3_column_int64(m->points, 0);
    bool done = strcmp(sweep_db_text(m->points, 4), "done") == 0;
    merge_select(m->here, number);
    int status = sweep_db_step(m->out, m->here, err);
    if (status != SQLITE_ROW)
        return status == SQLITE_DONE && merge_copy(m, number, done, err);
    if (!merge_same_column(m->points, m->here, 1) || !merge_same_column(m->points, m->here, 2))
        return error_set(err, ERROR_INPUT, "%s: point %" PRId64 " is another one than in those before it",
                         m->in.path, number);
    bool had = strcmp(sweep_db_text(m->here, 4), "done") == 0;
    if (!done)
        return true;
    return had ? merge_compare(m, number, err) : merge_copy(m, number, true, err);
}

/* The flows of a point, by name, in the columns of this program: what else a database holds is passed over. */
static sqlite3_stmt *merge_flows(struct sweep_db *d, struct error *err)
{
    return sweep_db_flow_prepare(d, "SELECT point, ", SWEEP_DB_FLOW_NAMES, " FROM flow WHERE point = ? ORDER BY name",
                                 err);
}

static bool merge_points(struct merge_shard *m, struct error *err)
{
    m->points = sweep_db_prepare(&m->in, "SELECT number, axes, scenario, seed, CASE state WHEN 'running' "
                                 "THEN 'waiting' ELSE state END AS state, NULL AS pid, NULL AS pid_start, error, program, wall_s, engine, version, operations, "
                                 "operation_s, operation_ci95_s FROM point ORDER BY number", err);
    m->flows = m->points ? merge_flows(&m->in, err) : NULL;
    m->here = m->flows ? sweep_db_prepare(m->out, "SELECT number, axes, scenario, seed, state, operations, operation_s, "
                                          "operation_ci95_s FROM point WHERE number = ?", err) : NULL;
    m->here_flows = m->here ? merge_flows(m->out, err) : NULL;
    m->put_point = m->here_flows ? sweep_db_prepare(m->out, "INSERT OR REPLACE INTO point "
                                                    "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", err) : NULL;
    m->put_flow = m->put_point ? sweep_db_flow_prepare(m->out, "INSERT INTO flow VALUES(?, ", SWEEP_DB_FLOW_MARKS, ")",
                                                       err) : NULL;
    bool ok = m->put_flow != NULL;
    int status = SQLITE_DONE;
    while (ok && (status = sweep_db_step(&m->in, m->points, err)) == SQLITE_ROW)
        ok = merge_point(m, err);
    ok = ok && status == SQLITE_DONE;
    sqlite3_stmt *all[] = {m->points, m->flows, m->here, m->here_flows, m->put_point, m->put_flow};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sqlite3_finalize(all[i]);
    return ok;
}

/* The table sweep of *out against the shard's; the first shard's when *out is new. */
static bool merge_sweep(struct merge_shard *m, struct error *err)
{
    sqlite3_stmt *theirs = sweep_db_prepare(&m->in, "SELECT " SAME " FROM sweep", err);
    sqlite3_stmt *ours = theirs ? sweep_db_prepare(m->out, "SELECT " SAME " FROM sweep", err) : NULL;
    bool ok = ours && sweep_db_row(&m->in, theirs, err);
    int status = ok ? sweep_db_step(m->out, ours, err) : SQLITE_ERROR;
    if (status == SQLITE_DONE) {
        sqlite3_stmt *put = sweep_db_prepare(m->out, "INSERT INTO sweep(" SAME ", shard, shards) "
                                             "VALUES(?, ?, ?, ?, ?, ?, 1, 1)", err);
        if (put)
            merge_bind_row(put, theirs);
        ok = sweep_db_finish(m->out, put, err);
    } else if (status == SQLITE_ROW && !merge_same_row(ours, theirs)) {
        ok = error_set(err, ERROR_INPUT, "%s: of another sweep, --seed or version of contraflow than those before it",
                       m->in.path);
    }
    sqlite3_finalize(theirs);
    sqlite3_finalize(ours);
    return ok && status != SQLITE_ERROR;
}

static bool merge_all(struct sweep_db *out, void *user, struct error *err)
{
    const struct merge *all = user;
    int64_t shards = 1;
    for (int i = 0; i < all->n; i++) {
        struct merge_shard m = {.out = out};
        if (!sweep_db_open(&m.in, all->shards[i], err))
            return false;
        bool ok = sweep_db_do(&m.in, "BEGIN", err) && merge_sweep(&m, err) && /* one state of a shard that still runs */
                  (i > 0 || sweep_db_number(out, "SELECT shards FROM sweep", &shards, err));
        if (ok && shards != 1)
            ok = error_set(err, ERROR_INPUT, "%s: holds a shard; the first file is the one to merge into, of a name of "
                           "its own", out->path);
        ok = ok && merge_points(&m, err);
        sweep_db_close(&m.in);
        if (!ok)
            return false;
    }
    return true;
}

bool sweep_merge(const char *path, char *const *shards, int n, struct sweep_counts *counts, struct error *err)
{
    struct merge all = {shards, n};
    MEMORY_ENDS(sweep_db_close) struct sweep_db d = {.db = NULL};
    bool made = access(path, F_OK) != 0;
    if ((made && !sweep_db_make(path, merge_all, &all, err)) || !(made ? sweep_db_open : sweep_db_join)(&d, path, err))
        return false;
    bool ok = made || (sweep_db_do(&d, "BEGIN IMMEDIATE", err) && sweep_db_end(&d, merge_all(&d, &all, err), err));
    return ok && sweep_db_count(&d, counts, err) && sweep_db_number(&d, "SELECT points FROM sweep", &counts->points, err);
}
