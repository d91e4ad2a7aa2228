/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/infile.h"
#include "base/names.h"
#include "base/place.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli.h"

#include <dirent.h>
#include <gsl/gsl_errno.h>

#define SCHEMA_BYTES ((size_t)1 << 20)

#define SUBCOMMAND(name) {#name, cmd_##name},
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {CLI_COMMANDS(SUBCOMMAND)};
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

/* "analyze, check", for free(): the names of those there are. */
static char *main_schema_names(const char *directory)
{
    struct dirent **found;
    int n = scandir(directory, &found, NULL, alphasort);
    char all[1024] = "";
    for (int i = 0; i < n; i++) {
        const char *name = found[i]->d_name;
        if (text_ends(name, ".json"))
            text_add(all, sizeof all, "%s%.*s", *all ? ", " : "", (int)strcspn(name, "."), name);
        free(found[i]);
    }
    if (n >= 0)
        free(found);
    return memory_text("%s", all);
}

/* 'contraflow help --schema predict loss': of what its --json prints. */
static int main_schema(const char *name)
{
    struct error unread, err = {0};
    size_t size;
    MEMORY_LOCAL char *directory = place_schemas();
    if (!directory) {
        error_set(&err, ERROR_SYSTEM, "no share/contraflow/schemas belongs to this program");
        return cli_fail(&err);
    }
    MEMORY_LOCAL char *path = memory_text("%s/%s.json", directory, name), *names = main_schema_names(directory);
    MEMORY_LOCAL char *text = strchr(name, '/') ? NULL : infile_read(path, SCHEMA_BYTES, "a JSON Schema", &size, &unread);
    if (text)
        fputs(text, stdout);
    else
        error_set(&err, ERROR_INPUT, "help --schema: there is none of '%s'; there are those of %s", cli_name(name),
                  names);
    return err.code == ERROR_NONE ? 0 : cli_fail(&err);
}

/* 'contraflow help predict loss': the whole page. */
static int main_help(int argc, char **argv)
{
    char name[64] = "";
    bool schema = argc > 0 && strcmp(argv[0], "--schema") == 0;
    for (int i = schema; i < argc; i++)
        text_add(name, sizeof name, "%s%s", *name ? schema ? "-" : " " : "", argv[i]);
    if (schema)
        return main_schema(name);
    const struct cli_help_page *page = cli_help_find(name);
    if (!page)
        return main_unknown(name);
    fputs(argc ? page->full : page->brief, stdout);
    return 0;
}

/* 'contraflow replay port --help', with other options before it or not: of a page of two words, whether or not the second
 * one is a command of its own. */
static bool main_help_within(int argc, char **argv)
{
    char name[64] = "";
    if (argc < 4 || (strcmp(argv[argc - 1], "--help") != 0 && strcmp(argv[argc - 1], "-h") != 0))
        return false;
    text_add(name, sizeof name, "%s %s", argv[1], argv[2]);
    return cli_help_find(name) && cli_help(name) == 0;
}

/* What GSL cannot compute it says; what it has no memory for, not every caller hears. */
static void main_gsl(const char *reason UNUSED, const char *file UNUSED, int line UNUSED, int code)
{
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
    if (main_help_within(argc, argv))
        return 0;
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
