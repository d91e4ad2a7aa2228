/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/filekind.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/read.h"
#include "view/compare.h"

static bool compare_sweeps(const char *const path[STUDY_COMPARE_SIDES], const char *report, bool json, struct error *err)
{
    MEMORY_ENDS(study_compare_sweeps_fini) struct study_compare_sweeps c;
    bool ok = study_compare_sweeps_make(&c, path, err) && (!report || view_compare_sweeps_page(report, path, &c, err));
    if (ok && json)
        cli_print_json(cli_json("compare-sweeps:1", view_compare_sweeps_json(&c)));
    else if (ok)
        view_compare_sweeps_print(stdout, &c);
    return ok;
}

static bool compare_hosts(const char *const path[STUDY_COMPARE_SIDES], const struct study_judge_options *judging,
                          const char *report, bool json, struct error *err)
{
    MEMORY_ENDS(study_compare_fini) struct study_compare compare;
    bool ok = study_compare_make(&compare, path, judging, &cli_read_listener, err) &&
              (!report || view_compare_page(report, path, &compare, err));
    if (ok && json)
        cli_print_json(cli_json("compare:1", view_compare_json(&compare)));
    for (size_t i = 0; ok && !json && i < compare.n; i++) {
        fputs(i ? "\n" : "", stdout);
        view_compare_print(stdout, &compare.host[i]);
    }
    return ok;
}

int cmd_compare(int argc, char **argv)
{
    bool json = false;
    const char *report = NULL;
    struct study_judge_options judging = study_judge_options_default();
    struct error err = {0};
    const struct cli_option options[] = {
        {"json", 0, .flag = &json},
        {"report", 0, .text = &report},
        {"rate", 0, .call = cli_options_link_rate, .to = judging.capacity_bps},
        {0},
    };
    int at = cli_options_read("compare", argc, argv, options, &err);
    if (at == 0)
        return 0;
    if (at > 0 && argc - at != 2)
        error_set(&err, ERROR_INPUT, "compare: %d sources given; it takes two, before and after: see 'contraflow "
                                     "compare --help'", argc - at);
    if (at < 0 || argc - at != 2)
        return cli_fail(&err);
    const char *const path[] = {argv[at], argv[at + 1]};
    bool sweeps = filekind_of(path[0]) == FILEKIND_DATABASE;
    if (sweeps != (filekind_of(path[1]) == FILEKIND_DATABASE)) {
        error_set(&err, ERROR_INPUT, "compare: %s is a database, and %s is none; a sweep is compared with another sweep",
                  cli_name(path[sweeps ? 0 : 1]), cli_name(path[sweeps ? 1 : 0]));
        return cli_fail(&err);
    }
    cli_read_until_interrupted(argv + at, argc - at);
    bool ok = sweeps ? compare_sweeps(path, report, json, &err) : compare_hosts(path, &judging, report, json, &err);
    if (ok && report)
        fprintf(stderr, "wrote %s/compare.html\n", cli_name(report));
    return ok ? 0 : cli_fail(&err);
}
