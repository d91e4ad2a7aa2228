/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/fit/fit_show.h - how 'contraflow fit' shows each part: as text, and as its member of --json. */
#pragma once

#include "study/fit/fit_read.h"
#include "study/fit/fit_resources.h"

/* `state` is the part's, fitted. */
typedef void cli_fit_print(const void *state);
typedef json_t *cli_fit_json(const void *state);

#define CLI_FIT_DECLARE(NAME, name) cli_fit_print cli_fit_##name##_print; cli_fit_json cli_fit_##name##_json;
STUDY_FIT_ROWS(CLI_FIT_DECLARE)

/* Of what was measured elsewhere: which of Eq. 5 and Eq. 6 (Zhu et al. 2014), or the window law, its flows obey, with B,
 * and how the time of a pattern is computed where links carry `rate_bps` on the wire. */
void cli_fit_resources_rule(const struct study_fit_resources *r, int64_t rate_bps);
