/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/infile.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "scenarios/shipped.h"

/* A file that is there may be the work of an hour: none is replaced. */
static bool init_write(const char *path, const char *text, size_t size, struct error *err)
{
    struct outfile f = {0};
    if (access(path, F_OK) == 0)
        return error_set(err, ERROR_INPUT, "%s: is there already; give -o another name, or remove it", path);
    if (!outfile_open(&f, path, err))
        return false;
    fwrite(text, 1, size, f.stream);
    return outfile_commit(&f, err);
}

int cmd_init(int argc, char **argv)
{
    struct error err = {0};
    const char *output = NULL;
    const struct cli_option options[] = {{"output", 'o', .text = &output}, {0}};
    int at = cli_options_read("init", argc, argv, options, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    if (argc - at != 1) {
        error_set(&err, ERROR_INPUT, "init takes one NAME, not %d; 'contraflow run --list' prints them", argc - at);
        return cli_fail(&err);
    }
    size_t size;
    MEMORY_LOCAL char *path = shipped_find(argv[at], "", &err);
    MEMORY_LOCAL char *text = path ? infile_read(path, DOCUMENT_BYTES, "a scenario", &size, &err) : NULL;
    bool ok = text && (!output || init_write(output, text, size, &err));
    if (ok && output)
        fprintf(stderr, "wrote %s; run it with: contraflow run %s\n", cli_name(output), cli_name(output));
    else if (ok)
        fwrite(text, 1, size, stdout);
    return ok ? 0 : cli_fail(&err);
}
