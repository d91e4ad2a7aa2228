/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/fit.h"
#include "cli/judge.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQLITE_MAGIC "SQLite format 3"

/* In order of print. */
static const struct fit_part *const fit_parts[] = {&fit_resources, &fit_patterns, &fit_engines, &fit_regimes};
enum { FIT_PARTS = sizeof fit_parts / sizeof *fit_parts };

static const char help[] =
    "usage: contraflow fit FILE.db|FILE.pcap|DIR... [--json]\n\n"
    "Which rule do all points of a measurement obey together, and with which bandwidth? FILE.db is a sweep's\n"
    "('contraflow sweep'): its done points. FILE.pcap is a capture, DIR a run or a directory of runs: a point for each\n"
    "host that two bulk flows use at once, as 'contraflow check' finds them. Everything given is taken together.\n";

static const char help_end[] =
    "      --json   {\"sources\":[...], and a member for each part that has points}\n\n"
    "  contraflow sweep scenarios/sweeps/fig4a.yaml && contraflow fit fig4a.db\n\n"
    "Exit status: 0 done; 2 bad input, or nothing in it to fit; 3 the system failed.\n";

struct fit {
    void *state[FIT_PARTS];
    const char *source; /* being read */
    size_t seen;        /* points of all sources, whoever took them */
};

static bool take_point(void *user, const struct sweep_result *r, struct error *err)
{
    struct fit *f = user;
    bool ok = true;
    f->seen++;
    for (int i = 0; ok && i < FIT_PARTS; i++)
        ok = !fit_parts[i]->take || fit_parts[i]->take(f->state[i], f->source, r, err);
    return ok;
}

static bool take_resources(void *user, const char *source, const char *run, const struct analysis_resources *resources,
                           struct error *err)
{
    struct fit *f = user;
    bool ok = true;
    (void)run;
    f->seen++;
    for (int i = 0; ok && resources && i < FIT_PARTS; i++)
        ok = !fit_parts[i]->take_resources || fit_parts[i]->take_resources(f->state[i], source, resources, err);
    return ok;
}

static bool is_database(const char *path)
{
    char magic[sizeof SQLITE_MAGIC] = "";
    FILE *f = fopen(path, "rb");
    bool is = f && fread(magic, sizeof magic, 1, f) == 1 && memcmp(magic, SQLITE_MAGIC, sizeof magic) == 0;
    if (f)
        fclose(f);
    return is;
}

static bool read_source(struct fit *f, const char *path, struct error *err)
{
    struct sweep_db db;
    f->source = path;
    f->seen = 0;
    if (!is_database(path))
        return judge_source(path, ANALYSIS_CHECK_TOLERANCE, take_resources, f, err);
    if (!sweep_db_open(&db, path, err))
        return false;
    bool ok = sweep_read(&db, take_point, f, err);
    sweep_db_close(&db);
    return ok && (f->seen > 0 || error_set(err, ERROR_INPUT, "%s: no point of this sweep is done; 'contraflow sweep' "
                                           "runs them", path));
}

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

static void print_help(void)
{
    fputs(help, stdout);
    for (int i = 0; i < FIT_PARTS; i++)
        printf("\n%s", fit_parts[i]->help);
    printf("\n%s", help_end);
}

/* What every part that took something says. */
static bool show(struct fit *f, char **sources, int n, bool json, struct error *err)
{
    bool ok = true, any = false;
    json_t *root = json_object(), *names = json_array();
    json_object_set_new(root, "sources", names);
    for (int i = 0; i < n; i++)
        json_array_append_new(names, json_string(sources[i]));
    for (int i = 0; ok && i < FIT_PARTS; i++) {
        const struct fit_part *part = fit_parts[i];
        if (part->points(f->state[i]) == 0)
            continue;
        ok = part->fit(f->state[i], err);
        if (ok && json)
            json_object_set_new(root, part->name, part->json(f->state[i]));
        else if (ok)
            ok = (!any || putchar('\n') != EOF) && part->print(f->state[i], err);
        any = true;
    }
    if (ok && !any)
        ok = error_set(err, ERROR_INPUT, "%s%s: nothing that 'contraflow fit' has a rule for; see 'contraflow fit "
                       "--help'", sources[0], n > 1 ? " and others" : "");
    if (ok && json) {
        json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
    }
    json_decref(root);
    return ok;
}

int cmd_fit(int argc, char **argv)
{
    struct fit f = {0};
    struct error err = {0};
    bool json = false, help_wanted = false;
    if (!parse(argc, argv, &json, &help_wanted, &err))
        return cli_fail(&err);
    if (help_wanted) {
        print_help();
        return 0;
    }
    bool ok = true;
    for (int i = 0; ok && i < FIT_PARTS; i++)
        ok = (f.state[i] = fit_parts[i]->new(&err)) != NULL;
    for (int i = optind; ok && i < argc; i++)
        ok = read_source(&f, argv[i], &err);
    ok = ok && show(&f, argv + optind, argc - optind, json, &err);
    for (int i = 0; i < FIT_PARTS; i++)
        fit_parts[i]->free(f.state[i]);
    return ok ? 0 : cli_fail(&err);
}
