/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

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
