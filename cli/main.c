/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"
#include "base/names.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {
    {"run", cmd_run},         {"sweep", cmd_sweep},     {"analyze", cmd_analyze}, {"check", cmd_check},
    {"fit", cmd_fit},         {"infer", cmd_infer},     {"report", cmd_report},   {"explain", cmd_explain},
    {"predict", cmd_predict}, {"replay", cmd_replay},   {"plot", cmd_plot},
    {"compare", cmd_compare}, {"init", cmd_init},       {"measure", cmd_measure},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static int main_unknown(const char *name)
{
    const char *near = NULL;
    size_t least = names_too_far(name);
    for (const struct cli_help_page *page = cli_help_pages; page->name; page++) {
        size_t distance = names_distance(page->name, name);
        if (*page->name && distance < least) {
            least = distance;
            near = page->name;
        }
    }
    fprintf(stderr, "contraflow: unknown command '%s'; ", cli_name(name));
    if (near)
        fprintf(stderr, "did you mean %s? ", near);
    fputs(near ? "Commands are" : "commands are", stderr);
    for (int i = 0; i < SUBCOMMANDS; i++)
        fprintf(stderr, "%s %s", i ? "," : "", subcommands[i].name);
    fputs("\n", stderr);
    return ERROR_INPUT;
}

/* 'contraflow help predict loss': the whole page. */
static int main_help(int argc, char **argv)
{
    char name[64] = "";
    for (int i = 0; i < argc; i++)
        text_add(name, sizeof name, "%s%s", i ? " " : "", argv[i]);
    const struct cli_help_page *page = cli_help_find(name);
    if (!page)
        return main_unknown(name);
    fputs(argc ? page->full : page->brief, stdout);
    return 0;
}

/* What GSL cannot compute it says; what it has no memory for, not every caller hears. */
static void main_gsl(const char *reason, const char *file, int line, int code)
{
    (void)reason, (void)file, (void)line;
    if (code == GSL_ENOMEM)
        memory_end("a fit");
}

static int main_command(int argc, char **argv)
{
    if (argc < 2) {
        fputs(cli_help_find("")->brief, stderr);
        return ERROR_INPUT;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return cli_help("");
    if (strcmp(name, "help") == 0)
        return main_help(argc - 2, argv + 2);
    if (strcmp(name, "--version") == 0) {
        puts("contraflow " CONTRAFLOW_VERSION);
        return 0;
    }
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(name, subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    return main_unknown(name);
}

int main(int argc, char **argv)
{
    process_start();
    cli_start();
    gsl_set_error_handler(main_gsl);
    return cli_finish(main_command(argc, argv));
}
