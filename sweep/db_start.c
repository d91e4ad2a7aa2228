/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outfile.h"
#include "sweep/db.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

struct start_put {
    struct sweep_db *d;
    sqlite3_stmt *compare, *has, *insert;
    void (*tell)(int64_t points);
    int64_t points;
    bool fill; /* points that are not there may be put in */
};

static bool start_insert(struct start_put *put, const struct sweep_grid_point *p, struct error *err)
{
    sqlite3_reset(put->insert);
    sqlite3_bind_int64(put->insert, 1, p->number);
    sqlite3_bind_text(put->insert, 2, p->axes, -1, SQLITE_STATIC);
    sqlite3_bind_text(put->insert, 3, p->yaml, -1, SQLITE_STATIC);
    sqlite3_bind_int64(put->insert, 4, p->seed);
    sqlite3_bind_text(put->insert, 5, p->engine, -1, SQLITE_STATIC);
    return sqlite3_step(put->insert) == SQLITE_DONE || sweep_db_fail(put->d, err);
}

static bool start_compare(struct start_put *put, const struct sweep_grid_point *p, struct error *err)
{
    sqlite3_reset(put->compare);
    sqlite3_bind_int64(put->compare, 1, p->number);
    sqlite3_bind_text(put->compare, 2, p->axes, -1, SQLITE_STATIC);
    sqlite3_bind_text(put->compare, 3, p->yaml, -1, SQLITE_STATIC);
    int status = sqlite3_step(put->compare);
    if (status == SQLITE_DONE && put->fill) {
        sqlite3_reset(put->has);
        sqlite3_bind_int64(put->has, 1, p->number);
        if ((status = sqlite3_step(put->has)) == SQLITE_DONE)
            return start_insert(put, p, err);
        status = status == SQLITE_ROW ? SQLITE_DONE : status;
    }
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        return sweep_db_fail(put->d, err);
    return status == SQLITE_ROW || error_set(err, ERROR_INPUT, "%s: has another sweep, different from point %" PRId64
                                             " on: %s; give -o another file", put->d->path, p->number, p->axes);
}

static bool start_take(void *user, const struct sweep_grid_point *p, struct error *err)
{
    struct start_put *put = user;
    if (put->tell)
        put->tell(put->points);
    put->points++;
    return put->compare ? start_compare(put, p, err) : start_insert(put, p, err);
}

static bool start_expand(struct sweep_db *d, const struct sweep *s, struct start_put *put, bool compare,
                         struct error *err)
{
    put->d = d;
    put->insert = sweep_db_prepare(d, "INSERT INTO point(number, axes, scenario, seed, program) VALUES(?, ?, ?, ?, ?)",
                                   err);
    bool ok = put->insert != NULL;
    if (compare) {
        put->compare = ok ? sweep_db_prepare(d, "SELECT 1 FROM point WHERE number = ? AND axes = ? AND scenario = ?",
                                             err) : NULL;
        put->has = put->compare ? sweep_db_prepare(d, "SELECT 1 FROM point WHERE number = ?", err) : NULL;
        ok = put->has != NULL;
    }
    ok = ok && sweep_grid_expand(s, start_take, put, err);
    sqlite3_finalize(put->insert);
    sqlite3_finalize(put->compare);
    sqlite3_finalize(put->has);
    return ok;
}

static void start_bind(sqlite3_stmt *q, const struct sweep_facts *f)
{
    sqlite3_bind_text(q, 1, f->text, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, f->scenario_text ? f->scenario_text : "", -1, SQLITE_STATIC);
    sqlite3_bind_int64(q, 3, f->first_seed);
    sqlite3_bind_int64(q, 4, f->shard);
    sqlite3_bind_int64(q, 5, f->shards);
}

/* The points depend on nothing but what the table sweep has: while that is the same they need no comparison. */
static bool start_match(struct sweep_db *d, const struct sweep *s, void (*tell)(int64_t), struct error *err)
{
    const struct sweep_facts *f = sweep_grid_facts(s);
    int64_t points = 0, shard = 0, shards = 0, mine = (sweep_grid_points(s) + f->shards - f->shard) / f->shards;
    if (!sweep_db_number(d, "SELECT shard FROM sweep", &shard, err) ||
        !sweep_db_number(d, "SELECT shards FROM sweep", &shards, err) ||
        !sweep_db_number(d, "SELECT count(*) FROM point", &points, err))
        return false;
    if (shard != f->shard || shards != f->shards)
        return error_set(err, ERROR_INPUT, "%s: has shard %" PRId64 "/%" PRId64 ", not %" PRId64 "/%" PRId64
                         "; give -o another file", d->path, shard, shards, f->shard, f->shards);
    sqlite3_stmt *q = sweep_db_prepare(d, "SELECT 1 FROM sweep WHERE text = ? AND scenario = ? AND first_seed = ? AND "
                                       "shard = ? AND shards = ? AND version = '" CONTRAFLOW_VERSION "'", err);
    if (!q)
        return false;
    start_bind(q, f);
    int status = sqlite3_step(q);
    sqlite3_finalize(q);
    if (status == SQLITE_ROW && points == mine)
        return true;
    struct start_put put = {.tell = tell, .fill = status == SQLITE_ROW}; /* merged from some of the shards */
    if (!start_expand(d, s, &put, true, err))
        return false;
    return put.fill || points == put.points ||
           error_set(err, ERROR_INPUT, "%s: has another sweep, of %" PRId64 " points instead of %" PRId64
                     "; give -o another file", d->path, points, put.points);
}

/* The user's data for sweep_db_make(). */
struct start_fill {
    const struct sweep *sweep;
    void (*tell)(int64_t points);
};

static bool start_fill(struct sweep_db *d, void *user, struct error *err)
{
    const struct start_fill *f = user;
    sqlite3_stmt *q = sweep_db_prepare(d, "INSERT INTO sweep(text, scenario, first_seed, shard, shards, title, points, "
                                       "version) VALUES(?, ?, ?, ?, ?, ?, ?, '" CONTRAFLOW_VERSION "')", err);
    if (q) {
        const char *title = sweep_grid_facts(f->sweep)->title;
        start_bind(q, sweep_grid_facts(f->sweep));
        sqlite3_bind_text(q, 6, title ? title : "", -1, SQLITE_STATIC);
        sqlite3_bind_int64(q, 7, sweep_grid_points(f->sweep));
    }
    struct start_put put = {.tell = f->tell};
    return sweep_db_finish(d, q, err) && start_expand(d, f->sweep, &put, false, err);
}

bool sweep_db_make(const char *path, bool (*fill)(struct sweep_db *d, void *user, struct error *err), void *user,
                   struct error *err)
{
    struct stat locked, named;
    bool ok = true, again;
    MEMORY_LOCAL char *part = memory_text("%s.part", path);
    outfile_watch(part);
    do {
        struct sweep_db d = {.path = part};
        int fd = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0) {
            ok = error_set_errno(err, "%s: cannot be made", path);
            break;
        }
        ok = flock(fd, LOCK_EX) == 0 || error_set_errno(err, "%s: cannot be locked", part);
        /* Whoever had the lock has renamed the file, or removed it. */
        again = ok && !(fstat(fd, &locked) == 0 && stat(part, &named) == 0 && locked.st_ino == named.st_ino);
        if (ok && !again && access(path, F_OK) != 0) {
            /* Nobody else sees the file and a crash leaves nothing to keep: without a journal it is written once. */
            ok = (ftruncate(fd, 0) == 0 || error_set_errno(err, "%s: cannot be written", part)) &&
                 (sqlite3_open_v2(part, &d.db, SQLITE_OPEN_READWRITE, "unix-none") == SQLITE_OK ||
                  sweep_db_fail(&d, err)) &&
                 sweep_db_do(&d, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", err) &&
                 sweep_db_create_tables(&d, err) && fill(&d, user, err) && sweep_db_do(&d, "COMMIT", err);
            sweep_db_close(&d);
            if (ok && (fsync(fd) != 0 || rename(part, path) != 0))
                ok = error_set_errno(err, "%s: cannot be made", path);
            if (!ok)
                unlink(part);
        } else if (ok && !again) {
            unlink(part);
        }
        close(fd);
    } while (again && access(path, F_OK) != 0);
    outfile_unwatch(part);
    return ok;
}

bool sweep_db_start(struct sweep_db *d, const char *path, const struct sweep *s, void (*tell)(int64_t points),
                    struct error *err)
{
    struct start_fill fill = {s, tell};
    if ((access(path, F_OK) != 0 && !sweep_db_make(path, start_fill, &fill, err)) || !sweep_db_join(d, path, err))
        return false;
    bool ok = sweep_db_do(d, "BEGIN IMMEDIATE", err) &&
              sweep_db_end(d, start_match(d, s, tell, err) && sweep_db_free_orphans(d, err) &&
                           sweep_db_do(d, "UPDATE point SET state = 'waiting', error = NULL WHERE state = 'failed'",
                                       err), err);
    if (!ok)
        sweep_db_close(d);
    return ok;
}
