/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"
#include "sweep/engines.h"
#include "cli/cli.h"
#include "sweep/export.h"
#include "sweep/merge.h"
#include "cli/sweep_run.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: contraflow sweep SWEEP.yaml [-o FILE.db] [--jobs N] [--seed N] [--shard I/N] [-q]\n"
    "       mpirun contraflow sweep SWEEP.yaml [-o FILE.db] [--seed N] [-q]\n"
    "       contraflow sweep merge FILE.db SHARD.db... [-q]\n"
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
    "      --shard I/N     only points I, I+N, I+2N...; the database's name is then FILE.shard-I-of-N.db\n"
    "  -q, --quiet         no progress, no last line\n"
    "      --flows         export a row a flow instead of a row a point\n\n"
    "Stop it by Ctrl-C, kill it, start it again: the same command goes on with what is left, failed points too, and\n"
    "repeats nothing that is done. Two of it on one database share the work. Exit status: 0 all points done, 1 some\n"
    "failed, 2 bad input, 3 the system failed (a full disk). Tables: sweep, point, flow; with sqlite3, for example,\n"
    "  sqlite3 fig4a.db \"SELECT axes, sum(steady_goodput_bps)/1e6 FROM point JOIN flow ON point=number GROUP BY 1\"\n"
    "\n"
    "Under mpirun (Open MPI) one database, of process 0, which only serves: each of the others runs a simulation at a\n"
    "time, in TMPDIR of its machine, so mpirun -n 9 keeps 8 processors busy. Without MPI, a job array: each job has a\n"
    "shard, and merge puts their databases into FILE.db, refusing those of another sweep. Exit status 1 when points\n"
    "are missing or failed; sweep SWEEP.yaml -o FILE.db then runs those.\n";

/* sweeps/fig4a.yaml -> fig4a.db or fig4a.shard-1-of-3.db */
static char *default_output(const char *path, const struct sweep *s)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    char *output, shard[64] = "";
    if (sweep_grid_shards(s) > 1)
        snprintf(shard, sizeof shard, ".shard-%" PRId64 "-of-%" PRId64, sweep_grid_shard(s), sweep_grid_shards(s));
    return asprintf(&output, "%.*s%s.db", length, name, shard) < 0 ? NULL : output;
}

static bool parse_shard(const char *text, int64_t *shard, int64_t *shards, struct error *err)
{
    struct error word;
    const char *slash = strchr(text, '/');
    char *first = slash ? strndup(text, (size_t)(slash - text)) : NULL;
    bool ok = first && units_parse_integer(first, shard, &word) && units_parse_integer(slash + 1, shards, &word) &&
              *shard >= 1 && *shard <= *shards && *shards <= SWEEP_GRID_POINTS;
    free(first);
    return ok || error_set(err, ERROR_INPUT, "--shard: '%s' is not I/N with I from 1 to N, such as 1/8", text);
}

static int run(const char *file, const char *output, int64_t seed, int64_t shard, int64_t shards, sweep_pool *pool,
               int parallel, bool quiet, int *number)
{
    struct error err;
    struct sweep *s = sweep_grid_load(file, seed, &err);
    if (!s)
        return cli_fail(&err);
    sweep_grid_divide(s, shard, shards);
    char *path = output ? strdup(output) : default_output(file, s);
    int status = path ? cli_sweep_run(s, path, pool, parallel, quiet, number)
                      : cli_fail((error_set(&err, ERROR_SYSTEM, "out of memory"), &err));
    free(path);
    sweep_grid_free(s);
    return status;
}

static int sweep_merge_command(const char *path, char *const *shards, int n, bool quiet)
{
    struct error err;
    struct sweep_counts c;
    if (!sweep_merge(path, shards, n, &c, &err))
        return cli_fail(&err);
    if (!quiet)
        fprintf(stderr, "%" PRId64 " of %" PRId64 " points done, %" PRId64 " failed, %" PRId64 " missing: %s\n", c.done,
                c.points, c.failed, c.points - c.done - c.failed, path);
    return c.done == c.points ? 0 : 1;
}

int cli_sweep_command(int argc, char **argv, sweep_pool *pool, int *number)
{
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'}, {"jobs", required_argument, NULL, 'j'},
        {"seed", required_argument, NULL, 's'},   {"quiet", no_argument, NULL, 'q'},
        {"flows", no_argument, NULL, 'f'},        {"help", no_argument, NULL, 'h'},
        {"shard", required_argument, NULL, 'i'},  {NULL, 0, NULL, 0},
    };
    struct error err = {0};
    const char *output = NULL;
    int64_t parallel = 0, seed = -1, shard = 1, shards = 0;
    bool quiet = false, flows = false;
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "o:j:qh", options, NULL)) != -1) {
        switch (option) {
        case 'o':
            output = optarg;
            break;
        case 'j':
            if (!sweep_engines_parse_jobs(optarg, &parallel, &err))
                return cli_fail(&err);
            break;
        case 's':
            if (!units_parse_integer(optarg, &seed, &err) || seed < 0 || seed > INT64_MAX / 2) {
                error_set(&err, ERROR_INPUT, "--seed: '%s' is not a whole number from 0", optarg);
                return cli_fail(&err);
            }
            break;
        case 'i':
            if (!parse_shard(optarg, &shard, &shards, &err))
                return cli_fail(&err);
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
    const char *verb = optind < argc ? argv[optind] : "";
    bool export = strcmp(verb, "export") == 0, merge = strcmp(verb, "merge") == 0;
    if ((merge ? argc - optind < 3 : argc - optind != 1 + export) || (flows && !export) ||
        ((export || merge) && (output || seed >= 0 || shards || parallel))) {
        error_set(&err, ERROR_INPUT, "sweep takes one SWEEP.yaml, sweep merge FILE.db SHARD.db..., sweep export one "
                  "FILE.db and --flows; see 'contraflow sweep --help'");
        return cli_fail(&err);
    }
    if (parallel && pool != sweep_work_pool) {
        error_set(&err, ERROR_INPUT, "--jobs: each process of mpirun runs one at a time; give mpirun -n instead");
        return cli_fail(&err);
    }
    if (export)
        return sweep_export(argv[optind + 1], flows, stdout, &err) ? 0 : cli_fail(&err);
    if (merge)
        return sweep_merge_command(argv[optind + 1], argv + optind + 2, argc - optind - 2, quiet);
    return run(verb, output, seed, shard, shards ? shards : 1, pool,
               parallel ? (int)parallel : sweep_engines_processors(), quiet, number);
}
