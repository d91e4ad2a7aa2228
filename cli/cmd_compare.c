/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/read.h"
#include "study/compare.h"
#include "view/compare.h"

#include <stdio.h>

int cmd_compare(int argc, char **argv)
{
    bool json = false;
    const char *report = NULL;
    struct study_judge_options judging = study_judge_options_default();
    struct study_compare compare;
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
    cli_read_until_interrupted(argv + at, argc - at);
    if (!study_compare_make(&compare, path, &judging, &cli_read_listener, &err))
        return cli_fail(&err);
    bool ok = !report || view_compare_page(report, path, &compare, &err);
    if (ok && report)
        fprintf(stderr, "wrote %s/compare.html\n", cli_name(report));
    if (ok && json)
        cli_print_json(cli_json("compare:1", view_compare_json(&compare)));
    for (size_t i = 0; ok && !json && i < compare.n; i++) {
        fputs(i ? "\n" : "", stdout);
        view_compare_print(stdout, &compare.host[i]);
    }
    study_compare_fini(&compare);
    return ok ? 0 : cli_fail(&err);
}
