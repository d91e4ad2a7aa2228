/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"
#include "cli/check_show.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/read.h"
#include "cli/workload_show.h"
#include "study/judge.h"
#include "view/diagnosis.h"

#include <stdio.h>

struct options {
    bool json;
    struct study_judge_options judging;
    json_t *list;       /* owned; resources so far */
    struct view_table summary; /* a row each */
    size_t resources;   /* judged so far */
    bool no;            /* some answer was no */
    json_t *workloads;  /* owned; what runs of other traffic showed */
    size_t n_workloads;
    struct study_workload_signature signature; /* owned */
};

static bool check_workload(struct options *o, const char *directory, struct error *err)
{
    struct study_workload w;
    bool ok = study_workload_judge(directory, o->judging.tolerance, &w, &o->signature, err);
    if (ok && o->json) {
        cli_workload_show_json(directory, &w, o->workloads);
    } else if (ok) {
        fputs(o->resources + o->n_workloads == 0 ? "" : "\n", stdout);
        cli_workload_show(directory, &w);
    }
    for (size_t i = 0; ok && w.kind == STUDY_WORKLOAD_LOSSES && i < w.losses.n; i++)
        o->no = o->no || !w.losses.receiver[i].holds;
    o->n_workloads++;
    study_workload_fini(&w);
    return ok;
}

static bool check_visit(void *user, const char *source, const char *run, const struct analysis_resources *resources,
                        struct error *err)
{
    struct options *o = user;
    if (!resources)
        return check_workload(o, source, err);
    if (resources->n == 0) {
        fprintf(stderr, "contraflow: %s: no host has two bulk flows at once: nothing is shared\n", cli_name(source));
        o->no = true;
    }
    for (size_t i = 0; i < resources->n_alone; i++)
        if (o->json)
            json_array_append_new(o->list, cli_check_show_resource_json(source, run != NULL, &resources->alone[i]));
        else
            view_diagnosis_print(stdout, source, &resources->alone[i]);
    for (size_t i = 0; i < resources->n; i++) {
        const struct analysis_resource *r = &resources->resource[i];
        o->no = o->no || analysis_check_broken(&r->judgement);
        if (o->json) {
            json_array_append_new(o->list, cli_check_show_resource_json(source, run != NULL, r));
        } else {
            fputs(o->resources == 0 ? "" : "\n", stdout);
            cli_check_show_resource(source, run != NULL, r);
        }
        cli_check_show_summary(&o->summary, source, r);
        o->resources++;
    }
    return true;
}

static bool check_tolerance(const struct cli_option *option, const char *text, struct error *err)
{
    double *tolerance = option->to;
    return (units_parse_share(text, tolerance) && *tolerance > 0 && *tolerance < 1) ||
           error_set(err, ERROR_INPUT, "--tolerance %s: not a share between 0 and 100 %%; try 5%% or 0.05", text);
}

int cmd_check(int argc, char **argv)
{
    struct options o = {.judging = study_judge_options_default()};
    struct error err = {0};
    const struct cli_option options[] = {
        {"json", 0, .flag = &o.json},
        {"tolerance", 0, .call = check_tolerance, .to = &o.judging.tolerance},
        {"rate", 0, .call = cli_options_link_rate, .to = o.judging.capacity_bps},
        {0},
    };
    int at = cli_options_read("check", argc, argv, options, &err);
    if (at == argc)
        error_set(&err, ERROR_INPUT, "check: no file or directory given; try 'contraflow check --help'");
    if (at <= 0 || at == argc)
        return at ? cli_fail(&err) : 0;
    o.list = json_array();
    o.workloads = json_array();
    cli_check_show_summary_start(&o.summary);
    bool ok = true;
    cli_read_until_interrupted(argv + at, argc - at);
    for (int i = at; ok && i < argc; i++)
        ok = study_judge_source(argv[i], &o.judging, &cli_read_listener, check_visit, &o, &err);
    ok = ok && cli_workload_show_signature(&o.signature, o.json, o.workloads, &err);
    if (ok && o.json) {
        cli_print_json(cli_json("check:1", json_pack("{s:O, s:O}", "resources", o.list, "programs", o.workloads)));
    }
    json_decref(o.list);
    json_decref(o.workloads);
    study_workload_signature_fini(&o.signature);
    if (ok && !o.json && o.resources > 1) {
        putchar('\n');
        view_table_print(&o.summary, "", 2, stdout);
    } else {
        view_table_fini(&o.summary);
    }
    if (!ok)
        return cli_fail(&err);
    return o.no ? 1 : 0;
}
