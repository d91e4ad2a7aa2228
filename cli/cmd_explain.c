/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/live.h"
#include "cli/read.h"
#include "cli/show.h"

#include <sys/stat.h>

int cmd_explain(int argc, char **argv)
{
    struct error err = {0};
    bool as_json = false, both_ends = false;
    size_t n = 0;
    const char *interface = NULL;
    static const double unknown_bps[2] = {NAN, NAN};
    const struct cli_option options[] = {
        {"json", 0, .flag = &as_json},
        {"both-ends", 0, .flag = &both_ends},
        {"interface", 'i', .text = &interface},
        {0},
    };
    int at = cli_options_read("explain", argc, argv, options, &err), files = argc - at;
    if (files == 0 && !interface)
        error_set(&err, ERROR_INPUT, "explain: no file given; see 'contraflow explain --help'");
    else if (at > 0 && both_ends && files != 2)
        error_set(&err, ERROR_INPUT, "explain --both-ends: %d files given; it takes two, a capture beside either end",
                  files);
    if (at <= 0 || err.code != ERROR_NONE || !cli_live_alone("explain", interface, files, &err))
        return at ? cli_fail(&err) : 0;
    const struct study_capture_listener *listener = &cli_read_listener;
    if (interface && !(listener = cli_live_open(interface, true, unknown_bps, NULL, NULL, &err)))
        return cli_fail(&err);
    if (both_ends)
        return !cli_explain_show_both_ends((const char *[]){argv[at], argv[at + 1]}, as_json, &n, &err)
                   ? cli_fail(&err)
                   : n == 0;
    struct cli_explain_show_lists lists = {json_array(), json_array(), json_array(), json_array()};
    bool ok = !interface || cli_explain_show_capture(interface, listener, as_json, &lists, &n, &err);
    cli_read_until_interrupted(argv + at, argc - at);
    for (int i = at; ok && i < argc; i++) {
        struct stat st;
        bool directory = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);
        ok = directory ? cli_explain_show_run(argv[i], as_json, &lists, &n, &err)
                       : cli_explain_show_capture(argv[i], listener, as_json, &lists, &n, &err);
    }
    if (ok && as_json) {
        json_t *all = json_pack("{s:O, s:O, s:O, s:O}", "hosts", lists.hosts, "flows", lists.flows, "simulated",
                                lists.simulated, "queues", lists.queues);
        cli_print_json(cli_json("explain:1", all));
    }
    json_decref(lists.hosts);
    json_decref(lists.flows);
    json_decref(lists.simulated);
    json_decref(lists.queues);
    return !ok ? cli_fail(&err) : n == 0;
}
