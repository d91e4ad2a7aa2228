/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "scenarios/shipped.h"

/* sweeps/fig4a.yaml -> fig4a.db or fig4a.shard-1-of-3.db */
static char *default_output(const char *path, const struct sweep *s)
{
    char ending[64] = ".db";
    const struct sweep_facts *f = sweep_grid_facts(s);
    if (f->shards > 1)
        snprintf(ending, sizeof ending, ".shard-%" PRId64 "-of-%" PRId64 ".db", f->shard, f->shards);
    return cli_output_name(path, ending);
}

struct sweep_command {
    const char *output;
    int64_t parallel, seed, shard, shards; /* 0: not given; the seed's is -1 */
    bool quiet, flows, list, json;
};

static bool parse_shard(const struct cli_option *option, const char *text, struct error *err)
{
    struct sweep_command *c = option->to;
    struct error word = {0};
    const char *slash = strchr(text, '/');
    MEMORY_LOCAL char *first = slash ? memory_text("%.*s", (int)(slash - text), text) : NULL;
    bool ok = first && units_parse_integer(first, &c->shard, &word) &&
              units_parse_integer(slash + 1, &c->shards, &word) && c->shard >= 1 && c->shard <= c->shards &&
              c->shards <= SWEEP_GRID_POINTS;
    return ok || error_set(err, ERROR_INPUT, "--shard: '%s' is not I/N with I from 1 to N, such as 1/8", text);
}

static int run(const char *file, const struct sweep_command *c, sweep_pool *pool, int *number)
{
    struct error err = {0};
    struct sweep *s = sweep_grid_load(file, c->seed, &err);
    if (!s)
        return cli_fail(&err);
    sweep_grid_divide(s, c->shard, c->shards ? c->shards : 1);
    MEMORY_LOCAL char *path = c->output ? memory_text("%s", c->output) : default_output(file, s);
    int parallel = c->parallel ? (int)c->parallel : sweep_engines_processors();
    int status = cli_sweep_run(s, path, pool, parallel, c->quiet, c->json, number);
    sweep_grid_free(s);
    return status;
}

static int sweep_merge_command(const char *path, char *const *shards, int n, bool quiet, bool json)
{
    struct error err = {0};
    struct sweep_counts c;
    if (!sweep_merge(path, shards, n, &c, &err))
        return cli_fail(&err);
    if (!quiet)
        fprintf(stderr, "%" PRId64 " of %" PRId64 " points done, %" PRId64 " failed, %" PRId64 " missing: %s\n", c.done,
                c.points, c.failed, c.points - c.done - c.failed, cli_name(path));
    if (json)
        cli_print_json(cli_json("sweep:1", cli_sweep_run_json(path, &c)));
    return c.done == c.points ? 0 : 1;
}

int cli_sweep_command(int argc, char **argv, sweep_pool *pool, int *number)
{
    struct error err = {0};
    struct sweep_command c = {.seed = -1, .shard = 1};
    const struct cli_option options[] = {
        {"output", 'o', .text = &c.output},
        {"jobs", 'j', .call = cli_options_jobs, .to = &c.parallel},
        {"seed", 0, .whole = &c.seed, .unit = CLI_OPTIONS_COUNT, .most = INT64_MAX / 2},
        {"quiet", 'q', .flag = &c.quiet},
        {"flows", 0, .flag = &c.flows},
        {"shard", 0, .call = parse_shard, .to = &c},
        {"list", 0, .flag = &c.list},
        {"json", 0, .flag = &c.json},
        {0},
    };
    int at = cli_options_read("sweep", argc, argv, options, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    if (c.list)
        return cli_list(SHIPPED_SWEEPS, c.json);
    const char *verb = at < argc ? argv[at] : "";
    bool export = strcmp(verb, "export") == 0, merge = strcmp(verb, "merge") == 0;
    if ((merge ? argc - at < 3 : argc - at != 1 + export) || (c.flows && !export) ||
        ((export || merge) && (c.output || c.seed >= 0 || c.shards || c.parallel))) {
        error_set(&err, ERROR_INPUT, "sweep takes one SWEEP.yaml, sweep merge FILE.db SHARD.db..., sweep export one "
                  "FILE.db and --flows; see 'contraflow sweep --help'");
        return cli_fail(&err);
    }
    if (c.parallel && pool != sweep_work_pool) {
        error_set(&err, ERROR_INPUT, "--jobs: each process of mpirun runs one at a time; give mpirun -n instead");
        return cli_fail(&err);
    }
    const char *schema = c.json ? CLI_JSON_NAME "sweep-export:1" : NULL;
    if (export)
        return sweep_export(argv[at + 1], c.flows, schema, stdout, &err) ? 0 : cli_fail(&err);
    if (merge)
        return sweep_merge_command(argv[at + 1], argv + at + 2, argc - at - 2, c.quiet, c.json);
    return run(verb, &c, pool, number);
}
