/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/monotonic.h"
#include "cli/cli.h"
#include "cli/fit/fit_show.h"
#include "cli/options.h"
#include "cli/read.h"
#include "results/json.h"
#include "scenarios/load.h"

#define PROGRESS_EVERY_S 0.5

#define SHOW(NAME, name) [STUDY_FIT_##NAME] = {cli_fit_##name##_print, cli_fit_##name##_json},
static const struct {
    cli_fit_print *print;
    cli_fit_json *json;
} fit_shows[STUDY_FIT_PARTS] = {
    STUDY_FIT_ROWS(SHOW)};

/* A member for each part that has something to show. The caller's. */
static json_t *fit_json(const struct study_fit_read *f)
{
    json_t *root = json_object();
    for (int i = 0; i < STUDY_FIT_PARTS; i++)
        if (study_fit_read_has(f, (enum study_fit_kind)i))
            json_object_set_new(root, study_fit_parts[i]->name, fit_shows[i].json(f->state[i]));
    return root;
}

/* Every part that took something. */
static bool fit_show(struct study_fit_read *f, char **sources, int n, bool json, struct error *err)
{
    bool any = false, ok = study_fit_read_end(f, err);
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++) {
        if (!study_fit_read_has(f, (enum study_fit_kind)i))
            continue;
        if (!json) {
            fputs(any ? "\n" : "", stdout);
            fit_shows[i].print(f->state[i]);
            if (i == STUDY_FIT_RESOURCES && f->tables == (size_t)n)
                cli_fit_resources_rule(f->state[i], f->network->network.link.rate_bps);
        }
        any = true;
    }
    if (!ok || !any)
        return ok && error_set(err, ERROR_INPUT, "%s%s: nothing that 'contraflow fit' has a rule for; see 'contraflow "
                               "fit --help'", sources[0], n > 1 ? " and others" : "");
    if (json) {
        json_t *names = json_array(), *root = results_json("sources:o", names), *parts = fit_json(f);
        for (int i = 0; i < n; i++)
            json_array_append_new(names, json_string(sources[i]));
        json_object_update(root, parts);
        json_decref(parts);
        cli_print_json(cli_json("fit:1", root));
    }
    return true;
}

/* On a terminal: shows now and then how many points of a sweep, or patterns of a table, have been read. */
static void fit_progress(void *user, size_t seen)
{
    double *shown_s = user, now_s = monotonic_now_s();
    if (now_s < *shown_s + PROGRESS_EVERY_S)
        return;
    cli_progress("%zu points", seen);
    *shown_s = now_s;
}

int cmd_fit(int argc, char **argv)
{
    MEMORY_ENDS(study_fit_read_free) struct study_fit_read f = {0};
    struct error err = {0};
    MEMORY_ENDS(scenario_fini) struct scenario network = {0};
    struct cli_options_sets sets = {.n = 0};
    const char *scenario = NULL;
    bool json = false;
    const struct cli_option options[] = {{"scenario", 0, .text = &scenario},
                                         {"set", 0, .call = cli_options_set, .to = &sets},
                                         {"json", 0, .flag = &json},
                                         {0}};
    int at = cli_options_read("fit", argc, argv, options, &err);
    if (at == argc)
        error_set(&err, ERROR_INPUT, "fit: no database, capture or directory given; try 'contraflow fit --help'");
    if (at <= 0 || at == argc)
        return at ? cli_fail(&err) : 0;
    if (!scenario_load(&network, scenario, sets.set, sets.n, &err))
        return cli_fail(&err);
    bool ok = true;
    double from_s = monotonic_now_s(), shown_s = from_s;
    study_fit_read_start(&f);
    f.network = &network;
    f.listener = &cli_read_listener;
    f.progress = isatty(STDERR_FILENO) ? fit_progress : NULL;
    f.user = &shown_s;
    cli_end_on_interrupt();
    for (int i = at; ok && i < argc; i++)
        ok = study_fit_read_source(&f, argv[i], &err);
    if (shown_s > from_s)
        cli_progress_clear();
    ok = ok && fit_show(&f, argv + at, argc - at, json, &err);
    return ok ? 0 : cli_fail(&err);
}
