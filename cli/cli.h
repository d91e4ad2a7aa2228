/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/cli.h - the subcommands, and what they share. Data goes to stdout, words to stderr. */
#pragma once

#include "base/error.h"
#include "cli/commands.h" /* CLI_COMMANDS(ROW), by cli/meson.build from doc/commands/contraflow.md */

#include <jansson.h>

#define CLI_STATUS_UNKNOWN 4

/* Each, cmd_NAME(), gets its own name as argv[0] and returns the exit status: 0 done; 1 the work ran and its
 * answer is no, or something is lost; 4 nobody can tell; 2 bad input or usage; 3 the system failed. */
#define CLI_COMMAND_DECLARE(name) int cmd_##name(int argc, char **argv);
CLI_COMMANDS(CLI_COMMAND_DECLARE)

/* First in main(): nothing but text and line breaks reaches standard output and standard error (base/print.h), except
 * by cli_progress(). */
void cli_start(void);

/* printf-style, in place of what the terminal's last line shows. */
void cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_progress_clear(void);

/* ", 40 s left", ", 12 min left", ", 3.5 h left": where a share of the work took so long; "" where it is too little to
 * say. Returns `text`. */
#define CLI_LEFT 32
const char *cli_left(double elapsed_s, double share, char text[static CLI_LEFT]);

/* On a terminal: n lines in place of those of the call before, each cut where the terminal ends; 0 leaves none. */
void cli_screen(char *const *lines, int n);

/* From now on Ctrl-C says so in one line, in place of what cli_progress() shows, and ends us by the signal: for commands
 * that write nothing before they are done. */
void cli_end_on_interrupt(void);

/* A name of others, of a file say, as a word of a printed line: itself, or a copy whose line breaks and the like are
 * escaped. Valid until eight further ones are. */
const char *cli_name(const char *name);

/* One line "contraflow: MESSAGE" on stderr; returns the exit status, which is never 0. */
int cli_fail(const struct error *err);

/* What main() returns at last: `status`, unless standard output could not be written. */
int cli_finish(int status);

/* scenarios/star.yaml with "-run": star-run, here. For free(). */
char *cli_output_name(const char *path, const char *ending);

/* Prints the scenarios of `folder` (scenarios/shipped.h) by name, as lines or as JSON; returns the exit status. */
int cli_list(const char *folder, bool json);

/* Takes an object that --json prints; returns one that begins with the name of its JSON Schema, "check:1" say: what it
 * is, and a number that rises when a key goes or changes its meaning. The schema, doc/schemas/check.json, has the
 * whole name, CLI_JSON_NAME "check:1", as its "$id". */
#define CLI_JSON_NAME "urn:contraflow:"
json_t *cli_json(const char *name, json_t *object);

/* Prints what --json asks for, and frees it. */
void cli_print_json(json_t *root);

/* What cli_print_json() prints of a value that lies so many levels deep, for objects too large to be held whole; takes
 * it. */
void cli_print_json_within(json_t *value, int depth);

/* The text of --help and of 'contraflow help', made by doc/manual.py from doc/commands. */
struct cli_help_page {
    const char *name; /* "predict loss"; "" is the program's own page */
    const char *brief, *full;
};

extern const struct cli_help_page cli_help_pages[]; /* the last row has no name */

/* NULL when no page has this name. */
const struct cli_help_page *cli_help_find(const char *name);

/* Prints the brief text of a page that exists; returns the exit status 0. */
int cli_help(const char *name);
