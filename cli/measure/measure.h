/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/measure/measure.h - what both ends of 'contraflow measure' share on the command line. */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include "cli/options.h"
#include "measure/proof.h"

/* 'contraflow measure serve', as a command of its own; argv[0] is "serve". */
int cli_measure_study(int argc, char **argv);
int cli_measure_serve(int argc, char **argv);

/* --token, or the first line of --token-file, into text; text stays empty when neither is given. */
bool cli_measure_token(const char *token, const char *file, char text[static MEASURE_PROOF_TOKEN_MOST + 1],
                       struct error *err);

/* A time of seconds for tests; `to`: a double. */
cli_options_call cli_measure_seconds;

#endif
