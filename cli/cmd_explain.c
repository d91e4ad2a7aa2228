/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/help.h"
#include "study/explain_both_ends.h"
#include "study/explain_run.h"
#include "study/pendulum.h"
#include "study/explanation.h"
#include "cli/read.h"
#include "view/table.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void say(const struct study_explanation *e)
{
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT], text[STUDY_EXPLANATION_TEXT];
    analysis_flows_endpoint(&e->flow.src, e->flow.src_port, src);
    analysis_flows_endpoint(&e->flow.dst, e->flow.dst_port, dst);
    study_explanation_say(e, text);
    printf("  %s > %s: %s\n", src, dst, text);
    study_explanation_phases(e, text);
    if (*text)
        printf("    %s\n", text);
}

static void say_swing(const struct study_pendulum *swing)
{
    char text[STUDY_EXPLANATION_TEXT];
    study_pendulum_say(swing, text);
    printf("  %s\n", text);
}

static bool explain_file(const char *path, bool as_json, json_t *list, json_t *queues, size_t *n, struct error *err)
{
    struct analysis_capture capture;
    struct analysis_flows *f = cli_read_capture_explained(path, &capture, err);
    if (!f)
        return false;
    struct study_explanation *all = NULL;
    size_t bulk = 0;
    bool ok = study_explanation_bulk(f, &all, &bulk, err);
    struct view_table t;
    view_table_start(&t, study_explanation_head, STUDY_EXPLANATION_COLUMNS);
    for (size_t i = 0; ok && i < bulk; i++) {
        study_explanation_row(&t, &all[i]);
        if (as_json)
            json_array_append_new(list, study_explanation_json(path, &all[i]));
    }
    if (ok && !as_json && bulk > 0) {
        printf("%s%s\n", *n ? "\n" : "", path);
        ok = view_table_print(&t, "  ", 2, stdout, err);
        for (size_t i = 0; ok && i < bulk; i++)
            say(&all[i]);
    } else {
        view_table_fini(&t);
    }
    struct study_pendulum swing = {0};
    ok = ok && study_pendulum_make(f, all, bulk, &swing, err);
    if (swing.known && as_json)
        json_array_append_new(queues, study_pendulum_json(path, &swing));
    else if (swing.known)
        say_swing(&swing);
    if (ok && bulk == 0)
        fprintf(stderr, "contraflow: %s: no bulk TCP flow\n", path);
    *n += bulk;
    free(all);
    analysis_flows_free(f);
    return ok;
}

int cmd_explain(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'},
        {"both-ends", no_argument, NULL, 'b'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct error err = {0};
    bool as_json = false, both_ends = false;
    size_t n = 0;
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'h')
            return cli_help("explain");
        if (option != 'j' && option != 'b') {
            fputs("contraflow: 'contraflow explain --help' lists the options\n", stderr);
            return ERROR_INPUT;
        }
        as_json |= option == 'j';
        both_ends |= option == 'b';
    }
    if (optind == argc) {
        error_set(&err, ERROR_INPUT, "explain: no file given; see 'contraflow explain --help'");
        return cli_fail(&err);
    }
    if (both_ends && argc - optind != 2) {
        error_set(&err, ERROR_INPUT, "explain --both-ends: %d files given; it takes two, a capture beside either end",
                  argc - optind);
        return cli_fail(&err);
    }
    if (both_ends)
        return !study_explain_both_ends((const char *[]){argv[optind], argv[optind + 1]}, as_json, &n, &err)
                   ? cli_fail(&err)
                   : n == 0;
    json_t *list = json_array(), *simulated = json_array(), *queues = json_array();
    bool ok = true;
    for (int i = optind; ok && i < argc; i++) {
        struct stat st;
        bool directory = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);
        ok = directory ? study_explain_run(argv[i], as_json, simulated, queues, &n, &err)
                       : explain_file(argv[i], as_json, list, queues, &n, &err);
    }
    if (ok && as_json) {
        json_t *all = json_pack("{s:O, s:O, s:O}", "flows", list, "simulated", simulated, "queues", queues);
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
        json_decref(all);
    }
    json_decref(list);
    json_decref(simulated);
    json_decref(queues);
    return !ok ? cli_fail(&err) : n == 0;
}
