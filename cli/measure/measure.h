/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/measure/measure.h - what both ends of 'contraflow measure' share on the command line. */
#pragma once

#include "cli/options.h"

#include <jansson.h>

/* 'contraflow measure serve', as a command of its own; argv[0] is "serve". */
int cli_measure_study(int argc, char **argv);
int cli_measure_experiment(int argc, char **argv);
int cli_measure_serve(int argc, char **argv);

/* A time of seconds for tests; `to`: a double. */
cli_options_call cli_measure_seconds;

/* Writes DIRECTORY/NAME, which appears whole; the directory is there. */
bool cli_measure_keep(const char *directory, const char *name, const json_t *root, struct error *err);

/* A port of TCP, from the option's `least` to 65535; `to`: a const char *, which becomes the argument. */
cli_options_call cli_measure_port;
