/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/read.h"
#include "results/directory.h"
#include "study/compare/compare_interval.h"
#include "study/verdict/judge.h"
#include "study/verdict/judge_run.h"
#include "study/legend.h"
#include "view/figures.h"

#include <sys/stat.h>

/* Runs that have a file which a figure is drawn from. */
struct runs {
    struct view_figures_run *run; /* owned, their directories too */
    size_t n;
};

struct plot {
    struct view_figures_group *groups; /* owned, their flows and texts too */
    char **run; /* owned, each; by group: its directory, NULL of a capture */
    size_t n_groups;
    struct runs queues, timed;
    struct view_figures_trips *trips; /* owned, what they hold too */
    char **trips_run; /* as run */
    size_t n_trips;
    bool all_runs; /* every source is, or lies in, a run directory: rates are simulated */
};

static void runs_fini(struct runs *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->run[i].directory);
    free(r->run);
}

static void plot_fini(struct plot *p)
{
    for (size_t i = 0; i < p->n_groups; i++)
        MEMORY_FREE(p->groups[i].flows, p->groups[i].differs, p->run[i]);
    for (size_t i = 0; i < p->n_trips; i++) {
        study_round_trips_fini(&p->trips[i].trips);
        MEMORY_FREE(p->trips[i].differs, p->trips_run[i]);
    }
    MEMORY_FREE(p->trips, p->trips_run, p->groups, p->run);
    runs_fini(&p->queues);
    runs_fini(&p->timed);
}

/* Last part of a path; of "fig4/2in-1out/", "2in-1out". */
static void plot_label(const char *path, char label[static VIEW_FIGURES_LABEL])
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    size_t from = n;
    while (from > 0 && path[from - 1] != '/')
        from--;
    snprintf(label, VIEW_FIGURES_LABEL, "%.*s", (int)(n - from), path + from);
}

/* A run's own flows have intervals where its judge has none for them (study/compare/compare_interval.h). */
static void plot_add_group(struct plot *p, const char *source, const char *run, const struct analysis_resource *r,
                           bool alone)
{
    struct analysis_resource kept = *r;
    p->groups = memory_resized(p->groups, p->n_groups + 1, sizeof *p->groups, "what to plot");
    p->run = memory_resized(p->run, p->n_groups + 1, sizeof *p->run, "what to plot");
    kept.flows = memory_zeroed(r->n, sizeof *kept.flows, "flows to plot");
    memcpy(kept.flows, r->flows, r->n * sizeof *kept.flows);
    if (run && strcmp(run, source) == 0)
        study_compare_interval_fill(run, &kept);
    p->run[p->n_groups] = run ? memory_text("%s", run) : NULL;
    struct view_figures_group *g = &p->groups[p->n_groups++];
    *g = (struct view_figures_group){.flows = kept.flows, .n = kept.n};
    plot_label(run ? run : source, g->label);
    if (!alone)
        text_add(g->label, sizeof g->label, " %s", r->host);
}

/* A run that has the file, once. */
static void plot_add_run(struct runs *r, const char *directory, const char *file)
{
    if (!results_directory_has(directory, file))
        return;
    r->run = memory_resized(r->run, r->n + 1, sizeof *r->run, "runs to plot");
    r->run[r->n].directory = memory_text("%s", directory);
    plot_label(directory, r->run[r->n++].label);
}

/* Takes the round trips; without any it is no source of them. */
static void plot_add_trips(struct plot *p, const char *source, const char *run, struct study_round_trips *t)
{
    if (t->n == 0) {
        study_round_trips_fini(t);
        return;
    }
    p->trips = memory_resized(p->trips, p->n_trips + 1, sizeof *p->trips, "what to plot");
    p->trips_run = memory_resized(p->trips_run, p->n_trips + 1, sizeof *p->trips_run, "what to plot");
    p->trips_run[p->n_trips] = run ? memory_text("%s", run) : NULL;
    p->trips[p->n_trips] = (struct view_figures_trips){.trips = *t};
    plot_label(source, p->trips[p->n_trips++].label);
}

static void plot_table(void *user, const char *source, const struct analysis_flows *f,
                       const struct analysis_resources *hosts)
{
    const struct analysis_resource *host = analysis_resources_get(hosts, 0);
    struct study_round_trips trips = {.n = 0};
    char directory[PATH_MAX];
    if (host)
        study_round_trips_of_capture(f, host, &trips);
    plot_add_trips(user, source, study_judge_run_of(source, directory), &trips);
}

static bool plot_visit(void *user, const char *source, const char *run, const struct analysis_resources *resources,
                       struct error *err)
{
    struct plot *p = user;
    struct study_round_trips trips;
    if (run && strcmp(run, source) == 0) { /* of a capture plot_table() has them */
        if (!study_round_trips_of_run(run, &trips, err))
            return false;
        plot_add_trips(p, source, run, &trips);
    }
    p->all_runs = p->all_runs && run;
    if (!resources)
        plot_add_run(&p->timed, run, "operations.csv");
    for (size_t i = 0; resources && i < resources->n; i++)
        plot_add_group(p, source, run, &resources->resource[i], resources->n == 1);
    if (resources && run)
        plot_add_run(&p->queues, run, "queues.csv");
    return true;
}

enum figure { FIGURE_BANDWIDTH, FIGURE_COMPLETION, FIGURE_LATENCY, FIGURE_QUEUES, FIGURE_TOTALS };

static bool plot_draw(const struct plot *p, enum figure figure, const char *directory, struct error *err)
{
    static const char *const files[][2] = {
        {"bandwidth.svg", "bandwidth.png"}, {"completion.svg", "completion.png"}, {"latency.svg", "latency.png"},
        {"queues.svg", "queues.png"},
        {"totals.svg", "totals.png"}};
    MEMORY_LOCAL char *svg = results_directory_path(directory, files[figure][0]);
    MEMORY_LOCAL char *png = results_directory_path(directory, files[figure][1]);
    bool made, ok;
    if (figure == FIGURE_BANDWIDTH)
        ok = view_figures_bandwidth(svg, p->groups, p->n_groups, p->all_runs, err);
    else if (figure == FIGURE_TOTALS)
        ok = view_figures_totals(svg, p->groups, p->n_groups, err);
    else if (figure == FIGURE_LATENCY)
        ok = view_figures_latency(svg, p->trips, p->n_trips, err);
    else if (figure == FIGURE_COMPLETION)
        ok = view_figures_completion(svg, p->timed.run, p->timed.n, err);
    else
        ok = view_figures_queues(svg, p->queues.run, p->queues.n, err);
    ok = ok && view_figures_png(svg, png, &made, err);
    if (ok)
        fprintf(stderr, made ? "wrote %s, .png\n"
                             : "wrote %s; a .png needs rsvg-convert (apt install librsvg2-bin)\n", cli_name(svg));
    return ok;
}

/* What tells the groups apart, and the sources of round trips. */
static void plot_differ(struct plot *p)
{
    MEMORY_LOCAL char **trips = memory_zeroed(p->n_trips + 1, sizeof *trips, "what to plot");
    study_legend_make((const char *const *)p->trips_run, p->n_trips, trips);
    for (size_t i = 0; i < p->n_trips; i++)
        p->trips[i].differs = trips[i];
    MEMORY_LOCAL char **text = memory_zeroed(p->n_groups, sizeof *text, "what to plot");
    study_legend_make((const char *const *)p->run, p->n_groups, text);
    for (size_t i = 0; i < p->n_groups; i++) {
        bool said = *text[i] || p->run[i];
        p->groups[i].differs = said ? text[i] : memory_text("captured, %zu flows", p->groups[i].n);
        if (!said)
            free(text[i]);
    }
}

static bool plot_draw_all(const struct plot *p, const char *directory, struct error *err)
{
    if (p->n_groups + p->queues.n + p->timed.n + p->n_trips == 0)
        return error_set(err, ERROR_INPUT, "nothing to draw: no host has two bulk flows at once, no run has queues or "
                                           "completion times");
    return outfile_make_directory(directory, err) &&
           (p->n_groups == 0 || plot_draw(p, FIGURE_BANDWIDTH, directory, err)) &&
           (p->n_groups < 2 || plot_draw(p, FIGURE_TOTALS, directory, err)) &&
           (p->n_trips == 0 || plot_draw(p, FIGURE_LATENCY, directory, err)) &&
           (p->timed.n == 0 || plot_draw(p, FIGURE_COMPLETION, directory, err)) &&
           (p->queues.n == 0 || plot_draw(p, FIGURE_QUEUES, directory, err));
}

int cmd_plot(int argc, char **argv)
{
    struct plot plot = {.all_runs = true};
    struct study_judge_options judging = study_judge_options_default();
    struct error err = {0};
    const char *output = NULL;
    const struct cli_option options[] = {{"output", 'o', .text = &output}, {0}};
    int at = cli_options_read("plot", argc, argv, options, &err);
    if (at == argc)
        error_set(&err, ERROR_INPUT, "plot: no file or directory given; see 'contraflow plot --help'");
    if (at <= 0 || at == argc)
        return at ? cli_fail(&err) : 0;
    judging.table = plot_table;
    bool ok = true;
    for (int i = at; ok && i < argc; i++) {
        /* 'replay --port -o DIR' leaves a queue, and no flows to judge. */
        if (results_directory_has(argv[i], "queues.csv") && !study_judge_run_exists(argv[i]))
            plot_add_run(&plot.queues, argv[i], "queues.csv");
        else
            ok = study_judge_source(argv[i], &judging, &cli_read_listener, plot_visit, &plot, &err);
        struct stat st;
        if (!output && stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
            output = argv[i];
    }
    if (ok)
        plot_differ(&plot);
    ok = ok && plot_draw_all(&plot, output ? output : ".", &err);
    plot_fini(&plot);
    return ok ? 0 : cli_fail(&err);
}
