/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep/db.h - a sweep's points and what came out of them: one SQLite file, whose tables and columns doc/files.md
 * has. A point's pid and pid_start (clock ticks since boot) name one process for good.
 *
 * A database may come from anybody. It is opened to read; only when its tables are, word for word, those made here and
 * its pages are whole is it believed, or opened to write; every value that is read passes sweep_db_step(). The file is
 * in WAL mode while points run and leaves it at the end: whoever only reads needs no other file and writes none.
 *
 * Points are claimed and their results committed in transactions (BEGIN IMMEDIATE), so any number of processes of one
 * machine share a database, and one that dies leaves its points free for the next claim. But for wall_s nothing
 * depends on the clock or on who ran a point. */
#pragma once

#include "results/summary.h"
#include "scenarios/scenario.h"
#include "sweep/grid.h"

#include <sqlite3.h>

#define SWEEP_DB_VERSION 6 /* of the tables: one more with every column */
#define SWEEP_DB_KEPT 4    /* room for one more than there are */

struct sweep_db {
    sqlite3 *db;
    const char *path; /* borrowed */
    struct {
        const char *sql;
        sqlite3_stmt *q;
    } kept[SWEEP_DB_KEPT]; /* what runs for every point */
    sqlite3_stmt *insert_flow; /* runs for every point, too; NULL before its first use */
    int64_t ticks; /* of work that reading it may still take */
    bool joined;   /* to write, too */
};

struct sweep_claim {
    int64_t number;
    char *yaml; /* owned */
    enum scenario_engine engine; /* that the point is to run on */
};

struct sweep_counts {
    int64_t points, done, failed, running;
};

/* Opens the database, or makes it with the points of the sweep's shard: as PATH.part, so that no scenario loads twice
 * and a bad one leaves no PATH. Refuses (ERROR_INPUT) one that has other points or is none of a sweep. Failed points
 * wait again, and so do those whose process no longer lives. tell(), unless NULL, hears how many points were loaded. */
bool sweep_db_start(struct sweep_db *d, const char *path, const struct sweep *s, void (*tell)(int64_t points),
                    struct error *err);

/* Makes PATH if it is not there: as PATH.part, which fill() gets with empty tables, in a transaction. */
bool sweep_db_make(const char *path, bool (*fill)(struct sweep_db *d, void *user, struct error *err), void *user,
                   struct error *err);

/* An existing one, to read; to join is to write too. ERROR_INPUT when it is not one of ours. */
bool sweep_db_open(struct sweep_db *d, const char *path, struct error *err);
bool sweep_db_join(struct sweep_db *d, const char *path, struct error *err);
void sweep_db_close(struct sweep_db *d);

/* The first point that waits; when none does, of those whose process no longer lives; 0 as number: none. */
bool sweep_db_claim(struct sweep_db *d, struct sweep_claim *c, struct error *err);

/* A claimed point's end: flows and state at once from its summary; failed with a sentence; or, without one, free
 * again. */
bool sweep_db_done(struct sweep_db *d, int64_t number, const struct results_summary *summary, double wall_s,
                   struct error *err);
bool sweep_db_leave(struct sweep_db *d, int64_t number, const char *sentence, struct error *err);

bool sweep_db_count(struct sweep_db *d, struct sweep_counts *c, struct error *err);

/* A statement; NULL and *err on failure. sweep_db_fail() words SQLite's latest error, returns false. */
sqlite3_stmt *sweep_db_prepare(struct sweep_db *d, const char *sql, struct error *err);
bool sweep_db_fail(struct sweep_db *d, struct error *err);
/* The next row, SQLITE_ROW, whose values are as the columns of these names should be; SQLITE_DONE; or SQLITE_ERROR and
 * *err. sweep_db_row() is true for a row and has a sentence when there is none. */
int sweep_db_step(struct sweep_db *d, sqlite3_stmt *q, struct error *err);
bool sweep_db_row(struct sweep_db *d, sqlite3_stmt *q, struct error *err);
const char *sweep_db_text(sqlite3_stmt *q, int column); /* "" for NULL; borrowed until the next step */
bool sweep_db_finish(struct sweep_db *d, sqlite3_stmt *q, struct error *err); /* runs it to its end and forgets it */
bool sweep_db_do(struct sweep_db *d, const char *sql, struct error *err);
bool sweep_db_number(struct sweep_db *d, const char *sql, int64_t *value, struct error *err);
bool sweep_db_end(struct sweep_db *d, bool ok, struct error *err); /* commits or, unless ok, rolls back */
bool sweep_db_free_orphans(struct sweep_db *d, struct error *err); /* in a transaction */

bool sweep_db_create_tables(struct sweep_db *d, struct error *err);

/* The columns of the table flow after `point`, as results_flow_columns has them: a, b; a AS label, ...; a TYPE, ...;
 * ?, ?. Prepares `before`, the list, `after`. */
enum sweep_db_flow_list { SWEEP_DB_FLOW_NAMES, SWEEP_DB_FLOW_LABELS, SWEEP_DB_FLOW_TYPES, SWEEP_DB_FLOW_MARKS };
sqlite3_stmt *sweep_db_flow_prepare(struct sweep_db *d, const char *before, enum sweep_db_flow_list list,
                                    const char *after, struct error *err);

/* A sweep's database as CSV or JSON: a row a point, or a row a flow. Streams: memory does not grow with the points.
 * Numbers as they parse back to the same value. With a schema the same rows are one JSON object, {"schema": SCHEMA,
 * "rows": [{"point": 1, "axes": {...}, ...}]}, unknown values null; NULL: CSV. */
bool sweep_export(const char *path, bool flows, const char *schema, FILE *out, struct error *err);

/* The databases of a sweep's shards put into one: into `path`, which is made or holds an undivided sweep, in one
 * transaction. A point that two have is taken where it is done; done in both, its flows must be the same. *counts: of
 * the result, points those of the whole sweep. ERROR_INPUT for files of different sweeps. */
bool sweep_merge(const char *path, char *const *shards, int n, struct sweep_counts *counts, struct error *err);
