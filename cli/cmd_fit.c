/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/help.h"
#include "study/fit_read.h"

#include <getopt.h>
#include <stdio.h>

static bool parse(int argc, char **argv, bool *json, bool *help_wanted, struct error *err)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0},
    };
    int c;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == 'j')
            *json = true;
        else if (c == 'h')
            return *help_wanted = true;
        else /* getopt_long has said what */
            return error_set(err, ERROR_INPUT, "'contraflow fit --help' lists the options");
    }
    return optind < argc ||
           error_set(err, ERROR_INPUT, "fit: no database, capture or directory given; try 'contraflow fit --help'");
}

/* Prints every part that has points. */
static bool show(struct study_fit_read *f, char **sources, int n, bool json, struct error *err)
{
    bool any = false, ok = study_fit_read_end(f, err);
    for (int i = 0; ok && i < STUDY_FIT_PARTS; i++) {
        if (study_fit_parts[i]->points(f->state[i]) == 0)
            continue;
        if (!json)
            ok = (!any || putchar('\n') != EOF) && study_fit_parts[i]->print(f->state[i], err);
        any = true;
    }
    if (!ok || !any)
        return ok && error_set(err, ERROR_INPUT, "%s%s: nothing that 'contraflow fit' has a rule for; see 'contraflow "
                               "fit --help'", sources[0], n > 1 ? " and others" : "");
    if (json) {
        json_t *names = json_array(), *root = json_pack("{s:o}", "sources", names), *parts = study_fit_read_json(f);
        for (int i = 0; i < n; i++)
            json_array_append_new(names, json_string(sources[i]));
        json_object_update(root, parts);
        json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
        json_decref(parts);
        json_decref(root);
    }
    return true;
}

int cmd_fit(int argc, char **argv)
{
    struct study_fit_read f = {0};
    struct error err = {0};
    bool json = false, help_wanted = false;
    if (!parse(argc, argv, &json, &help_wanted, &err))
        return cli_fail(&err);
    if (help_wanted)
        return cli_help("fit");
    bool ok = study_fit_read_start(&f, &err);
    for (int i = optind; ok && i < argc; i++)
        ok = study_fit_read_source(&f, argv[i], &err);
    ok = ok && show(&f, argv + optind, argc - optind, json, &err);
    study_fit_read_free(&f);
    return ok ? 0 : cli_fail(&err);
}
