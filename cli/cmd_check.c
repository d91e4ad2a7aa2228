/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"
#include "study/workload.h"
#include "view/rules_table.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/read.h"
#include "study/judge.h"
#include "view/table.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct options {
    bool json, help;
    double tolerance;
    json_t *list;       /* owned; resources so far */
    struct view_table summary; /* a row each */
    size_t resources;   /* judged so far */
    bool no;            /* some answer was no */
    struct study_workloads programs;
    size_t programs_said;
};

static bool print_resource(const char *source, bool simulated, const struct analysis_resource *r, struct error *err)
{
    const struct analysis_judgement *j = &r->judgement;
    printf("%s: host %s: %zu in, %zu out, %.3f to %.3f s (steady from %.3f)\n", source, r->host, j->indegree,
           j->outdegree, r->start_s, r->end_s, r->steady_start_s);
    printf("  verdict %s, B = %.1f Mb/s: %s\n", model_regime_name(j->verdict), j->fitted_rate_bps / 1e6,
           j->why);
    struct view_table t;
    view_rules_table(&t, simulated ? "simulated" : "measured", r);
    return view_table_print(&t, "  ", 3, stdout, err);
}

static json_t *flow_json(const struct analysis_check_flow *flow)
{
    json_t *predicted = json_object();
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        json_object_set_new(predicted, analysis_check_rule_name((enum analysis_rule)rule),
                            view_table_json_number(flow->predicted_bps[rule]));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:s, s:o}", "src", flow->src, "dst", flow->dst,
                     "direction", flow->incoming ? "in" : "out", "rate_bps", view_table_json_number(flow->rate_bps),
                     "ci95_bps", view_table_json_number(flow->ci95_bps),
                     "window_bytes", view_table_json_number(flow->window_bytes),
                     "buffer_bytes", view_table_json_number(flow->buffer_bytes),
                     "retransmitted_segments", (json_int_t)flow->retransmitted_segments, "loss_events",
                     flow->loss_events == ANALYSIS_CHECK_LOSS_UNKNOWN ? json_null() : json_integer(flow->loss_events),
                     "limit", analysis_limit_name(flow->limit), "predicted_bps", predicted);
}

static json_t *resource_json(const char *source, bool simulated, const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    json_t *rules = json_object(), *flows = json_array();
    for (int i = 0; i < ANALYSIS_RULES; i++) {
        const struct analysis_rule_fit *fit = &j->rule[i];
        json_object_set_new(rules, analysis_check_rule_name((enum analysis_rule)i),
                            json_pack("{s:o, s:b, s:o}", "max_rel_error", view_table_json_number(fit->max_rel_error),
                                      "holds", fit->holds, "fitted_rate_bps",
                                      view_table_json_number(fit->fitted_rate_bps)));
    }
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(flows, flow_json(&r->flows[i]));
    return json_pack("{s:s, s:b, s:s, s:I, s:I, s:o, s:o, s:s, s:b, s:s, s:o, s:o, s:o, s:o}", "source", source,
                     "simulated", simulated, "host", r->host, "indegree", (json_int_t)j->indegree,
                     "outdegree", (json_int_t)j->outdegree,
                     "fitted_rate_bps", view_table_json_number(j->fitted_rate_bps), "rules", rules,
                     "verdict", model_regime_name(j->verdict), "indistinguishable", j->indistinguishable,
                     "why", j->why, "start_s", view_table_json_number(r->start_s),
                     "end_s", view_table_json_number(r->end_s),
                     "steady_start_s", view_table_json_number(r->steady_start_s), "flows", flows);
}

/* Adds a resource's line to the table that follows all resources. */
static void summarize(struct options *o, const char *source, const struct analysis_resource *r)
{
    const struct analysis_judgement *j = &r->judgement;
    view_table_add(&o->summary, "%s", source);
    view_table_add(&o->summary, "%s", r->host);
    view_table_add(&o->summary, "%zu", j->indegree);
    view_table_add(&o->summary, "%zu", j->outdegree);
    view_table_add_number(&o->summary, j->in_bps, 1e6);
    view_table_add_number(&o->summary, j->out_bps, 1e6);
    for (int rule = 0; rule < ANALYSIS_RULES; rule++)
        view_rules_table_error(&o->summary, &j->rule[rule]);
    view_table_add(&o->summary, "%s", model_regime_name(j->verdict));
    view_table_add_number(&o->summary, j->fitted_rate_bps, 1e6);
}

static bool show(void *user, const char *source, const char *run, const struct analysis_resources *resources,
                 struct error *err)
{
    struct options *o = user;
    bool ok = true;
    if (!resources) {
        if (!o->json && o->resources + o->programs_said++ > 0)
            putchar('\n');
        return study_workload_judge(&o->programs, source, err);
    }
    if (resources->n == 0) {
        fprintf(stderr, "contraflow: %s: no host has two bulk flows at once: nothing is shared\n", source);
        o->no = true;
    }
    for (size_t i = 0; ok && i < resources->n; i++) {
        const struct analysis_resource *r = &resources->resource[i];
        o->no = o->no || analysis_check_rule_of(r->judgement.verdict) == ANALYSIS_RULES;
        if (o->json)
            json_array_append_new(o->list, resource_json(source, run != NULL, r));
        else
            ok = (o->resources == 0 || putchar('\n') != EOF) && print_resource(source, run != NULL, r, err);
        summarize(o, source, r);
        o->resources++;
    }
    return ok;
}

static bool parse_tolerance(const char *text, double *tolerance, struct error *err)
{
    double value;
    if (!units_parse_share(text, &value) || !(value > 0 && value < 1))
        return error_set(err, ERROR_INPUT, "--tolerance %s: not a share between 0 and 100 %%; try 5%% or 0.05", text);
    *tolerance = value;
    return true;
}

static bool parse(int argc, char **argv, struct options *o, struct error *err)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"tolerance", required_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0},
    };
    int c;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (c) {
        case 'j':
            o->json = true;
            break;
        case 't':
            if (!parse_tolerance(optarg, &o->tolerance, err))
                return false;
            break;
        case 'h':
            o->help = true;
            return true;
        default: /* getopt_long has said what */
            return error_set(err, ERROR_INPUT, "'contraflow check --help' lists the options");
        }
    }
    return optind < argc ||
           error_set(err, ERROR_INPUT, "check: no file or directory given; try 'contraflow check --help'");
}

int cmd_check(int argc, char **argv)
{
    struct options o = {.tolerance = ANALYSIS_CHECK_TOLERANCE};
    struct error err = {0};
    if (!parse(argc, argv, &o, &err))
        return cli_fail(&err);
    if (o.help)
        return cli_help("check");
    static const char *const head[] = {"source", "host", "in", "out", "in Mb/s", "out Mb/s", "eq5 error", "eq6 error",
                                       "window error", "verdict", "B Mb/s"};
    o.list = json_array();
    o.programs = (struct study_workloads){.json = o.json, .tolerance = o.tolerance, .list = json_array()};
    view_table_init(&o.summary, sizeof head / sizeof *head);
    for (size_t i = 0; i < o.summary.columns; i++)
        view_table_add(&o.summary, "%s", head[i]);
    bool ok = true;
    for (int i = optind; ok && i < argc; i++) {
        ok = study_judge_source(argv[i], o.tolerance, &cli_read_listener, show, &o, &err);
    }
    ok = ok && study_workload_signature(&o.programs, &err);
    if (ok && o.json) {
        json_t *root = json_pack("{s:O, s:O}", "resources", o.list, "programs", o.programs.list);
        json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
        json_decref(root);
    }
    json_decref(o.list);
    json_decref(o.programs.list);
    free(o.programs.points);
    if (ok && !o.json && o.resources > 1) {
        putchar('\n');
        ok = view_table_print(&o.summary, "", 2, stdout, &err);
    } else {
        view_table_fini(&o.summary);
    }
    if (!ok)
        return cli_fail(&err);
    return o.no || o.programs.no ? 1 : 0;
}
