/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outfile.h"
#include "base/units.h"
#include "cli/children.h"
#include "cli/cli.h"
#include "cli/sweep_db.h"
#include "cli/sweep_export.h"
#include "scenarios/directory.h"

#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: contraflow sweep SWEEP.yaml [-o FILE.db] [--jobs N] [--seed N] [-q]\n"
    "       contraflow sweep export FILE.db [--flows] > out.csv\n\n"
    "Runs a scenario at every point of a grid, an engine process a point, into one SQLite file. A sweep file:\n\n"
    "  scenario: star.yaml                       # beside the sweep file\n"
    "  set: {duration: 500ms, warmup: 100ms}     # as run --set\n"
    "  axes:\n"
    "    traffic.star.incoming: 0..12            # or {from: 0, to: 12, step: 1}\n"
    "    tcp.window: {from: 10kB, to: 1MB, points: 8, scale: log}\n"
    "    network.nic.queue: [fifo, ack-first]\n"
    "  skip: [{traffic.star.incoming: 0..3, tcp.window: 1MB, seed: [7, 8]}]   # all of these together\n"
    "  seeds: 8                                  # 1 to 8, or a list\n\n"
    "Points go through the axes like nested loops, the first axis outermost and seeds innermost. Every point's\n"
    "scenario is loaded before the first one runs. Captures are off.\n\n"
    "  -o, --output FILE   the database (default: the sweep file's name with .db)\n"
    "  -j, --jobs N        simulations at once (default: processors)\n"
    "      --seed N        the first seed instead of 1\n"
    "  -q, --quiet         no progress, no last line\n"
    "      --flows         export a row a flow instead of a row a point\n\n"
    "Stop it by Ctrl-C, kill it, start it again: the same command goes on with what is left, failed points too, and\n"
    "repeats nothing that is done. Two of it on one database share the work. Exit status: 0 all points done, 1 some\n"
    "failed, 2 bad input, 3 the system failed (a full disk). Tables: sweep, point, flow; with sqlite3, for example,\n"
    "  sqlite3 fig4a.db \"SELECT axes, sum(steady_goodput_bps)/1e6 FROM point JOIN flow ON point=number GROUP BY 1\"\n";

struct sweep_job {
    struct children_job job;
    int64_t number;
    char *directory, *program;
};

struct sweep_work {
    struct sweep_db db;
    const char *path;
    struct error err; /* why it stops */
    int64_t finished, before; /* points of this process; done and failed at its start */
};

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

static void remove_tree(const char *directory)
{
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool write_scenario(const char *directory, const char *yaml, struct error *err)
{
    struct outfile f = {0};
    if (!outfile_make_directory(directory, err))
        return false;
    char *path = scenario_directory_path(directory, "scenario.yaml", err);
    bool ok = path && outfile_open(&f, path, err);
    if (ok) {
        fputs(yaml, f.stream);
        ok = outfile_commit(&f, err);
    }
    free(path);
    return ok;
}

static void job_free(struct sweep_job *j)
{
    if (j && j->directory)
        remove_tree(j->directory);
    if (j) {
        free(j->directory);
        free(j->program);
    }
    free(j);
}

/* Claims a point and lays out its directory, named by its number: what a killed process left there goes first. */
static struct children_job *work_next(void *user)
{
    struct sweep_work *w = user;
    struct sweep_claim c;
    struct sweep_job *j = NULL;
    char program[PATH_MAX];
    bool ok = w->err.code == ERROR_NONE && sweep_db_claim(&w->db, &c, &w->err);
    if (!ok)
        return NULL;
    if (c.number) {
        j = calloc(1, sizeof *j);
        ok = j && asprintf(&j->directory, "%s.point-%" PRId64, w->path, c.number) >= 0;
        if (!ok)
            error_set(&w->err, ERROR_SYSTEM, "out of memory");
        if (ok) {
            remove_tree(j->directory);
            ok = children_engine_path(c.program, program, sizeof program, &w->err) &&
                 write_scenario(j->directory, c.yaml, &w->err) && (j->program = strdup(program));
            j->number = c.number;
            j->job = (struct children_job){.directory = j->directory, .program = j->program};
        }
        if (!ok) {
            struct error ignored; /* the first one is told; a point of a process that is gone is free anyway */
            sweep_db_release(&w->db, c.number, &ignored);
            job_free(j);
            j = NULL;
        }
    }
    free(c.yaml);
    free(c.program);
    return j ? &j->job : NULL;
}

static bool work_commit(struct sweep_work *w, const struct sweep_job *j)
{
    char *path = scenario_directory_path(j->directory, "summary.json", &w->err);
    json_error_t why;
    json_t *summary = path ? json_load_file(path, 0, &why) : NULL;
    bool ok = summary ? sweep_db_done(&w->db, j->number, summary, j->job.seconds, &w->err)
                      : path && error_set(&w->err, ERROR_SYSTEM, "%s: %s", path, why.text);
    json_decref(summary);
    free(path);
    return ok;
}

/* A point fails by its engine's verdict or crash; a system that fails is no point's fault and stops the sweep. */
static bool work_done(void *user, struct children_job *job)
{
    struct sweep_work *w = user;
    struct sweep_job *j = (struct sweep_job *)job;
    struct error ignored;
    bool ok = true;
    if (w->err.code != ERROR_NONE) { /* stopping */
        sweep_db_release(&w->db, j->number, &ignored);
        ok = false;
    } else if (job->state == CHILDREN_DONE) {
        ok = work_commit(w, j);
        w->finished++;
    } else if (job->state == CHILDREN_STOPPED) {
        ok = sweep_db_release(&w->db, j->number, &w->err);
    } else if (job->signalled || job->error.code == ERROR_INPUT) {
        ok = sweep_db_failed(&w->db, j->number, job->error.message, &w->err);
        w->finished++;
    } else {
        w->err = job->error;
        error_prefix(&w->err, "point %" PRId64 ": ", j->number);
        sweep_db_release(&w->db, j->number, &ignored);
        ok = false;
    }
    job_free(j);
    return ok;
}

static void work_show(void *user, double elapsed)
{
    struct sweep_work *w = user;
    struct sweep_counts c;
    struct error ignored;
    char left[32] = "", bar[21] = "....................";
    if (!sweep_db_count(&w->db, &c, &ignored) || c.points == 0)
        return;
    int64_t ended = c.done + c.failed;
    memset(bar, '#', (size_t)(20 * ended / c.points));
    if (ended > w->before) /* whoever ran them */
        snprintf(left, sizeof left, ", %.0f s left",
                 elapsed * (double)(c.points - ended) / (double)(ended - w->before));
    fprintf(stderr, "\r\033[K[%s] %" PRId64 " of %" PRId64 " points done, %" PRId64 " running%s", bar, ended, c.points,
            c.running, left);
    fflush(stderr);
}

/* Until no point is left, those of other processes too: one of them may die. Returns the signal that stopped it. */
static int work_run(struct sweep_work *w, int parallel, bool show, struct sweep_counts *c)
{
    struct children_source source = {work_next, work_done, show ? work_show : NULL, w};
    int number = 0;
    if (!sweep_db_count(&w->db, c, &w->err))
        return 0;
    w->before = c->done + c->failed;
    for (;;) {
        number = children_pool(&source, parallel);
        if (w->err.code != ERROR_NONE || !sweep_db_count(&w->db, c, &w->err) || number ||
            c->done + c->failed == c->points)
            return number;
        usleep(200000);
    }
}

static int tell_failed(struct sweep_work *w)
{
    sqlite3_stmt *q = sweep_db_prepare(&w->db, "SELECT number, axes, seed, error FROM point WHERE state = 'failed' "
                                       "ORDER BY number", &w->err);
    if (!q)
        return cli_fail(&w->err);
    while (sqlite3_step(q) == SQLITE_ROW)
        fprintf(stderr, "contraflow: point %s, %s, seed %s: %s\n", (const char *)sqlite3_column_text(q, 0),
                (const char *)sqlite3_column_text(q, 1), (const char *)sqlite3_column_text(q, 2),
                (const char *)sqlite3_column_text(q, 3));
    sqlite3_finalize(q);
    return 1;
}

static int sweep_run(const struct sweep *s, const char *path, int parallel, bool quiet)
{
    struct sweep_work w = {.path = path};
    struct sweep_counts c = {0};
    if (!sweep_db_start(&w.db, path, s, &w.err))
        return cli_fail(&w.err);
    int number = work_run(&w, parallel, !quiet && isatty(STDERR_FILENO), &c), status = 0;
    if (w.err.code != ERROR_NONE)
        status = cli_fail(&w.err);
    else if (number)
        fprintf(stderr, "contraflow: interrupted after %" PRId64 " of %" PRId64 " points; the same command goes on\n",
                c.done + c.failed, c.points);
    else if (c.failed)
        status = tell_failed(&w);
    if (status <= 1 && !number && !quiet)
        fprintf(stderr, "%" PRId64 " of %" PRId64 " points done, %" PRId64 " of them now: %s; "
                "as CSV: contraflow sweep export %s\n", c.done, c.points, w.finished, path, path);
    sweep_db_close(&w.db);
    if (number)
        raise(number); /* the shell learns how we ended */
    return status;
}

/* sweeps/fig4a.yaml -> fig4a.db */
static char *default_output(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    char *output;
    return asprintf(&output, "%.*s.db", length, name) < 0 ? NULL : output;
}

int cmd_sweep(int argc, char **argv)
{
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'}, {"jobs", required_argument, NULL, 'j'},
        {"seed", required_argument, NULL, 's'},   {"quiet", no_argument, NULL, 'q'},
        {"flows", no_argument, NULL, 'f'},        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct error err = {0};
    const char *output = NULL;
    int64_t parallel = children_processors(), seed = -1;
    bool quiet = false, flows = false;
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "o:j:qh", options, NULL)) != -1) {
        switch (option) {
        case 'o':
            output = optarg;
            break;
        case 'j':
            if (!children_parse_jobs(optarg, &parallel, &err))
                return cli_fail(&err);
            break;
        case 's':
            if (!units_parse_integer(optarg, &seed, &err) || seed < 0 || seed > INT64_MAX / 2) {
                error_set(&err, ERROR_INPUT, "--seed: '%s' is not a whole number from 0", optarg);
                return cli_fail(&err);
            }
            break;
        case 'q':
            quiet = true;
            break;
        case 'f':
            flows = true;
            break;
        case 'h':
            fputs(help, stdout);
            return 0;
        default:
            fputs("contraflow: 'contraflow sweep --help' lists the options\n", stderr);
            return ERROR_INPUT;
        }
    }
    bool export = optind < argc && strcmp(argv[optind], "export") == 0;
    if (argc - optind != 1 + export || (flows && !export) || (export && (output || seed >= 0))) {
        error_set(&err, ERROR_INPUT, "sweep takes one SWEEP.yaml, sweep export one FILE.db and --flows; see "
                  "'contraflow sweep --help'");
        return cli_fail(&err);
    }
    if (export)
        return sweep_export(argv[optind + 1], flows, &err) ? 0 : cli_fail(&err);
    struct sweep *s = sweep_load(argv[optind], seed, &err);
    if (!s || !sweep_expand(s, NULL, NULL, &err)) { /* before there is a database */
        sweep_free(s);
        return cli_fail(&err);
    }
    char *path = output ? strdup(output) : default_output(argv[optind]);
    int status = path ? sweep_run(s, path, (int)parallel, quiet)
                      : cli_fail((error_set(&err, ERROR_SYSTEM, "out of memory"), &err));
    free(path);
    sweep_free(s);
    return status;
}
