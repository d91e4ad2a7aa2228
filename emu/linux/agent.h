/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/agent.h - `on HOST COMMAND...`, for programs on hosts: the command on another host, as ssh would start it, but
 * without a shell; mpirun's agent.
 *
 * As with ssh the words make one line. It is read as a shell would read plain words: blanks separate them, what stands in
 * quotes is one word's. What only a shell could do - variables, patterns, two commands - is refused with one line. */
#pragma once

#include "base/error.h"

/* Whether this program was started by that name. */
bool linux_agent_called(const char *name);

/* Becomes the command. Returns the exit status when it cannot: ERROR_INPUT, or 127 as of a shell. */
int linux_agent(int argc, char **argv);

/* The words of a line, with a NULL after the last; for free(), with all of them at once. NULL and *err where a shell
 * would be needed. */
char **linux_agent_words(const char *line, struct error *err);
