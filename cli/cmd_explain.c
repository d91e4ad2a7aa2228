/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/explain_show.h"
#include "cli/help.h"

#include <getopt.h>
#include <stdio.h>
#include <sys/stat.h>

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
        return !cli_explain_show_both_ends((const char *[]){argv[optind], argv[optind + 1]}, as_json, &n, &err)
                   ? cli_fail(&err)
                   : n == 0;
    struct cli_explain_show_lists lists = {json_array(), json_array(), json_array()};
    bool ok = true;
    for (int i = optind; ok && i < argc; i++) {
        struct stat st;
        bool directory = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);
        ok = directory ? cli_explain_show_run(argv[i], as_json, &lists, &n, &err)
                       : cli_explain_show_capture(argv[i], as_json, &lists, &n, &err);
    }
    if (ok && as_json) {
        json_t *all = json_pack("{s:O, s:O, s:O}", "flows", lists.flows, "simulated", lists.simulated,
                                "queues", lists.queues);
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
        json_decref(all);
    }
    json_decref(lists.flows);
    json_decref(lists.simulated);
    json_decref(lists.queues);
    return !ok ? cli_fail(&err) : n == 0;
}
