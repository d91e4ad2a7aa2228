/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outfile.h"
#include "study/judge_run.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "view/figures.h"
#include "study/judge.h"
#include "scenarios/directory.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct plot {
    struct view_figure_group *groups; /* owned, their flows too */
    struct view_figure_run *runs;     /* owned, their paths too */
    struct view_figure_run *timed;    /* owned, their directories too: runs with completion times */
    size_t n_groups, n_runs, n_timed;
    bool all_runs; /* every source is, or lies in, a run directory: rates are simulated */
};

static void plot_fini(struct plot *p)
{
    for (size_t i = 0; i < p->n_groups; i++)
        free((void *)p->groups[i].flows);
    for (size_t i = 0; i < p->n_runs; i++)
        free((void *)p->runs[i].queues_csv);
    for (size_t i = 0; i < p->n_timed; i++)
        free((void *)p->timed[i].directory);
    free(p->groups);
    free(p->runs);
    free(p->timed);
}

/* Last part of a path; of "fig4/2in-1out/", "2in-1out". */
static void plot_label(const char *path, char *label, size_t size)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    size_t from = n;
    while (from > 0 && path[from - 1] != '/')
        from--;
    snprintf(label, size, "%.*s", (int)(n - from), path + from);
}

static bool plot_add_group(struct plot *p, const char *name, const struct analysis_resource *r, bool alone)
{
    struct view_figure_flow *flows = calloc(r->n + 1, sizeof *flows);
    struct view_figure_group *groups = realloc(p->groups, (p->n_groups + 1) * sizeof *groups);
    if (groups)
        p->groups = groups;
    if (!flows || !groups) {
        free(flows);
        return false;
    }
    struct view_figure_group *g = &groups[p->n_groups++];
    *g = (struct view_figure_group){.flows = flows, .n_flows = r->n};
    plot_label(name, g->label, sizeof g->label);
    size_t used = strlen(g->label);
    if (!alone)
        snprintf(g->label + used, sizeof g->label - used, " %s", r->host);
    size_t next = 0;
    for (int incoming = 1; incoming >= 0; incoming--) /* incoming flows first */
        for (size_t i = 0; i < r->n; i++) {
            const struct analysis_check_flow *f = &r->flows[i];
            if (f->incoming == incoming)
                flows[next++] = (struct view_figure_flow){f->incoming,
                                                     f->rate_bps,
                                                     f->ci95_bps,
                                                     f->predicted_bps[ANALYSIS_RULE_EQ5],
                                                     f->predicted_bps[ANALYSIS_RULE_EQ6],
                                                     f->predicted_bps[ANALYSIS_RULE_WINDOW]};
        }
    return true;
}

static bool plot_add_run(struct plot *p, const char *run, struct error *err)
{
    struct view_figure_run *runs = realloc(p->runs, (p->n_runs + 1) * sizeof *runs);
    if (!runs)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    p->runs = runs;
    char *path = scenario_directory_path(run, "queues.csv", err);
    if (!path)
        return false;
    if (access(path, R_OK) != 0) {
        free(path);
        return true;
    }
    runs[p->n_runs] = (struct view_figure_run){.queues_csv = path};
    plot_label(run, runs[p->n_runs].label, sizeof runs->label);
    p->n_runs++;
    return true;
}

/* A run with completion times, once. */
static bool plot_add_timed(struct plot *p, const char *run, struct error *err)
{
    char *path = scenario_directory_path(run, "operations.csv", err);
    bool has = path && access(path, R_OK) == 0;
    free(path);
    if (!has)
        return path != NULL;
    struct view_figure_run *timed = realloc(p->timed, (p->n_timed + 1) * sizeof *timed);
    char *directory = strdup(run);
    p->timed = timed ? timed : p->timed;
    if (!timed || !directory) {
        free(directory);
        return error_set(err, ERROR_SYSTEM, "out of memory");
    }
    timed[p->n_timed] = (struct view_figure_run){.directory = directory};
    plot_label(run, timed[p->n_timed].label, sizeof timed->label);
    p->n_timed++;
    return true;
}

/* What 'replay --port -o DIR' leaves: a queue, and no flows to judge. */
static bool plot_is_port(const char *directory, struct error *err)
{
    char *queues = scenario_directory_path(directory, "queues.csv", err);
    bool has = queues && access(queues, R_OK) == 0 && !study_judge_run_exists(directory);
    free(queues);
    return has;
}

static bool plot_visit(void *user, const char *source, const char *run, const struct analysis_resources *resources,
                       struct error *err)
{
    struct plot *p = user;
    p->all_runs = p->all_runs && run;
    if (!resources)
        return plot_add_timed(p, run, err);
    for (size_t i = 0; i < resources->n; i++)
        if (!plot_add_group(p, run ? run : source, &resources->resource[i], resources->n == 1))
            return error_set(err, ERROR_SYSTEM, "out of memory");
    return !run || plot_add_run(p, run, err);
}

static bool plot_draw(const struct plot *p, const char *directory, struct error *err)
{
    if (p->n_groups == 0 && p->n_runs == 0 && p->n_timed == 0)
        return error_set(err, ERROR_INPUT, "nothing to draw: no host has two bulk flows at once, no run has queues or "
                                           "completion times");
    if (!outfile_make_directory(directory, err))
        return false;
    if (p->n_groups) {
        if (!view_figure_bandwidth(p->groups, p->n_groups, p->all_runs, directory, err))
            return false;
        fprintf(stderr, "wrote %s/bandwidth.svg, .png, .gp\n", directory);
    }
    if (p->n_timed) {
        if (!view_figure_completion(p->timed, p->n_timed, directory, err))
            return false;
        fprintf(stderr, "wrote %s/completion.svg, .png, .gp\n", directory);
    }
    if (p->n_runs) {
        if (!view_figure_queues(p->runs, p->n_runs, directory, err))
            return false;
        fprintf(stderr, "wrote %s/queues.svg, .png, .gp\n", directory);
    }
    return true;
}

int cmd_plot(int argc, char **argv)
{
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    struct plot plot = {.all_runs = true};
    struct error err = {0};
    const char *output = NULL;
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
        if (option == 'h')
            return cli_help("plot");
        if (option != 'o') {
            fputs("contraflow: 'contraflow plot --help' lists the options\n", stderr);
            return ERROR_INPUT;
        }
        output = optarg;
    }
    if (optind == argc) {
        error_set(&err, ERROR_INPUT, "plot: no file or directory given; see 'contraflow plot --help'");
        return cli_fail(&err);
    }
    bool ok = true;
    for (int i = optind; ok && i < argc; i++) {
        ok = plot_is_port(argv[i], &err)
                 ? plot_add_run(&plot, argv[i], &err)
                 : study_judge_source(argv[i], ANALYSIS_CHECK_TOLERANCE, plot_visit, &plot, &err);
        struct stat st;
        if (!output && stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
            output = argv[i];
    }
    ok = ok && plot_draw(&plot, output ? output : ".", &err);
    plot_fini(&plot);
    return ok ? 0 : cli_fail(&err);
}
