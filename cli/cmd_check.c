/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/live.h"
#include "cli/read.h"
#include "cli/show.h"
#include "foreign/read.h"
#include "measure/foreign.h"
#include "measure/proof.h"
#include "study/beside.h"
#include "study/verdict/judge.h"
#include "view/diagnosis.h"

#include <signal.h>

struct check_options {
    bool json, verbose;
    const char *interface; /* NULL: files */
    struct cli_probe probe;
    struct study_judge_options judging;
    json_t *list;       /* owned; resources so far */
    struct view_table summary; /* a row each */
    size_t resources;   /* in it */
    size_t shown;       /* answers so far */
    struct cli_check_answers answers;
    json_t *workloads;  /* owned; what runs of other traffic showed */
    struct study_workload_signature signature; /* owned */
};

static bool check_workload(struct check_options *o, const char *directory, struct error *err)
{
    MEMORY_ENDS(study_workload_fini) struct study_workload w;
    bool ok = study_workload_judge(directory, o->judging.tolerance, &w, &o->signature, err);
    if (ok && o->json) {
        cli_workload_show_json(directory, &w, o->workloads);
    } else if (ok) {
        fputs(o->shown++ ? "\n" : "", stdout);
        cli_workload_show(directory, &w);
    }
    for (size_t i = 0; ok && w.kind == STUDY_WORKLOAD_LOSSES && i < w.losses.n; i++)
        o->answers.lost = o->answers.lost || !w.losses.receiver[i].holds;
    return ok;
}

/* The answer, but of what another one speaks for; its tables where they are asked for. One without a diagnosis, of an
 * older run, has no more than these. */
static void check_show(struct check_options *o, const char *source, bool simulated, const struct analysis_resource *r,
                       bool shared)
{
    bool tables = shared && (o->verbose || !r->diagnosed);
    if (analysis_resource_speaks(r) || tables)
        fputs(o->shown++ ? "\n" : "", stdout);
    if (analysis_resource_speaks(r))
        view_diagnosis_print(stdout, cli_name(source), r);
    if (tables)
        cli_check_show_resource(source, simulated, r);
    if (shared) {
        cli_check_show_summary(&o->summary, source, r);
        o->resources++;
    }
}

static bool check_visit(void *user, const char *source, const char *run, const struct analysis_resources *resources,
                        struct error *err)
{
    struct check_options *o = user;
    if (o->probe.err.code != ERROR_NONE) {
        *err = o->probe.err;
        return false;
    }
    if (!resources)
        return check_workload(o, source, err);
    if (o->probe.at.port && resources->pulses == 0)
        fprintf(stderr, "contraflow: %s: has no pulse of %s port %s: judged without\n", cli_name(source), o->probe.host,
                o->probe.port);
    const struct analysis_resource *r;
    bool shared = resources->n > 0; /* or with somebody whose data the capture does not show */
    for (size_t i = 0; (r = analysis_resources_get(resources, i)); i++)
        shared = shared || r->diagnosis.answer == JUDGE_ANSWER_YES;
    if (!shared)
        fprintf(stderr, "contraflow: %s: no host has two bulk flows at once: nothing is shared\n", cli_name(source));
    o->answers.unknown = o->answers.unknown || resources->n + resources->n_alone == 0;
    for (size_t i = 0; (r = analysis_resources_get(resources, i)); i++) {
        cli_check_answers_add(&o->answers, r);
        if (o->json)
            json_array_append_new(o->list, cli_check_show_resource_json(source, run != NULL, r));
        else
            check_show(o, source, run != NULL, r, resources->n > 0);
    }
    return true;
}

static bool check_tolerance(const struct cli_option *option, const char *text, struct error *err)
{
    double *tolerance = option->to;
    return (units_parse_share(text, tolerance) && *tolerance > 0 && *tolerance < 1) ||
           error_set(err, ERROR_INPUT, "--tolerance %s: not a share between 0 and 100 %%; try 5%% or 0.05", text);
}

/* What other programs measured: all those files together are of one moment. Takes them out of paths[n]. */
static bool check_foreign(struct check_options *o, char **paths, int *n, struct error *err)
{
    MEMORY_LOCAL struct foreign_test *tests = memory_zeroed((size_t)*n, sizeof *tests, "tests");
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources resources = {0};
    const char *first = NULL;
    size_t n_tests = 0;
    int left = 0;
    bool ok = true;
    for (int i = 0; i < *n; i++) {
        if (!foreign_read_is(paths[i])) {
            paths[left++] = paths[i];
            continue;
        }
        first = first ? first : paths[i];
        ok = ok && foreign_read(&tests[n_tests++], paths[i], err);
    }
    *n = left;
    if (ok)
        measure_foreign_judge(tests, n_tests, &resources);
    MEMORY_LOCAL char *names = n_tests > 1 ? memory_text("%s and %zu more", first, n_tests - 1) : memory_text("%s", first ? first : "");
    ok = ok && (n_tests == 0 || check_visit(o, names, NULL, &resources, err));
    for (size_t i = 0; i < n_tests; i++)
        foreign_test_fini(&tests[i]);
    return ok;
}

#define SHOW_AFTER_S 1 /* of an emulation: shorter ones need no words */

static void check_show_again(void *user, const char *directory, double fraction, double elapsed_s)
{
    bool *shown = user;
    *shown = *shown || elapsed_s > SHOW_AFTER_S;
    if (*shown && elapsed_s >= 0)
        cli_progress("%s: emulating it again, with ACKs first: %.0f %%, %.0f s", directory, 100 * fraction, elapsed_s);
    else if (*shown)
        cli_progress_clear();
    *shown = *shown && elapsed_s >= 0;
}

/* With an interface pulses are sent; in a file they are. */
static bool check_probe(struct check_options *o, const char *token, struct error *err)
{
    if (!o->probe.at.port || !o->interface)
        return true;
    return (*token || error_set(err, ERROR_INPUT, "check: --probe with -i takes the --token or --token-file that "
                                "'contraflow measure serve' there shows")) &&
           cli_probe_begin(&o->probe, token, err);
}

int cmd_check(int argc, char **argv)
{
    struct check_options o = {.judging = study_judge_options_default()};
    struct error err = {0};
    bool quick = false, shown = false, exit_zero = false;
    const char *ss = NULL, *qdisc = NULL, *token = NULL, *token_file = NULL;
    char token_text[MEASURE_PROOF_TOKEN_MOST + 1] = "";
    struct analysis_beside beside = {0};
    struct study_ack_first again = {.show = isatty(STDERR_FILENO) ? check_show_again : NULL, .user = &shown};
    const struct cli_option options[] = {
        {"json", 0, .flag = &o.json},
        {"tolerance", 0, .call = check_tolerance, .to = &o.judging.tolerance},
        {"interface", 'i', .text = &o.interface},
        {"verbose", 'v', .flag = &o.verbose},
        {"quick", 0, .flag = &quick},
        {"exit-zero", 0, .flag = &exit_zero},
        {"rate", 0, .call = cli_options_link_rate, .to = o.judging.capacity_bps},
        {"ss", 0, .text = &ss},
        {"qdisc", 0, .text = &qdisc},
        {"probe", 0, .call = cli_probe_option, .to = &o.probe},
        {"token", 0, .text = &token},
        {"token-file", 0, .text = &token_file},
        {0},
    };
    int at = cli_options_read("check", argc, argv, options, &err);
    if (at == argc && !o.interface)
        error_set(&err, ERROR_INPUT, "check: no file or directory given; try 'contraflow check --help'");
    if (at <= 0 || err.code != ERROR_NONE || !cli_live_alone("check", o.interface, argc - at, &err))
        return at ? cli_fail(&err) : 0;
    if (qdisc && !ss)
        error_set(&err, ERROR_INPUT, "check: --qdisc %.200s: whose queue that is --ss tells; give both", qdisc);
    if (err.code != ERROR_NONE || !measure_proof_choose(token, token_file, token_text, &err) ||
        !study_beside_read(&beside, ss, qdisc, &err)) {
        study_beside_fini(&beside);
        return cli_fail(&err);
    }
    beside.probe = o.probe.at;
    o.judging.beside = &beside;
    const struct study_capture_listener *listener = &cli_read_listener;
    if (!check_probe(&o, token_text, &err))
        return cli_fail(&err);
    if (o.interface && !(listener = cli_live_open(o.interface, true, o.judging.capacity_bps, &beside,
                                              o.probe.at.port ? &o.probe : NULL, &err)))
        return cli_fail(&err);
    o.judging.again = quick ? NULL : &again;
    o.list = json_array();
    o.workloads = json_array();
    cli_check_show_summary_start(&o.summary);
    int n = argc - at;
    bool ok = check_foreign(&o, argv + at, &n, &err) &&
              (!o.interface || study_judge_source(o.interface, &o.judging, listener, check_visit, &o, &err));
    cli_read_until_interrupted(argv + at, n);
    for (int i = at; ok && i < at + n; i++)
        ok = study_judge_source(argv[i], &o.judging, listener, check_visit, &o, &err);
    if (ok)
        cli_workload_show_signature(&o.signature, o.json, o.workloads);
    if (ok && o.json)
        cli_print_json(cli_json("check:1", json_pack("{s:O, s:O}", "resources", o.list, "programs", o.workloads)));
    json_decref(o.list);
    json_decref(o.workloads);
    study_workload_signature_fini(&o.signature);
    study_beside_fini(&beside);
    if (ok && !o.json && o.verbose && o.resources > 1) {
        putchar('\n');
        view_table_print(&o.summary, "", 2, stdout);
    } else {
        view_table_fini(&o.summary);
    }
    if (again.signal) {
        fflush(stdout);
        raise(again.signal); /* the shell learns how we ended */
    }
    if (!ok)
        return cli_fail(&err);
    return exit_zero ? 0 : cli_check_answers_status(&o.answers);
}
