/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/fit_show.h - how 'contraflow fit' shows each part: as text, and as its member of --json. */
#ifndef CLI_FIT_SHOW_H
#define CLI_FIT_SHOW_H

#include "study/fit_read.h"

#include <jansson.h>

/* `state` is the part's, fitted. */
typedef void cli_fit_print(const void *state);
typedef json_t *cli_fit_json(const void *state);

cli_fit_print cli_fit_resources_print, cli_fit_patterns_print, cli_fit_connections_print, cli_fit_signatures_print,
    cli_fit_engines_print, cli_fit_regimes_print, cli_fit_remedies_print;
cli_fit_json cli_fit_resources_json, cli_fit_patterns_json, cli_fit_connections_json, cli_fit_signatures_json,
    cli_fit_engines_json, cli_fit_regimes_json, cli_fit_remedies_json;

#endif
