/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"

#include "base/memory.h"

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

#define JSON_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(12))

void cli_print_json(json_t *root)
{
    json_dumpf(root, stdout, JSON_FLAGS);
    putchar('\n');
    json_decref(root);
}

/* A text in JSON holds no line's end: what follows one is a line. */
static int put_indented(const char *text, size_t n, void *depth)
{
    for (size_t i = 0; i < n; i++) {
        putchar(text[i]);
        if (text[i] == '\n')
            printf("%*s", 2 * *(const int *)depth, "");
    }
    return 0;
}

void cli_print_json_within(json_t *value, int depth)
{
    json_dump_callback(value, put_indented, &depth, JSON_FLAGS);
    json_decref(value);
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
    fputs(cli_help_find(name)->brief, stdout);
    return 0;
}
