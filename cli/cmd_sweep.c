/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"
#include "base/units.h"
#include "sweep/engines.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "sweep/export.h"
#include "sweep/merge.h"
#include "cli/sweep_run.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* sweeps/fig4a.yaml -> fig4a.db or fig4a.shard-1-of-3.db */
static char *default_output(const char *path, const struct sweep *s)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    char shard[64] = "";
    if (sweep_grid_shards(s) > 1)
        snprintf(shard, sizeof shard, ".shard-%" PRId64 "-of-%" PRId64, sweep_grid_shard(s), sweep_grid_shards(s));
    return memory_text("%.*s%s.db", length, name, shard);
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
    char *path = output ? memory_text("%s", output) : default_output(file, s);
    int status = cli_sweep_run(s, path, pool, parallel, quiet, number);
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
            return cli_help("sweep");
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
