/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/measure/measure.h - what both ends of 'contraflow measure' share on the command line. */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include "cli/options.h"

/* 'contraflow measure serve', as a command of its own; argv[0] is "serve". */
int cli_measure_study(int argc, char **argv);
int cli_measure_serve(int argc, char **argv);

/* A time of seconds for tests; `to`: a double. */
cli_options_call cli_measure_seconds;

/* A port of TCP, from the option's `least` to 65535; `to`: a const char *, which becomes the argument. */
cli_options_call cli_measure_port;

#endif
