/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/launch.h"

#include "base/monotonic.h"
#include "cli/cli.h"
#include "results/json.h"

#define LINE_EVERY_S 60 /* progress where it is a log */
#define COUNT_SHARE 0.02 /* of the time, at most: counting takes longer the more points there are */

static void sweep_show(void *user, double elapsed)
{
    struct sweep_work *w = user;
    struct sweep_counts c;
    struct error ignored = {0};
    bool terminal = isatty(STDERR_FILENO);
    if (elapsed < 0) {
        if (terminal)
            cli_progress_clear();
        return;
    }
    char left[CLI_LEFT] = "", bar[21] = "....................";
    if (elapsed < w->shown + (terminal ? w->count_s / COUNT_SHARE : LINE_EVERY_S))
        return;
    double started = monotonic_now_s();
    if (!sweep_db_count(&w->db, &c, &ignored) || c.points == 0)
        return;
    w->count_s = monotonic_now_s() - started;
    w->shown = elapsed;
    int64_t ended = c.done + c.failed;
    memset(bar, '#', (size_t)(20 * ended / c.points));
    if (ended > w->before) /* whoever ran them */
        cli_left(elapsed, (double)(ended - w->before) / (double)(c.points - w->before), left);
    MEMORY_LOCAL char *line = memory_text("[%s] %" PRId64 " of %" PRId64 " points done, %" PRId64 " running%s", bar, ended, c.points,
                             c.running, left);
    if (terminal)
        cli_progress("%s", line);
    else
        fprintf(stderr, "%s\n", line);
}

/* How many scenarios are loaded, on a terminal, when it takes a while. */
static void sweep_tell(int64_t points)
{
    static double started, told;
    double now = monotonic_now_s();
    if (points == 0)
        started = told = now;
    if (now - told < 0.2 || now - started < 1)
        return;
    told = now;
    cli_progress("%" PRId64 " scenarios loaded", points);
}

/* Until no point is left, those of other processes too: one of them may die. Returns the signal that stopped it. */
static int sweep_until_done(struct sweep_work *w, sweep_pool *pool, int parallel, bool show, struct sweep_counts *c)
{
    int number = 0;
    if (!sweep_db_count(&w->db, c, &w->err))
        return 0;
    w->before = c->done + c->failed;
    while (c->done + c->failed < c->points) {
        w->shown = 0;
        number = pool(w, parallel, show ? sweep_show : NULL);
        if (w->err.code != ERROR_NONE || !sweep_db_count(&w->db, c, &w->err) || number ||
            c->done + c->failed == c->points)
            break;
        usleep(200000);
    }
    return number;
}

static int sweep_tell_failed(struct sweep_work *w)
{
    sqlite3_stmt *q = sweep_db_prepare(&w->db, "SELECT number, axes, seed, error FROM point WHERE state = 'failed' "
                                       "ORDER BY number", &w->err);
    if (!q)
        return cli_fail(&w->err);
    int status;
    while ((status = sweep_db_step(&w->db, q, &w->err)) == SQLITE_ROW)
        fprintf(stderr, "contraflow: point %s, %s, seed %s: %s\n", sweep_db_text(q, 0), cli_name(sweep_db_text(q, 1)),
                sweep_db_text(q, 2), cli_name(sweep_db_text(q, 3)));
    sqlite3_finalize(q);
    return status == SQLITE_ERROR ? cli_fail(&w->err) : 1;
}

json_t *cli_sweep_run_json(const char *path, const struct sweep_counts *c)
{
    return results_json("database:s points:l done:l failed:l missing:l", path, c->points, c->done, c->failed,
                        c->points - c->done - c->failed);
}

int cli_sweep_run(const struct sweep *s, const char *path, sweep_pool *pool, int parallel, bool quiet, bool json,
                  int *number)
{
    struct sweep_work w = {.path = path};
    struct sweep_counts c = {0};
    bool terminal = !quiet && isatty(STDERR_FILENO);
    bool ok = sweep_db_start(&w.db, path, s, terminal ? sweep_tell : NULL, &w.err);
    if (terminal)
        cli_progress_clear();
    if (!ok)
        return cli_fail(&w.err);
    *number = sweep_until_done(&w, pool, parallel, !quiet, &c);
    int status = 0;
    if (w.err.code != ERROR_NONE)
        status = cli_fail(&w.err);
    else if (*number)
        fprintf(stderr, "contraflow: interrupted after %" PRId64 " of %" PRId64 " points; the same command goes on\n",
                c.done + c.failed, c.points);
    else if (c.failed)
        status = sweep_tell_failed(&w);
    if (status <= 1 && !*number && !quiet)
        fprintf(stderr, "%" PRId64 " of %" PRId64 " points done, %" PRId64 " of them now: %s; "
                "as CSV: contraflow sweep export %s\n", c.done, c.points, w.finished, cli_name(path), cli_name(path));
    if (status <= 1 && json)
        cli_print_json(cli_json("sweep:1", cli_sweep_run_json(path, &c)));
    sweep_db_close(&w.db);
    return status;
}
