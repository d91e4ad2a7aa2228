/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/help.h - the text of --help and of 'contraflow help', made by doc/manual.py from doc/commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

struct cli_help_page {
    const char *name; /* "predict loss"; "" is the program's own page */
    const char *brief, *full;
};

extern const struct cli_help_page cli_help_pages[]; /* the last row has no name */

/* NULL when no page has this name. */
const struct cli_help_page *cli_help_find(const char *name);

/* Prints the brief text of a page that exists; returns the exit status 0. */
int cli_help(const char *name);

#endif
