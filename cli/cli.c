/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int cli_fail(const struct error *err)
{
    fprintf(stderr, "contraflow: %s\n", err->message);
    return (int)err->code;
}

int cli_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    struct error err;
    error_set_errno(&err, "standard output: cannot be written");
    return cli_fail(&err);
}

char *cli_output_name(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    return memory_text("%.*s%s", length, name, ending);
}

void cli_print_json(json_t *root)
{
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(root);
}

const struct cli_help_page *cli_help_find(const char *name)
{
    for (const struct cli_help_page *page = cli_help_pages; page->name; page++)
        if (strcmp(page->name, name) == 0)
            return page;
    return NULL;
}

int cli_help(const char *name)
{
    const struct cli_help_page *page = cli_help_find(name);
    assert(page); /* of every command, doc/manual.py sees to that */
    fputs(page->brief, stdout);
    return 0;
}
